/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/port_share.c - windows as in port load, whose sends are counted (bound/share.h) in place of added up.
 *
 * Counting gains less than one send and its setup over port load, so of all windows only those are counted whose load
 * comes that close to the best bound; one pass per tail finds them, as in bound/walk.c. Of a window, the m longest
 * sends count, for those m where the next one is shorter and for those that are one more than a multiple of the links;
 * and the same with the longest send of each circuit alone.
 *
 * The limit: 2^22 steps (a send or a circuit looked at), and 64 more for every send of the problem.
 */
#include "bound/search.h"
#include "bound/share.h"

#include <libflux/error.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_LEAST (UINT64_C(1) << 22)
#define STEPS_PER_SEND 64u

struct ranked {
    int64_t duration;
    uint32_t at; /* position in the port */
    uint32_t padding;
};

struct counting {
    struct flux_bound_search *search;
    const struct flux_port *port;
    struct ranked *order; /* all sends of the port, longest first */
    uint32_t *list;       /* positions of the sends of a window, longest first; and of its circuits' longest ones */
    uint32_t *circuits;   /* by length of a beginning of the list: how many circuits it has */
    int64_t *sum;
    int64_t *longest; /* by circuit: its longest send met in a pass */
    uint32_t *seen;   /* by circuit: the list that has it */
    uint32_t lists;
    uint32_t sends;
    struct flux_share share;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->duration != b->duration)
        return a->duration < b->duration ? 1 : -1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int alloc(struct counting *counting, uint32_t most)
{
    struct flux_arena *arena = &counting->search->arena;
    uint64_t room = (uint64_t)most + 1;
    counting->order = flux_arena_alloc(arena, room, sizeof *counting->order);
    counting->list = flux_arena_alloc(arena, room, sizeof *counting->list);
    counting->circuits = flux_arena_alloc(arena, room, sizeof *counting->circuits);
    counting->sum = flux_arena_alloc(arena, room, sizeof *counting->sum);
    counting->longest = flux_arena_alloc(arena, room, sizeof *counting->longest);
    counting->seen = flux_arena_zero(arena, room, sizeof *counting->seen);
    counting->share.most = flux_arena_alloc(arena, room, sizeof *counting->share.most);
    counting->share.dealt = flux_arena_alloc(arena, room, sizeof *counting->share.dealt);
    return counting->order && counting->list && counting->circuits && counting->sum && counting->longest &&
                   counting->seen && counting->share.most && counting->share.dealt
               ? FLUX_OK
               : FLUX_E_MEMORY;
}

/* Which direction of each circuit has more load in a window, into port->way: one is set to 0. Both directions of a pair
 * may be under way at once, so only one of them is counted. */
static void choose_directions(const struct flux_port *port, int64_t head, int64_t tail)
{
    for (uint32_t circuit = 0; circuit < port->circuits; circuit++)
        port->way[0][circuit] = port->way[1][circuit] = 0;
    for (uint32_t i = 0; i < port->count; i++)
        if (port->head[i] >= head && port->tail[i] >= tail)
            port->way[port->inward[i]][port->circuit[i]] += port->duration[i];
    for (uint32_t circuit = 0; circuit < port->circuits; circuit++)
        port->way[port->way[1][circuit] <= port->way[0][circuit]][circuit] = 0;
}

/* The sends of a window, longest first, or the longest one of each circuit alone. */
static void make_list(struct counting *counting, int64_t head, int64_t tail, int alone)
{
    const struct flux_port *port = counting->port;
    uint32_t sends = 0, circuits = 0, mark = ++counting->lists;
    counting->sum[0] = 0;
    for (uint32_t i = 0; i < port->count; i++) {
        uint32_t at = counting->order[i].at, circuit = port->circuit[at];
        if (port->head[at] < head || port->tail[at] < tail || port->way[port->inward[at]][circuit] == 0)
            continue;
        if (counting->seen[circuit] == mark && alone)
            continue;
        circuits += counting->seen[circuit] != mark;
        counting->seen[circuit] = mark;
        counting->list[sends] = at;
        counting->sum[sends + 1] = counting->sum[sends] + port->duration[at];
        counting->circuits[++sends] = circuits;
    }
    counting->sends = sends;
    counting->share.steps += port->count;
}

/* The best bound becomes what the first `sends` of the list need. */
static int raise(struct counting *counting, int64_t head, int64_t tail, uint32_t sends, int64_t need)
{
    struct flux_bound_search *search = counting->search;
    int64_t before = search->best.bound;
    flux_bound_raise(search, counting->port, FLUX_CERTIFICATE_PORT_SHARE, head, tail, (flux_wide)head + tail + need);
    if (search->best.bound == before)
        return FLUX_OK;
    uint32_t *nodes = flux_arena_alloc(search->keep, sends, sizeof *nodes);
    if (!nodes)
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < sends; i++)
        nodes[i] = counting->port->node[counting->list[i]];
    search->best.nodes = nodes;
    search->best.count = sends;
    return FLUX_OK;
}

static int try_beginning(struct counting *counting, int64_t head, int64_t tail, uint32_t sends)
{
    int64_t time = counting->search->best.bound - head - tail;
    counting->share.sends = sends;
    counting->share.circuits = counting->circuits[sends];
    if (sends <= counting->share.links || flux_share_fits(&counting->share, time))
        return FLUX_OK;
    return raise(counting, head, tail, sends, flux_share_least(&counting->share, time));
}

static int try_list(struct counting *counting, int64_t head, int64_t tail)
{
    uint32_t links = counting->port->links, last = 0;
    int rc = FLUX_OK;
    for (uint32_t i = 1; i <= counting->sends && !rc; i++) {
        const int64_t *sum = counting->sum;
        if (i < counting->sends && sum[i + 1] - sum[i] == sum[i] - sum[i - 1])
            continue;
        uint32_t one_more = (i - 1) / links * links + 1;
        if (one_more > last && one_more < i)
            rc = try_beginning(counting, head, tail, one_more);
        if (!rc)
            rc = try_beginning(counting, head, tail, i);
        last = i;
    }
    return rc;
}

static int try_window(struct counting *counting, int64_t head, int64_t tail)
{
    choose_directions(counting->port, head, tail);
    make_list(counting, head, tail, 0);
    uint32_t all = counting->sends;
    int rc = try_list(counting, head, tail);
    if (!rc && counting->circuits[all] < all) {
        make_list(counting, head, tail, 1);
        rc = try_list(counting, head, tail);
    }
    return rc;
}

/* One pass over the windows of a tail. `*most`: no window has more than this. */
static int pass(struct counting *counting, int64_t tail, flux_wide *most)
{
    const struct flux_port *port = counting->port;
    struct flux_bound_search *search = counting->search;
    flux_wide load = 0, top = 0;
    int64_t longest = 0;
    int rc = FLUX_OK;
    for (uint32_t circuit = 0; circuit < port->circuits; circuit++)
        counting->longest[circuit] = 0;
    for (uint32_t i = 0; i < port->count && !rc; i++) {
        if (port->tail[i] >= tail) {
            load += port->duration[i] + (counting->longest[port->circuit[i]] ? 0 : port->delay);
            counting->longest[port->circuit[i]] = 1;
            longest = port->duration[i] > longest ? port->duration[i] : longest;
        }
        if (i + 1 < port->count && port->head[i + 1] == port->head[i])
            continue;
        flux_wide here = load + (flux_wide)(port->links - 1) * (longest + port->delay);
        here = port->head[i] + tail + flux_ceil_div(here, port->links);
        top = here > top ? here : top;
        if (here > search->best.bound && counting->share.steps < search->steps_limit)
            rc = try_window(counting, port->head[i], tail);
    }
    counting->share.steps += port->count;
    *most = top;
    return rc;
}

static int count_port(struct counting *counting)
{
    const struct flux_port *port = counting->port;
    struct flux_bound_search *search = counting->search;
    int64_t next = -1; /* smaller tails need no pass */
    int rc = FLUX_OK;
    for (uint32_t i = 0; i < port->count; i++)
        counting->order[i] = (struct ranked){port->duration[i], i, 0};
    qsort(counting->order, port->count, sizeof *counting->order, compare_ranked);
    counting->share.sum = counting->sum;
    counting->share.links = port->links;
    counting->share.delay = port->delay;
    for (uint32_t rank = port->count; rank-- > 0 && !rc && counting->share.steps < search->steps_limit;) {
        int64_t tail = port->tail[port->by_tail[rank]];
        flux_wide most;
        if (tail <= next)
            continue;
        rc = pass(counting, tail, &most);
        next = tail;
        if (most < search->best.bound)
            next += (int64_t)(search->best.bound - most);
    }
    return rc;
}

/* Can counting say more than the best bound of any window of the port? */
static int is_promising(const struct flux_port *port, int64_t bound)
{
    if (port->count <= port->links || port->links < 2 || !port->fits)
        return 0;
    flux_wide most = port->busy + (flux_wide)port->circuits * port->delay;
    int64_t longest = 0;
    for (uint32_t i = 0; i < port->count; i++)
        longest = port->duration[i] > longest ? port->duration[i] : longest;
    most += (flux_wide)(port->links - 1) * (longest + port->delay);
    return port->longest + flux_ceil_div(most, port->links) > bound;
}

static int look(struct flux_bound_search *search, const struct flux_port *port)
{
    struct counting *counting = search->counting;
    if (search->best.bound >= search->enough || counting->share.steps >= search->steps_limit ||
        !is_promising(port, search->best.bound))
        return FLUX_OK;
    counting->port = port;
    return count_port(counting);
}

int flux_bound_port_shares(struct flux_bound_search *search)
{
    struct counting counting = {.search = search};
    search->counting = &counting;
    search->steps_limit = STEPS_LEAST + (uint64_t)search->problem->sends * STEPS_PER_SEND;
    int rc = alloc(&counting, search->sides.most);
    return rc ? rc : flux_bound_each_port(search, look);
}
