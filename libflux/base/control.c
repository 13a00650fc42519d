/* SPDX-License-Identifier: Apache-2.0 */
#include "base/control.h"

#include "base/wide.h"

#include <stdatomic.h>
#include <string.h>

#define PROGRESS_EVERY_NS 10000000u

struct flux_cancel {
    struct flux_memory memory;
    atomic_int requested; /* lock-free on every platform we build for, so a signal handler may set it */
};

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "the cancel token must be usable in a signal handler");

int flux_cancel_new(const struct flux_env *env, struct flux_cancel **cancel)
{
    struct flux_memory memory;
    if (!cancel)
        return FLUX_E_ARGUMENT;
    *cancel = NULL;
    int rc = flux_memory_init(&memory, env);
    if (rc)
        return rc;
    struct flux_cancel *fresh = flux_alloc(&memory, 1, sizeof *fresh);
    if (!fresh)
        return FLUX_E_MEMORY;
    fresh->memory = memory;
    atomic_init(&fresh->requested, 0);
    *cancel = fresh;
    return FLUX_OK;
}

void flux_cancel_free(struct flux_cancel *cancel)
{
    if (cancel) {
        struct flux_memory memory = cancel->memory;
        flux_release(&memory, cancel, 1, sizeof *cancel);
    }
}

void flux_cancel_request(struct flux_cancel *cancel)
{
    if (cancel)
        atomic_store(&cancel->requested, 1);
}

void flux_cancel_reset(struct flux_cancel *cancel)
{
    if (cancel)
        atomic_store(&cancel->requested, 0);
}

int flux_cancel_requested(const struct flux_cancel *cancel)
{
    return cancel ? atomic_load(&cancel->requested) : 0;
}

void flux_control_begin(struct flux_control *control, const struct flux_memory *memory,
                        const struct flux_options *options)
{
    memset(control, 0, sizeof *control);
    control->memory = memory;
    control->options = options;
    control->begin_ns = memory->env.now_ns(memory->env.user);
    control->deadline_ns = UINT64_MAX;
    if (options->time_limit_ns && options->time_limit_ns < UINT64_MAX - control->begin_ns)
        control->deadline_ns = control->begin_ns + options->time_limit_ns;
    control->work_limit = options->work_limit ? options->work_limit : UINT64_MAX;
    control->phase = FLUX_PHASE_BUILD;
    control->makespan = -1;
}

static void stop(struct flux_control *control, uint32_t reason)
{
    if (!control->stopped)
        control->stopped = reason;
}

static void call_progress(struct flux_control *control, uint64_t now)
{
    const struct flux_options *options = control->options;
    control->last_progress_ns = now;
    if (!options->progress)
        return;
    struct flux_progress progress = {
        .size = sizeof progress,
        .phase = control->phase,
        .makespan = control->makespan,
        .bound = control->bound,
        .work = control->work,
        .elapsed_ns = now - control->begin_ns,
    };
    if (options->progress(options->progress_user, &progress))
        stop(control, FLUX_STOPPED_CALLBACK);
}

uint32_t flux_control_poll(struct flux_control *control, uint64_t work)
{
    control->work += work;
    if (flux_cancel_requested(control->options->cancel))
        stop(control, FLUX_STOPPED_CANCEL);
    if (control->work >= control->work_limit)
        stop(control, FLUX_STOPPED_WORK);
    if (control->deadline_ns != UINT64_MAX || control->options->progress) {
        uint64_t now = control->memory->env.now_ns(control->memory->env.user);
        if (now >= control->deadline_ns)
            stop(control, FLUX_STOPPED_TIME);
        if (now - control->last_progress_ns >= PROGRESS_EVERY_NS)
            call_progress(control, now);
    }
    return control->stopped;
}

uint32_t flux_control_tell(struct flux_control *control, uint32_t phase)
{
    control->phase = phase;
    if (control->options->progress)
        call_progress(control, control->memory->env.now_ns(control->memory->env.user));
    return control->stopped;
}

int flux_control_good_enough(struct flux_control *control)
{
    if (control->makespan < 0)
        return 0;
    if (control->makespan <= control->bound) {
        stop(control, FLUX_STOPPED_BOUND);
        return 1;
    }
    flux_wide gap = (flux_wide)(control->makespan - control->bound) * 1000000;
    if (gap <= (flux_wide)control->bound * control->options->gap_ppm) {
        stop(control, FLUX_STOPPED_GAP);
        return 1;
    }
    return 0;
}

const char *flux_phase_name(uint32_t phase)
{
    static const char *const names[] = {"", "build", "bound", "construct", "improve", "exact", "check", "second"};
    return phase < sizeof names / sizeof *names ? names[phase] : "";
}

const char *flux_search_name(uint32_t rule)
{
    static const char *const names[] = {"none",     "latest-start", "earliest-start", "append", "non-delay",
                                        "backward", "improved",     "backend",        "rounds"};
    return rule < sizeof names / sizeof *names ? names[rule] : "unknown";
}

const char *flux_stopped_name(uint32_t stopped)
{
    static const char *const names[] = {"done",       "bound met", "gap reached",      "time limit",
                                        "work limit", "cancelled", "stopped by caller"};
    return stopped < sizeof names / sizeof *names ? names[stopped] : "unknown";
}

uint64_t flux_control_share_steps(const struct flux_control *control, uint64_t share, uint64_t per_work, uint64_t steps)
{
    if (control->work_limit == UINT64_MAX)
        return steps;
    uint64_t left = control->work_limit > control->work ? control->work_limit - control->work : 0;
    return left / share < steps / per_work ? left / share * per_work : steps;
}

uint64_t flux_control_share_deadline(const struct flux_control *control, uint64_t share)
{
    if (control->deadline_ns == UINT64_MAX)
        return UINT64_MAX;
    uint64_t now = control->memory->env.now_ns(control->memory->env.user);
    return now + (control->deadline_ns > now ? control->deadline_ns - now : 0) / share;
}
