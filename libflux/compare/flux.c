/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/flux.c - our own schedule.
 */
#include "compare/compare.h"

int flux_compare_flux(struct flux_comparing *comparing)
{
    struct flux_comparison_summary *summary = &comparing->comparison->summary;
    struct flux_statistics statistics = FLUX_STATISTICS_INIT;
    struct flux_schedule *schedule = NULL;
    int rc =
        flux_schedule(comparing->graph, comparing->fabric, comparing->options.schedule, &schedule, comparing->error);
    if (rc)
        return rc;
    summary->bound = flux_schedule_bound(schedule);
    rc = flux_schedule_statistics(schedule, &statistics);
    summary->constructions = statistics.constructions > UINT32_MAX ? UINT32_MAX : (uint32_t)statistics.constructions;
    flux_compare_note(comparing, "%s, %s", flux_schedule_status(schedule) == FLUX_OPTIMAL ? "optimal" : "feasible",
                      flux_search_name(statistics.rule));
    int kept = flux_compare_keep(comparing, schedule);
    return rc ? rc : kept;
}
