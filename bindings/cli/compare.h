/* SPDX-License-Identifier: Apache-2.0
 *
 * compare.h - the parts of flux-ocs compare: what is compared, its jobs on several threads, what people read.
 */
#ifndef FLUX_OCS_COMPARE_H
#define FLUX_OCS_COMPARE_H

#include "cli.h"

#define COMPARE_SCHEDULERS_MAX 64
#define COMPARE_DELAYS_MAX 256

/* One scheduler at one delay. */
struct compare_job {
    uint32_t scheduler;
    uint32_t delay;                     /* which one */
    struct flux_comparison *comparison; /* NULL: not done */
    struct flux_comparison_summary summary;
    struct flux_error error; /* code 0: none */
};

struct compare {
    const struct settings *settings;
    struct input input;
    uint32_t schedulers[COMPARE_SCHEDULERS_MAX];
    uint32_t scheduler_count;
    uint32_t delay_count;
    int64_t delays[COMPARE_DELAYS_MAX];
    const struct flux_fabric *fabrics[COMPARE_DELAYS_MAX];
    struct flux_fabric *own_fabrics[COMPARE_DELAYS_MAX];
    int64_t bounds[COMPARE_DELAYS_MAX]; /* the best that any of them brought */
    int64_t floor;                      /* the bound if changes took no time */
    struct compare_job *jobs;           /* by delay, then scheduler */
    uint32_t job_count;
    uint32_t done;
    struct flux_cancel *cancel;
    double seconds;
};

/* Runs all jobs, on as many threads as the settings say. Their results do not depend on the threads. 0, or an exit
 * status after saying what is wrong; what is done by then is in the jobs. compare_jobs.c */
int compare_run_jobs(struct compare *compare);

/* The job of a scheduler at a delay; NULL where it is not done. */
const struct compare_job *compare_done(const struct compare *compare, uint32_t delay, uint32_t scheduler);

/* Tables for people. compare_table.c */
void compare_table(FILE *out, const struct compare *compare);

#endif
