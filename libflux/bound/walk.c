/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/walk.c - the fullest window of a port by one pass over its sends for each distinct tail b: heads fall, the load
 * grows, and every send's head is a threshold a. It takes any kind of load and any size of numbers, at O(n) per tail.
 *
 * With M(b) the best of a pass, M(b') <= M(b) + b' - b for any b' > b, as the windows shrink. So when M(b) misses the
 * best bound by x, the tails up to b + x need no pass. Where that leaves more passes than the limit on work has, tails
 * are sampled at equal steps of rank: fewer windows are still a bound.
 *
 * The limit: 2^19 sends looked at, and 16 more for every send of the problem and each of its ends; shared among the
 * ports in proportion to their sends. 8 GPUs with up to 260 sends each are exact.
 */
#include "bound/search.h"

#define WALK_LEAST (UINT64_C(1) << 19)
#define WALK_PER_SEND 32u

struct walk {
    const struct flux_port *port;
    int64_t tail;
    int64_t head; /* threshold of the best window */
    flux_wide best;
};

/* One pass: M(walk->tail), rounded up. */
static void pass(struct walk *walk)
{
    const struct flux_port *port = walk->port;
    flux_wide load = 0, top = -1;
    uint32_t circuits = 0;
    for (uint32_t circuit = 0; circuit < port->circuits; circuit++)
        port->way[0][circuit] = port->way[1][circuit] = 0;
    for (uint32_t i = 0; i < port->count; i++) {
        if (port->tail[i] < walk->tail)
            continue;
        uint32_t circuit = port->circuit[i];
        int64_t *way = &port->way[port->inward[i]][circuit], other = port->way[!port->inward[i]][circuit];
        circuits += *way == 0 && other == 0;
        int64_t before = *way > other ? *way : other;
        *way += port->duration[i];
        load += (*way > other ? *way : other) - before;
        flux_wide here =
            (flux_wide)port->links * port->head[i] + load + flux_setup_time(circuits, port->links, port->delay);
        if (here > top) {
            top = here;
            walk->head = port->head[i];
        }
    }
    walk->best = top < 0 ? 0 : walk->tail + flux_ceil_div(top, port->links);
}

static void walk_tails(struct flux_bound_search *search, const struct flux_port *port, uint64_t tails)
{
    struct walk walk = {.port = port};
    uint64_t step = (port->count + tails - 1) / tails;
    int64_t next = -1; /* smaller tails need no pass */
    for (uint64_t rank = 0; rank < port->count; rank += step) {
        int64_t tail = port->tail[port->by_tail[port->count - 1 - rank]];
        if (tail <= next)
            continue;
        walk.tail = tail;
        pass(&walk);
        if (walk.best > search->best.bound)
            flux_bound_try_window(search, port, walk.head, tail);
        next = tail;
        if (walk.best < search->best.bound)
            next += (int64_t)(search->best.bound - walk.best);
    }
}

static int walk_port(struct flux_bound_search *search, const struct flux_port *port)
{
    uint64_t limit = WALK_LEAST + (uint64_t)search->problem->sends * WALK_PER_SEND;
    uint64_t tails = limit / search->walk_sends;
    if ((port->both_ways || !port->fits) && flux_port_promising(port, search->best.bound))
        walk_tails(search, port, tails ? tails : 1);
    return FLUX_OK;
}

int flux_bound_walks(struct flux_bound_search *search)
{
    return search->walk_sends ? flux_bound_each_port(search, walk_port) : FLUX_OK;
}
