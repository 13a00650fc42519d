/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/schedule.h - which send, on which switch, when; and how good that is. Stable.
 *
 *     struct flux_schedule *schedule;
 *     int rc = flux_schedule(graph, fabric, NULL, &schedule, &error);
 *
 * Whatever comes back was checked against graph and fabric by code that shares nothing with the search, and carries a
 * lower bound that no schedule can beat. Graph and fabric may be freed before the schedule. A schedule never changes:
 * any number of threads may read it.
 */
#ifndef LIBFLUX_SCHEDULE_H
#define LIBFLUX_SCHEDULE_H

#include <libflux/certificate.h>
#include <libflux/fabric.h>
#include <libflux/graph.h>

FLUX_BEGIN_DECLS

struct flux_schedule;
struct flux_backend;

/* A flag that stops a run from outside. flux_cancel_request() may be called from any thread and from a signal handler;
 * the run then ends soon with the best schedule so far, or with CANCELLED where there is none yet. */
struct flux_cancel;
FLUX_API int flux_cancel_new(const struct flux_env *env, struct flux_cancel **cancel);
FLUX_API void flux_cancel_free(struct flux_cancel *cancel); /* NULL is fine; not while a run uses it */
FLUX_API void flux_cancel_request(struct flux_cancel *cancel);
FLUX_API void flux_cancel_reset(struct flux_cancel *cancel);
FLUX_API int flux_cancel_requested(const struct flux_cancel *cancel);

/* What a progress callback is told. Read only what `size` covers. Grows at the end. */
struct flux_progress {
    uint64_t size;
    uint32_t phase;    /* FLUX_PHASE_* */
    uint32_t reserved;
    int64_t makespan;  /* of the best schedule so far; -1 before the first */
    int64_t bound;     /* best lower bound so far */
    uint64_t work;     /* units of flux_options.work_limit spent */
    uint64_t elapsed_ns;
};

#define FLUX_PHASE_BUILD 1
#define FLUX_PHASE_BOUND 2
#define FLUX_PHASE_CONSTRUCT 3
#define FLUX_PHASE_IMPROVE 4
#define FLUX_PHASE_EXACT 5
#define FLUX_PHASE_CHECK 6
#define FLUX_PHASE_SECOND 7 /* second objectives; before the check */

/* "build", "bound", ...; a static string. */
FLUX_API const char *flux_phase_name(uint32_t phase);

struct flux_parameter {
    const char *key; /* "glpk.mip_gap" */
    const char *value;
};

#define FLUX_EXACT_AUTO 0   /* a solver backend is used where a gap is left and the problem is small */
#define FLUX_EXACT_NEVER 1  /* no solver backend; our own search for small problems runs all the same */
#define FLUX_EXACT_ALWAYS 2 /* a solver backend whatever the size, after our own engines */
#define FLUX_EXACT_ONLY 3   /* the backend alone, without a hint from our engines: to measure it */

#define FLUX_FORMULATION_TIGHT 0
#define FLUX_FORMULATION_PAPER 1

/* Second objectives: of schedules of one makespan, which? Those that are selected count in this order. */
#define FLUX_OBJECTIVE_RECONFIGURATIONS 1 /* fewer: flux_schedule_reconfigurations() */
#define FLUX_OBJECTIVE_MEMORY 2           /* a lower peak of NIC memory at the fullest GPU */
#define FLUX_OBJECTIVE_SLACK 4            /* more slack, against delays: flux_statistics.slack */

/* What the caller may want; all zero means the defaults. Grows at the end: start from FLUX_OPTIONS_INIT. */
struct flux_options {
    uint64_t size;
    uint64_t time_limit_ns; /* 0: none. A run cut by time is the one thing that is not reproducible. */
    uint64_t work_limit;    /* 0: none. In vertices placed by the search: the same on every machine. */
    uint64_t seed;
    uint32_t gap_ppm; /* good enough: stop at this gap */
    uint32_t threads; /* 0: 1. The result does not depend on it. */
    uint32_t exact;   /* FLUX_EXACT_* */
    uint32_t formulation;
    const char *backend_name; /* NULL: the default one */
    const struct flux_backend *backend;
    const struct flux_parameter *parameters;
    uint64_t parameter_count;
    /* Called on the caller's thread, at most about every 10 ms and when something improves. Non-zero: stop, keep the
     * best. It must not call into graph, fabric or options. */
    int (*progress)(void *user, const struct flux_progress *progress);
    void *progress_user;
    struct flux_cancel *cancel;
    /* FLUX_OBJECTIVE_*, or 0: none. Looked at after the search for the makespan, which never grows for them; a quarter
     * of the limits is set aside for them. Where a switch blocks as a whole or has a dwell they change nothing. */
    uint32_t objectives;
    uint32_t reserved; /* 0 */
};

#define FLUX_OPTIONS_INIT { sizeof(struct flux_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Schedules `graph` on `fabric`. `options` and `error` may be NULL. The first schedule is always finished, whatever
 * the limits: they bound what is spent on better ones.
 * Errors: ARGUMENT, ABI, CYCLE, INFEASIBLE, OVERFLOW, MISMATCH (numbers of GPUs differ; initial circuits compete),
 * MEMORY, CANCELLED, BACKEND (only for a backend asked for by name or pointer). Since 0.1. */
FLUX_API int flux_schedule(const struct flux_graph *graph, const struct flux_fabric *fabric,
                           const struct flux_options *options, struct flux_schedule **schedule,
                           struct flux_error *error);
FLUX_API void flux_schedule_free(struct flux_schedule *schedule); /* NULL is fine */

#define FLUX_OPTIMAL 1  /* makespan equals the bound: see the certificate */
#define FLUX_FEASIBLE 2 /* checked, not proven best */

FLUX_API int flux_schedule_status(const struct flux_schedule *schedule);
FLUX_API int64_t flux_schedule_makespan(const struct flux_schedule *schedule);
FLUX_API int64_t flux_schedule_bound(const struct flux_schedule *schedule);
/* Why the bound holds. Lives as long as the schedule. */
FLUX_API const struct flux_certificate *flux_schedule_certificate(const struct flux_schedule *schedule);
/* Circuits set up after another circuit on one of their ports: rows of flux_schedule_circuits() with `changed`. */
FLUX_API uint64_t flux_schedule_reconfigurations(const struct flux_schedule *schedule);

/* One row per send, by number of the send. Frozen. */
struct flux_slot {
    uint32_t send; /* vertex of the graph */
    uint32_t switch_index;
    int64_t start;
    int64_t end;
};

/* One row per circuit that is set up, by switch, then `up`, then source: the program a controller runs. Its ports
 * change from `begin` to `up`; it serves `sends` sends from `up` to `down`. A first circuit that costs nothing, or an
 * initial one, has begin = up = 0; an initial one that serves no send has no row. A circuit goes on in one row until
 * another one uses a port of its; then it needs a new row. A change begins as early as the ports, and blocking and dwell
 * of the switch, allow. Under DUPLEX (src, dst) is the direction of its first send. Frozen. */
struct flux_circuit {
    uint32_t switch_index;
    uint32_t src;
    uint32_t dst;
    uint32_t sends;
    uint32_t changed;  /* 1 where it replaced another circuit on one of its ports, else 0 */
    uint32_t reserved; /* 0 */
    int64_t begin;
    int64_t up;
    int64_t down;
};

/* When a vertex runs, sends and compute alike; compute as early as it can. Frozen. */
struct flux_time {
    int64_t start;
    int64_t end;
};

/* They live as long as the schedule. `count` may be NULL. */
FLUX_API const struct flux_slot *flux_schedule_slots(const struct flux_schedule *schedule, uint64_t *count);
FLUX_API const struct flux_circuit *flux_schedule_circuits(const struct flux_schedule *schedule, uint64_t *count);
FLUX_API const struct flux_time *flux_schedule_times(const struct flux_schedule *schedule, uint64_t *count);

/* Where the time went. The caller sets `size`; no more than that is written. Grows at the end. */
struct flux_statistics {
    uint64_t size;
    uint64_t build_ns;
    uint64_t bound_ns;
    uint64_t construct_ns;
    uint64_t improve_ns;
    uint64_t exact_ns;
    uint64_t check_ns;
    uint64_t work;          /* units of flux_options.work_limit */
    uint64_t constructions; /* schedules built in the search */
    uint32_t rule;          /* FLUX_SEARCH_* that made the best one */
    uint32_t stopped;       /* FLUX_STOPPED_* */
    uint32_t backend_used;  /* 1: a solver backend ran */
    uint32_t backend_disbelieved; /* 1: what it said failed our check and was thrown away */
    /* Where flux_options.objectives are not 0, else 0: of the schedule as the search for the makespan left it (before),
     * and of the one that was returned. */
    uint64_t second_ns;
    uint64_t reconfigurations_before;
    uint64_t reconfigurations;
    uint64_t memory_before; /* peak of NIC memory at the fullest GPU: flux_replay_summary.memory_of_gpu by the clock */
    uint64_t memory;
    /* How much later a send could start, with the switches and the order on every port kept and the makespan no longer;
     * of each no more than a hundredth of the makespan counts. The mean over all sends, rounded down. -1 where a switch
     * blocks as a whole or has a dwell: not measured. */
    int64_t slack_before;
    int64_t slack;
};

#define FLUX_STATISTICS_INIT \
    { sizeof(struct flux_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

#define FLUX_SEARCH_NONE 0         /* the slots came from the caller */
#define FLUX_SEARCH_LATEST_START 1 /* insertion in order of latest start */
#define FLUX_SEARCH_EARLIEST_START 2
#define FLUX_SEARCH_APPEND 3    /* latest start, without insertion into gaps */
#define FLUX_SEARCH_NON_DELAY 4 /* dispatch in order of time */
#define FLUX_SEARCH_BACKWARD 5  /* latest start on the reversed graph */
#define FLUX_SEARCH_IMPROVED 6
#define FLUX_SEARCH_BACKEND 7
#define FLUX_SEARCH_ROUNDS 8 /* copies of a step of a collective in matchings, in order of latest start */

#define FLUX_STOPPED_DONE 0 /* the search ran to its end */
#define FLUX_STOPPED_BOUND 1
#define FLUX_STOPPED_GAP 2
#define FLUX_STOPPED_TIME 3
#define FLUX_STOPPED_WORK 4
#define FLUX_STOPPED_CANCEL 5
#define FLUX_STOPPED_CALLBACK 6

/* "latest-start", ...; "proven", "time limit", ...; static strings. */
FLUX_API const char *flux_search_name(uint32_t rule);
FLUX_API const char *flux_stopped_name(uint32_t stopped);

/* Errors: ARGUMENT, ABI. */
FLUX_API int flux_schedule_statistics(const struct flux_schedule *schedule, struct flux_statistics *statistics);

/* Is this a schedule? `slots` may come from anyone, in any order: one per send. 0, or FLUX_E_MISMATCH with the first
 * violation told in `error`: which two sends, which port, by how much. Violations are looked for in this order: graph
 * and fabric; rows, as given; sends by themselves, by number; edges; ports, by switch and time; changes on switches that
 * block as a whole or dwell. `makespan` may be NULL. O(V log V + E).
 * Errors: ARGUMENT, CYCLE, MEMORY, MISMATCH, OVERFLOW. Since 0.1. */
FLUX_API int flux_check(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
                        uint64_t count, int64_t *makespan, struct flux_error *error);

/* A schedule object from anyone's slots: checked, with circuit program, times and our bound.
 * Errors: as flux_check(). Since 0.1. */
FLUX_API int flux_schedule_from_slots(const struct flux_graph *graph, const struct flux_fabric *fabric,
                                      const struct flux_slot *slots, uint64_t count, struct flux_schedule **schedule,
                                      struct flux_error *error);

FLUX_END_DECLS
#endif
