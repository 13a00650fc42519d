/* SPDX-License-Identifier: Apache-2.0
 *
 * solve/second.c - the stage after the search for short schedules: second objectives, at the makespan that was found.
 */
#include "base/fail.h"
#include "search/polish.h"
#include "solve/solving.h"

#define SHARE 4 /* of the limits */

static uint64_t without_share(uint64_t limit)
{
    return limit - limit / SHARE;
}

void flux_second_reserve(struct flux_solving *solving)
{
    struct flux_control *control = &solving->control;
    if (!solving->options.objectives)
        return;
    if (control->work_limit != UINT64_MAX)
        control->work_limit = without_share(control->work_limit);
    if (control->deadline_ns != UINT64_MAX)
        control->deadline_ns = control->begin_ns + without_share(control->deadline_ns - control->begin_ns);
}

static void take_limits(struct flux_solving *solving)
{
    struct flux_control *control = &solving->control;
    const struct flux_options *options = &solving->options;
    if (control->work_limit != UINT64_MAX)
        control->work_limit = options->work_limit;
    if (control->deadline_ns != UINT64_MAX)
        control->deadline_ns = control->begin_ns + options->time_limit_ns;
}

int flux_second_improve(struct flux_solving *solving)
{
    struct flux_control *control = &solving->control;
    struct flux_statistics *statistics = &solving->statistics;
    struct flux_measures before, after;
    uint32_t stopped = control->stopped;
    take_limits(solving);
    if (stopped != FLUX_STOPPED_CANCEL && stopped != FLUX_STOPPED_CALLBACK)
        control->stopped = FLUX_STOPPED_DONE;
    int rc = flux_polish(solving->problem, control, solving->options.objectives, &solving->plan, &before, &after);
    if (rc)
        return flux_fail_memory(solving->error);
    control->stopped = stopped ? stopped : control->stopped;
    control->makespan = solving->plan.makespan;
    statistics->reconfigurations_before = before.reconfigurations;
    statistics->reconfigurations = after.reconfigurations;
    statistics->memory_before = before.memory;
    statistics->memory = after.memory;
    statistics->slack_before = before.slack;
    statistics->slack = after.slack;
    return FLUX_OK;
}
