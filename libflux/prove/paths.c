/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/paths.h"

#include <libflux/error.h>
#include <string.h>

static int init_side(struct flux_lengths_side *side, uint32_t nodes, struct flux_arena *arena)
{
    side->length = flux_arena_zero(arena, nodes, sizeof *side->length);
    side->root = flux_arena_zero(arena, nodes, sizeof *side->root);
    side->last = flux_arena_alloc(arena, nodes, sizeof *side->last);
    side->first = flux_arena_alloc(arena, nodes, sizeof *side->first);
    side->saved = flux_arena_zero(arena, nodes, sizeof *side->saved);
    if (!side->length || !side->root || !side->last || !side->first || !side->saved)
        return FLUX_E_MEMORY;
    memset(side->last, 0xff, nodes * sizeof *side->last);
    memset(side->first, 0xff, nodes * sizeof *side->first);
    return FLUX_OK;
}

int flux_paths_init(struct flux_paths *paths, struct flux_clauses *clauses, uint32_t nodes, uint32_t edge_capacity,
                    struct flux_arena *arena)
{
    uint32_t variables = clauses->capacity;
    memset(paths, 0, sizeof *paths);
    paths->arena = arena;
    paths->clauses = clauses;
    paths->nodes = nodes;
    paths->edge_capacity = edge_capacity;
    paths->edge = flux_arena_alloc(arena, edge_capacity, sizeof *paths->edge);
    paths->of_literal = flux_arena_alloc(arena, variables, 2 * sizeof *paths->of_literal);
    paths->there = flux_arena_alloc(arena, edge_capacity, sizeof *paths->there);
    paths->change_mark = flux_arena_alloc(arena, (uint64_t)variables + 1, sizeof *paths->change_mark);
    paths->there_mark = flux_arena_alloc(arena, (uint64_t)variables + 1, sizeof *paths->there_mark);
    paths->queue = flux_arena_alloc(arena, (uint64_t)nodes + 1, sizeof *paths->queue);
    paths->queued = flux_arena_zero(arena, nodes, 1);
    paths->moved = flux_arena_zero(arena, nodes, 1);
    paths->about = flux_arena_alloc(arena, variables, 2 * sizeof *paths->about);
    paths->touched = flux_arena_zero(arena, nodes, 1);
    paths->because = flux_arena_alloc(arena, variables, sizeof *paths->because);
    paths->stamp = flux_arena_zero(arena, variables, sizeof *paths->stamp);
    int rc = init_side(&paths->side[0], nodes, arena);
    if (!rc)
        rc = init_side(&paths->side[1], nodes, arena);
    for (uint32_t i = 0; i < 2; i++) {
        paths->static_first[i] = flux_arena_zero(arena, (uint64_t)nodes + 1, sizeof *paths->static_first[i]);
        paths->static_edge[i] = flux_arena_alloc(arena, edge_capacity, sizeof *paths->static_edge[i]);
        if (!paths->static_first[i] || !paths->static_edge[i])
            return FLUX_E_MEMORY;
    }
    if (rc || !paths->edge || !paths->of_literal || !paths->there || !paths->change_mark || !paths->there_mark ||
        !paths->queue || !paths->queued || !paths->moved || !paths->touched || !paths->about || !paths->because || !paths->stamp)
        return FLUX_E_MEMORY;
    memset(paths->of_literal, 0xff, 2 * (size_t)variables * sizeof *paths->of_literal);
    memset(paths->moved, 1, nodes);
    memset(paths->touched, 1, nodes);
    memset(paths->about, 0xff, 2 * (size_t)variables * sizeof *paths->about);
    return FLUX_OK;
}

void flux_paths_add(struct flux_paths *paths, uint32_t from, uint32_t to, int64_t weight, uint32_t literal)
{
    uint32_t e = paths->edges;
    if (literal == FLUX_LITERAL_FALSE)
        return;
    paths->edges++;
    paths->edge[e] = (struct flux_prove_edge){.from = from,
                                              .to = to,
                                              .literal = literal,
                                              .next_of_literal = paths->of_literal[literal],
                                              .next_out = FLUX_NO_EDGE,
                                              .next_in = FLUX_NO_EDGE,
                                              .weight = weight};
    paths->of_literal[literal] = e;
}

/* Not there from the begin. */
static uint32_t may_come(const struct flux_prove_edge *edge)
{
    return edge->literal != FLUX_LITERAL_TRUE;
}

void flux_paths_index(struct flux_paths *paths)
{
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t *first = paths->static_first[i], count = 0;
        for (uint32_t e = 0; e < paths->edges; e++)
            first[(i ? paths->edge[e].to : paths->edge[e].from) + 1] += may_come(&paths->edge[e]);
        for (uint32_t v = 0; v < paths->nodes; v++)
            first[v + 1] += first[v];
        count = first[paths->nodes];
        for (uint32_t e = paths->edges; e-- > 0;)
            if (may_come(&paths->edge[e]))
                paths->static_edge[i][--first[(i ? paths->edge[e].to : paths->edge[e].from) + 1]] = e;
        /* Each first[v + 1] has moved down to where v begins. */
        memmove(first, first + 1, paths->nodes * sizeof *first);
        first[paths->nodes] = count;
    }
}

void flux_paths_open(struct flux_paths *paths)
{
    paths->change_mark[paths->level] = paths->change_count;
    paths->there_mark[paths->level] = paths->there_count;
    paths->level++;
}

void flux_paths_back(struct flux_paths *paths, uint32_t level)
{
    if (level >= paths->level)
        return;
    while (paths->change_count > paths->change_mark[level]) {
        const struct flux_path_change *change = &paths->changes[--paths->change_count];
        paths->side[change->side].length[change->node] = change->length;
        paths->side[change->side].last[change->node] = change->last;
        paths->moved[change->node] = 1; /* a literal that is open again may still be forbidden */
    }
    while (paths->there_count > paths->there_mark[level]) {
        const struct flux_prove_edge *edge = &paths->edge[paths->there[--paths->there_count]];
        paths->side[FLUX_PATH_HEAD].first[edge->from] = edge->next_out;
        paths->side[FLUX_PATH_TAIL].first[edge->to] = edge->next_in;
    }
    paths->level = level;
    if (paths->looked_at > paths->clauses->trail_count)
        paths->looked_at = paths->clauses->trail_count;
    if (level == 0)
        flux_paths_root(paths);
}

void flux_paths_root(struct flux_paths *paths)
{
    for (uint32_t i = 0; i < 2; i++)
        memcpy(paths->side[i].root, paths->side[i].length, paths->nodes * sizeof *paths->side[i].root);
    if (paths->level == 0)
        paths->change_count = 0;
}

void flux_paths_begin_because(struct flux_paths *paths)
{
    paths->because_count = 0;
    paths->stamp_now++;
    if (paths->clauses->level_of[paths->limit_literal / 2])
        paths->because[paths->because_count++] = flux_literal_not(paths->limit_literal);
}

void flux_paths_note(struct flux_paths *paths, uint32_t literal)
{
    uint32_t variable = literal / 2;
    if (paths->stamp[variable] == paths->stamp_now || paths->clauses->level_of[variable] <= paths->clauses->base)
        return;
    paths->stamp[variable] = paths->stamp_now;
    paths->because[paths->because_count++] = flux_literal_not(literal);
}

int64_t flux_paths_because(struct flux_paths *paths, uint32_t side, uint32_t node, int64_t need)
{
    const struct flux_lengths_side *lengths = &paths->side[side];
    int64_t sum = 0;
    while (lengths->root[node] + sum < need) {
        const struct flux_prove_edge *edge = &paths->edge[lengths->last[node]];
        flux_paths_note(paths, edge->literal);
        sum += edge->weight;
        node = side == FLUX_PATH_HEAD ? edge->from : edge->to;
    }
    return lengths->root[node] + sum;
}

int flux_paths_conflict(struct flux_paths *paths)
{
    paths->clauses->conflict_count = paths->because_count;
    memcpy(paths->clauses->conflict, paths->because, paths->because_count * sizeof *paths->because);
    return 1;
}

static int too_long(struct flux_paths *paths, uint32_t node)
{
    int64_t tail = paths->side[FLUX_PATH_TAIL].length[node];
    flux_paths_begin_because(paths);
    int64_t head = flux_paths_because(paths, FLUX_PATH_HEAD, node, paths->limit + 1 - tail);
    flux_paths_because(paths, FLUX_PATH_TAIL, node, paths->limit + 1 - head);
    return flux_paths_conflict(paths);
}

int flux_paths_too_long(struct flux_paths *paths)
{
    for (uint32_t v = 0; v < paths->nodes; v++)
        if (paths->side[FLUX_PATH_HEAD].length[v] + paths->side[FLUX_PATH_TAIL].length[v] > paths->limit)
            return too_long(paths, v);
    return 0;
}

/* The new edge `e` closes a circle: `last` leads from a node that it made longer back to where it comes from. */
static int circle(struct flux_paths *paths, uint32_t side, uint32_t e, uint32_t last)
{
    uint32_t begin = side == FLUX_PATH_HEAD ? paths->edge[e].to : paths->edge[e].from;
    flux_paths_begin_because(paths);
    flux_paths_note(paths, paths->edge[e].literal);
    for (;;) {
        const struct flux_prove_edge *edge = &paths->edge[last];
        uint32_t node = side == FLUX_PATH_HEAD ? edge->from : edge->to;
        flux_paths_note(paths, edge->literal);
        if (node == begin)
            break;
        last = paths->side[side].last[node];
    }
    return flux_paths_conflict(paths);
}

static void lengthen(struct flux_paths *paths, uint32_t side, uint32_t node, int64_t length, uint32_t last)
{
    struct flux_lengths_side *lengths = &paths->side[side];
    if (paths->level && lengths->saved[node] != paths->follow) {
        lengths->saved[node] = paths->follow;
        paths->changes[paths->change_count++] = (struct flux_path_change){
            .node = node, .side = side, .last = lengths->last[node], .length = lengths->length[node]};
    }
    lengths->length[node] = length;
    lengths->last[node] = last;
    paths->moved[node] = paths->touched[node] = 1;
}

/* Longest paths through the new edge, by label correcting. */
static int relax(struct flux_paths *paths, uint32_t side, uint32_t e)
{
    struct flux_lengths_side *lengths = &paths->side[side];
    const struct flux_lengths_side *other = &paths->side[1 - side];
    const struct flux_prove_edge *edge = &paths->edge[e];
    uint32_t from = side == FLUX_PATH_HEAD ? edge->from : edge->to;
    uint32_t to = side == FLUX_PATH_HEAD ? edge->to : edge->from;
    uint32_t read = 0, write = 0, ring = paths->nodes + 1;
    int failed = 0;
    if (lengths->length[from] + edge->weight <= lengths->length[to])
        return 0;
    lengthen(paths, side, to, lengths->length[from] + edge->weight, e);
    if (lengths->length[to] + other->length[to] > paths->limit)
        return too_long(paths, to);
    paths->queue[write++] = to;
    paths->queued[to] = 1;
    while (read != write) {
        uint32_t node = paths->queue[read];
        read = read + 1 == ring ? 0 : read + 1;
        paths->queued[node] = 0;
        for (uint32_t f = failed ? FLUX_NO_EDGE : lengths->first[node], next; f != FLUX_NO_EDGE; f = next) {
            const struct flux_prove_edge *on = &paths->edge[f];
            uint32_t target = side == FLUX_PATH_HEAD ? on->to : on->from;
            int64_t length = lengths->length[node] + on->weight;
            next = side == FLUX_PATH_HEAD ? on->next_out : on->next_in;
            paths->steps++;
            if (length <= lengths->length[target])
                continue;
            if (target == from) {
                failed = circle(paths, side, e, f);
                break;
            }
            lengthen(paths, side, target, length, f);
            if (length + other->length[target] > paths->limit) {
                failed = too_long(paths, target);
                break;
            }
            if (!paths->queued[target]) {
                paths->queued[target] = 1;
                paths->queue[write] = target;
                write = write + 1 == ring ? 0 : write + 1;
            }
        }
    }
    return failed;
}

static int appear(struct flux_paths *paths, uint32_t e)
{
    struct flux_prove_edge *edge = &paths->edge[e];
    edge->next_out = paths->side[FLUX_PATH_HEAD].first[edge->from];
    edge->next_in = paths->side[FLUX_PATH_TAIL].first[edge->to];
    paths->side[FLUX_PATH_HEAD].first[edge->from] = e;
    paths->side[FLUX_PATH_TAIL].first[edge->to] = e;
    paths->there[paths->there_count++] = e;
    return relax(paths, FLUX_PATH_HEAD, e) || relax(paths, FLUX_PATH_TAIL, e);
}

/* Room to note every node's old lengths once more. */
static int make_room(struct flux_paths *paths)
{
    uint64_t need = (uint64_t)paths->change_count + 2 * paths->nodes;
    if (need <= paths->change_capacity)
        return FLUX_OK;
    struct flux_path_change *more = flux_arena_alloc(paths->arena, 2 * need, sizeof *more);
    if (!more)
        return FLUX_E_MEMORY;
    if (paths->change_count)
        memcpy(more, paths->changes, paths->change_count * sizeof *more);
    paths->changes = more;
    paths->change_capacity = (uint32_t)(2 * need);
    return FLUX_OK;
}

int flux_paths_follow(struct flux_paths *paths)
{
    const struct flux_clauses *clauses = paths->clauses;
    paths->follow++;
    if (make_room(paths))
        return FLUX_E_MEMORY;
    while (paths->looked_at < clauses->trail_count) {
        uint32_t literal = clauses->trail[paths->looked_at++];
        if (paths->about[literal] != FLUX_NO_EDGE)
            paths->touched[paths->about[literal]] = 1;
        for (uint32_t e = paths->of_literal[literal]; e != FLUX_NO_EDGE; e = paths->edge[e].next_of_literal)
            if (appear(paths, e))
                return 1;
    }
    return 0;
}

/* An edge that would make a path too long cannot come. */
static void forbid(struct flux_paths *paths, const struct flux_prove_edge *edge)
{
    paths->steps++;
    if (paths->clauses->value[edge->literal])
        return;
    int64_t head = paths->side[FLUX_PATH_HEAD].length[edge->from];
    int64_t tail = paths->side[FLUX_PATH_TAIL].length[edge->to];
    if (head + edge->weight + tail <= paths->limit)
        return;
    flux_paths_begin_because(paths);
    head = flux_paths_because(paths, FLUX_PATH_HEAD, edge->from, paths->limit + 1 - edge->weight - tail);
    flux_paths_because(paths, FLUX_PATH_TAIL, edge->to, paths->limit + 1 - edge->weight - head);
    (void)flux_clauses_imply(paths->clauses, flux_literal_not(edge->literal), paths->because, paths->because_count);
}

void flux_paths_forbid(struct flux_paths *paths)
{
    for (uint32_t v = 0; v < paths->nodes; v++) {
        if (!paths->moved[v])
            continue;
        paths->moved[v] = 0;
        for (uint32_t i = 0; i < 2; i++)
            for (uint32_t j = paths->static_first[i][v]; j < paths->static_first[i][v + 1]; j++)
                forbid(paths, &paths->edge[paths->static_edge[i][j]]);
    }
}
