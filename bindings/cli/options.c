/* SPDX-License-Identifier: Apache-2.0
 *
 * options.c - every option of every subcommand, once: its name, its value, what it says on the help page.
 *
 * To add one: a member in struct settings, a row here, and its use in the subcommand.
 */
#include "cli.h"
#include <stddef.h>
#include <string.h>

enum kind {
    FLAG,   /* uint32_t becomes 1 */
    CHOICE, /* uint32_t: the place of the word in `choices`, which lists them with bars between */
    MODE,   /* the same after "="; alone it is the last of them */
    PAIR,   /* KEY=VALUE, one more in `parameters` */
    FILES,  /* KEY=VALUE, one more in `collective_files` */
    COUNT,  /* uint32_t, min .. max */
    WHOLE,  /* uint64_t */
    TIME,   /* int64_t, ps */
    RATE,   /* uint64_t, bit/s */
    BYTES,  /* uint64_t */
    TEXT,   /* const char * */
    PART,   /* uint32_t, parts per million */
    SIZE,   /* uint64_t, bytes */
    RATIO,  /* two uint64_t, one after the other */
    FLOPS,  /* double */
    MEMORY, /* double */
};

struct option {
    const char *name;
    char letter; /* 0: none */
    enum kind kind;
    uint32_t group;
    const char *value; /* how the help page calls it; NULL for a FLAG */
    size_t member;
    uint32_t min; /* of a COUNT */
    uint32_t max;
    const char *help;
    const char *choices; /* of a CHOICE; NULL: they are `value` */
};

#define AT(member) offsetof(struct settings, member)
#define ALGORITHMS                                                                                                     \
    "default|ring|direct|halving-doubling|bidirectional-ring|recursive-doubling|binomial-tree|double-binary-tree|"     \
    "hierarchical"

static const struct option options[] = {
    {"--size-scale", 0, RATIO, GROUP_TRACE, "N", AT(import.scale_num), 0, 0,
     "message sizes times N: 2, 0.5, 1/2. 2 where a trace counts two-byte elements (1)", NULL},
    {"--groups", 0, TEXT, GROUP_TRACE, "FILE", AT(import.groups_path), 0, 0,
     "communicator groups, JSON (comm_group.json or PREFIX.json beside the trace)", NULL},
    {"--deps", 0, CHOICE, GROUP_TRACE, "auto|data|data+ctrl", AT(import.deps), 0, 0,
     "which dependencies hold; auto drops control dependencies that make no sense (auto)", NULL},
    {"--missing-parent", 0, CHOICE, GROUP_TRACE, "error|warn", AT(import.missing_parent), 0, 0,
     "what a dependency on a node that is not there is (error)", NULL},
    {"--strict", 0, FLAG, GROUP_TRACE, NULL, AT(import.strict), 0, 0, "warnings about the input are errors", NULL},
    {"--ranks", 0, COUNT, GROUP_TRACE, "N", AT(import.ranks), 1, FLUX_GPUS_MAX,
     "ranks of the trace; a single file is replicated to so many (as many as there are)", NULL},
    {"--peak-flops", 0, FLOPS, GROUP_TRACE, "RATE", AT(import.peak_flops), 0, 0,
     "for compute given in operations (312TFLOPS, an A100)", NULL},
    {"--memory-rate", 0, MEMORY, GROUP_TRACE, "RATE", AT(import.memory_rate), 0, 0,
     "the memory side of the same roofline (2.039TB/s)", NULL},
    {"--endpoints", 0, CHOICE, GROUP_TRACE, "rank|nic", AT(import.endpoints), 0, 0,
     "what a GPU is in GOAL files: a rank, or each network interface of it (rank)", NULL},
    {"--compute-unit", 0, TIME, GROUP_TRACE, "TIME", AT(import.compute_unit), 0, 0,
     "what a compute of 1 takes in SimAI files (1ns)", NULL},
    {"--collective-size", 0, BYTES, GROUP_TRACE, "SIZE", AT(import.collective_bytes), 0, 0,
     "the whole buffer of an MSCCL algorithm (1MiB)", NULL},
    {"--fold", 0, FLAG, GROUP_TRACE, NULL, AT(import.fold), 0, 0,
     "keep one of several replicas that do the same and do not meet (SimAI)", NULL},
    {"--overlap-compute", 0, FLAG, GROUP_TRACE, NULL, AT(import.overlap_compute), 0, 0,
     "computes of one GPU may overlap", NULL},
    {"--chunks", 0, COUNT, GROUP_COLLECTIVES, "N", AT(import.chunks), 1, 1u << 16,
     "cut every collective in N pipelined pieces (1)", NULL},
    {"--all-reduce", 0, CHOICE, GROUP_COLLECTIVES, "NAME", AT(import.all_reduce), 0, 0,
     "its algorithm (ring); docs/collectives.md has their names", ALGORITHMS},
    {"--all-gather", 0, CHOICE, GROUP_COLLECTIVES, "NAME", AT(import.all_gather), 0, 0,
     "its algorithm (ring); docs/collectives.md has their names", ALGORITHMS},
    {"--reduce-scatter", 0, CHOICE, GROUP_COLLECTIVES, "NAME", AT(import.reduce_scatter), 0, 0,
     "its algorithm (ring); docs/collectives.md has their names", ALGORITHMS},
    {"--all-to-all", 0, CHOICE, GROUP_COLLECTIVES, "NAME", AT(import.all_to_all), 0, 0,
     "its algorithm (direct); docs/collectives.md has their names", ALGORITHMS},
    {"--broadcast", 0, CHOICE, GROUP_COLLECTIVES, "NAME", AT(import.broadcast), 0, 0,
     "its algorithm, from the first member (where the root is not known: only a join)", ALGORITHMS},
    {"--collectives", 0, TEXT, GROUP_COLLECTIVES, "FILE", AT(import.collectives_path), 0, 0,
     "rules that choose algorithms by collective, size and members (docs/collectives.md)", NULL},
    {"--node", 0, COUNT, GROUP_COLLECTIVES, "N", AT(import.node), 1, FLUX_GPUS_MAX,
     "GPUs of a node, for the algorithm hierarchical", NULL},
    {"--collective-algorithm", 0, FILES, GROUP_COLLECTIVES, "NAME=FILE", AT(collective_files), 0, 0,
     "an MSCCL algorithm in its place, where members and size are its own: all-reduce=FILE.xml", NULL},
    {"--vertices-max", 0, WHOLE, GROUP_COLLECTIVES, "N", AT(import.vertices_max), 1, 0,
     "refuse a workload that would be larger (100000000)", NULL},
    {"--unit", 0, TEXT, GROUP_TRACE, "UNIT", AT(import.unit), 0, 0,
     "of a matrix, what an entry of 1 is: B, kB, MiB, ..., or ps, ns, us, ms, s (what the file says, else B)", NULL},
    {"--step-compute", 0, TIME, GROUP_TRACE, "TIME", AT(import.step_compute), 0, 0,
     "of a sequence of matrices, compute between two of them on every GPU (0us)", NULL},

    {"--fabric", 0, TEXT, GROUP_FABRIC, "FILE", AT(fabric_path), 0, 0,
     "take the fabric from this document; the options below change single parameters of it", NULL},
    {"--switches", 0, COUNT, GROUP_FABRIC, "N", AT(switches), 1, FLUX_SWITCHES_MAX, "optical circuit switches (2)",
     NULL},
    {"--delay", 0, TEXT, GROUP_FABRIC, "TIME[,TIME]", AT(delays), 0, 0,
     "time to change a circuit; one for all switches, or one for each (10us)", NULL},
    {"--rate", 0, RATE, GROUP_FABRIC, "RATE", AT(rate), 0, 0, "of every port (800Gbps)", NULL},
    {"--rule", 0, CHOICE, GROUP_FABRIC, "paper|duplex|simplex", AT(rule), 0, 0,
     "which circuits of a switch exclude each other (paper)", NULL},
    {"--blocking", 0, CHOICE, GROUP_FABRIC, "port|switch", AT(blocking), 0, 0,
     "what a change of circuit stops: its ports, or the whole switch (port)", NULL},
    {"--dwell", 0, TIME, GROUP_FABRIC, "TIME", AT(dwell), 0, 0, "least time between two changes of one switch (0us)",
     NULL},
    {"--propagation", 0, TIME, GROUP_FABRIC, "TIME", AT(propagation), 0, 0, "how long light travels (0us)", NULL},

    {"--time-limit", 0, TIME, GROUP_SEARCH, "TIME", AT(time_limit), 0, 0,
     "spend no more on improvement; the first schedule is always finished (none)", NULL},
    {"--threads", 0, COUNT, GROUP_SEARCH, "N", AT(threads), 1, 1024, "the result does not depend on it (1)", NULL},
    {"--seed", 0, WHOLE, GROUP_SEARCH, "N", AT(seed), 0, 0, "of the random choices (0)", NULL},

    {"--exact", 0, MODE, GROUP_SOLVER, "auto|never|always|only", AT(exact), 0, 0,
     "ask a solver; --exact alone is only: without our own engines (auto)", NULL},
    {"--formulation", 0, CHOICE, GROUP_SOLVER, "tight|paper", AT(formulation), 0, 0,
     "the mixed-integer program it gets (tight)", NULL},
    {"--backend", 0, TEXT, GROUP_SOLVER, "NAME", AT(backend), 0, 0, "which solver; see flux-ocs backends", NULL},
    {"--parameter", 0, PAIR, GROUP_SOLVER, "KEY=VALUE", AT(parameters), 0, 0, "of a solver, such as glpk.mip_gap=0.01",
     NULL},

    {"--formulation", 0, CHOICE, GROUP_MODEL, "tight|paper", AT(formulation), 0, 0,
     "with everything known beforehand, or equations 1 to 5 of the paper as printed (tight)", NULL},
    {"--format", 0, CHOICE, GROUP_MODEL, "lp|mps", AT(format), 0, 0, "CPLEX LP, or free MPS (lp)", NULL},
    {"--output", 'o', TEXT, GROUP_MODEL, "FILE", AT(output), 0, 0, "where it goes (-, standard output)", NULL},

    {"--mode", 0, CHOICE, GROUP_REPLAY, "clock|order", AT(mode), 0, 0,
     "circuits change at the planned times, or in the planned order (order)", NULL},
    {"--jitter", 0, PART, GROUP_REPLAY, "PERCENT", AT(jitter_ppm), 0, 0,
     "each compute takes so much more or less, drawn evenly: 5% (0%)", NULL},
    {"--seeds", 0, COUNT, GROUP_REPLAY, "N", AT(seeds), 1, 1000000, "runs, with the seeds 1 to N (1)", NULL},
    {"--stragglers", 0, TEXT, GROUP_REPLAY, "GPU=N[,GPU=N]", AT(stragglers), 0, 0,
     "compute of these GPUs takes N times as long: 3=1.2 (none)", NULL},
    {"--cycle", 0, CHOICE, GROUP_REPLAY, "NAME", AT(cycle), 0, 0,
     "run this by the clock instead of a schedule (schedule)",
     "schedule|rotor-direct|rotor-direct-staggered|rotor-vlb|rotor-vlb-staggered|packet"},
    {"--duty", 0, PART, GROUP_REPLAY, "PERCENT", AT(duty_ppm), 0, 0,
     "part of the time in which a rotor's circuits are up (90%)", NULL},
    {"--planes", 0, COUNT, GROUP_REPLAY, "N", AT(planes), 1, 1024, "of packet switches, which share the rate (1)",
     NULL},
    {"--failed-planes", 0, COUNT, GROUP_REPLAY, "N", AT(failed_planes), 0, 1023, "so many of them carry nothing (0)",
     NULL},
    {"--spread", 0, CHOICE, GROUP_REPLAY, "spray|hash", AT(spread), 0, 0,
     "every send uses all planes, or each one of them (spray)", NULL},
    {"--csv", 0, TEXT, GROUP_REPLAY, "FILE", AT(csv), 0, 0,
     "of the first run, by send: send,src,dst,bytes,ready_ps,start_ps,end_ps,delay_ps (- is standard output)", NULL},
    {"--series", 0, TEXT, GROUP_REPLAY, "FILE", AT(series), 0, 0, "its NIC memory, a row per change: time_ps,gpu,bytes",
     NULL},
    {"--perfetto", 0, TEXT, GROUP_REPLAY, "FILE", AT(perfetto), 0, 0, "its trace for ui.perfetto.dev", NULL},

    {"--schedulers", 0, TEXT, GROUP_COMPARE, "NAME[,NAME]", AT(schedulers), 0, 0,
     "which ones; all: every one that there is (all)", NULL},
    {"--delays", 0, TEXT, GROUP_COMPARE, "TIME[,TIME]", AT(delay_list), 0, 0,
     "compare at each of these times to change a circuit (that of the fabric)", NULL},
    {"--constructions", 0, COUNT, GROUP_COMPARE, "N", AT(constructions), 1, 1000000,
     "schedules of random (as many as flux builds)", NULL},
    {"--repeats", 0, COUNT, GROUP_COMPARE, "N", AT(repeats), 1, 1000000,
     "how often a cycle made of the traffic matrix goes round in an iteration (the best of 1, 4 and 16)", NULL},
    {"--duty", 0, PART, GROUP_COMPARE, "PERCENT", AT(duty_ppm), 0, 0,
     "part of the time in which a rotor's circuits are up (90%)", NULL},
    {"--csv", 0, TEXT, GROUP_COMPARE, "FILE", AT(csv), 0, 0, "a row per scheduler and delay (- is standard output)",
     NULL},

    {"--algorithm", 0, TEXT, GROUP_DEMAND, "all|NAME[,NAME]", AT(algorithms), 0, 0,
     "bvn, bottleneck, solstice, eclipse, spectra, first-fit, best, sunflow (all)", NULL},
    {"--switches", 0, COUNT, GROUP_DEMAND, "N", AT(switches), 1, 1024, "optical circuit switches (2)", NULL},
    {"--delay", 0, TEXT, GROUP_DEMAND, "TIME", AT(delays), 0, 0, "how long a switch is dark before each state (10us)",
     NULL},
    {"--rate", 0, RATE, GROUP_DEMAND, "RATE", AT(rate), 0, 0, "of every port, for entries that are sizes (800Gbps)",
     NULL},
    {"--unit", 0, TEXT, GROUP_DEMAND, "UNIT", AT(import.unit), 0, 0,
     "what an entry of 1 is: B, kB, MiB, ..., or ps, ns, us, ms, s (what the file says, else B)", NULL},
    {"--generate", 0, CHOICE, GROUP_DEMAND, "KIND", AT(generate), 0, 0,
     "no file: standard, moe-multinomial, moe-lognormal or moe-pairs (docs/demand.md)",
     "standard|moe-multinomial|moe-lognormal|moe-pairs"},
    {"--ports", 0, COUNT, GROUP_DEMAND, "N", AT(ports), 2, FLUX_DEMAND_PORTS_MAX, "of the matrix that is made (64)",
     NULL},
    {"--seed", 0, WHOLE, GROUP_DEMAND, "N", AT(seed), 0, 0, "of the matrix that is made (0)", NULL},
    {"--line", 0, TIME, GROUP_DEMAND, "TIME", AT(line), 0, 0, "what its rows sum to, about (1ms)", NULL},
    {"--tokens", 0, COUNT, GROUP_DEMAND, "N", AT(tokens), 1, 1u << 24, "tokens of each port, of moe-... (4096)", NULL},
    {"--top-k", 0, COUNT, GROUP_DEMAND, "N", AT(top_k), 1, 1024, "experts that each of them goes to (2)", NULL},
    {"--output", 'o', TEXT, GROUP_DEMAND, "FILE", AT(output), 0, 0,
     "the matrix that is made: Matrix Market where FILE ends in .mtx, else a table", NULL},
    {"--csv", 0, TEXT, GROUP_DEMAND, "FILE", AT(csv), 0, 0,
     "a row per plan: matrix,algorithm,found_by,makespan_ps,bound_ps,ratio,configurations,matchings", NULL},

    {"--output", 'o', TEXT, GROUP_SCHEDULE_FILES, "FILE", AT(output), 0, 0,
     "workload, fabric and schedule as a document: YAML, or JSON where FILE ends in .json; Chakra traces: .et", NULL},
    {"--csv", 0, TEXT, GROUP_SCHEDULE_FILES, "FILE", AT(csv), 0, 0,
     "a row per send: send,src,dst,switch,start_ps,end_ps", NULL},
    {"--perfetto", 0, TEXT, GROUP_SCHEDULE_FILES, "FILE", AT(perfetto), 0, 0, "a trace for ui.perfetto.dev", NULL},
    {"--svg", 0, TEXT, GROUP_SCHEDULE_FILES, "FILE", AT(svg), 0, 0, "a picture of the timeline", NULL},
    {"--svg-from", 0, TIME, GROUP_SCHEDULE_FILES, "TIME", AT(svg_from), 0, 0, "where the picture begins (0us)", NULL},
    {"--svg-to", 0, TIME, GROUP_SCHEDULE_FILES, "TIME", AT(svg_to), 0, 0, "where it ends (the makespan)", NULL},
    {"--svg-width", 0, COUNT, GROUP_SCHEDULE_FILES, "PIXELS", AT(svg_width), 200, 100000, "how wide it is (1600)",
     NULL},

    {"--gpu", 0, TEXT, GROUP_GENERATE, "NAME", AT(training.gpu), 0, 0,
     "a100, h100, h200, b200, or one of your own (a100)", NULL},
    {"--models", 0, TEXT, GROUP_GENERATE, "FILE", AT(training.models_path), 0, 0,
     "your own models and GPUs, in addition (docs/generate.md)", NULL},
    {"--times", 0, TEXT, GROUP_GENERATE, "FILE", AT(training.times_path), 0, 0, "measured times of operations", NULL},
    {"--tp", 0, COUNT, GROUP_GENERATE, "N", AT(training.tensor), 1, FLUX_GPUS_MAX,
     "tensor parallelism: GPUs that share every matrix product (1)", NULL},
    {"--sequence-parallel", 0, FLAG, GROUP_GENERATE, NULL, AT(training.sequence_parallel), 0, 0,
     "between the products each of them has its part of the sequence", NULL},
    {"--cp", 0, COUNT, GROUP_GENERATE, "N", AT(training.context), 1, FLUX_GPUS_MAX,
     "context parallelism: GPUs that share a sequence (1)", NULL},
    {"--dp", 0, COUNT, GROUP_GENERATE, "N", AT(training.data), 1, FLUX_GPUS_MAX, "data parallelism (1)", NULL},
    {"--pp", 0, COUNT, GROUP_GENERATE, "N", AT(training.pipeline), 1, FLUX_GPUS_MAX, "pipeline stages (1)", NULL},
    {"--ep", 0, COUNT, GROUP_GENERATE, "N", AT(training.expert), 1, FLUX_GPUS_MAX,
     "GPUs that share the experts, of tp x cp x dp (1)", NULL},
    {"--interleave", 0, COUNT, GROUP_GENERATE, "N", AT(training.interleave), 1, 4096,
     "parts of the model on every pipeline stage (1)", NULL},
    {"--zero", 0, COUNT, GROUP_GENERATE, "1|2|3", AT(training.zero), 1, 3,
     "data ranks share out: 1 the optimizer, 2 and gradients, 3 and weights (nothing)", NULL},
    {"--layers", 0, COUNT, GROUP_GENERATE, "N", AT(training.layers), 1, 4096, "(those of the model)", NULL},
    {"--seq", 0, COUNT, GROUP_GENERATE, "N", AT(training.sequence), 1, 1u << 30, "tokens of a sequence (2048)", NULL},
    {"--micro-batches", 0, COUNT, GROUP_GENERATE, "N", AT(training.micro_batches), 1, 1u << 20,
     "of every iteration and data rank (1)", NULL},
    {"--batch", 0, COUNT, GROUP_GENERATE, "N", AT(training.batch), 1, 1u << 20, "sequences of a micro-batch (1)", NULL},
    {"--recompute", 0, CHOICE, GROUP_GENERATE, "none|full", AT(training.recompute), 0, 0,
     "full: every layer runs forward again before it runs backward (none)", NULL},
    {"--precision", 0, CHOICE, GROUP_GENERATE, "bf16|fp8|tf32", AT(training.precision), 0, 0,
     "of matrix products (bf16)", NULL},
    {"--routing", 0, CHOICE, GROUP_GENERATE, "expected|multinomial|lognormal|zipf", AT(training.routing), 0, 0,
     "which experts tokens go to (expected)", NULL},
    {"--routing-matrix", 0, TEXT, GROUP_GENERATE, "FILE", AT(training.routing_path), 0, 0,
     "bytes between the GPUs that share the experts, a matrix for each layer in turn", NULL},
    {"--skew", 0, RATIO, GROUP_GENERATE, "N", AT(skew_num), 0, 0, "of lognormal and zipf routing (1)", NULL},
    {"--seed", 0, WHOLE, GROUP_GENERATE, "N", AT(training.seed), 0, 0, "of the routing (0)", NULL},
    {"--bucket", 0, SIZE, GROUP_GENERATE, "SIZE", AT(training.bucket), 0, 0,
     "gradients that are reduced together, at least (25MB)", NULL},
    {"--gradient-bytes", 0, COUNT, GROUP_GENERATE, "2|4", AT(training.gradient_bytes), 2, 4, "bytes of a gradient (2)",
     NULL},
    {"--repeat", 0, COUNT, GROUP_GENERATE, "N", AT(training.repeat), 1, 1u << 20, "iterations, one after the other (1)",
     NULL},
    {"--operations", 0, FLAG, GROUP_GENERATE, NULL, AT(operations), 0, 0,
     "print what one GPU does in a micro-batch as CSV, and generate nothing", NULL},
    {"--output", 'o', TEXT, GROUP_GENERATE, "FILE", AT(output), 0, 0,
     "a document in YAML, or what convert makes of a FILE that ends in .json, .et, .goal and the like (-)", NULL},

    {"--output", 'o', TEXT, GROUP_CONVERT_FILES, "FILE", AT(output), 0, 0,
     "where it goes; of Chakra traces the prefix, with .et behind it (-)", NULL},
    {"--to", 0, CHOICE, GROUP_CONVERT_FILES, "FORMAT", AT(to), 0, 0,
     "auto: as FILE ends in .yaml, .json, .et, .goal, .dot, .gv or .networkx.json (auto)",
     "auto|document|chakra|goal|dot|networkx"},
    {"--no-schedule", 0, FLAG, GROUP_CONVERT_FILES, NULL, AT(no_schedule), 0, 0,
     "leave out the schedule that the input holds", NULL},

    {"--json", 0, FLAG, GROUP_COMMON, NULL, AT(json), 0, 0, "print one JSON object on standard output", NULL},
    {"--quiet", 'q', FLAG, GROUP_COMMON, NULL, AT(quiet), 0, 0, "no notes, no warnings, no progress", NULL},
    {"--help", 'h', FLAG, GROUP_COMMON, NULL, AT(help), 0, 0, "this page", NULL},
};

#define OPTIONS (sizeof(options) / sizeof(options[0]))

static const struct {
    uint32_t group;
    const char *heading;
} headings[] = {
    {GROUP_SCHEDULE_FILES, "Files (- is standard output)"},
    {GROUP_CONVERT_FILES, "Files (- is standard output)"},
    {GROUP_REPLAY, "Runs"},
    {GROUP_COMPARE, "Comparison"},
    {GROUP_DEMAND, "Demand (default in brackets; - is standard output)"},
    {GROUP_FABRIC, "Fabric (default in brackets, where no document says otherwise)"},
    {GROUP_SEARCH, "Search"},
    {GROUP_SOLVER, "Solver"},
    {GROUP_MODEL, "Program"},
    {GROUP_TRACE, "Traces"},
    {GROUP_GENERATE, "Model and machine (default in brackets)"},
    {GROUP_COLLECTIVES, "Collectives"},
    {GROUP_COMMON, "Everywhere"},
};

void settings_init(struct settings *settings, const struct command *command)
{
    static const struct flux_import_options import = FLUX_IMPORT_OPTIONS_INIT;
    static const struct flux_generate_options training = FLUX_GENERATE_OPTIONS_INIT;

    memset(settings, 0, sizeof(*settings));
    settings->command = command;
    settings->import = import;
    settings->training = training;
    settings->switches = UNSET;
    settings->rule = UNSET;
    settings->blocking = UNSET;
    settings->dwell = TIME_UNSET;
    settings->propagation = TIME_UNSET;
    settings->threads = 1;
    settings->mode = FLUX_REPLAY_ORDER;
    settings->seeds = 1;
    settings->planes = 1;
    settings->duty_ppm = 900000;
    settings->generate = UNSET;
    settings->ports = 64;
}

/* The place of `word` in "one|two|three", or -1. */
static int choice_index(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (int index = 0;; index++) {
        const char *bar = strchr(list, '|');
        size_t room = bar ? (size_t)(bar - list) : strlen(list);

        if (room == length && memcmp(list, word, length) == 0)
            return index;
        if (!bar)
            return -1;
        list = bar + 1;
    }
}

/* "--delay TIME[,TIME]": each of them is read here, so that a bad one is a usage error. */
static int times_check(const char *text, struct flux_error *error)
{
    char word[64];

    for (;;) {
        size_t length = strcspn(text, ",");
        int64_t time;

        if (length >= sizeof(word)) {
            snprintf(error->text, sizeof(error->text), "a number of %zu characters is no time", length);
            return -1;
        }
        memcpy(word, text, length);
        word[length] = '\0';
        if (flux_time_parse(word, &time, error))
            return -1;
        if (!text[length])
            return 0;
        text += length + 1;
    }
}

/* "--unit us": one of libflux/units.h without a number. */
static int unit_check(const char *text, struct flux_error *error)
{
    char one[16];
    uint64_t bytes;
    int64_t time;

    if (strlen(text) < sizeof(one) - 1 && (text[0] < '0' || text[0] > '9')) {
        snprintf(one, sizeof(one), "1%s", text);
        if (!flux_time_parse(one, &time, error) || !flux_bytes_parse(one, &bytes, error))
            return 0;
    }
    snprintf(error->text, sizeof(error->text), "no unit; say ps, ns, us, ms, s, or B, kB, MiB and the like");
    return -1;
}

static int option_store(struct settings *settings, const struct option *option, const char *value)
{
    const struct command *command = settings->command;
    const char *choices = option->choices ? option->choices : option->value;
    char *member = (char *)settings + option->member;
    struct flux_error error = {0};
    uint64_t number = 0;
    int index, bad = 0;

    switch (option->kind) {
    case FLAG:
        *(uint32_t *)(void *)member = 1;
        return 0;
    case TEXT:
        if (!*value)
            return report_usage(command, "%s needs a %s, not an empty word", option->name, option->value);
        *(const char **)(void *)member = value;
        bad = ((option->member == AT(delays) || option->member == AT(delay_list)) && times_check(value, &error)) ||
              (option->member == AT(import.unit) && unit_check(value, &error));
        break;
    case CHOICE:
        index = choice_index(choices, value);
        if (index < 0)
            return report_usage(command, "%s is one of %s, not '%s'", option->name, choices, value);
        *(uint32_t *)(void *)member = (uint32_t)index;
        return 0;
    case MODE:
        index = choice_index(choices, value ? value : strrchr(choices, '|') + 1);
        if (index < 0)
            return report_usage(command, "%s is one of %s, not '%s'", option->name, choices, value);
        *(uint32_t *)(void *)member = (uint32_t)index;
        return 0;
    case PAIR:
        if (*value == '=' || !strchr(value, '='))
            return report_usage(command, "%s is like glpk.mip_gap=0.01, not '%s'", option->name, value);
        if (settings->parameter_count == PARAMETERS_MAX)
            return report_usage(command, "%s: no more than %d of them", option->name, PARAMETERS_MAX);
        settings->parameters[settings->parameter_count++] = value;
        return 0;
    case FILES:
        if (*value == '=' || !strchr(value, '='))
            return report_usage(command, "%s is like all-reduce=FILE.xml, not '%s'", option->name, value);
        if (settings->import.algorithm_count == ALGORITHMS_MAX)
            return report_usage(command, "%s: no more than %d of them", option->name, ALGORITHMS_MAX);
        settings->collective_files[settings->import.algorithm_count++] = value;
        settings->import.algorithms = settings->collective_files;
        return 0;
    case COUNT:
        if (count_parse(value, option->max, &number) || number < option->min)
            return report_usage(command, "%s is a whole number from %u to %u, not '%s'", option->name, option->min,
                                option->max, value);
        *(uint32_t *)(void *)member = (uint32_t)number;
        return 0;
    case WHOLE:
        if (count_parse(value, UINT64_MAX, &number) || number < option->min)
            return report_usage(command, "%s is a whole number from %u to 2^64 - 1, not '%s'", option->name,
                                option->min, value);
        *(uint64_t *)(void *)member = number;
        return 0;
    case TIME:
        bad = flux_time_parse(value, (int64_t *)(void *)member, &error);
        break;
    case RATE:
        bad = flux_rate_parse(value, (uint64_t *)(void *)member, &error);
        if (!bad && *(uint64_t *)(void *)member == 0)
            return report_usage(command, "%s: a port needs more than %s", option->name, value);
        break;
    case BYTES:
        bad = flux_bytes_parse(value, (uint64_t *)(void *)member, &error);
        break;
    case PART:
        if (percent_parse(value, (uint32_t *)(void *)member))
            return report_usage(command, "%s is a percentage up to 100%% such as 5%% or 0.25%%, not '%s'", option->name,
                                value);
        return 0;
    case SIZE:
        bad = flux_bytes_parse(value, (uint64_t *)(void *)member, &error);
        break;
    case RATIO:
        if (ratio_parse(value, (uint64_t *)(void *)member, (uint64_t *)(void *)member + 1))
            return report_usage(command, "%s is a number above 0 such as 2, 0.5 or 1/2, not '%s'", option->name, value);
        return 0;
    case FLOPS:
        if (flops_parse(value, (double *)(void *)member))
            return report_usage(command, "%s is a number with GFLOPS, TFLOPS or PFLOPS, such as 312TFLOPS, not '%s'",
                                option->name, value);
        return 0;
    case MEMORY:
        if (memory_rate_parse(value, (double *)(void *)member))
            return report_usage(command, "%s is a number with MB/s, GB/s or TB/s, such as 2.039TB/s, not '%s'",
                                option->name, value);
        return 0;
    }
    if (bad)
        return report_usage(command, "%s %s: %s", option->name, value, error.text);
    return 0;
}

/* The row that `word` (`length` bytes of it) names for this subcommand. NULL: none, and *elsewhere is the row that
 * another subcommand has. */
static const struct option *option_find(const struct command *command, const char *word, size_t length,
                                        const struct option **elsewhere)
{
    *elsewhere = NULL;
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option *option = &options[i];
        int same = word[1] == '-' ? strlen(option->name) == length && memcmp(option->name, word, length) == 0
                                  : option->letter && word[1] == option->letter;

        if (!same)
            continue;
        if (option->group & command->groups)
            return option;
        *elsewhere = option;
    }
    return NULL;
}

static int option_unknown(const struct command *command, const char *word, size_t length,
                          const struct option *elsewhere)
{
    char name[64];
    const char *nearest = NULL;
    unsigned best = UINT32_MAX;

    if (elsewhere)
        return report_usage(command, "%s is no option of 'flux-ocs %s'", elsewhere->name, command->name);
    snprintf(name, sizeof(name), "%.*s", (int)(length < 60 ? length : 60), word);
    for (size_t i = 0; i < OPTIONS; i++) {
        if ((options[i].group & command->groups) && nearest_better(name, options[i].name, &best))
            nearest = options[i].name;
    }
    if (nearest)
        return report_usage(command, "unknown option %s; did you mean %s?", name, nearest);
    return report_usage(command, "unknown option %s", name);
}

/* One option at words[*at], with its value. */
static int option_read(struct settings *settings, int count, char **words, int *at)
{
    const char *word = words[*at], *value = NULL;
    int is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word, "=") : 2;
    const struct option *option, *elsewhere;

    option = option_find(settings->command, word, length, &elsewhere);
    if (!option)
        return option_unknown(settings->command, word, length, elsewhere);
    if (word[length])
        value = word + length + (is_long ? 1 : 0);
    if (option->kind == FLAG) {
        if (value)
            return report_usage(settings->command, "%s takes no value", option->name);
    } else if (!value && option->kind != MODE) {
        if (*at + 1 >= count)
            return report_usage(settings->command, "%s needs a value: %s", option->name, option->value);
        value = words[++*at];
    }
    return option_store(settings, option, value);
}

int settings_parse(struct settings *settings, int count, char **words)
{
    const struct command *command = settings->command;
    int only_operands = 0;

    for (int i = 0; i < count; i++) {
        if (!only_operands && strcmp(words[i], "--") == 0) {
            only_operands = 1;
        } else if (!only_operands && words[i][0] == '-' && words[i][1]) {
            int status = option_read(settings, count, words, &i);

            if (status)
                return status;
        } else if (settings->operand_count < command->operands_max) {
            settings->operands[settings->operand_count++] = words[i];
        } else {
            return report_usage(command, "'%s' is one word too many", words[i]);
        }
    }
    if (!settings->help && settings->operand_count < command->operands_min)
        return report_usage(command, "%s is missing", command->operands);
    return 0;
}

#define HELP_COLUMN 28

static void option_print(FILE *out, const struct option *option)
{
    const char *gap = option->kind == MODE ? "[=" : " ", *close = option->kind == MODE ? "]" : "";
    char left[96];
    int width;

    if (option->letter)
        width = snprintf(left, sizeof(left), "-%c, %s%s%s", option->letter, option->name, option->value ? " " : "",
                         option->value ? option->value : "");
    else
        width = snprintf(left, sizeof(left), "%s%s%s%s", option->name, option->value ? gap : "",
                         option->value ? option->value : "", close);
    if (width >= HELP_COLUMN)
        fprintf(out, "  %s\n  %*s %s\n", left, HELP_COLUMN, "", option->help);
    else
        fprintf(out, "  %-*s %s\n", HELP_COLUMN, left, option->help);
}

void options_print(FILE *out, uint32_t groups)
{
    for (size_t h = 0; h < sizeof(headings) / sizeof(headings[0]); h++) {
        if (!(headings[h].group & groups))
            continue;
        fprintf(out, "\n%s:\n", headings[h].heading);
        for (size_t i = 0; i < OPTIONS; i++) {
            if (options[i].group == headings[h].group)
                option_print(out, &options[i]);
        }
    }
}

int option_row(uint32_t groups, size_t index, struct option_row *row)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option *option = &options[i];

        if (!(option->group & groups) || index--)
            continue;
        row->name = option->name;
        row->letter = option->letter;
        row->optional = option->kind == MODE;
        row->value = option->value;
        row->choices = option->kind != CHOICE && option->kind != MODE ? NULL
                       : option->choices                              ? option->choices
                                                                      : option->value;
        row->help = option->help;
        return 1;
    }
    return 0;
}
