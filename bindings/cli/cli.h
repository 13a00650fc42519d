/* SPDX-License-Identifier: Apache-2.0
 *
 * cli.h - the parts of the command flux-ocs, and what they share.
 *
 * A subcommand is one file that defines a struct command; main.c lists them. An option is one row in options.c, which
 * parses it, checks it and prints it on the help page of every subcommand that takes its group.
 */
#ifndef FLUX_OCS_CLI_H
#define FLUX_OCS_CLI_H

#include <libflux/flux.h>
#include <libflux/io/generate.h>
#include <libflux/io/import.h>
#include <libflux/io/matrix.h>
#include <libflux/io/names.h>
#include <libflux/io/write.h>
#include <stdio.h>

/* Fixed: people script against them. */
#define STATUS_DONE 0
#define STATUS_FAILED 1 /* the schedule fails the check, or the problem is infeasible */
#define STATUS_USAGE 2
#define STATUS_INPUT 3 /* bad input, or an output that cannot be written */

#define UNSET UINT32_MAX
#define TIME_UNSET INT64_C(-1)

/* Groups of options; a subcommand names those it takes. */
#define GROUP_TRACE (1u << 0)
#define GROUP_FABRIC (1u << 1)
#define GROUP_SEARCH (1u << 2)
#define GROUP_SCHEDULE_FILES (1u << 3)
#define GROUP_CONVERT_FILES (1u << 4)
#define GROUP_COMMON (1u << 5)
#define GROUP_SOLVER (1u << 6)
#define GROUP_MODEL (1u << 7)
#define GROUP_REPLAY (1u << 8)
#define GROUP_REPLAN (1u << 9)
#define GROUP_COMPARE (1u << 10)
#define GROUP_DEMAND (1u << 11)
#define GROUP_COLLECTIVES (1u << 20)
#define GROUP_GENERATE (1u << 21)

#define PARAMETERS_MAX 32
#define ALGORITHMS_MAX 32

/* What replay runs, in the order of its option. */
#define REPLAY_SCHEDULE 0
#define REPLAY_ROTOR_DIRECT 1
#define REPLAY_ROTOR_DIRECT_STAGGERED 2
#define REPLAY_ROTOR_VLB 3
#define REPLAY_ROTOR_VLB_STAGGERED 4
#define REPLAY_PACKET 5

/* What the command line said. Members that an option leaves alone keep the value of settings_init(). */
struct settings {
    const struct command *command;
    const char *operands[2];
    uint32_t operand_count;

    struct flux_import_options import;

    const char *fabric_path;
    uint32_t switches;  /* UNSET */
    const char *delays; /* NULL; one time, or one per switch with commas between */
    uint64_t rate;      /* 0 */
    uint32_t rule;      /* UNSET */
    uint32_t blocking;  /* UNSET */
    int64_t dwell;      /* TIME_UNSET */
    int64_t propagation;

    int64_t time_limit; /* ps; 0: none */
    uint32_t threads;
    uint64_t seed;
    const char *second; /* second objectives, with commas between */

    uint32_t exact;       /* FLUX_EXACT_* */
    uint32_t formulation; /* FLUX_FORMULATION_* */
    uint32_t format;      /* FLUX_FORMAT_* */
    const char *backend;
    const char *parameters[PARAMETERS_MAX]; /* "glpk.mip_gap=0.01" */
    uint32_t parameter_count;
    const char *collective_files[ALGORITHMS_MAX]; /* "all-reduce=ring.xml"; import.algorithm_count of them */

    uint32_t mode; /* FLUX_REPLAY_* */
    uint32_t jitter_ppm;
    uint32_t seeds;
    const char *stragglers; /* NULL; "3=1.2,5=2" */
    int64_t at;             /* TIME_UNSET; when an iteration is planned anew */
    const char *ran;        /* NULL; a file of what really happened */
    const char *dead_ports; /* NULL; "3:0,5:1" */
    const char *dead_switches; /* NULL; "0,2" */
    const char *late;          /* NULL; "3=2ms" */
    const char *rest;          /* NULL; a file for what is left */
    uint32_t cycle;         /* REPLAY_* */
    uint32_t planes;        /* of packet switches */
    uint32_t failed_planes;
    uint32_t spread; /* FLUX_PACKET_* */

    const char *delay_list; /* NULL; "1us,10us,100us": of a comparison */
    const char *schedulers; /* NULL; "all", or "flux,bvn" */
    uint32_t constructions; /* 0: as many as flux */
    uint32_t duty_ppm;
    uint32_t repeats;       /* 0: the best of several */
    uint32_t generate; /* UNSET; FLUX_DEMAND_STANDARD - 1, ... */
    uint32_t ports;
    int64_t line;           /* ps; 0: the generator's own */
    uint32_t tokens;        /* 0: the generator's own */
    uint32_t top_k;         /* the same */
    const char *algorithms; /* NULL: all */

    struct flux_generate_options training;
    uint64_t skew_num; /* 0: not given */
    uint64_t skew_den;
    uint32_t operations;

    const char *output;
    const char *csv;
    const char *series;
    const char *perfetto;
    const char *svg;
    int64_t svg_from;
    int64_t svg_to;
    uint32_t svg_width;
    uint32_t no_schedule;
    uint32_t to; /* WRITE_* */

    uint32_t json;
    uint32_t quiet;
    uint32_t help;
};

struct command {
    const char *name;
    const char *operands; /* as the usage line shows them */
    uint32_t operands_min;
    uint32_t operands_max;
    uint32_t groups;
    const char *summary;                         /* one line in the list of subcommands */
    const char *description;                     /* the help page's first paragraph */
    const char *example;                         /* command lines, one a line; a test runs each of them */
    int (*run)(const struct settings *settings); /* returns a STATUS_* */
};

extern const struct command command_info;
extern const struct command command_bound;
extern const struct command command_schedule;
extern const struct command command_check;
extern const struct command command_replay;
extern const struct command command_replan;
extern const struct command command_compare;
extern const struct command command_demand;
extern const struct command command_convert;
extern const struct command command_model;
extern const struct command command_backends;
extern const struct command command_formats;
extern const struct command command_generate;

/* ---- options.c, help.c, nearest.c */

void settings_init(struct settings *settings, const struct command *command);

/* Reads the words after the subcommand. 0, or STATUS_USAGE after saying what is wrong. */
int settings_parse(struct settings *settings, int count, char **words);

/* The rows of the option table whose group is in `groups`, under their headings. */
void options_print(FILE *out, uint32_t groups);

/* One row of the table, as people see it. */
struct option_row {
    const char *name;
    char letter;       /* 0: none */
    uint32_t optional; /* 1: the value may be left out, and comes after "=" */
    const char *value; /* NULL: it takes none */
    const char *choices; /* "one|two|three"; NULL: no list */
    const char *help;
};

/* Row `index` of those whose group is in `groups`. 0 past the last, else 1. */
int option_row(uint32_t groups, size_t index, struct option_row *row);

/* completion.c: the script for "bash" or "zsh". 0 or an exit status. */
int completion_print(FILE *out, const char *shell, const struct command *const *commands, size_t count);

void help_command(FILE *out, const struct command *command);
void help_overview(FILE *out, const struct command *const *commands, size_t count);

/* How many letters must be put in, left out, replaced or swapped to turn `a` into `b`; large for long words. */
unsigned nearest_distance(const char *a, const char *b);
/* Is `candidate` near enough to `word` to suggest it, and nearer than `*best`? Then `*best` is updated. */
int nearest_better(const char *word, const char *candidate, unsigned *best);

/* ---- units.c: what units.h of the library does not read */

/* "2", "0.5" or "3/4" as a fraction of two numbers below 2^32, above 0. */
int ratio_parse(const char *text, uint64_t *numerator, uint64_t *denominator);
/* "5%", "0.25%": parts per million, at most 1,000,000. */
int percent_parse(const char *text, uint32_t *ppm);
/* "312TFLOPS", "312 TFLOP/s"; "2.039TB/s", "64GB/s": a decimal with a unit, to a whole number a second. */
int flops_parse(const char *text, double *rate);
int memory_rate_parse(const char *text, double *rate);
/* A whole number without sign or unit. */
int count_parse(const char *text, uint64_t max, uint64_t *value);

/* ---- report.c: what goes to standard error */

void report_init(const struct settings *settings);
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void report_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Says `error` and returns the exit status that belongs to its code. `path` is put before it; NULL where the text names
 * the file and the place, as all errors of the file library do. */
int report_failure(const char *path, const struct flux_error *error);
/* A usage error: says it, points to the help page, returns STATUS_USAGE. */
int report_usage(const struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* May `stream` be coloured? Not when it is no terminal, nor when NO_COLOR is set. */
int report_colour(FILE *stream);

/* ---- input.c, fabric.c */

/* A workload and what came with it. */
struct input {
    struct flux_import *import;
    struct flux_import *fabric_import; /* of --fabric */
    const struct flux_graph *graph;
    const struct flux_fabric *document_fabric; /* from INPUT or --fabric; NULL where neither has one */
    const struct flux_fabric *fabric;          /* with the command line's changes; never NULL */
    struct flux_fabric *own_fabric;
    const struct flux_slot *slots; /* NULL where the document has no schedule */
    uint64_t slot_count;
    double seconds; /* to read it */
};

/* Reads the workload `path` and works out the fabric. 0, or the exit status after saying what is wrong. */
int input_load(const struct settings *settings, const char *path, struct input *input);
void input_free(struct input *input);
/* Says warnings and notes of an import. */
void input_remarks(const struct flux_import *import);

/* The fabric for `graph`: that of a document (may be NULL) with the changes of the command line. `*fabric` is the
 * document's own where nothing changes, and then `*own` is NULL. 0 or an exit status. */
int fabric_settle(const struct settings *settings, const struct flux_graph *graph, const struct flux_fabric *document,
                  const char *document_path, const struct flux_fabric **fabric, struct flux_fabric **own);
/* Does the command line change anything of a fabric? */
int fabric_changed(const struct settings *settings);
/* The same fabric once more, to be changed. 0 or an exit status. */
int fabric_twin(const struct flux_fabric *from, struct flux_fabric **fabric);
/* The same fabric with another delay on every switch. 0 or an exit status. */
int fabric_with_delay(const struct flux_fabric *from, int64_t delay, struct flux_fabric **fabric);
/* "2 switches, 800Gbps, 10us, rule paper". Returns `text`. */
char *fabric_describe(const struct flux_fabric *fabric, char *text, size_t size);

/* ---- workload.c, names.c: figures of a graph, and its vertices by name */

struct workload {
    uint64_t sends;
    uint64_t computes;
    uint64_t edges;
    uint64_t circuits;     /* distinct pairs of source and destination */
    uint64_t bytes;        /* UINT64_MAX where it is that or more */
    int64_t critical_path; /* longest path, as if every send had a circuit at once; -1 beyond FLUX_TIME_MAX */
};

int workload_measure(const struct flux_graph *graph, const struct flux_fabric *fabric, struct workload *workload,
                     struct flux_error *error);
/* Numbers the slots of another document, whose workload is `other`, anew: each send is found here by its id. The result
 * is free()d by the caller. 0 or an exit status. */
int slots_renumber(const struct flux_graph *graph, const char *path, const struct flux_graph *other,
                   const char *other_path, const struct flux_slot *slots, uint64_t count,
                   struct flux_slot **renumbered);
/* The same for a certificate; vertices that are not in `graph` become FLUX_NONE, so that it does not hold. */
int certificate_renumber(const struct flux_graph *graph, const struct flux_graph *other,
                         const struct flux_certificate *certificate, struct flux_certificate **renumbered);

/* ---- given.c */

/* A schedule that was made before. */
struct given {
    const struct flux_slot *slots; /* NULL where the input has none */
    uint64_t slot_count;
    const struct flux_fabric *fabric;
    struct flux_slot *own_slots; /* where they had to be numbered anew */
    struct flux_fabric *own_fabric;
    struct flux_import *import; /* of the second file */
    const struct flux_certificate *certificate; /* that comes with the schedule; NULL: none */
    struct flux_certificate *own_certificate;
};

/* The schedule of the second operand, else the one of the input. 0 or an exit status; given_free() either way. */
int given_load(const struct settings *settings, const struct input *input, struct given *given);
void given_free(struct given *given);

/* ---- lists.c: what an option lists with commas between */

/* The next word of a list, cut to `size`. 0 at its end, and -1 after saying so where it ends in a comma. */
int list_next(const struct settings *settings, const char *option, const char **list, char *word, size_t size);
/* --stragglers "3=1.2,5=2": by GPU in `factors`, FLUX_PPM where none is said. 0 or STATUS_USAGE. */
int stragglers_parse(const struct settings *settings, uint32_t gpus, uint32_t *factors);
/* --late "3=2ms,5=10us": by GPU in `late`, 0 where none is said. 0 or STATUS_USAGE. */
int late_parse(const struct settings *settings, uint32_t gpus, int64_t *late);
/* --dead-port "3:0,5:1" and --dead-switch "1": dead in `fabric`. 0 or an exit status. */
int dead_parse(const struct settings *settings, struct flux_fabric *fabric);

/* ---- replan_state.c, replan_ran.c: where an iteration stands that is planned anew */

struct standing {
    struct given given;
    struct flux_schedule *plan;      /* the old one */
    struct flux_fabric *fabric;      /* as it is from now on */
    struct flux_time *times;         /* by vertex, as flux_replan() takes them */
    struct flux_circuit_state *circuits;
    int64_t *releases;
    uint32_t *factors;
    uint64_t lost;                   /* sends that were under way at a port that died */
    struct flux_replan_options options;
};

/* Reads the plan and works out the state at --at from it and from what the command line says. 0 or an exit status;
 * standing_free() either way. */
int standing_load(const struct settings *settings, const struct input *input, struct standing *standing);
void standing_free(struct standing *standing);
/* The rows of the file --ran, instead of what was planned for these vertices. 0 or an exit status. */
int ran_read(const struct settings *settings, const struct flux_graph *graph, int64_t now, struct flux_time *times);

/* ---- replay_cycle.c */

/* The replay of what --cycle says; not for REPLAY_SCHEDULE. */
int replay_cycle_make(const struct settings *settings, const struct input *input, struct flux_replay **replay);
/* "rotor-vlb, duty 90 %", "packet, 4 planes". Returns `text`. */
char *replay_cycle_describe(const struct settings *settings, char *text, size_t size);
/* As the command line names it; NULL for REPLAY_SCHEDULE. */
const char *replay_cycle_name(const struct settings *settings);

/* ---- output.c: standard output and the files that were asked for */

/* Makes sure that descriptors 0, 1 and 2 are taken, so that no file of ours lands on one of them. */
void output_init(void);
/* Can all files that `settings` asks for be written? Said before the work, not after it. 0 or an exit status. */
int output_check(const struct settings *settings);
/* The same for a subcommand that always writes one: standard output, where none is named. `changed` says which. */
int output_settle(const struct settings *settings, struct settings *changed);
/* Where the table for people goes: standard error when standard output carries a file. */
FILE *output_table(const struct settings *settings);
/* Ends standard output. STATUS_DONE, or STATUS_INPUT after saying why it could not be written. `elsewhere` tells that
 * the result is in a file, too: then a standard output that was closed from the start is no error. */
int output_finish(int elsewhere);

/* ---- write.c */

/* What a workload is written as, in the order of --to. */
#define WRITE_AUTO 0 /* as the file's end says */
#define WRITE_DOCUMENT 1
#define WRITE_CHAKRA 2
#define WRITE_GOAL 3
#define WRITE_DOT 4
#define WRITE_NETWORKX 5
#define WRITE_AUTO_SCHEDULE 6 /* the same, of what can hold a schedule */

/* What --output names, with notes of what is lost. `fabric` and `schedule` may be NULL. A status. */
int workload_write(uint32_t format, const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                   const struct flux_schedule *schedule);

/* ---- table.c, json.c */

/* One aligned line: a name and what follows. */
void table_row(FILE *out, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The certificate in words, such as "port-load at GPU 3". Returns `text`. */
char *certificate_describe(const struct flux_certificate *certificate, char *text, size_t size);

struct json_t;
/* {"kind": ..., "bound_ps": ..., ...}. NULL when memory is out. */
struct json_t *json_certificate(const struct flux_graph *graph, const struct flux_certificate *certificate);
/* Adds one member and takes `value`, which may be NULL when memory is out. 0, or -1. */
int json_put(struct json_t *object, const char *key, struct json_t *value);
/* Prints `object` as one line on standard output and releases it. `failed` as json_put() returned it. 0 or a status. */
int json_finish(struct json_t *object, int failed);

double gap_of(int64_t makespan, int64_t bound);

/* ---- clock.c, progress.c */

double clock_seconds(void);

/* A line on standard error that is rewritten in place: only on a terminal, and only after half a second. */
struct progress_line {
    double begin;
    double next; /* seconds after `begin` */
    int wanted;
    int shown;
};

void progress_init(struct progress_line *line, const struct settings *settings);
int progress_show(void *line, const struct flux_progress *progress);
/* The same for `done` of `total` pieces of work. */
void progress_count(struct progress_line *line, const char *what, uint64_t done, uint64_t total);
void progress_end(struct progress_line *line);

/* The first Ctrl-C asks the run to stop with what it has, the second ends the program. */
void interrupt_catch(struct flux_cancel *cancel);
void interrupt_release(void);

#endif
