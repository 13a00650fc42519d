/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/encode.h"

#include "prove/twins.h"

#include <libflux/error.h>
#include <string.h>

/* Clauses on three sends are left out where there would be more. */
#define TRIPLES_MAX (UINT64_C(1) << 18)

/* The longest path by arcs from start to start, by node * nodes + node; -1: none. */
static int64_t *distances(const struct flux_problem *problem, struct flux_arena *arena)
{
    uint64_t n = problem->nodes;
    int64_t *distance = flux_arena_alloc(arena, n * n, sizeof *distance);
    if (!distance)
        return NULL;
    memset(distance, 0xff, n * n * sizeof *distance);
    for (uint64_t u = n; u-- > 0;) {
        distance[u * n + u] = 0;
        for (uint64_t i = problem->out_first[u]; i < problem->out_first[u + 1]; i++) {
            uint64_t w = problem->out[i].node;
            int64_t step = problem->duration[u] + problem->out[i].lag;
            for (uint64_t v = w; v < n; v++)
                if (distance[w * n + v] >= 0 && distance[w * n + v] + step > distance[u * n + v])
                    distance[u * n + v] = distance[w * n + v] + step;
        }
    }
    return distance;
}

/* The time between starts of u and a later v on one switch: the least, and the most, over the switches that both may
 * use. -1 where they do not compete or never share one. */
static int64_t least_apart(const struct flux_problem *problem, uint32_t u, uint32_t v, int64_t *most)
{
    int64_t least = -1;
    *most = -1;
    for (uint32_t k = 0; k < problem->switches; k++) {
        int64_t duration = flux_problem_duration(problem, u, k);
        int64_t separation = flux_separation(problem->rule, problem->src[u], problem->dst[u], problem->src[v],
                                             problem->dst[v], problem->delay[k]);
        if (separation < 0 || duration < 0 || flux_problem_duration(problem, v, k) < 0)
            continue;
        if (least < 0 || duration + separation < least)
            least = duration + separation;
        if (duration + separation > *most)
            *most = duration + separation;
    }
    return least;
}

/* Not where the arcs keep them apart anyway. */
static int competes(const struct flux_problem *problem, const int64_t *distance, uint32_t u, uint32_t v)
{
    int64_t most;
    return flux_problem_is_send(problem, u) && flux_problem_is_send(problem, v) &&
           least_apart(problem, u, v, &most) >= 0 && distance[(uint64_t)u * problem->nodes + v] < most;
}

static uint32_t count_pairs(const struct flux_problem *problem, const int64_t *distance)
{
    uint32_t count = 0;
    for (uint32_t u = 0; u < problem->nodes; u++)
        for (uint32_t v = u + 1; v < problem->nodes; v++)
            count += (uint32_t)competes(problem, distance, u, v);
    return count;
}

static int is_fixed(const struct flux_encoding *encoding, uint32_t v)
{
    return encoding->frame && encoding->frame->fixed[v];
}

/* One switch for every send. */
static void add_switches(struct flux_encoding *encoding)
{
    const struct flux_problem *problem = encoding->problem;
    struct flux_clauses *clauses = &encoding->clauses;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        uint32_t *on = encoding->literal_on + (uint64_t)v * problem->switches, able = 0, last = 0;
        for (uint32_t k = 0; k < problem->switches; k++) {
            int can = flux_problem_is_send(problem, v) && flux_problem_duration(problem, v, k) >= 0 &&
                      (!is_fixed(encoding, v) || encoding->plan->switch_of[v] == k);
            on[k] = can ? FLUX_LITERAL_TRUE : FLUX_LITERAL_FALSE;
            able += (uint32_t)can;
        }
        for (uint32_t k = 0, done = 0; k < problem->switches && able > 1; k++) {
            if (on[k] == FLUX_LITERAL_FALSE)
                continue;
            on[k] = able == 2 && done == 1 ? flux_literal_not(last) : flux_clauses_variable(clauses);
            last = on[k];
            done++;
        }
        if (able <= 2)
            continue;
        flux_clauses_add(clauses, on, problem->switches);
        for (uint32_t k = 0; k < problem->switches; k++)
            for (uint32_t j = k + 1; j < problem->switches; j++)
                flux_clauses_add(clauses, (uint32_t[]){flux_literal_not(on[k]), flux_literal_not(on[j])}, 2);
    }
}

static void relate_switches(struct flux_encoding *encoding, const struct flux_pair *pair)
{
    uint32_t switches = encoding->problem->switches;
    const uint32_t *u = encoding->literal_on + (uint64_t)pair->u * switches;
    const uint32_t *v = encoding->literal_on + (uint64_t)pair->v * switches;
    for (uint32_t k = 0; k < switches; k++) {
        uint32_t not_u = flux_literal_not(u[k]), not_v = flux_literal_not(v[k]), other = flux_literal_not(pair->same);
        flux_clauses_add(&encoding->clauses, (uint32_t[]){not_u, not_v, pair->same}, 3);
        flux_clauses_add(&encoding->clauses, (uint32_t[]){not_u, v[k], other}, 3);
        flux_clauses_add(&encoding->clauses, (uint32_t[]){u[k], not_v, other}, 3);
    }
}

/* Edges from u to a later v: as far apart as any switch wants, and more on switches that want more. */
static void add_order(struct flux_encoding *encoding, uint32_t u, uint32_t v, uint32_t before)
{
    const struct flux_problem *problem = encoding->problem;
    int64_t most, least = least_apart(problem, u, v, &most);
    flux_paths_add(&encoding->paths, u, v, least, before);
    for (uint32_t k = 0; k < problem->switches && before != FLUX_LITERAL_FALSE && most > least; k++) {
        uint32_t on = encoding->literal_on[(uint64_t)u * problem->switches + k];
        int64_t apart = flux_problem_duration(problem, u, k) +
                        flux_separation(problem->rule, problem->src[u], problem->dst[u], problem->src[v],
                                        problem->dst[v], problem->delay[k]);
        if (on == FLUX_LITERAL_FALSE || apart <= least)
            continue;
        uint32_t both = flux_clauses_variable(&encoding->clauses);
        flux_clauses_add(&encoding->clauses, (uint32_t[]){flux_literal_not(on), flux_literal_not(before), both}, 3);
        flux_clauses_add(&encoding->clauses, (uint32_t[]){on, flux_literal_not(both)}, 2);
        flux_clauses_add(&encoding->clauses, (uint32_t[]){before, flux_literal_not(both)}, 2);
        flux_paths_add(&encoding->paths, u, v, apart, both);
    }
}

/* The one switch that a send has, or FLUX_NONE. */
static uint32_t only_switch(const struct flux_encoding *encoding, uint32_t v)
{
    for (uint32_t k = 0; k < encoding->problem->switches; k++)
        if (encoding->literal_on[(uint64_t)v * encoding->problem->switches + k] == FLUX_LITERAL_TRUE)
            return k;
    return FLUX_NONE;
}

/* How it is told that both are on one switch. Where one of the two has one switch only, by the other's being there. */
static uint32_t same_literal(struct flux_encoding *encoding, uint32_t u, uint32_t v)
{
    uint64_t switches = encoding->problem->switches;
    uint32_t k = only_switch(encoding, u);
    if (k != FLUX_NONE)
        return encoding->literal_on[v * switches + k];
    k = only_switch(encoding, v);
    if (k != FLUX_NONE)
        return encoding->literal_on[u * switches + k];
    uint32_t same = flux_clauses_variable(&encoding->clauses);
    return same;
}

/* Of two fixed sends on one switch: does a third one come between, which keeps them apart? */
static int is_between(const struct flux_encoding *encoding, uint32_t u, uint32_t v)
{
    const struct flux_problem *problem = encoding->problem;
    const struct flux_plan *plan = encoding->plan;
    if (!is_fixed(encoding, u) || !is_fixed(encoding, v))
        return 0;
    int64_t low = plan->start[u] < plan->start[v] ? plan->start[u] : plan->start[v];
    int64_t high = plan->start[u] + plan->start[v] - low;
    for (uint32_t w = 0; w < problem->nodes; w++)
        if (is_fixed(encoding, w) && plan->switch_of[w] == plan->switch_of[u] && plan->start[w] > low &&
            plan->start[w] < high &&
            flux_separation(problem->rule, problem->src[u], problem->dst[u], problem->src[w], problem->dst[w], 1) >= 0 &&
            flux_separation(problem->rule, problem->src[v], problem->dst[v], problem->src[w], problem->dst[w], 1) >= 0)
            return 1;
    return 0;
}

static void add_pair(struct flux_encoding *encoding, uint32_t u, uint32_t v, int ordered)
{
    struct flux_clauses *clauses = &encoding->clauses;
    uint32_t before = clauses->variables, same = same_literal(encoding, u, v);
    if (same == FLUX_LITERAL_FALSE || is_between(encoding, u, v))
        return;
    struct flux_pair *pair = &encoding->pairs[encoding->pair_count++];
    *pair = (struct flux_pair){.u = u, .v = v, .same = same};
    encoding->pair_of[(uint64_t)u * encoding->problem->nodes + v] = encoding->pair_count;
    encoding->pair_of[(uint64_t)v * encoding->problem->nodes + u] = encoding->pair_count;
    if (clauses->variables > before)
        relate_switches(encoding, pair);
    if (is_fixed(encoding, u) && is_fixed(encoding, v)) {
        int first = encoding->plan->start[u] < encoding->plan->start[v];
        pair->before = first ? FLUX_LITERAL_TRUE : FLUX_LITERAL_FALSE;
        pair->after = flux_literal_not(pair->before);
    } else if (ordered) {
        pair->before = pair->same;
        pair->after = FLUX_LITERAL_FALSE;
    } else if (pair->same == FLUX_LITERAL_TRUE) {
        pair->before = flux_clauses_variable(clauses);
        pair->after = flux_literal_not(pair->before);
    } else {
        pair->before = flux_clauses_variable(clauses);
        pair->after = flux_clauses_variable(clauses);
        uint32_t not_before = flux_literal_not(pair->before), not_after = flux_literal_not(pair->after);
        flux_clauses_add(clauses, (uint32_t[]){flux_literal_not(pair->same), pair->before, pair->after}, 3);
        flux_clauses_add(clauses, (uint32_t[]){not_before, pair->same}, 2);
        flux_clauses_add(clauses, (uint32_t[]){not_after, pair->same}, 2);
        flux_clauses_add(clauses, (uint32_t[]){not_before, not_after}, 2);
    }
    add_order(encoding, u, v, pair->before);
    add_order(encoding, v, u, pair->after);
}

/* Two switches, three sends that compete with one another: one pair of them shares, or all three do. */
static void add_triples(struct flux_encoding *encoding)
{
    uint64_t n = encoding->problem->nodes;
    int wanted = encoding->problem->switches == 2 && encoding->pair_count * n < TRIPLES_MAX;
    for (uint32_t i = 0; i < encoding->pair_count && wanted; i++) {
        const struct flux_pair *uv = &encoding->pairs[i];
        for (uint32_t w = uv->v + 1; w < n; w++) {
            uint32_t uw = encoding->pair_of[uv->u * n + w], vw = encoding->pair_of[uv->v * n + w];
            if (!uw || !vw)
                continue;
            uint32_t a = uv->same, b = encoding->pairs[uw - 1].same, c = encoding->pairs[vw - 1].same;
            flux_clauses_add(&encoding->clauses, (uint32_t[]){a, b, c}, 3);
            flux_clauses_add(&encoding->clauses, (uint32_t[]){a, b ^ 1, c ^ 1}, 3);
            flux_clauses_add(&encoding->clauses, (uint32_t[]){a ^ 1, b, c ^ 1}, 3);
            flux_clauses_add(&encoding->clauses, (uint32_t[]){a ^ 1, b ^ 1, c}, 3);
        }
    }
}

static int switches_alike(const struct flux_encoding *encoding)
{
    const struct flux_problem *problem = encoding->problem;
    if (encoding->frame || problem->durations || problem->initials)
        return 0;
    for (uint32_t k = 1; k < problem->switches; k++)
        if (problem->delay[k] != problem->delay[0])
            return 0;
    return 1;
}

/* Of switches that are alike, k is used by a send only where k - 1 is used by one before it, in order of the pairs that
 * a send is in. */
static int break_symmetry(struct flux_encoding *encoding, struct flux_arena *arena)
{
    const struct flux_problem *problem = encoding->problem;
    uint32_t n = problem->nodes, switches = problem->switches, count = 0;
    if (switches < 2 || !switches_alike(encoding))
        return FLUX_OK;
    uint32_t *degree = flux_arena_zero(arena, n, sizeof *degree);
    uint32_t *order = flux_arena_alloc(arena, n, sizeof *order);
    uint32_t *clause = flux_arena_alloc(arena, (uint64_t)n + 1, sizeof *clause);
    if (!degree || !order || !clause)
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < encoding->pair_count; i++) {
        degree[encoding->pairs[i].u]++;
        degree[encoding->pairs[i].v]++;
    }
    for (uint32_t v = 0; v < n; v++) {
        if (!flux_problem_is_send(problem, v))
            continue;
        uint32_t j = count++;
        for (; j && degree[order[j - 1]] < degree[v]; j--)
            order[j] = order[j - 1];
        order[j] = v;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 1; k < switches; k++) {
            uint32_t size = 0;
            clause[size++] = flux_literal_not(encoding->literal_on[(uint64_t)order[i] * switches + k]);
            for (uint32_t j = 0; j < i; j++)
                clause[size++] = encoding->literal_on[(uint64_t)order[j] * switches + k - 1];
            flux_clauses_add(&encoding->clauses, clause, size);
        }
    return FLUX_OK;
}

/* Arcs, and what a send takes longer on some switches; waits for initial circuits. */
static void add_arcs(struct flux_encoding *encoding)
{
    const struct flux_problem *problem = encoding->problem;
    struct flux_paths *paths = &encoding->paths;
    uint32_t begin = problem->nodes, end = problem->nodes + 1, switches = problem->switches;
    for (uint32_t u = 0; u < problem->nodes; u++) {
        for (uint64_t i = problem->out_first[u]; i < problem->out_first[u + 1]; i++)
            flux_paths_add(paths, u, problem->out[i].node, problem->duration[u] + problem->out[i].lag,
                           FLUX_LITERAL_TRUE);
        for (uint32_t k = 0; k < switches && flux_problem_is_send(problem, u); k++) {
            uint32_t on = encoding->literal_on[(uint64_t)u * switches + k];
            int64_t duration = flux_problem_duration(problem, u, k), wait = 0;
            if (duration > problem->duration[u]) {
                flux_paths_add(paths, u, end, duration + problem->rest[u], on);
                for (uint64_t i = problem->out_first[u]; i < problem->out_first[u + 1]; i++)
                    flux_paths_add(paths, u, problem->out[i].node, duration + problem->out[i].lag, on);
            }
            for (uint32_t i = 0; i < problem->initials; i++) {
                const struct flux_circuit_name *up = &problem->initial[i];
                int64_t separation = flux_separation(problem->rule, problem->src[u], problem->dst[u], up->src,
                                                     up->dst, problem->delay[k]);
                wait = up->switch_index == k && separation > wait ? separation : wait;
            }
            if (encoding->frame && encoding->frame->ready[(uint64_t)u * switches + k] > wait)
                wait = encoding->frame->ready[(uint64_t)u * switches + k];
            if (wait > problem->head[u])
                flux_paths_add(paths, begin, u, wait, on);
            if (encoding->frame && encoding->frame->after[(uint64_t)u * switches + k] > duration)
                flux_paths_add(paths, u, end, encoding->frame->after[(uint64_t)u * switches + k], on);
        }
    }
}

static void add_twins(struct flux_encoding *encoding)
{
    const struct flux_problem *problem = encoding->problem;
    for (uint32_t u = 0; u < problem->nodes; u++)
        for (uint32_t v = u + 1; v < problem->nodes; v++)
            if (flux_are_twins(problem, u, v)) {
                flux_paths_add(&encoding->paths, u, v, 0, FLUX_LITERAL_TRUE);
                break; /* the next one of them continues the chain */
            }
}

/* What the best plan so far does is tried first. */
static void set_phases(struct flux_encoding *encoding, const struct flux_plan *plan)
{
    const struct flux_problem *problem = encoding->problem;
    int8_t *phase = encoding->clauses.phase;
    for (uint32_t v = 0; v < problem->nodes; v++)
        for (uint32_t k = 0; k < problem->switches; k++) {
            uint32_t on = encoding->literal_on[(uint64_t)v * problem->switches + k];
            if (on > 1)
                phase[on / 2] = (int8_t)((plan->switch_of[v] == k) != (int)(on & 1));
        }
    for (uint32_t i = 0; i < encoding->pair_count; i++) {
        const struct flux_pair *pair = &encoding->pairs[i];
        int8_t same = plan->switch_of[pair->u] == plan->switch_of[pair->v];
        int8_t first = plan->start[pair->u] < plan->start[pair->v];
        if (pair->same > 1)
            phase[pair->same / 2] = (int8_t)(same != (int)(pair->same & 1));
        if (pair->after > 1 && pair->after / 2 != pair->before / 2)
            phase[pair->after / 2] = (int8_t)(same && !first);
        if (pair->before > 1 && pair->before != pair->same)
            phase[pair->before / 2] = (int8_t)(same && first);
    }
}

static int make_room(struct flux_encoding *encoding, uint32_t pairs, uint32_t sends, struct flux_arena *arena)
{
    const struct flux_problem *problem = encoding->problem;
    uint64_t n = problem->nodes, s = problem->switches;
    int unlike = !switches_alike(encoding);
    uint64_t variables = 1 + FLUX_DEADLINES_MAX + sends * s + pairs * (3 + (unlike ? 2 * s : 0));
    uint64_t words = sends * (s + 4 + 6 * s * s) + pairs * (21 * s + 25 + (unlike ? 40 * s : 0)) +
                     sends * s * (sends + 5) + (s == 2 && pairs * n < TRIPLES_MAX ? 28 * pairs * n : 0);
    uint64_t edges = problem->arcs * (1 + s) + 2 * n + 3 * sends * s + 2 * (uint64_t)pairs * (1 + (unlike ? s : 0));
    uint64_t given = variables * (n + 4) < (UINT32_C(1) << 22) ? variables * (n + 4) : UINT32_C(1) << 22;
    if (words > UINT32_C(1) << 26 || edges > UINT32_C(1) << 24 || variables > UINT32_C(1) << 20)
        return 1;
    encoding->pairs = flux_arena_alloc(arena, pairs, sizeof *encoding->pairs);
    encoding->pair_of = flux_arena_zero(arena, n * n, sizeof *encoding->pair_of);
    encoding->literal_on = flux_arena_alloc(arena, n * s, sizeof *encoding->literal_on);
    if (!encoding->pairs || !encoding->pair_of || !encoding->literal_on)
        return FLUX_E_MEMORY;
    int rc = flux_clauses_init(&encoding->clauses, (uint32_t)variables, (uint32_t)words, (uint32_t)given, arena);
    if (!rc)
        flux_clauses_hide(&encoding->clauses, FLUX_DEADLINES_MAX);
    return rc ? rc
              : flux_paths_init(&encoding->paths, &encoding->clauses, (uint32_t)n + 2, (uint32_t)edges, arena);
}

static void set_lengths(struct flux_encoding *encoding, int64_t limit)
{
    const struct flux_problem *problem = encoding->problem;
    encoding->paths.limit = limit;
    encoding->clauses.hopeless = problem->floor > limit;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        encoding->paths.side[FLUX_PATH_HEAD].length[v] = problem->head[v];
        encoding->paths.side[FLUX_PATH_TAIL].length[v] = problem->duration[v] + problem->tail[v];
        encoding->clauses.hopeless |= problem->head[v] + problem->duration[v] + problem->tail[v] > limit;
    }
    flux_paths_root(&encoding->paths);
}

int flux_encode(const struct flux_problem *problem, const struct flux_frame *frame, const struct flux_plan *plan,
                int64_t limit, struct flux_arena *arena, struct flux_encoding *encoding)
{
    uint64_t n = problem->nodes;
    memset(encoding, 0, sizeof *encoding);
    encoding->problem = problem;
    encoding->frame = frame;
    encoding->plan = plan;
    if (problem->staged || n > 4 * (uint64_t)FLUX_PROVE_SENDS_MAX || problem->sends > FLUX_PIECE_SENDS_MAX)
        return 1;
    int64_t *distance = distances(problem, arena);
    if (!distance)
        return FLUX_E_MEMORY;
    uint32_t pairs = count_pairs(problem, distance);
    if (pairs > FLUX_PAIRS_MAX)
        return 1;
    int rc = make_room(encoding, pairs, problem->sends, arena);
    if (rc)
        return rc;
    set_lengths(encoding, limit);
    add_switches(encoding);
    add_arcs(encoding);
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = u + 1; v < n; v++)
            if (competes(problem, distance, u, v))
                add_pair(encoding, u, v, distance[u * n + v] >= 0);
    add_triples(encoding);
    if (!frame)
        add_twins(encoding);
    flux_paths_index(&encoding->paths);
    set_phases(encoding, plan);
    rc = break_symmetry(encoding, arena);
    return rc ? rc : flux_loads_init(&encoding->loads, problem, &encoding->paths, encoding->literal_on, arena);
}
