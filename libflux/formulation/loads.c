/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/loads.c - rows from the load of a GPU: sends that start no earlier than a head and leave at least a tail
 * after them follow one another on each switch, with a change between sends of different circuits. These are the windows
 * of the port-load bound (docs/certificates.md), per switch and with the assignment left open.
 */
#include "formulation/frame.h"

#include <math.h>

/* All windows of a GPU with more sends than this are too many; then only the whole. */
#define SENDS_SEARCHED 40u
#define WINDOWS_KEPT 3u

struct window {
    int64_t head;
    int64_t tail;
    int64_t bound;
};

struct port {
    struct flux_frame *frame;
    uint32_t gpu;
    uint32_t side; /* FLUX_SIDE_* */
};

static int at_port(const struct port *port, uint32_t v)
{
    const struct flux_problem *problem = port->frame->problem;
    return port->side == FLUX_SIDE_BOTH || (port->side == FLUX_SIDE_TRANSMIT ? problem->src[v] : problem->dst[v]) == port->gpu;
}

static int in_window(const struct port *port, uint32_t v, const struct window *window)
{
    return at_port(port, v) && port->frame->earliest[v] >= window->head && port->frame->tail[v] >= window->tail;
}

/* Is v the first of its circuit in the window? */
static int first_of_circuit(const struct port *port, uint64_t i, const struct window *window)
{
    const struct flux_problem *problem = port->frame->problem;
    uint32_t v = problem->touch[i];
    for (uint64_t j = problem->touch_first[port->gpu]; j < i; j++)
        if (problem->circuit[problem->touch[j]] == problem->circuit[v] && in_window(port, problem->touch[j], window))
            return 0;
    return 1;
}

/* What the window says with the sends spread evenly over all switches; its head and tail become exact. */
static int64_t measure(const struct port *port, struct window *window)
{
    const struct flux_frame *frame = port->frame;
    const struct flux_problem *problem = frame->problem;
    int64_t sum = 0, delay = frame->delay[0], head = INT64_MAX, tail = INT64_MAX;
    uint32_t members = 0;
    for (uint32_t k = 1; k < frame->switches; k++)
        delay = frame->delay[k] < delay ? frame->delay[k] : delay;
    int64_t circuits = -(int64_t)frame->switches;
    for (uint64_t i = problem->touch_first[port->gpu]; i < problem->touch_first[port->gpu + 1]; i++) {
        uint32_t v = problem->touch[i];
        if (!in_window(port, v, window))
            continue;
        members++;
        sum += frame->least[v];
        circuits += first_of_circuit(port, i, window);
        head = frame->earliest[v] < head ? frame->earliest[v] : head;
        tail = frame->tail[v] < tail ? frame->tail[v] : tail;
    }
    window->bound = -1;
    if (members < 2)
        return -1;
    window->head = head;
    window->tail = tail;
    sum += circuits > 0 ? circuits * delay : 0;
    return window->bound = head + tail + (sum + frame->switches - 1) / frame->switches;
}

static void keep(struct window *best, uint32_t *count, struct window window)
{
    for (uint32_t i = 0; i < *count; i++)
        if (best[i].head == window.head && best[i].tail == window.tail)
            return;
    uint32_t at = *count;
    if (at == WINDOWS_KEPT && best[at - 1].bound >= window.bound)
        return;
    at -= at == WINDOWS_KEPT;
    for (; at > 0 && best[at - 1].bound < window.bound; at--)
        best[at] = best[at - 1];
    best[at] = window;
    *count += *count < WINDOWS_KEPT;
}

static uint32_t find_windows(const struct port *port, struct window *best)
{
    const struct flux_frame *frame = port->frame;
    const struct flux_problem *problem = frame->problem;
    uint64_t begin = problem->touch_first[port->gpu], end = problem->touch_first[port->gpu + 1];
    uint32_t count = 0;
    struct window window = {0, 0, 0};
    if (measure(port, &window) < 0)
        return 0;
    keep(best, &count, window);
    for (uint64_t i = begin; end - begin <= SENDS_SEARCHED && i < end; i++)
        for (uint64_t j = begin; j < end; j++) {
            window = (struct window){frame->earliest[problem->touch[i]], frame->tail[problem->touch[j]], 0};
            if (at_port(port, problem->touch[i]) && at_port(port, problem->touch[j]) && measure(port, &window) >= 0)
                keep(best, &count, window);
        }
    return count;
}

/* The column that is 1 where the circuit of touch[i] is used on k by the window, made with its rows if it has more than
 * one send there; with one send it is that send's own. */
static uint32_t family(const struct port *port, uint64_t i, const struct window *window, uint32_t number, uint32_t k)
{
    struct flux_frame *frame = port->frame;
    const struct flux_problem *problem = frame->problem;
    uint32_t v = problem->touch[i], members = 0, column = FLUX_NONE;
    for (uint64_t j = i; j < problem->touch_first[port->gpu + 1]; j++) {
        uint32_t w = problem->touch[j];
        if (problem->circuit[w] != problem->circuit[v] || !in_window(port, w, window) || flux_frame_time(frame, w, k) < 0)
            continue;
        members++;
        column = frame->switch_column[flux_frame_at(frame, w, k)];
    }
    if (members < 2)
        return column;
    column = flux_builder_column(&frame->builder, FLUX_COLUMN_CONTINUOUS, 0, 1, 0,
                                 (struct flux_meaning){FLUX_MEANS_FAMILY, v, number, k});
    for (uint64_t j = i; j < problem->touch_first[port->gpu + 1]; j++) {
        uint32_t w = problem->touch[j];
        if (problem->circuit[w] != problem->circuit[v] || !in_window(port, w, window) || flux_frame_time(frame, w, k) < 0)
            continue;
        flux_builder_entry(&frame->builder, column, 1);
        flux_builder_entry(&frame->builder, frame->switch_column[flux_frame_at(frame, w, k)], -1);
        flux_builder_row(&frame->builder, 0, (double)INFINITY, (struct flux_meaning){FLUX_MEANS_MEMBER, w, number, k});
    }
    return column;
}

/* C >= head + tail + sum p x + delay (families - 1). A family with one send puts both into that send's entry. */
static void add_load(const struct port *port, const struct window *window, uint32_t number, uint32_t k,
                     uint32_t *family_of)
{
    struct flux_frame *frame = port->frame;
    const struct flux_problem *problem = frame->problem;
    struct flux_builder *builder = &frame->builder;
    uint64_t begin = problem->touch_first[port->gpu], end = problem->touch_first[port->gpu + 1];
    int64_t delay = frame->delay[k];
    uint32_t members = 0;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t v = problem->touch[i];
        family_of[i - begin] = FLUX_NONE;
        if (!in_window(port, v, window))
            continue;
        members += flux_frame_time(frame, v, k) >= 0;
        if (delay && first_of_circuit(port, i, window))
            family_of[i - begin] = family(port, i, window, number, k);
    }
    if (!members)
        return;
    flux_builder_entry(builder, frame->makespan_column, 1);
    for (uint64_t i = begin; i < end; i++) {
        uint32_t v = problem->touch[i];
        if (!in_window(port, v, window) || flux_frame_time(frame, v, k) < 0)
            continue;
        uint32_t x_v = frame->switch_column[flux_frame_at(frame, v, k)];
        int64_t time = flux_frame_time(frame, v, k);
        for (uint64_t j = begin; j < end; j++)
            time += family_of[j - begin] == x_v ? delay : 0;
        flux_builder_entry(builder, x_v, -flux_frame_value(frame, time));
    }
    for (uint64_t i = begin; i < end; i++) {
        uint32_t column = family_of[i - begin], own = 0;
        if (column == FLUX_NONE)
            continue;
        for (uint64_t j = begin; j < end; j++)
            own |= frame->switch_column[flux_frame_at(frame, problem->touch[j], k)] == column;
        if (!own)
            flux_builder_entry(builder, column, -flux_frame_value(frame, delay));
    }
    flux_builder_row(builder, flux_frame_value(frame, window->head + window->tail - delay), (double)INFINITY,
                     (struct flux_meaning){FLUX_MEANS_LOAD, number, FLUX_NONE, k});
}

void flux_loads_emit(struct flux_frame *frame)
{
    const struct flux_problem *problem = frame->problem;
    uint32_t first = problem->rule == FLUX_RULE_PAPER ? FLUX_SIDE_BOTH : FLUX_SIDE_TRANSMIT;
    uint32_t last = problem->rule == FLUX_RULE_PAPER ? FLUX_SIDE_BOTH : FLUX_SIDE_RECEIVE;
    uint32_t number = 0;
    for (uint32_t g = 0; g < problem->gpus; g++)
        for (uint32_t side = first; side <= last; side++) {
            const struct port port = {frame, g, side};
            struct window best[WINDOWS_KEPT];
            uint32_t count = find_windows(&port, best);
            for (uint32_t i = 0; i < count; i++, number++)
                for (uint32_t k = 0; k < frame->switches; k++)
                    add_load(&port, &best[i], number, k, frame->family);
        }
}
