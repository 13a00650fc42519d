/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.c - flux-ocs replay: what a schedule does when compute is not as planned.
 */
#include "cli.h"
#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What is replayed, how, and the figures of every run. */
struct replays {
    struct given given;
    struct flux_schedule *schedule; /* made here where none was given */
    struct flux_replay *replay;
    uint32_t *factors; /* by GPU */
    struct flux_replay_summary *runs;
    uint32_t done; /* runs in which every vertex ran */
    uint32_t with_missed;
    double seconds;
};

/* Of one figure over the runs. */
struct spread {
    int64_t least;
    int64_t median;
    int64_t p95;
    int64_t most;
};

static int numbers_compare(const void *left, const void *right)
{
    int64_t a, b;

    memcpy(&a, left, sizeof(a));
    memcpy(&b, right, sizeof(b));
    return a < b ? -1 : a > b;
}

/* By the nearest rank. Sorts `numbers`; `count` is at least 1. */
static struct spread spread_of(int64_t *numbers, size_t count)
{
    qsort(numbers, count, sizeof(*numbers), numbers_compare);
    return (struct spread){numbers[0], numbers[(count + 1) / 2 - 1], numbers[(count * 95 + 99) / 100 - 1],
                           numbers[count - 1]};
}

static int schedule_get(const struct settings *settings, const struct input *input, struct replays *replays)
{
    struct flux_error error = {0};
    int status = given_load(settings, input, &replays->given);

    if (status || replays->given.slots)
        return status;
    report_note("there is no schedule in %s: one is made", settings->operands[0]);
    if (flux_schedule(input->graph, input->fabric, NULL, &replays->schedule, &error))
        return report_failure(settings->operands[0], &error);
    replays->given.slots = flux_schedule_slots(replays->schedule, &replays->given.slot_count);
    return 0;
}

static int schedule_make(const struct settings *settings, const struct input *input, struct replays *replays)
{
    struct flux_error error = {0};
    int status = schedule_get(settings, input, replays), rc;

    if (status)
        return status;
    rc = flux_replay_new(input->graph, replays->given.fabric, replays->given.slots, replays->given.slot_count,
                         &replays->replay, &error);
    if (!rc)
        return 0;
    status = report_failure(settings->operands[settings->operand_count - 1], &error);
    return rc == FLUX_E_MISMATCH ? STATUS_FAILED : status;
}

static int replays_run(const struct settings *settings, const struct input *input, struct replays *replays)
{
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    struct flux_error error = {0};
    const char *path = settings->operands[settings->operand_count - 1];

    options.mode = settings->cycle ? FLUX_REPLAY_CLOCK : settings->mode;
    options.jitter_ppm = settings->jitter_ppm;
    options.factors_ppm = replays->factors;
    options.factor_count = flux_graph_gpus(input->graph);
    replays->seconds = clock_seconds();
    for (uint32_t i = 0; i < settings->seeds; i++) {
        struct flux_replay_summary *run = &replays->runs[i];

        options.seed = i + UINT64_C(1);
        if (flux_replay_run(replays->replay, &options, &error))
            return report_failure(path, &error);
        *run = (struct flux_replay_summary)FLUX_REPLAY_SUMMARY_INIT;
        (void)flux_replay_summary(replays->replay, run);
        replays->done += run->stranded == 0;
        replays->with_missed += run->missed > 0;
    }
    replays->seconds = clock_seconds() - replays->seconds;
    options.seed = 1;
    if (settings->seeds > 1 && (settings->csv || settings->series || settings->perfetto) &&
        flux_replay_run(replays->replay, &options, &error))
        return report_failure(path, &error);
    return 0;
}

static int files_write(const struct settings *settings, const struct input *input, struct replays *replays)
{
    struct flux_error error = {0};
    int rc = 0;

    if (settings->csv)
        rc = flux_write_replay(settings->csv, input->graph, replays->replay, &error);
    if (!rc && settings->series)
        rc = flux_write_replay_memory(settings->series, replays->replay, &error);
    if (!rc && settings->perfetto)
        rc = flux_write_replay_perfetto(settings->perfetto, input->graph, replays->given.fabric, replays->replay,
                                        &error);
    return rc ? report_failure(NULL, &error) : 0;
}

/* How long the runs took in which every vertex ran; there is at least one. */
static struct spread iterations_spread(const struct replays *replays, uint32_t runs, int64_t *numbers)
{
    size_t count = 0;

    for (uint32_t i = 0; i < runs; i++) {
        if (replays->runs[i].stranded == 0)
            numbers[count++] = replays->runs[i].iteration;
    }
    return spread_of(numbers, count);
}

/* A count, time or size that stands at `member` of every summary; sizes beyond 2^63 - 1 read that. */
static struct spread member_spread(const struct replays *replays, uint32_t runs, size_t member, int64_t *numbers)
{
    for (uint32_t i = 0; i < runs; i++) {
        memcpy(&numbers[i], (const char *)&replays->runs[i] + member, sizeof(*numbers));
        if (numbers[i] < 0)
            numbers[i] = INT64_MAX;
    }
    return spread_of(numbers, runs);
}

#define AT(member) offsetof(struct flux_replay_summary, member)

static json_t *spread_json(struct spread spread)
{
    json_t *object = json_object();
    int failed = json_put(object, "least", json_integer(spread.least));

    failed |= json_put(object, "median", json_integer(spread.median));
    failed |= json_put(object, "p95", json_integer(spread.p95));
    failed |= json_put(object, "most", json_integer(spread.most));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

/* Means of the two shares, from 0 to 1. */
static void utilisations(const struct replays *replays, uint32_t runs, double *circuits, double *ports)
{
    *circuits = *ports = 0;
    for (uint32_t i = 0; i < runs; i++) {
        *circuits += (double)replays->runs[i].circuit_ppm / (FLUX_PPM * (double)runs);
        *ports += (double)replays->runs[i].port_ppm / (FLUX_PPM * (double)runs);
    }
}

static const char *mode_name(const struct settings *settings)
{
    return settings->mode == FLUX_REPLAY_ORDER && !settings->cycle ? "order" : "clock";
}

static int replay_json(const struct settings *settings, const struct replays *replays, int64_t *numbers)
{
    uint32_t runs = settings->seeds;
    json_t *object = json_object();
    double circuits, ports;
    const char *cycle = replay_cycle_name(settings);
    int failed = json_put(object, "mode", json_string(mode_name(settings)));

    utilisations(replays, runs, &circuits, &ports);
    failed |= json_put(object, "cycle", cycle ? json_string(cycle) : json_null());
    failed |= json_put(object, "jitter_ppm", json_integer(settings->jitter_ppm));
    failed |= json_put(object, "runs", json_integer(runs));
    failed |= json_put(object, "done", json_integer(replays->done));
    failed |= json_put(object, "planned_ps", settings->cycle ? json_null() : json_integer(replays->runs[0].planned));
    failed |= json_put(object, "iteration_ps",
                       replays->done ? spread_json(iterations_spread(replays, runs, numbers)) : json_null());
    failed |= json_put(object, "late", spread_json(member_spread(replays, runs, AT(late), numbers)));
    failed |= json_put(object, "latest_ps", spread_json(member_spread(replays, runs, AT(latest), numbers)));
    failed |= json_put(object, "missed", spread_json(member_spread(replays, runs, AT(missed), numbers)));
    failed |= json_put(object, "nic_memory_bytes", spread_json(member_spread(replays, runs, AT(memory), numbers)));
    failed |= json_put(object, "nic_memory_of_gpu_bytes",
                       spread_json(member_spread(replays, runs, AT(memory_of_gpu), numbers)));
    failed |= json_put(object, "waiting_ps", spread_json(member_spread(replays, runs, AT(waiting), numbers)));
    failed |= json_put(object, "reconfigurations",
                       json_integer(member_spread(replays, runs, AT(reconfigurations), numbers).median));
    failed |= json_put(object, "forwarded_bytes", spread_json(member_spread(replays, runs, AT(forwarded), numbers)));
    failed |= json_put(object, "circuit_utilisation", json_real(circuits));
    failed |= json_put(object, "port_utilisation", json_real(ports));
    failed |= json_put(object, "seconds", json_real(replays->seconds));
    return json_finish(object, failed);
}

static void time_row(FILE *out, const char *name, struct spread spread, uint32_t runs)
{
    char least[64], median[64], p95[64], most[64];

    flux_time_format(spread.least, least, sizeof(least));
    flux_time_format(spread.median, median, sizeof(median));
    flux_time_format(spread.p95, p95, sizeof(p95));
    flux_time_format(spread.most, most, sizeof(most));
    if (runs == 1)
        table_row(out, name, "%s", median);
    else
        table_row(out, name, "%s; 95 %% up to %s; from %s to %s", median, p95, least, most);
}

static void count_row(FILE *out, const char *name, struct spread spread, uint32_t runs)
{
    if (runs == 1)
        table_row(out, name, "%lld", (long long)spread.median);
    else
        table_row(out, name, "%lld; 95 %% up to %lld; from %lld to %lld", (long long)spread.median,
                  (long long)spread.p95, (long long)spread.least, (long long)spread.most);
}

static void memory_row(FILE *out, const char *name, struct spread spread)
{
    char median[64], most[64];

    flux_bytes_format((uint64_t)spread.median, median, sizeof(median));
    flux_bytes_format((uint64_t)spread.most, most, sizeof(most));
    if (spread.median == spread.most)
        table_row(out, name, "%s", median);
    else
        table_row(out, name, "%s; up to %s", median, most);
}

static void replay_table(const struct settings *settings, const struct input *input, const struct replays *replays,
                         int64_t *numbers)
{
    FILE *out = output_table(settings);
    uint32_t runs = settings->seeds;
    double circuits, ports;
    char text[256];

    utilisations(replays, runs, &circuits, &ports);
    table_row(out, "workload", "%u sends on %u GPUs", flux_graph_sends(input->graph),
              flux_graph_gpus(input->graph));
    table_row(out, "fabric", "%s", fabric_describe(replays->given.fabric, text, sizeof(text)));
    table_row(out, "runs", "%u by %s, jitter %.6g %%%s%s", runs, mode_name(settings),
              (double)settings->jitter_ppm / 1e4, settings->stragglers ? ", stragglers " : "",
              settings->stragglers ? settings->stragglers : "");
    if (settings->cycle)
        table_row(out, "cycle", "%s", replay_cycle_describe(settings, text, sizeof(text)));
    else
        table_row(out, "planned", "%s", flux_time_format(replays->runs[0].planned, text, sizeof(text)));
    if (replays->done)
        time_row(out, "iteration", iterations_spread(replays, runs, numbers), replays->done);
    if (replays->done < runs)
        table_row(out, "not done", "%u of %u runs: a send lost its circuit", runs - replays->done, runs);
    if (!settings->cycle) {
        count_row(out, "late sends", member_spread(replays, runs, AT(late), numbers), runs);
        time_row(out, "late by at most", member_spread(replays, runs, AT(latest), numbers), runs);
    }
    if (replays->with_missed)
        count_row(out, "missed sends", member_spread(replays, runs, AT(missed), numbers), runs);
    memory_row(out, "NIC memory", member_spread(replays, runs, AT(memory), numbers));
    memory_row(out, "of one GPU", member_spread(replays, runs, AT(memory_of_gpu), numbers));
    time_row(out, "GPUs wait", member_spread(replays, runs, AT(waiting), numbers), runs);
    if (settings->cycle == REPLAY_ROTOR_VLB || settings->cycle == REPLAY_ROTOR_VLB_STAGGERED)
        memory_row(out, "forwarded", member_spread(replays, runs, AT(forwarded), numbers));
    count_row(out, "reconfigurations", member_spread(replays, runs, AT(reconfigurations), numbers), runs);
    if (settings->cycle == REPLAY_PACKET)
        table_row(out, "ports busy", "%.2f %% of the iteration", 100 * ports);
    else
        table_row(out, "circuits busy", "%.2f %% of their stay; all ports %.2f %% of the iteration", 100 * circuits,
                  100 * ports);
    table_row(out, "time", "%.4f s", replays->seconds);
}

static int replay_run(const struct settings *settings)
{
    struct replays replays = {0};
    int64_t *numbers = calloc(settings->seeds, sizeof(*numbers));
    struct input input;
    int checked = output_check(settings), status = input_load(settings, settings->operands[0], &input);

    status = checked ? checked : status;
    if (!status) {
        replays.factors = calloc(flux_graph_gpus(input.graph), sizeof(*replays.factors));
        replays.runs = calloc(settings->seeds, sizeof(*replays.runs));
        if (!numbers || !replays.factors || !replays.runs) {
            report_error("out of memory");
            status = STATUS_INPUT;
        }
    }
    if (!status)
        status = stragglers_parse(settings, flux_graph_gpus(input.graph), replays.factors);
    replays.given.fabric = status ? NULL : input.fabric;
    if (!status)
        status = settings->cycle ? replay_cycle_make(settings, &input, &replays.replay)
                                 : schedule_make(settings, &input, &replays);
    if (!status)
        status = replays_run(settings, &input, &replays);
    if (!status)
        status = files_write(settings, &input, &replays);
    if (!status && settings->json)
        status = replay_json(settings, &replays, numbers);
    else if (!status)
        replay_table(settings, &input, &replays, numbers);
    if (!status)
        status = output_finish(0);
    flux_replay_free(replays.replay);
    flux_schedule_free(replays.schedule);
    given_free(&replays.given);
    free(replays.runs);
    free(replays.factors);
    free(numbers);
    input_free(&input);
    return status;
}

const struct command command_replay = {
    .name = "replay",
    .operands = "INPUT [SCHEDULE]",
    .operands_min = 1,
    .operands_max = 2,
    .groups = GROUP_TRACE | GROUP_COLLECTIVES | GROUP_FABRIC | GROUP_REPLAY | GROUP_COMMON,
    .summary = "what a schedule does when compute is not as planned",
    .description =
        "Runs the schedule in the document INPUT, or the one in SCHEDULE on the workload in INPUT, or one made on the\n"
        "spot where neither has one: with stragglers, and with compute that takes a little more or less in each run.\n"
        "Or, with --cycle, the workload on a rotor or on packet switches.\n"
        "Over several runs: the median, the 95th percentile, the least and the most.",
    .example = "  flux-ocs replay tests/data/cli/pair.yaml --mode clock\n"
               "  flux-ocs replay tests/data/cli/pair.yaml --jitter 5% --seeds 1000 --stragglers 1=1.2\n"
               "  flux-ocs replay tests/data/cli/pair.yaml --cycle rotor-vlb --delay 1us --csv - --quiet\n",
    .run = replay_run,
};
