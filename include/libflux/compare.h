/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/compare.h - schedulers to compare with: what an iteration would take under each of them. Stable.
 *
 *     struct flux_comparison *comparison;
 *     struct flux_comparison_summary summary = FLUX_COMPARISON_SUMMARY_INIT;
 *     flux_compare(graph, fabric, flux_scheduler_find("bvn"), NULL, &comparison, &error);
 *     flux_comparison_summary(comparison, &summary);
 *     if (summary.applies) ...summary.iteration...
 *     else ...flux_comparison_note(comparison)...
 *     flux_comparison_free(comparison);
 *
 * Each scheduler gets the same graph and fabric and makes a schedule, or a fixed cycle of switch states, which is then
 * replayed with compute as planned. flux_scheduler_source() names where each comes from.
 */
#ifndef LIBFLUX_COMPARE_H
#define LIBFLUX_COMPARE_H

#include <libflux/schedule.h>
#include <libflux/simulate.h>

FLUX_BEGIN_DECLS

/* The schedulers; their numbers never change. flux_scheduler_count() is the largest. */
#define FLUX_SCHEDULER_FLUX 1         /* flux_schedule() */
#define FLUX_SCHEDULER_RANDOM 2       /* random priorities in our constructor, as many schedules as flux builds */
#define FLUX_SCHEDULER_PHASE 3        /* one configuration per dimension of parallelism (after Opus, 2026) */
#define FLUX_SCHEDULER_STATIC 4       /* one configuration, never changed */
#define FLUX_SCHEDULER_ROTOR_DIRECT 5 /* RotorNet (Mellette et al., SIGCOMM 2017), one hop, all switches at once */
#define FLUX_SCHEDULER_ROTOR_DIRECT_STAGGERED 6 /* the same, switches one after the other */
#define FLUX_SCHEDULER_ROTOR_VLB 7              /* over two hops, RotorLB */
#define FLUX_SCHEDULER_ROTOR_VLB_STAGGERED 8
#define FLUX_SCHEDULER_BVN 9       /* Birkhoff - von Neumann, bottleneck matchings; slots without the delay */
#define FLUX_SCHEDULER_SOLSTICE 10 /* Liu et al., CoNEXT 2015 */
#define FLUX_SCHEDULER_ECLIPSE 11  /* Bojja Venkatakrishnan et al., SIGMETRICS 2016 */
#define FLUX_SCHEDULER_SPECTRA 12  /* after Liang et al., 2026 */
#define FLUX_SCHEDULER_SUNFLOW 13  /* Huang et al., CoNEXT 2016, on what is ready: no matrix */
#define FLUX_SCHEDULER_PACKET 14            /* packet switches with the same links, max-min fair shares */
#define FLUX_SCHEDULER_MULTIPLANE 15        /* the same in several planes, each send on one of them by a hash */
#define FLUX_SCHEDULER_MULTIPLANE_FAILED 16 /* each send on all planes, of which one has failed */

/* What a scheduler makes. */
#define FLUX_SCHEDULER_KIND_SCHEDULE 1 /* sends as a whole, one circuit each; it passed flux_check() */
#define FLUX_SCHEDULER_KIND_CYCLE 2    /* a fixed cycle of states; straight, but sends are cut where slots end */
#define FLUX_SCHEDULER_KIND_FORWARD 3  /* a fixed cycle, and sends may go over a third GPU */
#define FLUX_SCHEDULER_KIND_PACKET 4   /* packet switches: no circuits */

FLUX_API uint32_t flux_scheduler_count(void);
/* "flux", "rotor-direct", ...; a static string, "" for an unknown number. And back, 0 for an unknown one.
 * Since 0.1. */
FLUX_API const char *flux_scheduler_name(uint32_t scheduler);
FLUX_API uint32_t flux_scheduler_find(const char *name);
/* Where it comes from, in a line; a static string. Since 0.1. */
FLUX_API const char *flux_scheduler_source(uint32_t scheduler);
/* FLUX_SCHEDULER_KIND_*; 0 for an unknown number. Since 0.1. */
FLUX_API uint32_t flux_scheduler_kind(uint32_t scheduler);

/* What the caller may want; all zero means the defaults. Grows at the end: start from FLUX_COMPARE_OPTIONS_INIT. */
struct flux_compare_options {
    uint64_t size;
    const struct flux_options *schedule; /* for flux_schedule(); NULL: its defaults. Its cancel stops a comparison */
    uint64_t seed;                       /* of the random priorities */
    uint32_t constructions;              /* of random; 0: as many as flux_schedule() made */
    uint32_t duty_ppm;                   /* of a rotor; 0: 900000 */
    uint32_t repeats;                    /* of a demand's cycle per iteration; 0: the best of 1, 4 and 16 */
    uint32_t planes;                     /* of multiplane; 0: 4 */
};

#define FLUX_COMPARE_OPTIONS_INIT { sizeof(struct flux_compare_options), 0, 0, 0, 0, 0, 0 }

/* What one scheduler did to one graph on one fabric. Nothing changes it: any number of threads may read it. */
struct flux_comparison;

/* Runs one scheduler (FLUX_SCHEDULER_*). Several threads may compare the same graph and fabric at once. Where a
 * scheduler cannot serve this problem (a rotor with an odd number of GPUs; a single configuration for more pairs than
 * ports) that is no error: the comparison says so. `options` and `error` may be NULL.
 * Errors: ARGUMENT, ABI, CYCLE, INFEASIBLE, OVERFLOW, MISMATCH, TOO_BIG, MEMORY, CANCELLED. Since 0.1. */
FLUX_API int flux_compare(const struct flux_graph *graph, const struct flux_fabric *fabric, uint32_t scheduler,
                          const struct flux_compare_options *options, struct flux_comparison **comparison,
                          struct flux_error *error);
FLUX_API void flux_comparison_free(struct flux_comparison *comparison); /* NULL is fine */

/* The caller sets `size`; no more than that is written. Grows at the end. */
struct flux_comparison_summary {
    uint64_t size;
    uint32_t scheduler;
    uint32_t applies;          /* 0: this scheduler cannot serve this problem, and all below is 0 but the bound */
    int64_t iteration;         /* of random: the median, of an even number the smaller one in the middle */
    int64_t best;              /* of random: the shortest; else the iteration */
    int64_t bound;             /* flux_bound(), of FLUX that of its schedule: no KIND_SCHEDULE is shorter. Nor is a
                                  KIND_CYCLE where no circuit is initial and the certificate is none of the edges */
    uint64_t memory;           /* bytes ready and not yet sent: the peak at a single GPU */
    uint64_t memory_of_all;    /* and at all GPUs together */
    uint64_t waiting;          /* bytes ready of which nothing has been sent yet: the peak at a single GPU */
    uint64_t reconfigurations; /* circuits set up that replaced another one on one of their ports */
    uint32_t repeats;          /* of a demand's cycle per iteration; else 0 */
    uint32_t constructions;    /* of flux and random; else 0 */
    uint64_t waiting_mean;     /* of what waits, the mean over GPUs and the time of the iteration, rounded down */
};

#define FLUX_COMPARISON_SUMMARY_INIT { sizeof(struct flux_comparison_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Errors: ARGUMENT, ABI. Since 0.1. */
FLUX_API int flux_comparison_summary(const struct flux_comparison *comparison,
                                     struct flux_comparison_summary *summary);
/* A sentence: what was chosen, or why the scheduler does not apply. "" where there is nothing to say. Lives as long as
 * the comparison. Since 0.1. */
FLUX_API const char *flux_comparison_note(const struct flux_comparison *comparison);
/* The schedule of a KIND_SCHEDULE, of random the median one; NULL where there is none. Since 0.1. */
FLUX_API const struct flux_schedule *flux_comparison_schedule(const struct flux_comparison *comparison);
/* The replay that was measured, as it was run: times by send and more. NULL where the scheduler does not apply.
 * Since 0.1. */
FLUX_API const struct flux_replay *flux_comparison_replay(const struct flux_comparison *comparison);

FLUX_END_DECLS
#endif
