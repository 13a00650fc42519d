/* SPDX-License-Identifier: Apache-2.0
 *
 * demand.c - flux-ocs demand: one traffic matrix over parallel switches, by every algorithm there is.
 */
#include "cli.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define ALGORITHMS_MAX 32

/* Matrices as times, and what came of them. */
struct demand {
    uint32_t ports;
    uint64_t matrices;
    int64_t *times;                      /* ports * ports of the matrix at hand */
    struct flux_matrices *file;          /* NULL: the matrix is generated */
    uint32_t algorithms[ALGORITHMS_MAX]; /* FLUX_DEMAND_* */
    uint32_t count;                      /* of them */
    uint32_t switches;
    int64_t delay;
    uint64_t rate;
    struct flux_demand_plan **plans; /* matrices * count */
    double *seconds;
};

/* "all", or names with commas between; each once. */
static int algorithms_parse(const struct settings *settings, struct demand *demand)
{
    const char *text = settings->algorithms;
    char word[32];

    if (!text || strcmp(text, "all") == 0) {
        for (uint32_t a = 1; *flux_demand_name(a) && demand->count < ALGORITHMS_MAX; a++)
            demand->algorithms[demand->count++] = a;
        return 0;
    }
    for (;;) {
        size_t length = strcspn(text, ",");
        const char *nearest = NULL;
        unsigned best = UINT32_MAX;
        uint32_t algorithm;

        snprintf(word, sizeof(word), "%.*s", (int)(length < sizeof(word) ? length : sizeof(word) - 1), text);
        algorithm = flux_demand_find(word);
        for (uint32_t a = 1; !algorithm && *flux_demand_name(a); a++) {
            if (nearest_better(word, flux_demand_name(a), &best))
                nearest = flux_demand_name(a);
        }
        if (!algorithm)
            return report_usage(settings->command, "--algorithm: '%s' is none%s%s%s", word,
                                nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
        for (uint32_t i = 0; i < demand->count; i++) {
            if (demand->algorithms[i] == algorithm)
                return report_usage(settings->command, "--algorithm names %s twice", word);
        }
        demand->algorithms[demand->count++] = algorithm;
        if (!text[length])
            return 0;
        text += length + 1;
    }
}

static int settings_settle(const struct settings *settings, struct demand *demand)
{
    struct flux_error error = {0};

    demand->switches = settings->switches == UNSET ? 2 : settings->switches;
    demand->rate = settings->rate ? settings->rate : UINT64_C(800000000000);
    demand->delay = 10 * FLUX_US;
    if (settings->delays && flux_time_parse(settings->delays, &demand->delay, &error))
        return report_usage(settings->command, "--delay %s: %s", settings->delays, error.text);
    if (settings->generate == UNSET && !settings->operand_count)
        return report_usage(settings->command, "a file with a matrix is missing; or say --generate");
    if (settings->generate != UNSET && settings->operand_count)
        return report_usage(settings->command, "a file and --generate; one of them");
    if (settings->generate == UNSET && settings->output)
        return report_usage(settings->command, "--output is where a matrix goes that --generate makes");
    if (settings->generate != UNSET && settings->import.unit)
        return report_usage(settings->command, "--unit is for a file; --generate makes times");
    return algorithms_parse(settings, demand);
}

static int memory_fail(void)
{
    report_error("out of memory");
    return STATUS_INPUT;
}

static int matrix_generate(const struct settings *settings, struct demand *demand)
{
    struct flux_demand_generator options = FLUX_DEMAND_GENERATOR_INIT;
    struct flux_error error = {0};

    demand->matrices = 1;
    demand->ports = settings->ports;
    demand->times = calloc((size_t)settings->ports * settings->ports, sizeof(*demand->times));
    if (!demand->times)
        return memory_fail();
    options.kind = settings->generate + 1;
    options.ports = settings->ports;
    options.seed = settings->seed;
    options.line = settings->line;
    options.tokens = settings->tokens;
    options.top_k = settings->top_k;
    if (flux_demand_generate(NULL, &options, demand->times, &error))
        return report_failure("--generate", &error);
    if (settings->output && flux_write_matrix(settings->output, demand->ports, demand->times, &error))
        return report_failure(NULL, &error);
    return 0;
}

static int matrices_read(const struct settings *settings, struct demand *demand)
{
    struct flux_matrix_options options = FLUX_MATRIX_OPTIONS_INIT;
    struct flux_error error = {0};
    size_t cells;

    options.unit = settings->import.unit;
    if (flux_matrices_read(NULL, settings->operands[0], &options, &demand->file, &error))
        return report_failure(NULL, &error);
    demand->ports = flux_matrices_ports(demand->file);
    demand->matrices = flux_matrices_count(demand->file);
    cells = (size_t)demand->ports * demand->ports;
    demand->times = calloc(cells, sizeof(*demand->times));
    return demand->times ? 0 : memory_fail();
}

/* How long a circuit takes for so many bytes, rounded up; 2^62 stands for everything beyond. */
static int64_t bytes_time(uint64_t bytes, uint64_t rate)
{
    __extension__ typedef unsigned __int128 wide;
    wide time = ((wide)bytes * 8 * 1000000000000u + rate - 1) / rate;

    return time > (wide)FLUX_TIME_MAX ? FLUX_TIME_MAX : (int64_t)time;
}

static void matrix_load(struct demand *demand, uint64_t index)
{
    uint64_t count;
    const struct flux_matrix_entry *entries = flux_matrices_entries(demand->file, index, &count);
    int are_times = flux_matrices_are_times(demand->file);

    memset(demand->times, 0, (size_t)demand->ports * demand->ports * sizeof(*demand->times));
    for (uint64_t i = 0; i < count; i++)
        demand->times[(uint64_t)entries[i].src * demand->ports + entries[i].dst] =
            are_times ? entries[i].value : bytes_time((uint64_t)entries[i].value, demand->rate);
}

static int plans_make(const struct settings *settings, struct demand *demand)
{
    const char *path = settings->operand_count ? settings->operands[0] : "--generate";
    struct flux_error error = {0};

    demand->plans = calloc(demand->matrices * demand->count, sizeof(struct flux_demand_plan *));
    demand->seconds = calloc(demand->matrices * demand->count, sizeof(*demand->seconds));
    if (!demand->plans || !demand->seconds)
        return memory_fail();
    for (uint64_t m = 0; m < demand->matrices; m++) {
        if (demand->file)
            matrix_load(demand, m);
        for (uint32_t a = 0; a < demand->count; a++) {
            uint64_t at = m * demand->count + a;

            demand->seconds[at] = clock_seconds();
            if (flux_demand_schedule(NULL, demand->ports, demand->times, demand->switches, demand->delay,
                                     demand->algorithms[a], &demand->plans[at], &error))
                return report_failure(path, &error);
            demand->seconds[at] = clock_seconds() - demand->seconds[at];
        }
    }
    return 0;
}

static double ratio_of(const struct flux_demand_plan *plan)
{
    return 1 + gap_of(flux_demand_plan_makespan(plan), flux_demand_plan_bound(plan));
}

static json_t *plan_json(const struct demand *demand, uint64_t matrix, uint32_t algorithm)
{
    const struct flux_demand_plan *plan = demand->plans[matrix * demand->count + algorithm];
    json_t *object = json_object();
    int failed = json_put(object, "matrix", json_integer((json_int_t)matrix));

    failed |= json_put(object, "algorithm", json_string(flux_demand_name(demand->algorithms[algorithm])));
    failed |= json_put(object, "found_by", json_string(flux_demand_name(flux_demand_plan_algorithm(plan))));
    failed |= json_put(object, "makespan_ps", json_integer(flux_demand_plan_makespan(plan)));
    failed |= json_put(object, "bound_ps", json_integer(flux_demand_plan_bound(plan)));
    failed |= json_put(object, "ratio", json_real(ratio_of(plan)));
    failed |= json_put(object, "configurations", json_integer((json_int_t)flux_demand_plan_configurations(plan)));
    failed |= json_put(object, "matchings", json_integer((json_int_t)flux_demand_plan_matchings(plan)));
    failed |= json_put(object, "seconds", json_real(demand->seconds[matrix * demand->count + algorithm]));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static int demand_json(const struct demand *demand)
{
    json_t *object = json_object(), *plans = json_array();
    int failed = json_put(object, "ports", json_integer(demand->ports));

    failed |= json_put(object, "switches", json_integer(demand->switches));
    failed |= json_put(object, "delay_ps", json_integer(demand->delay));
    failed |= json_put(object, "matrices", json_integer((json_int_t)demand->matrices));
    for (uint64_t m = 0; m < demand->matrices; m++) {
        for (uint32_t a = 0; a < demand->count; a++)
            failed |= json_array_append_new(plans, plan_json(demand, m, a));
    }
    failed |= json_put(object, "plans", plans);
    return json_finish(object, failed);
}

static void matrix_table(FILE *out, const struct demand *demand, uint64_t matrix)
{
    struct flux_demand_plan *const *plans = demand->plans + matrix * demand->count;
    char text[FLUX_UNITS_TEXT];

    if (demand->matrices > 1)
        table_row(out, "matrix", "%llu of %llu", (unsigned long long)matrix + 1, (unsigned long long)demand->matrices);
    table_row(out, "bound", "%s", flux_time_format(flux_demand_plan_bound(plans[0]), text, sizeof(text)));
    fprintf(out, "\n%-12s %18s %8s %15s %10s %10s\n", "algorithm", "makespan", "ratio", "configurations", "matchings",
            "time");
    for (uint32_t a = 0; a < demand->count; a++) {
        uint32_t by = flux_demand_plan_algorithm(plans[a]);

        fprintf(out, "%-12s %18s %8.4f %15llu %10llu %8.4f s", flux_demand_name(demand->algorithms[a]),
                flux_time_format(flux_demand_plan_makespan(plans[a]), text, sizeof(text)), ratio_of(plans[a]),
                (unsigned long long)flux_demand_plan_configurations(plans[a]),
                (unsigned long long)flux_demand_plan_matchings(plans[a]), demand->seconds[matrix * demand->count + a]);
        fprintf(out, by != demand->algorithms[a] ? " by %s\n" : "\n", flux_demand_name(by));
    }
}

static void demand_table(const struct settings *settings, const struct demand *demand)
{
    FILE *out = output_table(settings);
    char rate[FLUX_UNITS_TEXT], delay[FLUX_UNITS_TEXT];

    if (demand->file && !flux_matrices_are_times(demand->file))
        table_row(out, "demand", "%u ports, sizes at %s", demand->ports,
                  flux_rate_format(demand->rate, rate, sizeof(rate)));
    else
        table_row(out, "demand", "%u ports, times", demand->ports);
    table_row(out, "fabric", "%u switch%s, each stops for %s before every state", demand->switches,
              demand->switches == 1 ? "" : "es", flux_time_format(demand->delay, delay, sizeof(delay)));
    for (uint64_t m = 0; m < demand->matrices; m++)
        matrix_table(out, demand, m);
}

static int demand_report(const struct settings *settings, const struct demand *demand)
{
    struct flux_error error = {0};
    int status = 0;

    if (settings->csv && flux_write_demand(settings->csv, demand->plans,
                                           demand->matrices * demand->count, demand->count, &error))
        return report_failure(NULL, &error);
    if (settings->json)
        status = demand_json(demand);
    else
        demand_table(settings, demand);
    return status ? status : output_finish(settings->csv && !settings->json);
}

static int demand_run(const struct settings *settings)
{
    struct demand demand = {0};
    int status = settings_settle(settings, &demand);

    if (!status)
        status = output_check(settings);
    if (!status)
        status = settings->generate != UNSET ? matrix_generate(settings, &demand) : matrices_read(settings, &demand);
    if (!status)
        status = plans_make(settings, &demand);
    if (!status)
        status = demand_report(settings, &demand);
    for (uint64_t i = 0; demand.plans && i < demand.matrices * demand.count; i++)
        flux_demand_plan_free(demand.plans[i]);
    free(demand.plans);
    free(demand.seconds);
    free(demand.times);
    flux_matrices_free(demand.file);
    return status;
}

const struct command command_demand = {
    .name = "demand",
    .operands = "[MATRIX]",
    .operands_min = 0,
    .operands_max = 1,
    .groups = GROUP_DEMAND | GROUP_COMMON,
    .summary = "one traffic matrix over parallel switches, by the algorithms of the literature",
    .description =
        "Splits a matrix into matchings, lays them out on the switches, and says how far each algorithm is from a "
        "lower\n"
        "bound (docs/demand.md). MATRIX is a table or a Matrix Market file with one matrix or several; - is standard\n"
        "input. Entries are bytes, or what --unit or a comment 'unit: us' in the file says.",
    .example = "  flux-ocs demand tests/data/cli/demand.csv --switches 4 --delay 10us --rate 400Gbps\n"
               "  flux-ocs demand --generate moe-lognormal --ports 32 --seed 7 --algorithm spectra,best\n",
    .run = demand_run,
};
