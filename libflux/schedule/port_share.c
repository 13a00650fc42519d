/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/port_share.h"

#include "base/fail.h"
#include "schedule/port_sum.h"

#include <inttypes.h>

#define LOOKS_MAX (UINT64_C(1) << 32)

/* What fits on one link, and on some links together: by circuits, how many sends; -1 where so many circuits do not. */
struct shelf {
    int64_t *sends;
    uint64_t circuits; /* the most that fit */
};

/* Durations, shortest first, added up. */
static int add_up(const struct flux_lengths *lengths, const uint32_t *vertices, uint64_t count,
                  struct flux_arena *scratch, flux_wide **sums)
{
    struct flux_keyed *rows = flux_arena_alloc(scratch, count, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(scratch, count, sizeof *spare);
    *sums = flux_arena_zero(scratch, count + 1, sizeof **sums);
    if (!rows || !spare || !*sums)
        return flux_fail_memory(lengths->error);
    for (uint64_t i = 0; i < count; i++)
        rows[i] = (struct flux_keyed){(uint64_t)lengths->duration[vertices[i]], vertices[i], 0};
    flux_radix_sort(rows, spare, count);
    for (uint64_t i = 0; i < count; i++)
        (*sums)[i + 1] = (*sums)[i] + (flux_wide)rows[i].key;
    return FLUX_OK;
}

/* The two directions of a pair may be under way at once, so only one may be counted. */
int flux_port_one_way(const struct flux_lengths *lengths, uint32_t gpu, const uint32_t *vertices, uint64_t count,
                      struct flux_arena *scratch)
{
    const struct flux_precedence *precedence = &lengths->precedence;
    uint8_t *seen = flux_arena_zero(scratch, flux_fabric_gpus(lengths->fabric), sizeof *seen);
    if (!seen)
        return flux_fail_memory(lengths->error);
    for (uint64_t i = 0; lengths->rule == FLUX_RULE_DUPLEX && i < count; i++) {
        uint32_t v = vertices[i];
        int out = precedence->at[v] == gpu;
        uint8_t *partner = &seen[out ? precedence->to[v] : precedence->at[v]];
        *partner |= out ? 1 : 2;
        if (*partner == 3)
            return flux_fail_vertex(lengths->error, FLUX_E_MISMATCH, v,
                                    "vertex %" PRIu32 " and the other direction of its pair are both counted", v);
    }
    return FLUX_OK;
}

/* By circuits on one link, the most sends with them: the largest n of at least so many with S(n) + setups <= time. */
static void fill(const flux_wide *sums, uint64_t count, const struct flux_port_sum *port, flux_wide time,
                 struct shelf *one)
{
    one->circuits = 0;
    for (uint64_t j = 1; j <= port->circuits; j++) {
        flux_wide room = time - (flux_wide)port->delay * (j - 1);
        uint64_t low = 0, high = count;
        while (low < high) {
            uint64_t middle = (low + high + 1) / 2;
            if (sums[middle] <= room)
                low = middle;
            else
                high = middle - 1;
        }
        if (room < 0 || low < j)
            return;
        one->sends[j] = (int64_t)low;
        one->circuits = j;
    }
}

/* Adds a link to those that are full; circuits above what there are count as all of them. */
static void join(const struct shelf *one, uint64_t circuits, const int64_t *before, int64_t *after)
{
    for (uint64_t c = 0; c <= circuits; c++)
        after[c] = before[c];
    for (uint64_t c = 0; c <= circuits; c++)
        for (uint64_t j = 1; before[c] >= 0 && j <= one->circuits; j++) {
            uint64_t both = c + j < circuits ? c + j : circuits;
            int64_t sends = before[c] + one->sends[j];
            after[both] = sends > after[both] ? sends : after[both];
        }
}

static int fits(const struct flux_lengths *lengths, const flux_wide *sums, uint64_t count,
                const struct flux_port_sum *port, flux_wide time, struct flux_arena *scratch)
{
    uint64_t room = port->circuits + 1;
    struct shelf one = {flux_arena_alloc(scratch, room, sizeof *one.sends), 0};
    int64_t *here = flux_arena_alloc(scratch, room, sizeof *here);
    int64_t *next = flux_arena_alloc(scratch, room, sizeof *next);
    if (!one.sends || !here || !next)
        return flux_fail_memory(lengths->error);
    if (time < 0)
        return 0;
    fill(sums, count, port, time, &one);
    if (room * (one.circuits + 1) > LOOKS_MAX / port->links)
        return flux_fail(lengths->error, FLUX_E_MISMATCH, "the certificate has too many circuits to count");
    for (uint64_t c = 0; c < room; c++)
        here[c] = c ? -1 : 0;
    for (uint32_t link = 0; link < port->links; link++) {
        join(&one, port->circuits, here, next);
        int64_t *swap = here;
        here = next;
        next = swap;
    }
    return here[port->circuits] >= (int64_t)count;
}

int flux_port_share_fits(const struct flux_lengths *lengths, uint32_t gpu, const uint32_t *vertices, uint64_t count,
                         flux_wide time, const struct flux_memory *memory)
{
    struct flux_arena scratch;
    struct flux_port_sum port;
    flux_wide *sums;
    flux_arena_init(&scratch, memory);
    int rc = flux_port_one_way(lengths, gpu, vertices, count, &scratch);
    if (!rc)
        rc = flux_port_sum_find(lengths, gpu, vertices, count, memory, &port);
    if (!rc)
        rc = add_up(lengths, vertices, count, &scratch, &sums);
    if (!rc)
        rc = fits(lengths, sums, count, &port, time, &scratch);
    flux_arena_free(&scratch);
    return rc;
}

/* The least time that is enough, by halving. One link is always enough for all. */
static int search(const struct flux_lengths *lengths, const flux_wide *sums, uint64_t count,
                  const struct flux_port_sum *port, struct flux_arena *scratch, flux_wide *time)
{
    flux_wide low = *time, high = sums[count] + (flux_wide)port->delay * port->circuits;
    int rc = fits(lengths, sums, count, port, low, scratch);
    if (rc)
        return rc < 0 ? rc : FLUX_OK;
    while (high - low > 1) {
        flux_wide middle = low + (high - low) / 2;
        rc = fits(lengths, sums, count, port, middle, scratch);
        if (rc < 0)
            return rc;
        if (rc)
            high = middle;
        else
            low = middle;
    }
    *time = high;
    return FLUX_OK;
}

/* By partner of the GPU, whether a send to it (1) or from it (2) was met; how many circuits that makes. */
static uint32_t meet(const struct flux_lengths *lengths, uint32_t gpu, uint32_t v, uint8_t *seen)
{
    const struct flux_precedence *precedence = &lengths->precedence;
    int out = precedence->at[v] == gpu;
    uint8_t *partner = &seen[out ? precedence->to[v] : precedence->at[v]], way = out ? 1 : 2;
    uint32_t fresh = !(*partner & way);
    *partner |= way;
    return fresh;
}

static int raise(const struct flux_lengths *lengths, uint32_t gpu, const uint32_t *vertices, uint64_t count,
                 const struct flux_port_sum *port, struct flux_arena *scratch, flux_wide *time)
{
    struct flux_port_sum part = *port;
    struct flux_keyed *rows = flux_arena_alloc(scratch, count, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(scratch, count, sizeof *spare);
    uint8_t *seen = flux_arena_zero(scratch, flux_fabric_gpus(lengths->fabric), sizeof *seen);
    flux_wide *sums = flux_arena_alloc(scratch, count + 1, sizeof *sums);
    int rc = FLUX_OK;
    if (!rows || !spare || !seen || !sums)
        return flux_fail_memory(lengths->error);
    for (uint64_t i = 0; i < count; i++)
        rows[i] = (struct flux_keyed){(uint64_t)lengths->duration[vertices[i]], vertices[i], 0};
    flux_radix_sort(rows, spare, count);
    part.circuits = 0;
    for (uint64_t sends = 1; sends <= count && !rc; sends++) {
        const struct flux_keyed *last = &rows[count - sends];
        part.circuits += meet(lengths, gpu, last->item, seen);
        if (sends <= port->links || (sends < count && last[-1].key == last->key))
            continue;
        for (uint64_t i = 0; i <= sends; i++)
            sums[i] = (flux_wide)last->key * i;
        rc = search(lengths, sums, sends, &part, scratch, time);
    }
    return rc;
}

int flux_port_share_raise(const struct flux_lengths *lengths, uint32_t gpu, const uint32_t *vertices, uint64_t count,
                          const struct flux_port_sum *port, const struct flux_memory *memory, flux_wide *time)
{
    struct flux_arena scratch;
    if (count <= port->links || lengths->rule == FLUX_RULE_DUPLEX)
        return FLUX_OK;
    flux_arena_init(&scratch, memory);
    int rc = raise(lengths, gpu, vertices, count, port, &scratch, time);
    flux_arena_free(&scratch);
    return rc;
}
