/* SPDX-License-Identifier: Apache-2.0 */
#include "bound/queues.h"

#include <libflux/error.h>
#include <stdlib.h>
#include <string.h>

#define SPINE_FREE 3u /* so many later sends of its kind need not wait for a send of the spine */

/* The sends of the side, numbered in topological order. */
struct members {
    const struct flux_problem *problem;
    uint32_t count;
    const uint32_t *node;
    int64_t *apart; /* apart[u * count + v]: longest time from start to start along paths, -1 where there is none */
};

/* A send on its way into a queue. */
struct entry {
    uint32_t member;
    uint32_t circuit;
    uint32_t vertex; /* settles ties, as certificates do */
    uint32_t padding;
    int64_t duration; /* sorts unordered sends of a circuit */
    int64_t head;
};

static void measure_from(const struct members *members, uint32_t from, int64_t *time, uint64_t *steps)
{
    const struct flux_problem *problem = members->problem;
    uint32_t last = members->node[members->count - 1], begin = members->node[from];
    for (uint32_t v = begin; v <= last; v++)
        time[v] = -1;
    time[begin] = 0;
    for (uint32_t v = begin; v < last; v++) {
        if (time[v] < 0)
            continue;
        int64_t end = time[v] + problem->duration[v];
        for (uint64_t i = problem->out_first[v]; i < problem->out_first[v + 1]; i++) {
            const struct flux_arc *arc = &problem->out[i];
            if (arc->node <= last && end + arc->lag > time[arc->node])
                time[arc->node] = end + arc->lag;
        }
        *steps += problem->out_first[v + 1] - problem->out_first[v];
    }
    *steps += last - begin;
    for (uint32_t to = 0; to < members->count; to++)
        members->apart[(uint64_t)from * members->count + to] = to > from ? time[members->node[to]] : -1;
}

static int measure(struct members *members, struct flux_arena *scratch, uint64_t *steps)
{
    int64_t *time = flux_arena_alloc(scratch, members->problem->nodes, sizeof *time);
    members->apart = flux_arena_alloc(scratch, (uint64_t)members->count * members->count, sizeof *members->apart);
    if (!time || !members->apart)
        return FLUX_E_MEMORY;
    for (uint32_t from = 0; from < members->count; from++)
        measure_from(members, from, time, steps);
    return FLUX_OK;
}

static int64_t apart(const struct members *members, uint32_t from, uint32_t to)
{
    return members->apart[(uint64_t)from * members->count + to];
}

static int by_circuit(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->circuit != b->circuit)
        return a->circuit < b->circuit ? -1 : 1;
    if (a->head != b->head)
        return a->head < b->head ? -1 : 1;
    return a->vertex < b->vertex ? -1 : 1;
}

static int by_duration(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->duration != b->duration)
        return a->duration < b->duration ? -1 : 1;
    if (a->head != b->head)
        return a->head < b->head ? -1 : 1;
    return a->vertex < b->vertex ? -1 : 1;
}

static int is_chain(const struct members *members, const struct entry *entries, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++)
        if (apart(members, entries[i].member, entries[i + 1].member) < 0)
            return 0;
    return 1;
}

/* Leaves of every run of sends without a pause the first and the last. Returns how many stay. */
static uint32_t thin_out(const struct members *members, struct entry *entries, uint32_t count)
{
    uint32_t kept = 0;
    int tight_before = 0;
    for (uint32_t i = 0; i < count; i++) {
        int tight = i + 1 < count && apart(members, entries[i].member, entries[i + 1].member) <= entries[i].duration;
        if (!tight_before || !tight)
            entries[kept++] = entries[i];
        tight_before = tight;
    }
    return kept;
}

/* ---- from entries to queues ---- */

struct filling {
    const struct members *members;
    struct flux_queues *queues;
    uint32_t *member;  /* by position */
    uint32_t which;    /* FLUX_QUEUES_ */
    struct entry *row; /* scratch */
    uint8_t *loose;    /* scratch, by entry */
};

static int add_queue(struct filling *filling, struct entry *entries, uint32_t count, uint32_t circuit, int chain)
{
    struct flux_queues *queues = filling->queues;
    if (queues->count == FLUX_QUEUES_MAX)
        return FLUX_QUEUES_UNFIT;
    if (chain && filling->which != FLUX_QUEUES_ALL)
        count = thin_out(filling->members, entries, count);
    queues->queue[queues->count++] = (struct flux_queue){circuit, queues->sends, count, (uint32_t)chain};
    for (uint32_t i = 0; i < count; i++)
        filling->member[queues->sends++] = entries[i].member;
    return FLUX_OK;
}

/* How many of the entries after the i-th need not wait for it. */
static uint32_t free_of(const struct members *members, const struct entry *entries, uint32_t count, uint32_t i)
{
    uint32_t free = 0;
    for (uint32_t j = i + 1; j < count; j++)
        free += apart(members, entries[i].member, entries[j].member) < 0;
    return free;
}

/* Moves the entries that nearly all later ones wait for to the front, all in their order; returns how many they are. */
static uint32_t split_spine(struct filling *filling, struct entry *entries, uint32_t count)
{
    uint32_t spine = 0, loose = 0;
    for (uint32_t i = 0; i < count; i++)
        filling->loose[i] = free_of(filling->members, entries, count, i) > SPINE_FREE;
    for (uint32_t i = 0; i < count; i++) {
        if (filling->loose[i])
            filling->row[loose++] = entries[i];
        else
            entries[spine++] = entries[i];
    }
    memcpy(entries + spine, filling->row, loose * sizeof *entries);
    return spine;
}

/* Sends of one circuit and duration. Some are waited for by all that follow, and make a chain; others by none. */
static int add_equal(struct filling *filling, struct entry *entries, uint32_t count, uint32_t circuit)
{
    const struct members *members = filling->members;
    if (is_chain(members, entries, count))
        return add_queue(filling, entries, count, circuit, 1);
    if (filling->which == FLUX_QUEUES_SPINE) {
        uint32_t spine = split_spine(filling, entries, count);
        if (spine && spine >= count / 2 && is_chain(members, entries, spine))
            return add_queue(filling, entries, spine, circuit, 1);
        qsort(entries, count, sizeof *entries, by_duration);
    }
    return add_queue(filling, entries, count, circuit, 0);
}

static int add_circuit(struct filling *filling, struct entry *entries, uint32_t count, uint32_t circuit)
{
    int rc = FLUX_OK;
    if (is_chain(filling->members, entries, count))
        return add_queue(filling, entries, count, circuit, 1);
    qsort(entries, count, sizeof *entries, by_duration);
    for (uint32_t begin = 0, end; begin < count && !rc; begin = end) {
        for (end = begin + 1; end < count && entries[end].duration == entries[begin].duration;)
            end++;
        rc = add_equal(filling, entries + begin, end - begin, circuit);
    }
    return rc;
}

static int add_all(struct filling *filling, struct entry *entries, uint32_t count)
{
    qsort(entries, count, sizeof *entries, by_circuit);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && entries[end].circuit == entries[begin].circuit;)
            end++;
        int rc = add_circuit(filling, entries + begin, end - begin, filling->queues->circuits++);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

static int compare_falling(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a > *b ? -1 : *a < *b;
}

static int fill_times(struct filling *filling, struct flux_arena *arena)
{
    struct flux_queues *queues = filling->queues;
    const struct flux_problem *problem = filling->members->problem;
    queues->node = flux_arena_alloc(arena, queues->sends, sizeof *queues->node);
    queues->head = flux_arena_alloc(arena, queues->sends, sizeof *queues->head);
    queues->tail = flux_arena_alloc(arena, queues->sends, sizeof *queues->tail);
    queues->duration = flux_arena_alloc(arena, queues->sends, sizeof *queues->duration);
    queues->work = flux_arena_alloc(arena, queues->sends, sizeof *queues->work);
    if (!queues->node || !queues->head || !queues->tail || !queues->duration || !queues->work)
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < queues->sends; i++) {
        uint32_t node = filling->members->node[filling->member[i]];
        queues->node[i] = node;
        queues->head[i] = problem->head[node];
        queues->tail[i] = problem->tail[node];
        queues->duration[i] = problem->duration[node];
    }
    for (uint32_t q = 0; q < queues->count; q++) {
        const struct flux_queue *queue = &queues->queue[q];
        int64_t work = 0;
        for (uint32_t i = queue->count; i-- > 0;)
            queues->work[queue->first + i] = work += queues->duration[queue->first + i];
        if (!queue->chain)
            qsort(queues->tail + queue->first, queue->count, sizeof *queues->tail, compare_falling);
    }
    return FLUX_OK;
}

/* The time from the start of the i-th of `queue` to that of the send `to`, for every i, into `column`. */
static void lags_to_member(const struct filling *filling, const struct flux_queue *queue, uint32_t to, int64_t *column)
{
    uint32_t count = 0;
    if (queue->chain) {
        for (uint32_t i = 0; i < queue->count; i++)
            column[i] = apart(filling->members, filling->member[queue->first + i], to);
        return;
    }
    for (uint32_t i = 0; i < queue->count; i++) {
        int64_t lag = apart(filling->members, filling->member[queue->first + i], to);
        if (lag >= 0)
            column[count++] = lag;
    }
    qsort(column, count, sizeof *column, compare_falling);
    for (; count < queue->count; count++)
        column[count] = -1;
}

/* Lags from the positions of one queue to those of another. */
static void fill_pair(struct filling *filling, const struct flux_queue *from, const struct flux_queue *to,
                      int64_t *column, int64_t *least)
{
    struct flux_queues *queues = filling->queues;
    for (uint32_t i = 0; i < from->count; i++)
        least[i] = INT64_MAX;
    for (uint32_t j = to->count; j-- > 0;) {
        lags_to_member(filling, from, filling->member[to->first + j], column);
        for (uint32_t i = 0; i < from->count; i++) {
            least[i] = to->chain || column[i] < least[i] ? column[i] : least[i];
            queues->lag[(uint64_t)(from->first + i) * queues->sends + to->first + j] = least[i];
        }
    }
}

static int fill_lags(struct filling *filling, struct flux_arena *arena, struct flux_arena *scratch)
{
    struct flux_queues *queues = filling->queues;
    int64_t *column = flux_arena_alloc(scratch, filling->members->count, sizeof *column);
    int64_t *least = flux_arena_alloc(scratch, filling->members->count, sizeof *least);
    queues->lag = flux_arena_alloc(arena, (uint64_t)queues->sends * queues->sends, sizeof *queues->lag);
    if (!column || !least || !queues->lag)
        return FLUX_E_MEMORY;
    for (uint32_t p = 0; p < queues->count; p++)
        for (uint32_t q = 0; q < queues->count; q++)
            fill_pair(filling, &queues->queue[p], &queues->queue[q], column, least);
    return FLUX_OK;
}

static void find_links(const struct flux_problem *problem, const uint32_t *nodes, uint32_t count,
                       struct flux_queues *queues)
{
    queues->links = 0;
    queues->delay = INT64_MAX;
    for (uint32_t k = 0; k < problem->switches; k++) {
        uint32_t i = 0;
        while (i < count && flux_problem_duration(problem, nodes[i], k) < 0)
            i++;
        if (i == count)
            continue;
        queues->links++;
        queues->delay = problem->delay[k] < queues->delay ? problem->delay[k] : queues->delay;
    }
}

static int make(struct filling *filling, struct members *members, struct flux_arena *arena, struct flux_arena *scratch,
                uint64_t *steps)
{
    const struct flux_problem *problem = members->problem;
    struct entry *entries = flux_arena_alloc(scratch, members->count, sizeof *entries);
    filling->member = flux_arena_alloc(scratch, members->count, sizeof *filling->member);
    filling->row = flux_arena_alloc(scratch, members->count, sizeof *filling->row);
    filling->loose = flux_arena_alloc(scratch, members->count, sizeof *filling->loose);
    if (!entries || !filling->member || !filling->row || !filling->loose)
        return FLUX_E_MEMORY;
    int rc = measure(members, scratch, steps);
    for (uint32_t i = 0; !rc && i < members->count; i++) {
        uint32_t node = members->node[i];
        entries[i] = (struct entry){i, problem->circuit[node],  problem->vertex[node],
                                    0, problem->duration[node], problem->head[node]};
    }
    if (!rc)
        rc = add_all(filling, entries, members->count);
    if (!rc)
        rc = fill_times(filling, arena);
    if (!rc)
        rc = fill_lags(filling, arena, scratch);
    return rc;
}

int flux_queues_make(const struct flux_problem *problem, const uint32_t *nodes, uint32_t count, uint32_t which,
                     struct flux_arena *arena, struct flux_queues *queues, uint64_t *steps)
{
    struct members members = {.problem = problem, .count = count, .node = nodes};
    struct filling filling = {.members = &members, .queues = queues, .which = which};
    struct flux_arena scratch;
    memset(queues, 0, sizeof *queues);
    find_links(problem, nodes, count, queues);
    if (count == 0 || count > FLUX_QUEUES_SENDS || queues->links > FLUX_QUEUES_LINKS)
        return FLUX_QUEUES_UNFIT;
    flux_arena_init(&scratch, arena->memory);
    int rc = make(&filling, &members, arena, &scratch, steps);
    flux_arena_free(&scratch);
    return rc;
}
