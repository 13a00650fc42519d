/* SPDX-License-Identifier: Apache-2.0 */
#include "formulation/frame.h"

#include "base/fail.h"
#include "base/wide.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Sums of a few times must be exact in a double, which holds whole numbers up to 2^53. */
#define UNITS_MAX (INT64_C(1) << 50)
/* Solvers' tolerances are made for numbers about this large. */
#define VALUE_MAX (INT64_C(1) << 16)

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void find_unit(struct flux_frame *frame)
{
    const struct flux_problem *problem = frame->problem;
    int64_t unit = problem->floor;
    for (uint32_t k = 0; k < frame->switches; k++)
        unit = common_divisor(common_divisor(unit, problem->delay[k]), problem->dwell[k]);
    for (uint32_t v = 0; v < frame->nodes; v++) {
        unit = common_divisor(common_divisor(unit, problem->release[v]), problem->rest[v]);
        for (uint32_t k = 0; k < frame->switches; k++)
            if (flux_problem_duration(problem, v, k) > 0)
                unit = common_divisor(unit, flux_problem_duration(problem, v, k));
    }
    for (uint64_t i = 0; i < problem->arcs; i++)
        unit = common_divisor(unit, problem->in[i].lag);
    frame->unit = unit > 0 ? unit : 1;
}

/* |V| tau + sum p + sum c: a time by which everything can be over, one send after the other with a change before each;
 * on staged fabrics a dwell before each as well, and after it all. */
static int find_horizon(struct flux_frame *frame, struct flux_error *error)
{
    const struct flux_problem *problem = frame->problem;
    flux_wide sum = 0;
    int64_t change = 0, release = 0, dwell = 0;
    for (uint32_t k = 0; k < frame->switches; k++) {
        change = frame->delay[k] > change ? frame->delay[k] : change;
        dwell = frame->dwell[k] > dwell ? frame->dwell[k] : dwell;
    }
    for (uint32_t v = 0; v < frame->nodes; v++) {
        sum += frame->most[v];
        release = problem->release[v] / frame->unit > release ? problem->release[v] / frame->unit : release;
    }
    for (uint64_t i = 0; i < problem->arcs; i++)
        sum += problem->in[i].lag / frame->unit;
    sum += (flux_wide)problem->sends * (change + dwell) + release;
    if (problem->staged)
        sum += change + dwell;
    if (sum > UNITS_MAX)
        return flux_fail(error, FLUX_E_TOO_BIG,
                         "the times span more than 2^50 steps of %" PRId64
                         " ps, more than a solver's numbers hold exactly; round them to coarser steps",
                         frame->unit);
    frame->horizon = (int64_t)sum;
    while (frame->horizon >> frame->shift > VALUE_MAX)
        frame->shift++;
    frame->scale = ldexp(1, -(int)frame->shift);
    return FLUX_OK;
}

static int alloc(struct flux_frame *frame)
{
    struct flux_arena *arena = frame->arena;
    uint64_t n = frame->nodes, s = frame->switches;
    frame->time = flux_arena_alloc(arena, n * s, sizeof *frame->time);
    frame->wait = flux_arena_zero(arena, n * s, sizeof *frame->wait);
    frame->stale = flux_arena_zero(arena, n * s, sizeof *frame->stale);
    frame->least = flux_arena_alloc(arena, n, sizeof *frame->least);
    frame->most = flux_arena_alloc(arena, n, sizeof *frame->most);
    frame->earliest = flux_arena_alloc(arena, n, sizeof *frame->earliest);
    frame->latest = flux_arena_alloc(arena, n, sizeof *frame->latest);
    frame->tail = flux_arena_alloc(arena, n, sizeof *frame->tail);
    frame->copy = flux_arena_alloc(arena, n, sizeof *frame->copy);
    frame->gap = flux_arena_alloc(arena, n * n, sizeof *frame->gap);
    frame->delay = flux_arena_alloc(arena, s, sizeof *frame->delay);
    frame->dwell = flux_arena_alloc(arena, s, sizeof *frame->dwell);
    frame->start_column = flux_arena_alloc(arena, n, sizeof *frame->start_column);
    frame->switch_column = flux_arena_alloc(arena, n * s, sizeof *frame->switch_column);
    frame->moment_column = flux_arena_alloc(arena, n, sizeof *frame->moment_column);
    frame->change_column = flux_arena_alloc(arena, n, sizeof *frame->change_column);
    if (!frame->time || !frame->wait || !frame->stale || !frame->least || !frame->most || !frame->earliest ||
        !frame->latest || !frame->tail || !frame->copy || !frame->gap || !frame->delay || !frame->dwell ||
        !frame->start_column || !frame->switch_column || !frame->moment_column || !frame->change_column)
        return FLUX_E_MEMORY;
    return FLUX_OK;
}

static void read_times(struct flux_frame *frame)
{
    const struct flux_problem *problem = frame->problem;
    for (uint32_t k = 0; k < frame->switches; k++) {
        frame->delay[k] = problem->delay[k] / frame->unit;
        frame->dwell[k] = problem->dwell[k] / frame->unit;
    }
    for (uint32_t v = 0; v < frame->nodes; v++) {
        frame->least[v] = problem->duration[v] / frame->unit;
        frame->most[v] = frame->least[v];
        for (uint32_t k = 0; k < frame->switches; k++) {
            int64_t time = flux_problem_duration(problem, v, k);
            time = time < 0 ? -1 : time / frame->unit;
            frame->time[flux_frame_at(frame, v, k)] = time;
            frame->most[v] = time > frame->most[v] ? time : frame->most[v];
        }
    }
}

static void read_initials(struct flux_frame *frame)
{
    const struct flux_problem *problem = frame->problem;
    for (uint32_t i = 0; i < problem->initials; i++) {
        const struct flux_circuit_name *up = &problem->initial[i];
        uint32_t k = up->switch_index;
        for (uint32_t v = 0; v < frame->nodes; v++) {
            if (!flux_problem_is_send(problem, v))
                continue;
            /* With a delay of 1: is it another circuit at all? */
            if (flux_separation(problem->rule, problem->src[v], problem->dst[v], up->src, up->dst, 1) == 1) {
                frame->stale[flux_frame_at(frame, v, k)] = 1;
                frame->wait[flux_frame_at(frame, v, k)] = frame->delay[k];
            }
        }
    }
}

/* Nodes are in topological order, so that one pass over the arcs for each origin finds all longest ways from it. */
static void measure_gaps(struct flux_frame *frame)
{
    const struct flux_problem *problem = frame->problem;
    for (uint32_t u = 0; u < frame->nodes; u++) {
        int64_t *gap = frame->gap + (uint64_t)u * frame->nodes;
        for (uint32_t v = 0; v <= u; v++)
            gap[v] = -1;
        for (uint32_t v = u + 1; v < frame->nodes; v++) {
            gap[v] = -1;
            for (uint64_t i = problem->in_first[v]; i < problem->in_first[v + 1]; i++) {
                uint32_t w = problem->in[i].node;
                int64_t lag = problem->in[i].lag / frame->unit;
                int64_t way = w == u ? lag : w > u && gap[w] >= 0 ? gap[w] + frame->least[w] + lag : -1;
                gap[v] = way > gap[v] ? way : gap[v];
            }
        }
    }
}

static void set_windows(struct flux_frame *frame)
{
    const struct flux_problem *problem = frame->problem;
    const struct flux_formulation_options *options = frame->options;
    int64_t rest = problem->floor / frame->unit;
    for (uint32_t v = 0; v < frame->nodes; v++)
        rest = problem->rest[v] / frame->unit > rest ? problem->rest[v] / frame->unit : rest;
    frame->limit = frame->horizon + rest;
    if (frame->tight && options->limit >= 0)
        frame->limit = (options->limit - (options->below ? 1 : 0)) / frame->unit;
    if (frame->tight && options->limit == 0 && options->below)
        frame->empty = 1;
    if (frame->tight && (problem->floor + frame->unit - 1) / frame->unit > frame->limit)
        frame->empty = 1;
    for (uint32_t v = 0; v < frame->nodes; v++) {
        frame->tail[v] = problem->tail[v] / frame->unit;
        frame->earliest[v] = (frame->tight ? problem->head[v] : problem->release[v]) / frame->unit;
        frame->latest[v] = frame->tight ? frame->limit - frame->tail[v] - frame->least[v] : frame->horizon;
        if (!frame->tight)
            continue;
        frame->empty |= frame->earliest[v] > frame->latest[v];
        if (!flux_problem_is_send(problem, v))
            continue;
        uint32_t left = 0;
        for (uint32_t k = 0; k < frame->switches; k++) {
            int64_t *time = &frame->time[flux_frame_at(frame, v, k)];
            int64_t wait = frame->wait[flux_frame_at(frame, v, k)];
            int64_t begin = frame->earliest[v] > wait ? frame->earliest[v] : wait;
            if (*time >= 0 && begin + *time + frame->tail[v] > frame->limit)
                *time = -1;
            left += *time >= 0;
        }
        frame->empty |= left == 0;
    }
}

/* Small numbers of arcs only: it compares each with each. */
#define ARCS_COMPARED 64u

static int same_arcs(const struct flux_arc *a, const struct flux_arc *b, uint64_t count)
{
    if (count > ARCS_COMPARED)
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t j = 0;
        while (j < count && (a[i].node != b[j].node || a[i].lag != b[j].lag))
            j++;
        if (j == count)
            return 0;
    }
    return 1;
}

static int alike(const struct flux_problem *problem, uint32_t u, uint32_t v)
{
    uint64_t in = problem->in_first[u + 1] - problem->in_first[u];
    uint64_t out = problem->out_first[u + 1] - problem->out_first[u];
    if (problem->src[u] != problem->src[v] || problem->dst[u] != problem->dst[v] ||
        problem->release[u] != problem->release[v] || problem->rest[u] != problem->rest[v] ||
        in != problem->in_first[v + 1] - problem->in_first[v] || out != problem->out_first[v + 1] - problem->out_first[v])
        return 0;
    for (uint32_t k = 0; k < problem->switches; k++)
        if (flux_problem_duration(problem, u, k) != flux_problem_duration(problem, v, k))
            return 0;
    return same_arcs(problem->in + problem->in_first[u], problem->in + problem->in_first[v], in) &&
           same_arcs(problem->out + problem->out_first[u], problem->out + problem->out_first[v], out);
}

static void find_copies(struct flux_frame *frame)
{
    const struct flux_problem *problem = frame->problem;
    for (uint32_t u = 0; u < frame->nodes; u++) {
        frame->copy[u] = FLUX_NONE;
        for (uint32_t v = u + 1; v < frame->nodes && flux_problem_is_send(problem, u); v++)
            if (problem->circuit[u] == problem->circuit[v] && alike(problem, u, v)) {
                frame->copy[u] = v;
                break;
            }
    }
}

int flux_frame_open(struct flux_frame *frame, struct flux_error *error)
{
    frame->nodes = frame->problem->nodes;
    frame->switches = frame->problem->switches;
    frame->tight = frame->options->kind == FLUX_FORMULATION_TIGHT;
    if (alloc(frame))
        return flux_fail_memory(error);
    find_unit(frame);
    read_times(frame);
    int rc = find_horizon(frame, error);
    if (rc)
        return rc;
    read_initials(frame);
    measure_gaps(frame);
    set_windows(frame);
    find_copies(frame);
    if (frame->tight && !frame->empty && (flux_symmetry_open(frame) || flux_cliques_open(frame)))
        return flux_fail_memory(error);
    return FLUX_OK;
}

int flux_frame_possible(const struct flux_frame *frame, uint32_t u, uint32_t v, uint32_t k, int64_t separation)
{
    if (flux_frame_gap(frame, v, u) >= 0)
        return 0;
    if (!frame->tight)
        return 1;
    int64_t wait = frame->wait[flux_frame_at(frame, u, k)];
    int64_t begin = frame->earliest[u] > wait ? frame->earliest[u] : wait;
    return begin + flux_frame_time(frame, u, k) + separation <= flux_frame_latest(frame, v, k);
}

int flux_frame_exclude(const struct flux_frame *frame, uint32_t u, uint32_t v)
{
    for (uint32_t k = 0; k < frame->switches; k++) {
        if (flux_frame_time(frame, u, k) < 0 || flux_frame_time(frame, v, k) < 0)
            continue;
        int64_t separation = flux_frame_separation(frame, u, v, k);
        if (separation < 0 || flux_frame_possible(frame, u, v, k, separation) ||
            flux_frame_possible(frame, v, u, k, separation))
            return 0;
    }
    return 1;
}

int flux_frame_staged(const struct flux_frame *frame, uint32_t k)
{
    return frame->problem->blocking[k] == FLUX_BLOCKING_SWITCH || frame->dwell[k] > 0;
}

void flux_frame_when(struct flux_frame *frame, uint32_t later, uint32_t sooner, int64_t units, int64_t need,
                     const struct flux_condition *conditions, uint32_t count, struct flux_meaning meaning)
{
    if (!frame->tight)
        need = frame->horizon;
    if (need <= 0)
        return;
    flux_builder_entry(&frame->builder, later, 1);
    flux_builder_entry(&frame->builder, sooner, -1);
    int64_t least = units;
    for (uint32_t i = 0; i < count; i++) {
        flux_builder_entry(&frame->builder, conditions[i].column,
                           flux_frame_value(frame, conditions[i].value ? -need : need));
        least -= conditions[i].value ? need : 0;
    }
    flux_builder_row(&frame->builder, flux_frame_value(frame, least), (double)INFINITY, meaning);
}

int64_t flux_frame_duration(struct flux_frame *frame, uint32_t node, int64_t factor, uint32_t skip)
{
    int64_t base = -1;
    if (!flux_problem_is_send(frame->problem, node) || !frame->problem->durations)
        return factor * frame->least[node];
    for (uint32_t k = 0; k < frame->switches && base != -2; k++) {
        int64_t time = flux_frame_time(frame, node, k);
        if (time >= 0)
            base = base < 0 || base == time ? time : -2;
    }
    if (base >= 0) /* the same on every switch that is left */
        return factor * base;
    for (uint32_t k = 0; k < frame->switches; k++) {
        int64_t time = flux_frame_time(frame, node, k);
        if (time >= 0 && k != skip)
            flux_builder_entry(&frame->builder, frame->switch_column[flux_frame_at(frame, node, k)],
                               flux_frame_value(frame, factor * time));
    }
    return 0;
}
