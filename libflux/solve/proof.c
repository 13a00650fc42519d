/* SPDX-License-Identifier: Apache-2.0
 *
 * solve/proof.c - the stage that searches a small problem to its end.
 *
 * Without limits it takes as many steps on every machine, so that the result is the same. Of a limit on time or work it
 * takes half of what is left where a solver backend may come behind it, else all.
 */
#include "base/fail.h"
#include "prove/prove.h"
#include "solve/solving.h"

#define STEPS (UINT64_C(1) << 26)

/* Does a solver backend come after this? */
static int is_followed(const struct flux_solving *solving)
{
    return solving->options.exact != FLUX_EXACT_NEVER;
}

static uint64_t steps_of(const struct flux_solving *solving)
{
    const struct flux_control *control = &solving->control;
    if (control->work_limit != UINT64_MAX) {
        uint64_t left = control->work_limit > control->work ? control->work_limit - control->work : 0;
        left = is_followed(solving) ? left / 2 : left;
        return left < UINT64_MAX / FLUX_PROVE_STEPS_PER_WORK ? left * FLUX_PROVE_STEPS_PER_WORK : UINT64_MAX;
    }
    return control->deadline_ns == UINT64_MAX ? STEPS : UINT64_MAX;
}

static uint64_t deadline_of(const struct flux_solving *solving)
{
    const struct flux_control *control = &solving->control;
    if (control->deadline_ns == UINT64_MAX || !is_followed(solving))
        return control->deadline_ns;
    uint64_t now = solving->memory.env.now_ns(solving->memory.env.user);
    return control->deadline_ns > now ? now + (control->deadline_ns - now) / 2 : now;
}

int flux_proof_improve(struct flux_solving *solving)
{
    struct flux_prove_answer answer;
    struct flux_bound_value *known = &solving->bound;
    if (solving->options.exact == FLUX_EXACT_ONLY || flux_control_good_enough(&solving->control))
        return FLUX_OK;
    const struct flux_prove_limits limits = {steps_of(solving), deadline_of(solving), 0};
    int rc = flux_prove(solving->problem, &solving->control, &limits, known->bound, &solving->plan, &answer);
    if (rc)
        return flux_fail_memory(solving->error);
    if (answer.improved)
        solving->statistics.rule = FLUX_SEARCH_IMPROVED;
    if (answer.bound > known->bound) {
        *known = (struct flux_bound_value){.bound = answer.bound, .kind = FLUX_CERTIFICATE_SEARCH, .gpu = FLUX_NONE};
        solving->control.bound = answer.bound;
    }
    (void)flux_control_good_enough(&solving->control);
    return FLUX_OK;
}
