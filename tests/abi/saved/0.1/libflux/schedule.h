/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_SCHEDULE_H
#define LIBFLUX_SCHEDULE_H
#include <libflux/certificate.h>
#include <libflux/fabric.h>
#include <libflux/graph.h>
FLUX_BEGIN_DECLS
struct flux_schedule;
struct flux_backend;
struct flux_cancel;
FLUX_API int flux_cancel_new(const struct flux_env *env, struct flux_cancel **cancel);
FLUX_API void flux_cancel_free(struct flux_cancel *cancel);
FLUX_API void flux_cancel_request(struct flux_cancel *cancel);
FLUX_API void flux_cancel_reset(struct flux_cancel *cancel);
FLUX_API int flux_cancel_requested(const struct flux_cancel *cancel);
struct flux_progress {
    uint64_t size;
    uint32_t phase;
    uint32_t reserved;
    int64_t makespan;
    int64_t bound;
    uint64_t work;
    uint64_t elapsed_ns;
};
#define FLUX_PHASE_BUILD 1
#define FLUX_PHASE_BOUND 2
#define FLUX_PHASE_CONSTRUCT 3
#define FLUX_PHASE_IMPROVE 4
#define FLUX_PHASE_EXACT 5
#define FLUX_PHASE_CHECK 6
#define FLUX_PHASE_SECOND 7
FLUX_API const char *flux_phase_name(uint32_t phase);
struct flux_parameter {
    const char *key;
    const char *value;
};
#define FLUX_EXACT_AUTO 0
#define FLUX_EXACT_NEVER 1
#define FLUX_EXACT_ALWAYS 2
#define FLUX_EXACT_ONLY 3
#define FLUX_FORMULATION_TIGHT 0
#define FLUX_FORMULATION_PAPER 1
#define FLUX_OBJECTIVE_RECONFIGURATIONS 1
#define FLUX_OBJECTIVE_MEMORY 2
#define FLUX_OBJECTIVE_SLACK 4
struct flux_options {
    uint64_t size;
    uint64_t time_limit_ns;
    uint64_t work_limit;
    uint64_t seed;
    uint32_t gap_ppm;
    uint32_t threads;
    uint32_t exact;
    uint32_t formulation;
    const char *backend_name;
    const struct flux_backend *backend;
    const struct flux_parameter *parameters;
    uint64_t parameter_count;
    int (*progress)(void *user, const struct flux_progress *progress);
    void *progress_user;
    struct flux_cancel *cancel;
    uint32_t objectives;
    uint32_t reserved;
};
#define FLUX_OPTIONS_INIT { sizeof(struct flux_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
FLUX_API int flux_schedule(const struct flux_graph *graph, const struct flux_fabric *fabric,
                           const struct flux_options *options, struct flux_schedule **schedule,
                           struct flux_error *error);
FLUX_API void flux_schedule_free(struct flux_schedule *schedule);
#define FLUX_OPTIMAL 1
#define FLUX_FEASIBLE 2
FLUX_API int flux_schedule_status(const struct flux_schedule *schedule);
FLUX_API int64_t flux_schedule_makespan(const struct flux_schedule *schedule);
FLUX_API int64_t flux_schedule_bound(const struct flux_schedule *schedule);
FLUX_API const struct flux_certificate *flux_schedule_certificate(const struct flux_schedule *schedule);
FLUX_API uint64_t flux_schedule_reconfigurations(const struct flux_schedule *schedule);
struct flux_slot {
    uint32_t send;
    uint32_t switch_index;
    int64_t start;
    int64_t end;
};
struct flux_circuit {
    uint32_t switch_index;
    uint32_t src;
    uint32_t dst;
    uint32_t sends;
    uint32_t changed;
    uint32_t reserved;
    int64_t begin;
    int64_t up;
    int64_t down;
};
struct flux_time {
    int64_t start;
    int64_t end;
};
FLUX_API const struct flux_slot *flux_schedule_slots(const struct flux_schedule *schedule, uint64_t *count);
FLUX_API const struct flux_circuit *flux_schedule_circuits(const struct flux_schedule *schedule, uint64_t *count);
FLUX_API const struct flux_time *flux_schedule_times(const struct flux_schedule *schedule, uint64_t *count);
struct flux_statistics {
    uint64_t size;
    uint64_t build_ns;
    uint64_t bound_ns;
    uint64_t construct_ns;
    uint64_t improve_ns;
    uint64_t exact_ns;
    uint64_t check_ns;
    uint64_t work;
    uint64_t constructions;
    uint32_t rule;
    uint32_t stopped;
    uint32_t backend_used;
    uint32_t backend_disbelieved;
    uint64_t second_ns;
    uint64_t reconfigurations_before;
    uint64_t reconfigurations;
    uint64_t memory_before;
    uint64_t memory;
    int64_t slack_before;
    int64_t slack;
};
#define FLUX_STATISTICS_INIT { sizeof(struct flux_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define FLUX_SEARCH_NONE 0
#define FLUX_SEARCH_LATEST_START 1
#define FLUX_SEARCH_EARLIEST_START 2
#define FLUX_SEARCH_APPEND 3
#define FLUX_SEARCH_NON_DELAY 4
#define FLUX_SEARCH_BACKWARD 5
#define FLUX_SEARCH_IMPROVED 6
#define FLUX_SEARCH_BACKEND 7
#define FLUX_SEARCH_ROUNDS 8
#define FLUX_STOPPED_DONE 0
#define FLUX_STOPPED_BOUND 1
#define FLUX_STOPPED_GAP 2
#define FLUX_STOPPED_TIME 3
#define FLUX_STOPPED_WORK 4
#define FLUX_STOPPED_CANCEL 5
#define FLUX_STOPPED_CALLBACK 6
FLUX_API const char *flux_search_name(uint32_t rule);
FLUX_API const char *flux_stopped_name(uint32_t stopped);
FLUX_API int flux_schedule_statistics(const struct flux_schedule *schedule, struct flux_statistics *statistics);
FLUX_API int flux_check(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
                        uint64_t count, int64_t *makespan, struct flux_error *error);
FLUX_API int flux_schedule_from_slots(const struct flux_graph *graph, const struct flux_fabric *fabric,
                                      const struct flux_slot *slots, uint64_t count, struct flux_schedule **schedule,
                                      struct flux_error *error);
FLUX_END_DECLS
#endif
