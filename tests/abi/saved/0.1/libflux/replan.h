/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_REPLAN_H
#define LIBFLUX_REPLAN_H
#include <libflux/simulate.h>
FLUX_BEGIN_DECLS
struct flux_circuit_state {
    uint32_t switch_index;
    uint32_t src;
    uint32_t dst;
    uint32_t changed;
    int64_t begin;
    int64_t up;
};
FLUX_API int flux_schedule_state(const struct flux_schedule *schedule, const struct flux_fabric *fabric, int64_t now,
                                 struct flux_time *times, struct flux_circuit_state *circuits,
                                 uint64_t *circuit_count);
struct flux_replan_options {
    uint64_t size;
    int64_t now;
    const struct flux_time *times;
    uint64_t time_count;
    const struct flux_circuit_state *circuits;
    uint64_t circuit_count;
    const uint32_t *factors_ppm;
    uint64_t factor_count;
    const int64_t *releases;
    uint64_t release_count;
    uint64_t time_limit_ns;
    uint64_t work_limit;
    uint64_t seed;
    struct flux_cancel *cancel;
};
#define FLUX_REPLAN_OPTIONS_INIT { sizeof(struct flux_replan_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
struct flux_replan;
FLUX_API int flux_replan(const struct flux_graph *graph, const struct flux_fabric *fabric,
                         const struct flux_slot *slots, uint64_t count, const struct flux_replan_options *options,
                         struct flux_replan **replan, struct flux_error *error);
FLUX_API void flux_replan_free(struct flux_replan *replan);
FLUX_API const struct flux_slot *flux_replan_slots(const struct flux_replan *replan, uint64_t *count);
FLUX_API const struct flux_time *flux_replan_times(const struct flux_replan *replan, uint64_t *count);
FLUX_API const struct flux_graph *flux_replan_graph(const struct flux_replan *replan);
FLUX_API const struct flux_fabric *flux_replan_fabric(const struct flux_replan *replan);
FLUX_API const struct flux_schedule *flux_replan_schedule(const struct flux_replan *replan);
#define FLUX_REPLAN_SHIFTED 0
#define FLUX_REPLAN_ORDER 1
#define FLUX_REPLAN_SEARCH 2
struct flux_replan_summary {
    uint64_t size;
    int64_t begin;
    int64_t makespan;
    int64_t shifted;
    int64_t bound;
    uint64_t done;
    uint64_t under_way;
    uint64_t left;
    uint64_t constructions;
    uint64_t elapsed_ns;
    uint32_t found;
    uint32_t stopped;
};
#define FLUX_REPLAN_SUMMARY_INIT { sizeof(struct flux_replan_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
FLUX_API int flux_replan_summary(const struct flux_replan *replan, struct flux_replan_summary *summary);
FLUX_END_DECLS
#endif
