/* SPDX-License-Identifier: Apache-2.0
 *
 * fabric.c - the fabric of a document, the changes of the command line, and the defaults where neither speaks.
 */
#include "cli.h"
#include <string.h>

#define DEFAULT_SWITCHES 2
#define DEFAULT_DELAY (10 * FLUX_US)

static int out_of_memory(void)
{
    report_error("out of memory for the fabric");
    return STATUS_INPUT;
}

int fabric_changed(const struct settings *settings)
{
    return settings->switches != UNSET || settings->delays || settings->rate || settings->rule != UNSET ||
           settings->blocking != UNSET || settings->dwell != TIME_UNSET || settings->propagation != TIME_UNSET;
}

/* Are all switches of `fabric` set alike, so that one more of them has a clear meaning? */
static int switches_alike(const struct flux_fabric *fabric)
{
    uint32_t gpus = flux_fabric_gpus(fabric), switches = flux_fabric_switches(fabric);
    uint64_t count;

    if (flux_fabric_forbidden(fabric, &count) && count)
        return 0;
    if (flux_fabric_initial(fabric, &count) && count)
        return 0;
    for (uint32_t k = 0; k < switches; k++) {
        if (flux_fabric_delay(fabric, k) != flux_fabric_delay(fabric, 0) ||
            flux_fabric_blocking(fabric, k) != flux_fabric_blocking(fabric, 0) ||
            flux_fabric_dwell(fabric, k) != flux_fabric_dwell(fabric, 0))
            return 0;
        for (uint32_t g = 0; g < gpus; g++) {
            if (flux_fabric_dead(fabric, g, k) || flux_fabric_rate(fabric, g, k) != flux_fabric_rate(fabric, g, 0))
                return 0;
        }
    }
    return 1;
}

static int ports_copy(struct flux_fabric *to, const struct flux_fabric *from, uint32_t k, uint32_t source)
{
    uint64_t base = flux_fabric_rate(from, 0, 0);
    int rc = 0;

    for (uint32_t g = 0; !rc && g < flux_fabric_gpus(to); g++) {
        uint64_t rate = flux_fabric_rate(from, g, source);

        if (rate != base)
            rc = flux_fabric_set_rate(to, g, k, rate);
        if (!rc && flux_fabric_dead(from, g, source))
            rc = flux_fabric_set_dead(to, g, k, 1);
    }
    return rc;
}

/* Circuits of switches that are still there. */
static int circuits_copy(struct flux_fabric *to, const struct flux_fabric *from)
{
    const struct flux_circuit_name *row;
    uint64_t count;
    int rc = 0;

    row = flux_fabric_forbidden(from, &count);
    for (uint64_t i = 0; !rc && i < count; i++) {
        if (row[i].switch_index < flux_fabric_switches(to))
            rc = flux_fabric_set_forbidden(to, row[i].switch_index, row[i].src, row[i].dst, 1);
    }
    row = flux_fabric_initial(from, &count);
    for (uint64_t i = 0; !rc && i < count; i++) {
        if (row[i].switch_index < flux_fabric_switches(to))
            rc = flux_fabric_add_initial(to, row[i].switch_index, row[i].src, row[i].dst);
    }
    return rc;
}

static int propagation_copy(struct flux_fabric *to, const struct flux_fabric *from)
{
    uint32_t gpus = flux_fabric_gpus(to);
    int64_t base = gpus > 1 ? flux_fabric_propagation(from, 0, 1) : 0;
    int rc = flux_fabric_set_propagation(to, FLUX_ALL_GPUS, FLUX_ALL_GPUS, base);

    for (uint32_t a = 0; a < gpus; a++) {
        for (uint32_t b = 0; b < gpus && !rc; b++) {
            if (a != b && flux_fabric_propagation(from, a, b) != base)
                rc = flux_fabric_set_propagation(to, a, b, flux_fabric_propagation(from, a, b));
        }
    }
    return rc;
}

static int fabric_copy(struct flux_fabric *to, const struct flux_fabric *from, int with_propagation)
{
    uint32_t switches = flux_fabric_switches(to);
    int rc = flux_fabric_set_rule(to, flux_fabric_rule(from));

    if (!rc)
        rc = flux_fabric_set_rate(to, FLUX_ALL_GPUS, FLUX_ALL_SWITCHES, flux_fabric_rate(from, 0, 0));
    for (uint32_t k = 0; k < switches && !rc; k++) {
        uint32_t source = k < flux_fabric_switches(from) ? k : 0;

        rc = flux_fabric_set_delay(to, k, flux_fabric_delay(from, source));
        if (!rc)
            rc = flux_fabric_set_blocking(to, k, flux_fabric_blocking(from, source));
        if (!rc)
            rc = flux_fabric_set_dwell(to, k, flux_fabric_dwell(from, source));
        if (!rc)
            rc = ports_copy(to, from, k, source);
    }
    if (!rc)
        rc = circuits_copy(to, from);
    if (!rc && with_propagation)
        rc = propagation_copy(to, from);
    return rc;
}

int fabric_twin(const struct flux_fabric *from, struct flux_fabric **fabric)
{
    if (flux_fabric_new(NULL, flux_fabric_gpus(from), flux_fabric_switches(from), fabric) ||
        fabric_copy(*fabric, from, 1))
        return out_of_memory();
    return 0;
}

int fabric_with_delay(const struct flux_fabric *from, int64_t delay, struct flux_fabric **fabric)
{
    int status = fabric_twin(from, fabric);

    return !status && flux_fabric_set_delay(*fabric, FLUX_ALL_SWITCHES, delay) ? out_of_memory() : status;
}

/* One time for all switches, or as many as there are. They were read once already: each of them is good. */
static int delays_apply(const struct settings *settings, struct flux_fabric *fabric)
{
    const char *text = settings->delays;
    uint32_t switches = flux_fabric_switches(fabric), count = 1, k = 0;
    char word[64];
    int64_t time;

    for (const char *c = text; *c; c++)
        count += *c == ',';
    if (count > 1 && count != switches)
        return report_usage(settings->command, "--delay has %u times for %u switches; give one, or one for each", count,
                            switches);
    for (;; text++) {
        size_t length = strcspn(text, ",");

        snprintf(word, sizeof(word), "%.*s", (int)length, text);
        if (flux_time_parse(word, &time, NULL) ||
            flux_fabric_set_delay(fabric, count > 1 ? k++ : FLUX_ALL_SWITCHES, time))
            return out_of_memory();
        text += length;
        if (!*text)
            return 0;
    }
}

static int changes_apply(const struct settings *settings, struct flux_fabric *fabric)
{
    int rc = 0;

    if (settings->rule != UNSET)
        rc = flux_fabric_set_rule(fabric, settings->rule);
    if (!rc && settings->rate)
        rc = flux_fabric_set_rate(fabric, FLUX_ALL_GPUS, FLUX_ALL_SWITCHES, settings->rate);
    if (!rc && settings->blocking != UNSET)
        rc = flux_fabric_set_blocking(fabric, FLUX_ALL_SWITCHES, settings->blocking);
    if (!rc && settings->dwell != TIME_UNSET)
        rc = flux_fabric_set_dwell(fabric, FLUX_ALL_SWITCHES, settings->dwell);
    if (!rc && settings->propagation != TIME_UNSET)
        rc = flux_fabric_set_propagation(fabric, FLUX_ALL_GPUS, FLUX_ALL_GPUS, settings->propagation);
    if (rc)
        return out_of_memory();
    return settings->delays ? delays_apply(settings, fabric) : 0;
}

static void changes_say(const struct settings *settings, const char *path)
{
    char names[128] = "";
    size_t used = 0;
    const struct {
        int given;
        const char *name;
    } options[] = {
        {settings->switches != UNSET, "--switches"},
        {settings->delays != NULL, "--delay"},
        {settings->rate != 0, "--rate"},
        {settings->rule != UNSET, "--rule"},
        {settings->blocking != UNSET, "--blocking"},
        {settings->dwell != TIME_UNSET, "--dwell"},
        {settings->propagation != TIME_UNSET, "--propagation"},
    };

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (options[i].given)
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", options[i].name);
    }
    report_note("%s on the command line, instead of the fabric in %s", names, path);
}

int fabric_settle(const struct settings *settings, const struct flux_graph *graph, const struct flux_fabric *document,
                  const char *document_path, const struct flux_fabric **fabric, struct flux_fabric **own)
{
    uint32_t gpus = flux_graph_gpus(graph), switches = settings->switches;
    int status;

    *own = NULL;
    if (document && !fabric_changed(settings)) {
        *fabric = document;
        return 0;
    }
    if (switches == UNSET)
        switches = document ? flux_fabric_switches(document) : DEFAULT_SWITCHES;
    if (document && switches > flux_fabric_switches(document) && !switches_alike(document))
        return report_usage(settings->command,
                            "--switches %u: the %u switches in %s differ; say there what the others are", switches,
                            flux_fabric_switches(document), document_path);
    if (flux_fabric_new(NULL, gpus, switches, own))
        return out_of_memory();
    *fabric = *own;
    if (document) {
        if (fabric_copy(*own, document, settings->propagation == TIME_UNSET))
            return out_of_memory();
        changes_say(settings, document_path);
    } else if (flux_fabric_set_delay(*own, FLUX_ALL_SWITCHES, DEFAULT_DELAY)) {
        return out_of_memory();
    }
    status = changes_apply(settings, *own);
    return status;
}

/* "10us", or "10us - 1ms" where they differ. */
static void delays_describe(const struct flux_fabric *fabric, char *text, size_t size)
{
    int64_t low = flux_fabric_delay(fabric, 0), high = low;
    char first[FLUX_UNITS_TEXT], last[FLUX_UNITS_TEXT];

    for (uint32_t k = 1; k < flux_fabric_switches(fabric); k++) {
        int64_t delay = flux_fabric_delay(fabric, k);

        low = delay < low ? delay : low;
        high = delay > high ? delay : high;
    }
    if (low == high)
        snprintf(text, size, "%s", flux_time_format(low, first, sizeof(first)));
    else
        snprintf(text, size, "%s - %s", flux_time_format(low, first, sizeof(first)),
                 flux_time_format(high, last, sizeof(last)));
}

static void rates_describe(const struct flux_fabric *fabric, char *text, size_t size)
{
    uint64_t low = UINT64_MAX, high = 0;
    char first[FLUX_UNITS_TEXT], last[FLUX_UNITS_TEXT];

    for (uint32_t k = 0; k < flux_fabric_switches(fabric); k++) {
        for (uint32_t g = 0; g < flux_fabric_gpus(fabric); g++) {
            uint64_t rate = flux_fabric_rate(fabric, g, k);

            low = rate < low ? rate : low;
            high = rate > high ? rate : high;
        }
    }
    if (low == high)
        snprintf(text, size, "%s", flux_rate_format(low, first, sizeof(first)));
    else
        snprintf(text, size, "%s - %s", flux_rate_format(low, first, sizeof(first)),
                 flux_rate_format(high, last, sizeof(last)));
}

char *fabric_describe(const struct flux_fabric *fabric, char *text, size_t size)
{
    static const char *const rules[] = {"paper", "duplex", "simplex"};
    char delays[2 * FLUX_UNITS_TEXT + 4], rates[2 * FLUX_UNITS_TEXT + 4];
    uint32_t switches = flux_fabric_switches(fabric), rule = flux_fabric_rule(fabric);

    delays_describe(fabric, delays, sizeof(delays));
    rates_describe(fabric, rates, sizeof(rates));
    snprintf(text, size, "%u switch%s, %s, %s to change a circuit, rule %s", switches, switches == 1 ? "" : "es", rates,
             delays, rule < 3 ? rules[rule] : "unknown");
    return text;
}
