/* SPDX-License-Identifier: Apache-2.0 */
#include "ticks.h"

#include "pairwise.h"

static void set_order(struct ticks *ticks)
{
    const struct random_problem *p = ticks->problem;
    uint32_t missing[RANDOM_VERTICES_MAX] = {0}, filled = 0;
    for (uint32_t i = 0; i < p->edges; i++)
        missing[p->edge[i].to]++;
    for (uint32_t v = 0; v < p->vertices; v++)
        if (!missing[v])
            ticks->order[filled++] = v;
    for (uint32_t done = 0; done < filled; done++)
        for (uint32_t i = 0; i < p->edges; i++)
            if (p->edge[i].from == ticks->order[done] && --missing[p->edge[i].to] == 0)
                ticks->order[filled++] = p->edge[i].to;
}

uint32_t ticks_begin(struct ticks *ticks)
{
    uint32_t sends = 0;
    set_order(ticks);
    for (uint32_t v = 0; v < ticks->problem->vertices; v++) {
        ticks->times[v] = (struct flux_time){-1, -1};
        ticks->rest[v] = ticks->problem->vertex[v].duration;
        sends += ticks->problem->vertex[v].send;
    }
    return sends;
}

void ticks_propagate(struct ticks *ticks)
{
    const struct random_problem *p = ticks->problem;
    for (uint32_t n = 0; n < p->vertices; n++) {
        uint32_t v = ticks->order[n];
        int64_t ready = p->vertex[v].release;
        for (uint32_t i = 0; i < p->edges && ready >= 0; i++) {
            if (p->edge[i].to != v)
                continue;
            int64_t end = ticks->times[p->edge[i].from].end;
            int64_t arrives = end + pairwise_lag(ticks->graph, ticks->fabric, &p->edge[i]);
            ready = end < 0 ? -1 : arrives > ready ? arrives : ready;
        }
        ticks->ready[v] = ready;
        if (ready >= 0 && !p->vertex[v].send)
            ticks->times[v] = (struct flux_time){ready, ready + p->vertex[v].duration};
    }
}
