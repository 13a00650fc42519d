/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens to the GPUs of their experts, and back: one all-to-all where all get the same share, else a message for each
 * pair.
 */
#include "io/fail.h"
#include "io/generate/cost.h"
#include "io/generate/rank.h"

#include <string.h>

/* The draws for a layer and the micro-batch at hand, of the expert group at hand. NULL after a failure. */
static const uint64_t *draws_of(struct flux_io_generator *to, uint32_t layer)
{
    const struct flux_io_plan *plan = to->plan;
    struct flux_io_route route = {to->iteration, to->micro_batch, layer, to->expert_first};
    struct flux_io_draws *draws =
        &to->draws[((uint64_t)to->iteration * plan->micro_batches + to->micro_batch) * plan->layers + layer];
    uint64_t room = (uint64_t)plan->ep * plan->ep;
    if (to->failed)
        return NULL;
    if (draws->known && draws->route.group == route.group)
        return draws->counts;
    if (!draws->counts)
        draws->counts = flux_io_alloc(plan->memory, room, sizeof *draws->counts);
    if (!draws->counts || flux_io_route_draw(plan, &route, plan->split * plan->model->top_k, draws->counts)) {
        to->failed = flux_io_fail_memory(to->error);
        return NULL;
    }
    draws->known = 1;
    draws->route = route;
    return draws->counts;
}

uint64_t flux_io_generate_expert_rows(struct flux_io_generator *to, uint32_t layer)
{
    const struct flux_io_plan *plan = to->plan;
    uint64_t rows = plan->split * plan->model->top_k;
    if (!flux_io_plan_is_drawn(plan))
        return rows;
    const uint64_t *counts = draws_of(to, layer);
    uint32_t mine = to->rank - to->expert_first;
    rows = 0;
    for (uint32_t i = 0; counts && i < plan->ep; i++)
        rows += counts[(uint64_t)i * plan->ep + mine];
    return rows;
}

uint64_t flux_io_generate_exchange(struct flux_io_generator *to, uint32_t layer, int from, const char *what)
{
    const struct flux_io_plan *plan = to->plan;
    uint64_t row = (uint64_t)plan->model->hidden * FLUX_IO_ELEMENT;
    if (!flux_io_plan_is_drawn(plan))
        return flux_io_generate_collective(to, FLUX_IO_ALL_TO_ALL, to->groups.expert,
                                           plan->split * plan->model->top_k * row, what);
    const uint64_t *counts = draws_of(to, layer);
    uint32_t mine = to->rank - to->expert_first, tag = to->tag++;
    flux_io_generate_join(to, what); /* so that every message waits for one node */
    uint64_t count = 0;
    for (uint32_t q = 1; counts && q < plan->ep; q++) {
        uint32_t peer = (mine + q) % plan->ep;
        uint64_t there = (uint64_t)mine * plan->ep + peer, back = (uint64_t)peer * plan->ep + mine;
        uint64_t out = counts[from ? back : there], in = counts[from ? there : back];
        if (out)
            to->messages[count++] = flux_io_generate_send(to, to->expert_first + peer, tag, out * row, what);
        if (in)
            to->messages[count++] = flux_io_generate_receive(to, to->expert_first + peer, tag, in * row, what);
    }
    return flux_io_generate_all(to, to->messages, count, what);
}
