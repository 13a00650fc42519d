/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/activity.h"

#define BUMP_MAX (UINT64_C(1) << 52)
#define BUMP_SHIFT 36u
#define DECAY 16u /* a bump is worth 1/16 more after every lesson */

static int above(const struct flux_clauses *clauses, uint32_t a, uint32_t b)
{
    if (clauses->activity[a] != clauses->activity[b])
        return clauses->activity[a] > clauses->activity[b];
    return a < b;
}

static void set(struct flux_clauses *clauses, uint32_t at, uint32_t variable)
{
    clauses->heap[at] = variable;
    clauses->heap_at[variable] = at;
}

static void rise(struct flux_clauses *clauses, uint32_t at)
{
    uint32_t variable = clauses->heap[at];
    for (; at && above(clauses, variable, clauses->heap[(at - 1) / 2]); at = (at - 1) / 2)
        set(clauses, at, clauses->heap[(at - 1) / 2]);
    set(clauses, at, variable);
}

static void sink(struct flux_clauses *clauses, uint32_t at)
{
    uint32_t variable = clauses->heap[at];
    for (uint32_t child; (child = 2 * at + 1) < clauses->heap_count; at = child) {
        if (child + 1 < clauses->heap_count && above(clauses, clauses->heap[child + 1], clauses->heap[child]))
            child++;
        if (!above(clauses, clauses->heap[child], variable))
            break;
        set(clauses, at, clauses->heap[child]);
    }
    set(clauses, at, variable);
}

static int inside(const struct flux_clauses *clauses, uint32_t variable)
{
    uint32_t at = clauses->heap_at[variable];
    return at < clauses->heap_count && clauses->heap[at] == variable;
}

void flux_activity_put(struct flux_clauses *clauses, uint32_t variable)
{
    if (inside(clauses, variable) || (variable && variable <= clauses->hidden))
        return;
    clauses->heap[clauses->heap_count] = variable;
    clauses->heap_at[variable] = clauses->heap_count;
    rise(clauses, clauses->heap_count++);
}

uint32_t flux_activity_take(struct flux_clauses *clauses)
{
    uint32_t first = clauses->heap[0];
    uint32_t last = clauses->heap[--clauses->heap_count];
    if (clauses->heap_count) {
        set(clauses, 0, last);
        sink(clauses, 0);
    }
    return first;
}

void flux_activity_bump(struct flux_clauses *clauses, uint32_t variable)
{
    clauses->activity[variable] += clauses->bump;
    if (inside(clauses, variable))
        rise(clauses, clauses->heap_at[variable]);
}

void flux_activity_decay(struct flux_clauses *clauses)
{
    clauses->bump += clauses->bump / DECAY;
    if (clauses->bump <= BUMP_MAX)
        return;
    /* Order stays as it is, but for ties that the shift makes: heaps stay heaps under a monotone map up to ties. */
    clauses->bump >>= BUMP_SHIFT;
    for (uint32_t v = 0; v < clauses->variables; v++)
        clauses->activity[v] >>= BUMP_SHIFT;
    for (uint32_t at = clauses->heap_count / 2; at-- > 0;)
        sink(clauses, at);
}
