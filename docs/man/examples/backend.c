/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/backend.h>
#include <libflux/flux.h>
#include <stdio.h>

/* A solver that has nothing to say. */
static int open_it(const struct flux_env *env, void **instance,
                   struct flux_error *error)
{
    static int nothing;
    (void)env;
    (void)error;
    *instance = &nothing;
    return FLUX_OK;
}

static int solve(void *instance, const struct flux_milp *milp,
                 const struct flux_milp_run *run,
                 struct flux_milp_result *result, struct flux_error *error)
{
    (void)instance;
    (void)error;
    printf("%u columns, %u rows\n", milp->columns, milp->rows);
    if (!run->stop(run->user))
        result->status = FLUX_MILP_UNKNOWN;
    return FLUX_OK;
}

static void close_it(void *instance)
{
    (void)instance;
}

static const struct flux_backend idle = {
    .abi = FLUX_BACKEND_ABI,
    .size = sizeof(struct flux_backend),
    .name = "idle",
    .capabilities = FLUX_BACKEND_SOLVES,
    .open = open_it,
    .solve = solve,
    .close = close_it,
};

int main(void)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;

    flux_graph_new(NULL, 3, &graph);
    flux_graph_add_send(graph, 0, 1, 1 << 20, NULL);
    flux_graph_add_send(graph, 0, 2, 1 << 20, NULL);
    flux_fabric_new(NULL, 3, 1, &fabric);
    options.backend = &idle;
    options.exact = FLUX_EXACT_ONLY;
    int rc = flux_schedule(graph, fabric, &options, &schedule, NULL);
    printf("%s\n", flux_error_name(rc)); /* it found nothing */
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return 0;
}
