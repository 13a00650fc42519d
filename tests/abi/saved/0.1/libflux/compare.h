/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_COMPARE_H
#define LIBFLUX_COMPARE_H
#include <libflux/schedule.h>
#include <libflux/simulate.h>
FLUX_BEGIN_DECLS
#define FLUX_SCHEDULER_FLUX 1
#define FLUX_SCHEDULER_RANDOM 2
#define FLUX_SCHEDULER_PHASE 3
#define FLUX_SCHEDULER_STATIC 4
#define FLUX_SCHEDULER_ROTOR_DIRECT 5
#define FLUX_SCHEDULER_ROTOR_DIRECT_STAGGERED 6
#define FLUX_SCHEDULER_ROTOR_VLB 7
#define FLUX_SCHEDULER_ROTOR_VLB_STAGGERED 8
#define FLUX_SCHEDULER_BVN 9
#define FLUX_SCHEDULER_SOLSTICE 10
#define FLUX_SCHEDULER_ECLIPSE 11
#define FLUX_SCHEDULER_SPECTRA 12
#define FLUX_SCHEDULER_SUNFLOW 13
#define FLUX_SCHEDULER_PACKET 14
#define FLUX_SCHEDULER_MULTIPLANE 15
#define FLUX_SCHEDULER_MULTIPLANE_FAILED 16
#define FLUX_SCHEDULER_KIND_SCHEDULE 1
#define FLUX_SCHEDULER_KIND_CYCLE 2
#define FLUX_SCHEDULER_KIND_FORWARD 3
#define FLUX_SCHEDULER_KIND_PACKET 4
FLUX_API uint32_t flux_scheduler_count(void);
FLUX_API const char *flux_scheduler_name(uint32_t scheduler);
FLUX_API uint32_t flux_scheduler_find(const char *name);
FLUX_API const char *flux_scheduler_source(uint32_t scheduler);
FLUX_API uint32_t flux_scheduler_kind(uint32_t scheduler);
struct flux_compare_options {
    uint64_t size;
    const struct flux_options *schedule;
    uint64_t seed;
    uint32_t constructions;
    uint32_t duty_ppm;
    uint32_t repeats;
    uint32_t planes;
};
#define FLUX_COMPARE_OPTIONS_INIT { sizeof(struct flux_compare_options), 0, 0, 0, 0, 0, 0 }
struct flux_comparison;
FLUX_API int flux_compare(const struct flux_graph *graph, const struct flux_fabric *fabric, uint32_t scheduler,
                          const struct flux_compare_options *options, struct flux_comparison **comparison,
                          struct flux_error *error);
FLUX_API void flux_comparison_free(struct flux_comparison *comparison);
struct flux_comparison_summary {
    uint64_t size;
    uint32_t scheduler;
    uint32_t applies;
    int64_t iteration;
    int64_t best;
    int64_t bound;
    uint64_t memory;
    uint64_t memory_of_all;
    uint64_t waiting;
    uint64_t reconfigurations;
    uint32_t repeats;
    uint32_t constructions;
    uint64_t waiting_mean;
};
#define FLUX_COMPARISON_SUMMARY_INIT { sizeof(struct flux_comparison_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
FLUX_API int flux_comparison_summary(const struct flux_comparison *comparison,
                                     struct flux_comparison_summary *summary);
FLUX_API const char *flux_comparison_note(const struct flux_comparison *comparison);
FLUX_API const struct flux_schedule *flux_comparison_schedule(const struct flux_comparison *comparison);
FLUX_API const struct flux_replay *flux_comparison_replay(const struct flux_comparison *comparison);
FLUX_END_DECLS
#endif
