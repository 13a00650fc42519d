/* SPDX-License-Identifier: Apache-2.0 */
#include "bound/mirror.h"

#include <string.h>

/* ---- which exchanges change nothing ---- */

static uint32_t image(const struct flux_queues *queues, const struct flux_mirror *mirror, uint32_t q, uint32_t position)
{
    return queues->queue[mirror->queue[q]].first + (position - queues->queue[q].first);
}

static int same_lags(const struct flux_queues *queues, const struct flux_mirror *mirror, uint32_t p, uint32_t from)
{
    for (uint32_t q = 0; q < queues->count; q++) {
        const struct flux_queue *queue = &queues->queue[q];
        const int64_t *row = queues->lag + (uint64_t)from * queues->sends + queue->first;
        const int64_t *other = queues->lag + (uint64_t)image(queues, mirror, p, from) * queues->sends +
                               queues->queue[mirror->queue[q]].first;
        if (memcmp(row, other, queue->count * sizeof *row) != 0)
            return 0;
    }
    return 1;
}

static int changes_nothing(const struct flux_queues *queues, const struct flux_mirror *mirror)
{
    for (uint32_t q = 0; q < queues->count; q++) {
        const struct flux_queue *queue = &queues->queue[q];
        for (uint32_t i = queue->first; i < queue->first + queue->count; i++) {
            uint32_t to = image(queues, mirror, q, i);
            if (queues->head[i] != queues->head[to] || queues->tail[i] != queues->tail[to] ||
                queues->duration[i] != queues->duration[to] || !same_lags(queues, mirror, q, i))
                return 0;
        }
    }
    return 1;
}

static void begin(const struct flux_queues *queues, struct flux_mirror *mirror)
{
    for (uint32_t q = 0; q < queues->count; q++)
        mirror->queue[q] = (uint8_t)q;
    for (uint32_t c = 0; c < queues->circuits; c++)
        mirror->circuit[c] = (uint8_t)c;
}

static uint32_t first_of(const struct flux_queues *queues, uint32_t circuit)
{
    uint32_t q = 0;
    while (queues->queue[q].circuit != circuit)
        q++;
    return q;
}

/* Adds the exchange of two circuits where their queues are alike. Queues of a circuit are next to each other. */
static int exchange(const struct flux_queues *queues, uint32_t a, uint32_t b, struct flux_mirror *mirror)
{
    uint32_t q = first_of(queues, a), p = first_of(queues, b), i = 0;
    for (;; i++) {
        int more = q + i < queues->count && queues->queue[q + i].circuit == a;
        int other = p + i < queues->count && queues->queue[p + i].circuit == b;
        if (!more && !other)
            break;
        if (!more || !other || queues->queue[q + i].count != queues->queue[p + i].count ||
            queues->queue[q + i].chain != queues->queue[p + i].chain)
            return 0;
    }
    for (uint32_t j = 0; j < i; j++) {
        mirror->queue[q + j] = (uint8_t)(p + j);
        mirror->queue[p + j] = (uint8_t)(q + j);
    }
    mirror->circuit[a] = (uint8_t)b;
    mirror->circuit[b] = (uint8_t)a;
    return 1;
}

/* Two circuits by themselves first; then all that are left and look alike, together. */
void flux_mirrors_find(const struct flux_queues *queues, struct flux_mirrors *mirrors)
{
    struct flux_mirror mirror, all;
    uint32_t taken = 0, paired = 0;
    memset(mirrors, 0, sizeof *mirrors);
    for (uint32_t a = 0; a < queues->circuits; a++)
        for (uint32_t b = a + 1; b < queues->circuits; b++) {
            if (((taken >> a | taken >> b) & 1) || mirrors->count == FLUX_MIRRORS_MAX)
                continue;
            begin(queues, &mirror);
            if (!exchange(queues, a, b, &mirror) || !changes_nothing(queues, &mirror))
                continue;
            mirrors->mirror[mirrors->count++] = mirror;
            taken |= UINT32_C(1) << a | UINT32_C(1) << b;
        }
    begin(queues, &all);
    for (uint32_t a = 0; a < queues->circuits; a++)
        for (uint32_t b = a + 1; b < queues->circuits; b++)
            if (!((taken >> a | taken >> b) & 1) && exchange(queues, a, b, &all)) {
                taken |= UINT32_C(1) << a | UINT32_C(1) << b;
                paired++;
            }
    if (paired && mirrors->count < FLUX_MIRRORS_MAX && changes_nothing(queues, &all))
        mirrors->mirror[mirrors->count++] = all;
}

/* ---- states ---- */

static void flip(const struct flux_queues *queues, const struct flux_mirror *mirror, struct flux_label_state *state)
{
    for (uint32_t q = 0; q < queues->count; q++) {
        uint32_t p = mirror->queue[q], done = state->done[q];
        int64_t ready = state->ready[q];
        if (p <= q)
            continue;
        state->done[q] = state->done[p];
        state->done[p] = done;
        state->ready[q] = state->ready[p];
        state->ready[p] = ready;
    }
    for (uint32_t x = 0; x < queues->links; x++)
        if (state->up[x] != FLUX_PORT_UNUSED)
            state->up[x] = mirror->circuit[state->up[x]];
    flux_label_order_ports(queues, state);
}

/* Below 0 where the state is to stay as it is, above 0 where its mirror image takes its place. */
static int compare_queues(const struct flux_queues *queues, const struct flux_mirror *mirror,
                          const struct flux_label_state *state)
{
    for (uint32_t q = 0; q < queues->count; q++) {
        uint32_t p = mirror->queue[q];
        if (state->done[q] != state->done[p])
            return state->done[q] > state->done[p] ? -1 : 1;
        if (state->ready[q] != state->ready[p])
            return state->ready[q] < state->ready[p] ? -1 : 1;
    }
    return 0;
}

static int compare_ports(const struct flux_queues *queues, const struct flux_label_state *a,
                         const struct flux_label_state *b)
{
    for (uint32_t x = 0; x < queues->links; x++) {
        if (a->up[x] != b->up[x])
            return a->up[x] < b->up[x] ? -1 : 1;
        if (a->free[x] != b->free[x])
            return a->free[x] < b->free[x] ? -1 : 1;
    }
    return 0;
}

void flux_mirror_state(const struct flux_queues *queues, const struct flux_mirrors *mirrors,
                       struct flux_label_state *state)
{
    state->flips = 0;
    for (uint32_t m = 0; m < mirrors->count; m++) {
        int order = compare_queues(queues, &mirrors->mirror[m], state);
        if (order < 0)
            continue;
        struct flux_label_state other = *state;
        flip(queues, &mirrors->mirror[m], &other);
        if (order == 0 && compare_ports(queues, state, &other) <= 0)
            continue;
        *state = other;
        state->flips |= UINT32_C(1) << m;
    }
}

uint32_t flux_mirror_position(const struct flux_queues *queues, const struct flux_mirrors *mirrors, uint32_t flips,
                              uint32_t position)
{
    uint32_t q = 0;
    while (position >= queues->queue[q].first + queues->queue[q].count)
        q++;
    for (uint32_t m = 0; m < mirrors->count; m++)
        if (flips >> m & 1 && mirrors->mirror[m].queue[q] != q)
            return image(queues, &mirrors->mirror[m], q, position);
    return position;
}
