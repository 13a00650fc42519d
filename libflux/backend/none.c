/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/none.c - the smallest backend that keeps the contract: it takes any program and answers that it knows
 * nothing. Asking for it by name turns solvers off; copying it starts a new backend (docs/backends.md).
 */
#include "backend/registry.h"

#include <math.h>
#include <stddef.h>

static const char *none_version(void)
{
    return "1";
}

static int none_open(const struct flux_env *env, void **instance, struct flux_error *error)
{
    (void)env;
    (void)error;
    *instance = NULL; /* nothing to remember between calls */
    return FLUX_OK;
}

static int none_solve(void *instance, const struct flux_milp *milp, const struct flux_milp_run *run,
                      struct flux_milp_result *result, struct flux_error *error)
{
    (void)instance;
    (void)milp;
    (void)run;
    (void)error;
    result->status = FLUX_MILP_UNKNOWN;
    result->bound = -INFINITY;
    return FLUX_OK;
}

static void none_close(void *instance)
{
    (void)instance;
}

const struct flux_backend flux_backend_none = {
    .abi = FLUX_BACKEND_ABI,
    .size = sizeof(struct flux_backend),
    .name = "none",
    .capabilities = 0,
    .version = none_version,
    .open = none_open,
    .solve = none_solve,
    .close = none_close,
};
