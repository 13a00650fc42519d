/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

#include "pairwise.h"

#include <inttypes.h>
#include <stdio.h>

struct counting {
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    struct flux_replay *replay;
    const struct flux_replay_part *part;
    uint64_t parts;
    char *why;
};

static int refuse(const struct counting *c, const char *what, uint64_t at)
{
    snprintf(c->why, PARTS_TEXT, "%s (%" PRIu64 ")", what, at);
    return 0;
}

/* What of send v has come to `gpu` up to `time`, without what left from there. */
static int64_t balance(const struct counting *c, uint32_t v, uint32_t gpu, int64_t time, int64_t *in)
{
    int64_t sum = 0;
    *in = 0;
    for (uint64_t i = 0; i < c->parts; i++) {
        const struct flux_replay_part *part = &c->part[i];
        if (part->send != v)
            continue;
        if (part->dst == gpu && part->end <= time)
            *in += (int64_t)part->bytes;
        if (part->src == gpu && part->start < time)
            sum -= (int64_t)part->bytes;
    }
    return sum + *in;
}

static int check_send(const struct counting *c, uint32_t v)
{
    const struct flux_time *time = &flux_replay_times(c->replay, NULL)[v];
    int64_t in, last = -1, first = INT64_MAX;
    struct flux_send send;
    flux_graph_get_send(c->graph, v, &send);
    for (uint32_t g = 0; g < flux_graph_gpus(c->graph); g++) {
        int64_t left = balance(c, v, g, INT64_MAX, &in);
        int64_t should = g == send.src ? -(int64_t)send.bytes : g == send.dst ? (int64_t)send.bytes : 0;
        if (left != should || (g == send.src && in))
            return refuse(c, "bytes of a send were lost, or made", v);
    }
    for (uint64_t i = 0; i < c->parts; i++) {
        const struct flux_replay_part *part = &c->part[i];
        if (part->send != v)
            continue;
        if (part->start >= part->end || part->start < flux_replay_ready(c->replay, NULL)[v])
            return refuse(c, "a part has no time, or comes before its send is ready", i);
        if (part->src != send.src && balance(c, v, part->src, part->start + 1, &in) < 0)
            return refuse(c, "a part leaves before it came", i);
        first = part->start < first ? part->start : first;
        last = part->dst == send.dst && part->end > last ? part->end : last;
    }
    if (first != time->start || last > time->end)
        return refuse(c, "a send begins or ends at another time than its parts", v);
    return 1;
}

static int check_circuits(const struct counting *c)
{
    uint32_t rule = flux_fabric_rule(c->fabric);
    for (uint64_t i = 0; i < c->parts; i++)
        for (uint64_t j = 0; j < i; j++) {
            const struct flux_replay_part *a = &c->part[j], *b = &c->part[i];
            if (a->switch_index == b->switch_index && a->start < b->end && b->start < a->end &&
                pairwise_separation(rule, a->src, a->dst, b->src, b->dst, 0) >= 0)
                return refuse(c, "two parts are on competing circuits at once", i);
            if (a->end > b->end)
                return refuse(c, "parts are not in the order of their ends", i);
        }
    return 1;
}

static uint64_t held_at(const struct counting *c, uint32_t gpu, int64_t time)
{
    const int64_t *ready = flux_replay_ready(c->replay, NULL);
    uint64_t held = 0;
    struct flux_send send;
    for (uint32_t v = 0; v < flux_graph_vertices(c->graph); v++)
        if (flux_graph_get_send(c->graph, v, &send) == FLUX_OK && send.src == gpu && ready[v] >= 0 && ready[v] <= time)
            held += send.bytes;
    for (uint64_t i = 0; i < c->parts; i++) {
        const struct flux_replay_part *part = &c->part[i];
        flux_graph_get_send(c->graph, part->send, &send);
        if (part->src == gpu && part->end <= time)
            held -= part->bytes;
        if (part->dst == gpu && send.dst != gpu && part->end <= time)
            held += part->bytes;
    }
    return held;
}

static int check_memory(const struct counting *c)
{
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    const struct flux_replay_held *row;
    uint64_t rows, peak = 0, all_peak = 0;
    if (flux_replay_memory(c->replay, &row, &rows, NULL) || flux_replay_summary(c->replay, &summary))
        return refuse(c, "no series", 0);
    for (uint64_t i = 0; i < rows; i++) {
        uint64_t all = 0;
        int last = 1;
        if (i && row[i].time < row[i - 1].time)
            return refuse(c, "the series is not in the order of time", i);
        for (uint64_t j = i + 1; j < rows && row[j].time == row[i].time; j++)
            last &= row[j].gpu != row[i].gpu;
        if (last && row[i].bytes != held_at(c, row[i].gpu, row[i].time))
            return refuse(c, "the series has another sum", i);
        for (uint32_t g = 0; g < flux_graph_gpus(c->graph); g++)
            all += held_at(c, g, row[i].time);
        peak = row[i].bytes > peak ? row[i].bytes : peak;
        all_peak = all > all_peak ? all : all_peak;
    }
    if (peak != summary.memory_of_gpu || all_peak != summary.memory)
        return refuse(c, "the series has another peak", peak);
    for (uint32_t g = 0; g < flux_graph_gpus(c->graph); g++)
        if (held_at(c, g, INT64_MAX))
            return refuse(c, "something is left", g);
    return 1;
}

int parts_check(const struct flux_graph *graph, const struct flux_fabric *fabric, struct flux_replay *replay,
                char why[PARTS_TEXT])
{
    struct counting c = {.graph = graph, .fabric = fabric, .replay = replay, .why = why};
    c.part = flux_replay_parts(replay, &c.parts);
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++)
        if (flux_graph_is_send(graph, v) && !check_send(&c, v))
            return 0;
    return check_circuits(&c) && check_memory(&c);
}
