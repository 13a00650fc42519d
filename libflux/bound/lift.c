/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/lift.c - the walk over the nearest ancestors of a node, and the fullest window among them per side.
 *
 * Heads do not fall along arcs, so a heap that yields the latest head first yields every node after all nodes between
 * it and the start: its lag is then final. Everything is written for heads; for tails arcs and numbers turn round.
 */
#include "bound/lift.h"

#include "base/wide.h"

#include <stdlib.h>
#include <string.h>

/* Thresholds on the lag tried per side of a node. */
#define LIFT_PASSES 16
/* Arcs looked at per node that may be met: graphs with more are dense, and most of their arcs follow from others. */
#define LIFT_ARCS 16u
#define LIFT_STEPS_PER_WORK 16u
#define LIFT_POLL 8192u
/* Windows with more sends are not counted send by send: there that gains little. */
#define SHARE_SENDS 256u
#define SHARE_TIME_MAX (FLUX_TIME_MAX >> 11) /* so many such times add up without overflow */

static uint32_t side_count(const struct flux_problem *problem)
{
    return problem->rule == FLUX_RULE_SIMPLEX ? 2 * problem->gpus : problem->gpus;
}

static void sides_of(const struct flux_problem *problem, uint32_t node, uint32_t side[2])
{
    int simplex = problem->rule == FLUX_RULE_SIMPLEX;
    side[0] = simplex ? 2 * problem->src[node] : problem->src[node];
    side[1] = simplex ? 2 * problem->dst[node] + 1 : problem->dst[node];
}

/* Links and delay of every side. */
static int measure_sides(struct flux_lifter *lifter, struct flux_arena *arena)
{
    const struct flux_problem *problem = lifter->problem;
    struct flux_arena scratch;
    uint32_t sides = side_count(problem);
    flux_arena_init(&scratch, arena->memory);
    uint8_t *used = flux_arena_zero(&scratch, (uint64_t)sides * problem->switches, sizeof *used);
    if (!used)
        return FLUX_E_MEMORY;
    for (uint32_t node = 0; node < problem->nodes; node++) {
        uint32_t side[2];
        if (!flux_problem_is_send(problem, node))
            continue;
        sides_of(problem, node, side);
        for (uint32_t k = 0; k < problem->switches; k++)
            if (flux_problem_duration(problem, node, k) >= 0)
                used[(uint64_t)side[0] * problem->switches + k] = used[(uint64_t)side[1] * problem->switches + k] = 1;
    }
    for (uint32_t side = 0; side < sides; side++) {
        lifter->links[side] = 0;
        lifter->delay[side] = INT64_MAX;
        for (uint32_t k = 0; k < problem->switches; k++)
            if (used[(uint64_t)side * problem->switches + k]) {
                lifter->links[side]++;
                if (problem->delay[k] < lifter->delay[side])
                    lifter->delay[side] = problem->delay[k];
            }
    }
    flux_arena_free(&scratch);
    return FLUX_OK;
}

static int make_times(const struct flux_problem *problem, struct flux_arena *arena, const int64_t *begin,
                      struct flux_lift_times *times)
{
    times->time = flux_arena_alloc(arena, problem->nodes, sizeof *times->time);
    times->lift = flux_arena_alloc(arena, problem->nodes, sizeof *times->lift);
    if (!times->time || !times->lift)
        return FLUX_E_MEMORY;
    memcpy(times->time, begin, problem->nodes * sizeof *begin);
    for (uint32_t node = 0; node < problem->nodes; node++)
        times->lift[node].vertex = FLUX_NONE;
    return FLUX_OK;
}

int flux_lifter_make(const struct flux_problem *problem, struct flux_control *control, struct flux_arena *arena,
                     struct flux_lifter *lifter)
{
    uint64_t nodes = problem->nodes, sides = side_count(problem), circuits = problem->circuits;
    *lifter = (struct flux_lifter){.problem = problem, .control = control, .deadline_ns = UINT64_MAX};
    lifter->links = flux_arena_alloc(arena, sides, sizeof *lifter->links);
    lifter->delay = flux_arena_alloc(arena, sides, sizeof *lifter->delay);
    lifter->heap = flux_arena_alloc(arena, nodes, sizeof *lifter->heap);
    lifter->met = flux_arena_zero(arena, nodes, sizeof *lifter->met);
    lifter->lag = flux_arena_alloc(arena, nodes, sizeof *lifter->lag);
    lifter->touch = flux_arena_alloc(arena, sides, sizeof *lifter->touch);
    lifter->side_visit = flux_arena_zero(arena, sides, sizeof *lifter->side_visit);
    lifter->side_first = flux_arena_alloc(arena, sides, sizeof *lifter->side_first);
    lifter->side_last = flux_arena_alloc(arena, sides, sizeof *lifter->side_last);
    lifter->member = flux_arena_alloc(arena, nodes, 2 * sizeof *lifter->member);
    lifter->circuit_window = flux_arena_zero(arena, circuits, sizeof *lifter->circuit_window);
    lifter->way[0] = flux_arena_alloc(arena, circuits, sizeof *lifter->way[0]);
    lifter->way[1] = flux_arena_alloc(arena, circuits, sizeof *lifter->way[1]);
    lifter->counted = flux_arena_alloc(arena, SHARE_SENDS, sizeof *lifter->counted);
    lifter->sum = flux_arena_alloc(arena, SHARE_SENDS + 1, sizeof *lifter->sum);
    lifter->share.most = flux_arena_alloc(arena, SHARE_SENDS + 1, sizeof *lifter->share.most);
    lifter->share.dealt = flux_arena_alloc(arena, SHARE_SENDS + 1, sizeof *lifter->share.dealt);
    if (!lifter->counted || !lifter->sum || !lifter->share.most || !lifter->share.dealt || !lifter->links ||
        !lifter->delay || !lifter->heap || !lifter->met || !lifter->lag || !lifter->touch || !lifter->side_visit ||
        !lifter->side_first || !lifter->side_last || !lifter->member || !lifter->circuit_window || !lifter->way[0] ||
        !lifter->way[1])
        return FLUX_E_MEMORY;
    if (make_times(problem, arena, problem->head, &lifter->heads) ||
        make_times(problem, arena, problem->tail, &lifter->tails))
        return FLUX_E_MEMORY;
    return measure_sides(lifter, arena);
}

/* ---- the walk ---- */

/* Is `a` to be met before `b`? */
static int before(int tails, struct flux_lift_entry a, struct flux_lift_entry b)
{
    if (a.time != b.time)
        return a.time > b.time;
    return tails ? a.node < b.node : a.node > b.node;
}

static void push(struct flux_lifter *lifter, int tails, struct flux_lift_entry entry)
{
    struct flux_lift_entry *heap = lifter->heap;
    uint32_t i = lifter->heap_count++;
    for (; i > 0 && before(tails, entry, heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = entry;
}

static struct flux_lift_entry pop(struct flux_lifter *lifter, int tails)
{
    struct flux_lift_entry *heap = lifter->heap, top = heap[0], last = heap[--lifter->heap_count];
    uint32_t i = 0, count = lifter->heap_count;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= count)
            break;
        if (child + 1 < count && before(tails, heap[child + 1], heap[child]))
            child++;
        if (!before(tails, heap[child], last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

/* Pushes what comes directly before `node`, `past` earlier than the walk's node. Returns how many arcs that were. */
static uint64_t extend(struct flux_lifter *lifter, int tails, uint32_t node, int64_t past, int64_t least)
{
    const struct flux_problem *problem = lifter->problem;
    const uint64_t *first = tails ? problem->out_first : problem->in_first;
    const struct flux_arc *arcs = tails ? problem->out : problem->in;
    const int64_t *time = tails ? lifter->tails.time : lifter->heads.time;
    for (uint64_t i = first[node]; i < first[node + 1]; i++) {
        uint32_t next = arcs[i].node;
        int64_t lag = past + arcs[i].lag;
        if (time[next] < least)
            continue;
        if (lifter->met[next] != lifter->visit) {
            lifter->met[next] = lifter->visit;
            lifter->lag[next] = lag;
            push(lifter, tails, (struct flux_lift_entry){time[next], next, 0});
        } else if (lag > lifter->lag[next]) {
            lifter->lag[next] = lag;
        }
    }
    return first[node + 1] - first[node];
}

static void join_sides(struct flux_lifter *lifter, uint32_t node)
{
    uint32_t side[2];
    sides_of(lifter->problem, node, side);
    for (int i = 0; i < 2; i++) {
        uint32_t at = lifter->member_count++, *last = &lifter->side_last[side[i]];
        lifter->member[at] = (struct flux_lift_member){node, FLUX_NONE};
        if (lifter->side_visit[side[i]] != lifter->visit) {
            lifter->side_visit[side[i]] = lifter->visit;
            lifter->side_first[side[i]] = at;
            lifter->touch[lifter->touch_count++] = side[i];
        } else {
            lifter->member[*last].next = at;
        }
        *last = at;
    }
}

/* A number that no node, side or circuit has been marked with. */
static uint32_t next_mark(uint32_t *mark, uint32_t *marks, uint64_t count, uint32_t *others, uint64_t other_count)
{
    if (++*mark == 0) {
        memset(marks, 0, count * sizeof *marks);
        if (others)
            memset(others, 0, other_count * sizeof *others);
        *mark = 1;
    }
    return *mark;
}

void flux_lift_walk(struct flux_lifter *lifter, int tails, uint32_t node, uint32_t reach, int64_t least)
{
    const struct flux_problem *problem = lifter->problem;
    next_mark(&lifter->visit, lifter->met, problem->nodes, lifter->side_visit, side_count(problem));
    lifter->heap_count = lifter->touch_count = lifter->member_count = 0;
    uint64_t arcs = extend(lifter, tails, node, 0, least), most = arcs + (uint64_t)reach * LIFT_ARCS;
    for (uint32_t met = 0; met < reach && arcs < most && lifter->heap_count > 0; met++) {
        uint32_t here = pop(lifter, tails).node;
        if (flux_problem_is_send(problem, here))
            join_sides(lifter, here);
        arcs += extend(lifter, tails, here, lifter->lag[here] + problem->duration[here], least);
    }
    lifter->steps += arcs + lifter->member_count;
}

/* ---- windows ---- */

/* What a pass over a side's members found: the best threshold on time for one on the lag. */
struct window {
    flux_wide value;
    int64_t edge;
    int64_t lag;
};

static struct window pass(struct flux_lifter *lifter, int tails, uint32_t side, int64_t lag)
{
    const struct flux_problem *problem = lifter->problem;
    const int64_t *time = tails ? lifter->tails.time : lifter->heads.time;
    uint32_t links = lifter->links[side], circuits = 0;
    uint32_t mark = next_mark(&lifter->window, lifter->circuit_window, problem->circuits, NULL, 0);
    struct window best = {-1, 0, lag};
    flux_wide load = 0, top = -1;
    for (uint32_t i = lifter->side_first[side]; i != FLUX_NONE; i = lifter->member[i].next) {
        uint32_t node = lifter->member[i].node, circuit = problem->circuit[node];
        lifter->steps++;
        if (lifter->lag[node] < lag)
            continue;
        if (lifter->circuit_window[circuit] != mark) {
            lifter->circuit_window[circuit] = mark;
            lifter->way[0][circuit] = lifter->way[1][circuit] = 0;
            circuits++;
        }
        int back = problem->rule == FLUX_RULE_DUPLEX && problem->src[node] > problem->dst[node];
        int64_t *way = &lifter->way[back][circuit], other = lifter->way[!back][circuit];
        int64_t had = *way > other ? *way : other;
        *way += problem->duration[node];
        load += (*way > other ? *way : other) - had;
        flux_wide here = (flux_wide)links * time[node] + load;
        if (circuits > links)
            here += (flux_wide)(circuits - links) * lifter->delay[side];
        if (here > top) {
            top = here;
            best.edge = time[node];
        }
    }
    if (top >= 0)
        best.value = lag + flux_ceil_div(top, links);
    return best;
}

static int compare_counted(const void *left, const void *right)
{
    const struct flux_lift_counted *a = left, *b = right;
    if (a->duration != b->duration)
        return a->duration > b->duration ? -1 : 1;
    return a->circuit < b->circuit ? -1 : a->circuit > b->circuit;
}

/* The sends of a window, longest first. 0 where there are too many, or fewer than links. */
static uint32_t gather(struct flux_lifter *lifter, int tails, uint32_t side, const struct window *window)
{
    const struct flux_problem *problem = lifter->problem;
    const int64_t *time = tails ? lifter->tails.time : lifter->heads.time;
    uint32_t count = 0;
    for (uint32_t i = lifter->side_first[side]; i != FLUX_NONE; i = lifter->member[i].next) {
        uint32_t node = lifter->member[i].node;
        if (time[node] < window->edge)
            break;
        if (lifter->lag[node] < window->lag)
            continue;
        if (count == SHARE_SENDS)
            return 0;
        lifter->counted[count++] = (struct flux_lift_counted){problem->duration[node], problem->circuit[node], 0};
    }
    lifter->steps += count;
    if (count <= lifter->links[side])
        return 0;
    qsort(lifter->counted, count, sizeof *lifter->counted, compare_counted);
    return count;
}

/* Raises the value of a window by counting its sends, where that brings it above `bar`: those of at least some
 * duration, each as if it took just that. (So more sends are never worth less, as those that look at the lift may see
 * more.) */
static void count_sends(struct flux_lifter *lifter, int tails, uint32_t side, int64_t bar, struct window *window)
{
    const struct flux_problem *problem = lifter->problem;
    struct flux_share *share = &lifter->share;
    if (problem->rule == FLUX_RULE_DUPLEX || lifter->links[side] < 2 || window->value < 0 ||
        window->value > SHARE_TIME_MAX || bar > SHARE_TIME_MAX || lifter->delay[side] > SHARE_TIME_MAX)
        return;
    uint32_t count = gather(lifter, tails, side, window), mark;
    if (count == 0 || window->value + lifter->counted[0].duration + lifter->delay[side] <= bar)
        return;
    mark = next_mark(&lifter->window, lifter->circuit_window, problem->circuits, NULL, 0);
    *share = (struct flux_share){.sum = lifter->sum,
                                 .links = lifter->links[side],
                                 .delay = lifter->delay[side],
                                 .most = share->most,
                                 .dealt = share->dealt};
    for (uint32_t i = 0; i < count; i++) {
        const struct flux_lift_counted *last = &lifter->counted[i];
        share->circuits += lifter->circuit_window[last->circuit] != mark;
        lifter->circuit_window[last->circuit] = mark;
        share->sends = i + 1;
        if (i < share->links || (i + 1 < count && last[1].duration == last->duration))
            continue;
        for (uint32_t n = 0; n <= i + 1; n++)
            lifter->sum[n] = n * last->duration;
        int64_t least = (bar > window->value ? bar : (int64_t)window->value) - window->edge - window->lag;
        if (!flux_share_fits(share, least))
            window->value = (flux_wide)window->edge + window->lag + flux_share_least(share, least);
    }
    lifter->steps += share->steps;
}

/* The least lag above `lag` among a side's members; -1: none. */
static int64_t next_lag(struct flux_lifter *lifter, uint32_t side, flux_wide lag)
{
    int64_t least = -1;
    for (uint32_t i = lifter->side_first[side]; i != FLUX_NONE; i = lifter->member[i].next) {
        int64_t here = lifter->lag[lifter->member[i].node];
        lifter->steps++;
        if (here > lag && (least < 0 || here < least))
            least = here;
    }
    return least;
}

/* Raises the time of `node` by the sides that the walk met. A window with a larger lag is worth at most the difference
 * more, so after a miss by x the lags up to x more need no pass. */
static int lift_node(struct flux_lifter *lifter, int tails, uint32_t node)
{
    const struct flux_problem *problem = lifter->problem;
    struct flux_lift_times *times = tails ? &lifter->tails : &lifter->heads;
    int rose = 0;
    for (uint32_t t = 0; t < lifter->touch_count; t++) {
        uint32_t side = lifter->touch[t];
        int64_t lag = next_lag(lifter, side, -1);
        for (int i = 0; i < LIFT_PASSES && lag >= 0; i++) {
            struct window found = pass(lifter, tails, side, lag);
            count_sends(lifter, tails, side, times->time[node], &found);
            flux_wide miss = times->time[node] - found.value;
            if (miss < 0 && found.value <= FLUX_TIME_MAX) {
                int simplex = problem->rule == FLUX_RULE_SIMPLEX;
                uint32_t name = !simplex ? FLUX_SIDE_BOTH : side % 2 ? FLUX_SIDE_RECEIVE : FLUX_SIDE_TRANSMIT;
                times->time[node] = (int64_t)found.value;
                times->lift[node] = (struct flux_lift){problem->vertex[node],
                                                       simplex ? side / 2 : side,
                                                       name,
                                                       tails ? FLUX_LIFT_TAIL : FLUX_LIFT_HEAD,
                                                       found.edge,
                                                       found.lag};
                rose = 1;
            }
            lag = next_lag(lifter, side, lag + (miss > 0 ? miss : 0));
        }
    }
    return rose;
}

/* ---- all nodes ---- */

/* The longest path to `node` by the lifted times before it. */
static int follow_paths(struct flux_lifter *lifter, int tails, uint32_t node)
{
    const struct flux_problem *problem = lifter->problem;
    const uint64_t *first = tails ? problem->out_first : problem->in_first;
    const struct flux_arc *arcs = tails ? problem->out : problem->in;
    struct flux_lift_times *times = tails ? &lifter->tails : &lifter->heads;
    int rose = 0;
    for (uint64_t i = first[node]; i < first[node + 1]; i++) {
        uint32_t next = arcs[i].node;
        flux_wide time = (flux_wide)times->time[next] + problem->duration[next] + arcs[i].lag;
        if (time > times->time[node] && time <= FLUX_TIME_MAX) {
            times->time[node] = (int64_t)time;
            times->lift[node].vertex = FLUX_NONE;
            rose = 1;
        }
    }
    return rose;
}

static void look_at_limits(struct flux_lifter *lifter)
{
    uint64_t fresh = lifter->steps - lifter->steps_told;
    if (lifter->steps >= lifter->steps_limit)
        lifter->spent = 1;
    if (fresh < LIFT_POLL && !lifter->spent)
        return;
    lifter->steps_told = lifter->steps;
    if (flux_control_poll(lifter->control, fresh / LIFT_STEPS_PER_WORK))
        lifter->spent = 1;
    if (lifter->deadline_ns != UINT64_MAX) {
        const struct flux_memory *memory = lifter->control->memory;
        lifter->spent |= memory->env.now_ns(memory->env.user) >= lifter->deadline_ns;
    }
}

int flux_lift_all(struct flux_lifter *lifter, int tails, uint32_t reach)
{
    const struct flux_problem *problem = lifter->problem;
    const uint64_t *first = tails ? problem->out_first : problem->in_first;
    int rose = 0;
    for (uint32_t i = 0; i < problem->nodes; i++) {
        uint32_t node = tails ? problem->nodes - 1 - i : i;
        rose |= follow_paths(lifter, tails, node);
        if (lifter->spent || first[node + 1] - first[node] < 2)
            continue; /* what comes before a single node was seen there */
        flux_lift_walk(lifter, tails, node, reach, 0);
        rose |= lift_node(lifter, tails, node);
        look_at_limits(lifter);
    }
    return rose;
}
