/* SPDX-License-Identifier: Apache-2.0
 *
 * lists.c - what an option lists with commas between: GPUs with a factor or a time, ports, switches.
 */
#include "cli.h"
#include <string.h>

#define WORD 64

int list_next(const struct settings *settings, const char *option, const char **list, char *word, size_t size)
{
    size_t length = strcspn(*list, ",");

    if (!**list)
        return 0;
    snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), *list);
    if ((*list)[length] == ',' && !(*list)[length + 1]) {
        report_usage(settings->command, "%s ends in a comma", option);
        return -1;
    }
    *list += length + ((*list)[length] == ',');
    return 1;
}

/* "3=1.2" to the GPU, and what is behind the sign. 0 or STATUS_USAGE. */
static int pair_parse(const struct settings *settings, const char *option, const char *example, uint32_t gpus,
                      char *word, uint64_t *gpu, const char **value)
{
    char *sign = strchr(word, '=');

    if (!sign)
        return report_usage(settings->command, "%s is like %s, not '%s'", option, example, word);
    *sign = '\0';
    *value = sign + 1;
    if (count_parse(word, gpus - 1, gpu))
        return report_usage(settings->command, "%s: '%s' is no GPU from 0 to %u", option, word, gpus - 1);
    return 0;
}

int stragglers_parse(const struct settings *settings, uint32_t gpus, uint32_t *factors)
{
    const char *list = settings->stragglers ? settings->stragglers : "", *value;
    uint64_t gpu, numerator, denominator;
    char word[WORD];
    int found;

    for (uint32_t g = 0; g < gpus; g++)
        factors[g] = FLUX_PPM;
    while ((found = list_next(settings, "--stragglers", &list, word, sizeof(word))) > 0) {
        int status = pair_parse(settings, "--stragglers", "3=1.2", gpus, word, &gpu, &value);

        if (status)
            return status;
        if (ratio_parse(value, &numerator, &denominator) || numerator / denominator >= 4000)
            return report_usage(settings->command, "--stragglers: '%s' is no factor above 0 and below 4000", value);
        factors[gpu] = (uint32_t)((numerator * FLUX_PPM + denominator / 2) / denominator);
    }
    return found ? STATUS_USAGE : 0;
}

int late_parse(const struct settings *settings, uint32_t gpus, int64_t *late)
{
    const char *list = settings->late ? settings->late : "", *value;
    struct flux_error error = {0};
    char word[WORD];
    uint64_t gpu;
    int found;

    for (uint32_t g = 0; g < gpus; g++)
        late[g] = 0;
    while ((found = list_next(settings, "--late", &list, word, sizeof(word))) > 0) {
        int status = pair_parse(settings, "--late", "3=2ms", gpus, word, &gpu, &value);

        if (status)
            return status;
        if (flux_time_parse(value, &late[gpu], &error))
            return report_usage(settings->command, "--late: %s", error.text);
    }
    return found ? STATUS_USAGE : 0;
}

static int dead_set(struct flux_fabric *fabric, uint32_t gpu, uint32_t k)
{
    if (!flux_fabric_set_dead(fabric, gpu, k, 1))
        return 0;
    report_error("out of memory for the fabric");
    return STATUS_INPUT;
}

static int dead_ports_parse(const struct settings *settings, struct flux_fabric *fabric)
{
    const char *list = settings->dead_ports ? settings->dead_ports : "";
    uint32_t gpus = flux_fabric_gpus(fabric), switches = flux_fabric_switches(fabric);
    char word[WORD];
    int found;

    while ((found = list_next(settings, "--dead-port", &list, word, sizeof(word))) > 0) {
        char *colon = strchr(word, ':');
        uint64_t gpu, k;

        if (!colon)
            return report_usage(settings->command, "--dead-port is GPU:SWITCH such as 3:0, not '%s'", word);
        *colon++ = '\0';
        if (count_parse(word, gpus - 1, &gpu))
            return report_usage(settings->command, "--dead-port: '%s' is no GPU from 0 to %u", word, gpus - 1);
        if (count_parse(colon, switches - 1, &k))
            return report_usage(settings->command, "--dead-port: '%s' is no switch from 0 to %u", colon, switches - 1);
        if (dead_set(fabric, (uint32_t)gpu, (uint32_t)k))
            return STATUS_INPUT;
    }
    return found ? STATUS_USAGE : 0;
}

int dead_parse(const struct settings *settings, struct flux_fabric *fabric)
{
    const char *list = settings->dead_switches ? settings->dead_switches : "";
    uint32_t switches = flux_fabric_switches(fabric);
    int found, status = dead_ports_parse(settings, fabric);
    char word[WORD];
    uint64_t k;

    if (status)
        return status;
    while ((found = list_next(settings, "--dead-switch", &list, word, sizeof(word))) > 0) {
        if (count_parse(word, switches - 1, &k))
            return report_usage(settings->command, "--dead-switch: '%s' is no switch from 0 to %u", word, switches - 1);
        for (uint32_t g = 0; g < flux_fabric_gpus(fabric); g++) {
            if (dead_set(fabric, g, (uint32_t)k))
                return STATUS_INPUT;
        }
    }
    return found ? STATUS_USAGE : 0;
}
