/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/compare.c - the comparison object: one scheduler run, measured, read, freed.
 */
#include "compare/compare.h"

#include "base/abi.h"
#include "base/fail.h"
#include "schedule/allocator.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#define DUTY_DEFAULT 900000u
#define OPTIONS_LEAST FLUX_ABI_LEAST(struct flux_compare_options, planes)
#define SUMMARY_LEAST FLUX_ABI_LEAST(struct flux_comparison_summary, waiting_mean)

static void write_note(struct flux_comparing *comparing, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static void write_note(struct flux_comparing *comparing, const char *format, va_list arguments)
{
    vsnprintf(comparing->comparison->note, sizeof comparing->comparison->note, format, arguments);
}

int flux_compare_note(struct flux_comparing *comparing, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_note(comparing, format, arguments);
    va_end(arguments);
    return FLUX_OK;
}

int flux_compare_refuse(struct flux_comparing *comparing, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_note(comparing, format, arguments);
    va_end(arguments);
    comparing->comparison->summary.applies = 0;
    return FLUX_OK;
}

int flux_compare_refuse_or_fail(struct flux_comparing *comparing, int rc)
{
    if (rc == FLUX_E_ARGUMENT || rc == FLUX_E_INFEASIBLE || rc == FLUX_E_OVERFLOW || rc == FLUX_E_TOO_BIG)
        return flux_compare_refuse(comparing, "%s", comparing->error->text);
    return rc;
}

int flux_compare_possible(const struct flux_fabric *fabric, uint32_t k, uint32_t src, uint32_t dst)
{
    return !flux_fabric_dead(fabric, src, k) && !flux_fabric_dead(fabric, dst, k) &&
           !flux_fabric_is_forbidden(fabric, k, src, dst);
}

int64_t flux_compare_duration(const struct flux_comparing *comparing, const struct flux_send *send)
{
    const struct flux_fabric *fabric = comparing->fabric;
    int64_t least = -1, time;
    for (uint32_t k = 0; k < flux_fabric_switches(fabric); k++) {
        if (!flux_compare_possible(fabric, k, send->src, send->dst))
            continue;
        if (send->duration)
            return send->duration;
        if (flux_fabric_duration(fabric, k, send->src, send->dst, send->bytes, &time) == FLUX_OK &&
            (least < 0 || time < least))
            least = time;
    }
    return least;
}

int flux_compare_replay(struct flux_comparing *comparing, struct flux_replay *replay)
{
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    options.cancel = comparing->options.schedule ? comparing->options.schedule->cancel : NULL;
    return flux_replay_run(replay, &options, comparing->error);
}

int flux_compare_keep(struct flux_comparing *comparing, struct flux_schedule *schedule)
{
    uint64_t count = 0;
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    comparing->comparison->schedule = schedule;
    return flux_replay_new(comparing->graph, comparing->fabric, slots, count, &comparing->comparison->replay,
                           comparing->error);
}

/* Everything that a replay tells. */
static int measure(struct flux_comparing *comparing)
{
    struct flux_comparison *comparison = comparing->comparison;
    struct flux_comparison_summary *summary = &comparison->summary;
    struct flux_replay_summary run = FLUX_REPLAY_SUMMARY_INIT;
    if (!flux_replay_times(comparison->replay, NULL)) {
        int rc = flux_compare_replay(comparing, comparison->replay);
        if (rc) {
            flux_replay_free(comparison->replay);
            comparison->replay = NULL;
            return flux_compare_refuse_or_fail(comparing, rc);
        }
    }
    int rc = flux_replay_summary(comparison->replay, &run);
    if (rc)
        return rc;
    summary->iteration = run.iteration;
    if (!summary->best)
        summary->best = run.iteration;
    summary->memory = run.memory_of_gpu;
    summary->memory_of_all = run.memory;
    summary->reconfigurations = run.reconfigurations;
    return flux_compare_waiting(comparing);
}

static int find_bound(struct flux_comparing *comparing)
{
    struct flux_comparison *comparison = comparing->comparison;
    struct flux_certificate *certificate = NULL;
    if (comparison->summary.scheduler == FLUX_SCHEDULER_FLUX)
        return FLUX_OK; /* its schedule brings one */
    int rc = flux_bound(comparing->graph, comparing->fabric, &certificate, comparing->error);
    if (!rc)
        comparison->summary.bound = flux_certificate_bound(certificate);
    flux_certificate_free(certificate);
    return rc;
}

static int run(struct flux_comparing *comparing, uint32_t scheduler)
{
    struct flux_comparison *comparison = comparing->comparison;
    const struct flux_options *schedule = comparing->options.schedule;
    comparison->summary.size = sizeof comparison->summary;
    comparison->summary.scheduler = scheduler;
    comparison->summary.applies = 1;
    if (schedule && flux_cancel_requested(schedule->cancel))
        return flux_fail(comparing->error, FLUX_E_CANCELLED, "cancelled before %s was run",
                         flux_scheduler_name(scheduler));
    int rc = find_bound(comparing);
    if (!rc)
        rc = flux_compare_find(scheduler)(comparing);
    if (!rc && comparison->summary.applies)
        rc = measure(comparing);
    return rc;
}

static int read_options(const struct flux_compare_options *given, struct flux_comparing *comparing)
{
    struct flux_compare_options *options = &comparing->options;
    *options = (struct flux_compare_options)FLUX_COMPARE_OPTIONS_INIT;
    int rc = given
                 ? flux_abi_import(options, sizeof *options, given, OPTIONS_LEAST, "compare_options", comparing->error)
                 : FLUX_OK;
    if (rc)
        return rc;
    if (options->duty_ppm >= FLUX_PPM)
        return flux_fail(comparing->error, FLUX_E_ARGUMENT, "the duty is %" PRIu32 " ppm, not between 0 and 1,000,000",
                         options->duty_ppm);
    if (!options->duty_ppm)
        options->duty_ppm = DUTY_DEFAULT;
    return FLUX_OK;
}

int flux_compare(const struct flux_graph *graph, const struct flux_fabric *fabric, uint32_t scheduler,
                 const struct flux_compare_options *options, struct flux_comparison **comparison,
                 struct flux_error *error)
{
    struct flux_error own;
    struct flux_comparing comparing = {.graph = graph, .fabric = fabric, .error = error ? error : &own};
    if (comparison)
        *comparison = NULL;
    if (!graph || !fabric || !comparison)
        return flux_fail(error, FLUX_E_ARGUMENT, "graph, fabric or the place for the comparison are NULL");
    if (!flux_compare_find(scheduler))
        return flux_fail(error, FLUX_E_ARGUMENT, "there is no scheduler %" PRIu32, scheduler);
    int rc = read_options(options, &comparing);
    if (rc)
        return rc;
    struct flux_comparison *fresh = flux_alloc_zero(flux_allocator_of(graph), 1, sizeof *fresh);
    if (!fresh)
        return flux_fail_memory(error);
    struct flux_arena arena;
    fresh->memory = *flux_allocator_of(graph);
    flux_arena_init(&arena, &fresh->memory);
    comparing.arena = &arena;
    comparing.comparison = fresh;
    rc = run(&comparing, scheduler);
    flux_arena_free(&arena);
    if (rc) {
        flux_comparison_free(fresh);
        return rc == FLUX_E_MEMORY ? flux_fail_memory(error) : rc;
    }
    *comparison = fresh;
    return FLUX_OK;
}

void flux_comparison_free(struct flux_comparison *comparison)
{
    if (!comparison)
        return;
    struct flux_memory memory = comparison->memory;
    flux_replay_free(comparison->replay);
    flux_schedule_free(comparison->schedule);
    flux_release(&memory, comparison, 1, sizeof *comparison);
}

int flux_comparison_summary(const struct flux_comparison *comparison, struct flux_comparison_summary *summary)
{
    if (!comparison || !summary)
        return FLUX_E_ARGUMENT;
    return flux_abi_export(summary, &comparison->summary, sizeof comparison->summary, SUMMARY_LEAST,
                           "comparison_summary", NULL);
}

const char *flux_comparison_note(const struct flux_comparison *comparison)
{
    return comparison ? comparison->note : "";
}

const struct flux_schedule *flux_comparison_schedule(const struct flux_comparison *comparison)
{
    return comparison ? comparison->schedule : NULL;
}

const struct flux_replay *flux_comparison_replay(const struct flux_comparison *comparison)
{
    return comparison ? comparison->replay : NULL;
}
