/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/edges.c - stage 4 of the audit: when compute runs, and whether sends wait for what they depend on.
 */
#include "base/fail.h"
#include "base/wide.h"
#include "schedule/audit.h"

#include <inttypes.h>
#include <libflux/units.h>
#include <stdio.h>

static int fail_overflow(const struct flux_audit *audit, uint32_t v)
{
    char name[FLUX_PRECEDENCE_NAME];
    return flux_fail_vertex(audit->error, FLUX_E_OVERFLOW, v, "the times before %s add up beyond 2^62 ps",
                            flux_precedence_name(audit->graph, v, name));
}

/* The send that `v`, which is compute, ends up waiting for, or FLUX_NONE where its own release or that of compute
 * before it decides. */
static uint32_t send_behind(const struct flux_audit *audit, const uint32_t *cause, uint32_t v)
{
    while (v != FLUX_NONE && audit->precedence.to[v] == FLUX_NONE)
        v = cause[v];
    return v;
}

/* ", plus 2us lag" and the like. */
static void name_wait(int64_t lag, int64_t propagation, char *text, size_t size)
{
    char first[FLUX_UNITS_TEXT], second[FLUX_UNITS_TEXT];
    flux_time_format(lag, first, sizeof first);
    flux_time_format(propagation, second, sizeof second);
    text[0] = '\0';
    if (lag && propagation)
        snprintf(text, size, ", plus %s of lag and %s of propagation", first, second);
    else if (lag)
        snprintf(text, size, ", plus %s of lag", first);
    else if (propagation)
        snprintf(text, size, ", plus %s of propagation", second);
}

/* Send `w` does not wait for `u` as `edge` asks. */
static int fail_edge(const struct flux_audit *audit, const uint32_t *cause, uint32_t u,
                     const struct flux_successor *edge, int64_t ready)
{
    uint32_t w = edge->vertex, behind = send_behind(audit, cause, u);
    char late[FLUX_PRECEDENCE_NAME], early[FLUX_PRECEDENCE_NAME], far[FLUX_PRECEDENCE_NAME];
    char start[FLUX_UNITS_TEXT], end[FLUX_UNITS_TEXT], off[FLUX_UNITS_TEXT], right[FLUX_UNITS_TEXT];
    char plus[2 * FLUX_UNITS_TEXT + 40], through[FLUX_PRECEDENCE_NAME + 16] = "";
    name_wait(edge->lag, flux_precedence_propagation(&audit->precedence, audit->fabric, u, w), plus, sizeof plus);
    if (behind != FLUX_NONE && behind != u)
        snprintf(through, sizeof through, " (it follows %s)", flux_precedence_name(audit->graph, behind, far));
    return flux_fail_vertex(
        audit->error, FLUX_E_MISMATCH, w,
        "%s starts at %s, %s too early: it waits for %s, which ends at %s%s%s; it may start at %s",
        flux_precedence_name(audit->graph, w, late), flux_time_format(audit->times[w].start, start, sizeof start),
        flux_time_format(ready - audit->times[w].start, off, sizeof off), flux_precedence_name(audit->graph, u, early),
        flux_time_format(audit->times[u].end, end, sizeof end), through, plus,
        flux_time_format(ready, right, sizeof right));
}

/* Before anything is known about it, compute may start at its release. */
static void start_computes(struct flux_audit *audit)
{
    struct flux_compute compute;
    for (uint32_t v = 0; v < audit->precedence.vertices; v++)
        if (audit->precedence.to[v] == FLUX_NONE && flux_graph_get_compute(audit->graph, v, &compute) == FLUX_OK)
            audit->times[v].start = compute.release;
}

static int end_compute(struct flux_audit *audit, uint32_t v)
{
    struct flux_compute compute;
    flux_graph_get_compute(audit->graph, v, &compute);
    if (audit->times[v].start > FLUX_TIME_MAX - compute.duration)
        return fail_overflow(audit, v);
    audit->times[v].end = audit->times[v].start + compute.duration;
    return FLUX_OK;
}

/* Everything before `u` is known: what does that mean for those that wait for it? */
static int follow_edges(struct flux_audit *audit, uint32_t *cause, uint32_t u)
{
    const struct flux_precedence *precedence = &audit->precedence;
    for (uint64_t i = precedence->first[u]; i < precedence->first[u + 1]; i++) {
        const struct flux_successor *edge = &precedence->successors[i];
        uint32_t w = edge->vertex;
        flux_wide ready =
            (flux_wide)audit->times[u].end + edge->lag + flux_precedence_propagation(precedence, audit->fabric, u, w);
        if (ready <= audit->times[w].start)
            continue;
        if (ready > FLUX_TIME_MAX)
            return fail_overflow(audit, w);
        if (precedence->to[w] != FLUX_NONE)
            return fail_edge(audit, cause, u, edge, (int64_t)ready);
        audit->times[w].start = (int64_t)ready;
        cause[w] = u;
    }
    return FLUX_OK;
}

int flux_audit_edges(struct flux_audit *audit)
{
    const struct flux_precedence *precedence = &audit->precedence;
    uint32_t *cause = flux_arena_alloc(&audit->arena, precedence->vertices, sizeof *cause);
    if (!cause)
        return flux_fail_memory(audit->error);
    for (uint32_t v = 0; v < precedence->vertices; v++)
        cause[v] = FLUX_NONE;
    start_computes(audit);
    for (uint32_t i = 0; i < precedence->vertices; i++) {
        uint32_t u = precedence->order[i];
        int rc = precedence->to[u] == FLUX_NONE ? end_compute(audit, u) : FLUX_OK;
        if (!rc)
            rc = follow_edges(audit, cause, u);
        if (rc)
            return rc;
        if (audit->times[u].end > audit->makespan)
            audit->makespan = audit->times[u].end;
    }
    return FLUX_OK;
}
