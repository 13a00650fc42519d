/* SPDX-License-Identifier: Apache-2.0 */
#include "bound/label_state.h"

#include <string.h>

static int has_begun(const struct flux_queues *queues, const struct flux_window *window,
                     const struct flux_label_state *state)
{
    for (uint32_t q = 0; q < queues->count; q++)
        if (state->done[q] > window->from[q])
            return 1;
    return 0;
}

/* No send of the window starts before this, given when the next ones may start. It ends early where that is `enough` or
 * less. */
static int64_t start_of(const struct flux_queues *queues, const struct flux_window *window,
                        const struct flux_label_state *state, int64_t enough)
{
    int64_t least = INT64_MAX;
    for (uint32_t q = 0; q < queues->count && least > enough; q++) {
        const struct flux_queue *queue = &queues->queue[q];
        uint32_t to = queue->first + window->from[q];
        if (window->from[q] == queue->count)
            continue;
        int64_t start = state->done[q] == window->from[q] ? state->ready[q] : queues->head[to];
        for (uint32_t p = 0; p < queues->count; p++) {
            if (state->done[p] == queues->queue[p].count)
                continue;
            int64_t lag = flux_queues_lag(queues, queues->queue[p].first + state->done[p], to);
            if (lag >= 0 && state->ready[p] + lag > start)
                start = state->ready[p] + lag;
        }
        least = start < least ? start : least;
    }
    return least;
}

int64_t flux_windows_end(const struct flux_queues *queues, const struct flux_windows *windows,
                         const struct flux_label_state *state)
{
    int64_t latest = state->least;
    for (uint32_t i = 0; i < windows->count; i++) {
        const struct flux_window *window = &windows->window[i];
        if (has_begun(queues, window, state))
            continue;
        int64_t start = start_of(queues, window, state, latest - window->length);
        latest = start + window->length > latest ? start + window->length : latest;
    }
    return latest;
}

static void make(const struct flux_queues *queues, int64_t head, struct flux_window *window)
{
    int64_t load = 0, tail = INT64_MAX;
    uint32_t wanted = 0;
    memset(window, 0, sizeof *window);
    window->head = head;
    for (uint32_t q = 0; q < queues->count; q++) {
        const struct flux_queue *queue = &queues->queue[q];
        while (window->from[q] < queue->count && queues->head[queue->first + window->from[q]] < head)
            window->from[q]++;
        if (window->from[q] == queue->count)
            continue;
        int64_t last = queues->tail[queue->first + queue->count - 1];
        load += queues->work[queue->first + window->from[q]];
        wanted |= UINT32_C(1) << queue->circuit;
        tail = last < tail ? last : tail;
    }
    uint32_t circuits = flux_bits(wanted);
    if (circuits > queues->links)
        load += (int64_t)(circuits - queues->links) * queues->delay;
    window->length = (load + queues->links - 1) / queues->links + (wanted ? tail : 0);
}

/* Puts the window among the others: the one that ends last comes first; the last one goes where there are too many. */
static void add(struct flux_windows *windows, const struct flux_window *window)
{
    uint32_t place = 0, last = windows->count < FLUX_WINDOWS_MAX ? windows->count : FLUX_WINDOWS_MAX - 1;
    while (place < windows->count &&
           windows->window[place].head + windows->window[place].length >= window->head + window->length)
        if (windows->window[place++].head == window->head)
            return;
    if (place == FLUX_WINDOWS_MAX)
        return;
    memmove(&windows->window[place + 1], &windows->window[place], (last - place) * sizeof *window);
    windows->window[place] = *window;
    windows->count = last + 1;
}

void flux_windows_find(const struct flux_queues *queues, struct flux_windows *windows)
{
    windows->count = 0;
    for (uint32_t i = 0; i < queues->sends; i++) {
        struct flux_window window;
        make(queues, queues->head[i], &window);
        add(windows, &window);
    }
}
