/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/certificate_check.c - flux_certificate_check(): the number of a certificate once more, as
 * docs/certificates.md defines it. Reads graph and fabric through their public interface, and knows nothing of how
 * bounds are found.
 */
#include "base/fail.h"
#include "base/wide.h"
#include "schedule/allocator.h"
#include "schedule/lengths.h"
#include "schedule/lift.h"
#include "schedule/port_queue.h"
#include "schedule/port_share.h"
#include "schedule/port_sum.h"

#include <inttypes.h>
#include <libflux/certificate.h>
#include <libflux/units.h>

struct recount {
    const struct flux_certificate *certificate;
    struct flux_error *error;
    struct flux_arena arena;
    struct flux_lengths lengths;
};

static flux_wide critical_path(const struct recount *recount)
{
    const struct flux_lengths *lengths = &recount->lengths;
    flux_wide longest = 0;
    for (uint32_t v = 0; v < lengths->precedence.vertices; v++) {
        flux_wide through = (flux_wide)lengths->head[v] + lengths->duration[v] + lengths->tail[v];
        longest = through > longest ? through : longest;
    }
    return longest;
}

/* Does `v` belong to the certificate's port and window? */
static int belongs(const struct recount *recount, uint32_t v)
{
    const struct flux_certificate *certificate = recount->certificate;
    if (!flux_port_has(&recount->lengths, flux_certificate_gpu(certificate), flux_certificate_side(certificate), v))
        return 0;
    return recount->lengths.head[v] >= flux_certificate_head(certificate) &&
           recount->lengths.tail[v] >= flux_certificate_tail(certificate);
}

/* Are all the sends of the certificate what they must be, and each there once? */
static int check_sends(const struct recount *recount, struct flux_arena *scratch)
{
    uint64_t count;
    const uint32_t *vertices = flux_certificate_vertices(recount->certificate, &count);
    uint32_t gpu = flux_certificate_gpu(recount->certificate), side = flux_certificate_side(recount->certificate);
    uint8_t *seen = flux_arena_zero(scratch, recount->lengths.precedence.vertices, sizeof *seen);
    if (!seen)
        return flux_fail_memory(recount->error);
    if (!flux_port_side_exists(&recount->lengths, side))
        return flux_fail(recount->error, FLUX_E_MISMATCH,
                         "the certificate counts side %" PRIu32 " of GPU %" PRIu32
                         ", which is no port of its own under this rule",
                         side, gpu);
    for (uint64_t i = 0; i < count; i++) {
        if (!belongs(recount, vertices[i]))
            return flux_fail_vertex(recount->error, FLUX_E_MISMATCH, vertices[i],
                                    "vertex %" PRIu32 " is not a send of GPU %" PRIu32
                                    " and of the certificate's side and window",
                                    vertices[i], gpu);
        if (seen[vertices[i]])
            return flux_fail_vertex(recount->error, FLUX_E_MISMATCH, vertices[i],
                                    "the certificate counts vertex %" PRIu32 " twice", vertices[i]);
        seen[vertices[i]] = 1;
    }
    return FLUX_OK;
}

/* The sum of the `links` smallest of `values` at the certificate's sends. */
static int sum_smallest(const struct recount *recount, const int64_t *values, uint32_t links,
                        struct flux_arena *scratch, flux_wide *sum)
{
    uint64_t count;
    const uint32_t *vertices = flux_certificate_vertices(recount->certificate, &count);
    struct flux_keyed *rows = flux_arena_alloc(scratch, count, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(scratch, count, sizeof *spare);
    if (!rows || !spare)
        return flux_fail_memory(recount->error);
    for (uint64_t i = 0; i < count; i++)
        rows[i] = (struct flux_keyed){(uint64_t)values[vertices[i]], vertices[i], 0};
    flux_radix_sort(rows, spare, count);
    for (uint64_t i = 0; i < links; i++)
        *sum += (flux_wide)rows[i].key;
    return FLUX_OK;
}

static int port_number(const struct recount *recount, int edges, struct flux_arena *scratch, flux_wide *number)
{
    const struct flux_certificate *certificate = recount->certificate;
    struct flux_port_sum sum;
    uint64_t count;
    const uint32_t *vertices = flux_certificate_vertices(certificate, &count);
    int rc = check_sends(recount, scratch);
    if (!rc)
        rc = flux_port_sum_find(&recount->lengths, flux_certificate_gpu(certificate), vertices, count, scratch->memory,
                                &sum);
    if (rc)
        return rc;
    flux_wide total = flux_port_sum_setups(&sum);
    if (count == 0)
        return flux_fail(recount->error, FLUX_E_MISMATCH, "the certificate of a port has no sends");
    if (!edges) {
        *number = (flux_wide)flux_certificate_head(certificate) + flux_certificate_tail(certificate) +
                  flux_ceil_div(total, sum.links);
        return FLUX_OK;
    }
    if (count < sum.links)
        return flux_fail(recount->error, FLUX_E_MISMATCH,
                         "%" PRIu64 " sends say nothing about the first and last on %" PRIu32 " links", count,
                         sum.links);
    rc = sum_smallest(recount, recount->lengths.head, sum.links, scratch, &total);
    if (!rc)
        rc = sum_smallest(recount, recount->lengths.tail, sum.links, scratch, &total);
    *number = flux_ceil_div(total, sum.links);
    return rc;
}

static int port(const struct recount *recount, int edges, flux_wide *number)
{
    struct flux_arena scratch;
    flux_arena_init(&scratch, recount->arena.memory);
    int rc = port_number(recount, edges, &scratch, number);
    flux_arena_free(&scratch);
    return rc;
}

/* The number of a port sequence is confirmed, not found: no sequence ends before it. */
static int sequence_number(const struct recount *recount, struct flux_arena *scratch, flux_wide *number)
{
    const struct flux_certificate *certificate = recount->certificate;
    struct flux_port_queues queues;
    int64_t claimed = flux_certificate_bound(certificate);
    uint64_t count;
    const uint32_t *vertices = flux_certificate_vertices(certificate, &count);
    int rc = check_sends(recount, scratch);
    if (rc)
        return rc;
    if (count == 0 || claimed > FLUX_TIME_MAX / 2)
        return flux_fail(recount->error, FLUX_E_MISMATCH, "a port sequence needs sends, and times below 2^61 ps");
    rc = flux_port_one_way(&recount->lengths, flux_certificate_gpu(certificate), vertices, count, scratch);
    if (!rc)
        rc = flux_port_queues_make(&recount->lengths, flux_certificate_gpu(certificate), vertices, count, scratch,
                                   &queues);
    if (!rc)
        rc = flux_port_turns_end_by(&queues, claimed - 1, scratch->memory, recount->error);
    if (rc == 1)
        return flux_fail(recount->error, FLUX_E_MISMATCH, "the certificate's sends can end before its bound");
    *number = claimed;
    return rc;
}

/* So is that of a share: the sends do not fit into a picosecond less. */
static int share_number(const struct recount *recount, struct flux_arena *scratch, flux_wide *number)
{
    const struct flux_certificate *certificate = recount->certificate;
    int64_t claimed = flux_certificate_bound(certificate);
    flux_wide outside = (flux_wide)flux_certificate_head(certificate) + flux_certificate_tail(certificate);
    uint64_t count;
    const uint32_t *vertices = flux_certificate_vertices(certificate, &count);
    int rc = check_sends(recount, scratch);
    if (rc)
        return rc;
    if (count == 0)
        return flux_fail(recount->error, FLUX_E_MISMATCH, "the certificate of a port has no sends");
    rc = flux_port_share_fits(&recount->lengths, flux_certificate_gpu(certificate), vertices, count,
                              claimed - 1 - outside, scratch->memory);
    if (rc == 1)
        return flux_fail(recount->error, FLUX_E_MISMATCH,
                         "the certificate's sends fit on their links before its bound");
    *number = claimed;
    return rc;
}

/* Calls one of the two above with memory that is freed again. */
static int confirm(const struct recount *recount,
                   int (*look)(const struct recount *recount, struct flux_arena *scratch, flux_wide *number),
                   flux_wide *number)
{
    struct flux_arena scratch;
    flux_arena_init(&scratch, recount->arena.memory);
    int rc = look(recount, &scratch, number);
    flux_arena_free(&scratch);
    return rc;
}

static int lift(struct recount *recount)
{
    uint64_t count;
    const struct flux_lift *lifts = flux_certificate_lifts(recount->certificate, &count);
    return flux_lengths_lift(&recount->lengths, lifts, count);
}

/* What can be checked of a subset: that it is sends, each once. The search among them is not made again. */
static int subset(const struct recount *recount)
{
    struct flux_arena scratch;
    uint64_t count;
    const uint32_t *vertices = flux_certificate_vertices(recount->certificate, &count);
    int rc = FLUX_OK;
    flux_arena_init(&scratch, recount->arena.memory);
    uint8_t *seen = flux_arena_zero(&scratch, recount->lengths.precedence.vertices, sizeof *seen);
    if (!seen)
        rc = flux_fail_memory(recount->error);
    for (uint64_t i = 0; i < count && !rc; i++) {
        uint32_t v = vertices[i];
        if (v >= recount->lengths.precedence.vertices || recount->lengths.precedence.to[v] == FLUX_NONE || seen[v])
            rc = flux_fail_vertex(recount->error, FLUX_E_MISMATCH, v,
                                  "vertex %" PRIu32 " is no send, or the certificate names it twice", v);
        else
            seen[v] = 1;
    }
    flux_arena_free(&scratch);
    if (!rc)
        rc = flux_fail(
            recount->error, FLUX_E_MISMATCH,
            "the certificate names %" PRIu64
            " sends that cannot end sooner by themselves; confirming that takes a search, which is not made here",
            count);
    return rc;
}

static int recompute(struct recount *recount, flux_wide *number)
{
    uint32_t kind = flux_certificate_kind(recount->certificate);
    int lifted = kind == FLUX_CERTIFICATE_LIFTED_PATH || kind == FLUX_CERTIFICATE_LIFTED_LOAD ||
                 kind == FLUX_CERTIFICATE_LIFTED_EDGES || kind == FLUX_CERTIFICATE_LIFTED_SHARE ||
                 kind == FLUX_CERTIFICATE_SUBSET;
    int rc = lifted ? lift(recount) : FLUX_OK;
    *number = 0;
    if (rc)
        return rc;
    switch (kind) {
    case FLUX_CERTIFICATE_NONE:
        return FLUX_OK;
    case FLUX_CERTIFICATE_CRITICAL_PATH:
    case FLUX_CERTIFICATE_LIFTED_PATH:
        *number = critical_path(recount);
        return FLUX_OK;
    case FLUX_CERTIFICATE_PORT_LOAD:
    case FLUX_CERTIFICATE_LIFTED_LOAD:
        return port(recount, 0, number);
    case FLUX_CERTIFICATE_PORT_EDGES:
    case FLUX_CERTIFICATE_LIFTED_EDGES:
        return port(recount, 1, number);
    case FLUX_CERTIFICATE_PORT_SEQUENCE:
        return confirm(recount, sequence_number, number);
    case FLUX_CERTIFICATE_PORT_SHARE:
    case FLUX_CERTIFICATE_LIFTED_SHARE:
        return confirm(recount, share_number, number);
    case FLUX_CERTIFICATE_SUBSET:
        return subset(recount);
    default:
        return flux_fail(recount->error, FLUX_E_MISMATCH, "a certificate of kind %s cannot be recomputed",
                         flux_certificate_kind_name(kind));
    }
}

/* Is the number that was found at least what the certificate says? */
static int compare(const struct recount *recount, flux_wide number, int64_t *bound)
{
    char says[FLUX_UNITS_TEXT], found[FLUX_UNITS_TEXT];
    int64_t claimed = flux_certificate_bound(recount->certificate);
    if (number > FLUX_TIME_MAX)
        return flux_fail(recount->error, FLUX_E_OVERFLOW, "the bound is beyond 2^62 ps");
    if (number < claimed)
        return flux_fail(recount->error, FLUX_E_MISMATCH,
                         "the certificate says %s, but its %s gives only %s, %" PRId64 " ps less",
                         flux_time_format(claimed, says, sizeof says),
                         flux_certificate_kind_name(flux_certificate_kind(recount->certificate)),
                         flux_time_format((int64_t)number, found, sizeof found), claimed - (int64_t)number);
    if (bound)
        *bound = (int64_t)number;
    return FLUX_OK;
}

int flux_certificate_check(const struct flux_graph *graph, const struct flux_fabric *fabric,
                           const struct flux_certificate *certificate, int64_t *bound, struct flux_error *error)
{
    struct recount recount = {.certificate = certificate, .error = error};
    flux_wide number;
    if (bound)
        *bound = 0;
    if (!graph || !fabric || !certificate)
        return flux_fail(error, FLUX_E_ARGUMENT, "graph, fabric or certificate are NULL");
    flux_arena_init(&recount.arena, flux_allocator_of(graph));
    int rc = flux_lengths_compute(graph, fabric, &recount.arena, &recount.lengths, error);
    if (!rc)
        rc = recompute(&recount, &number);
    if (!rc)
        rc = compare(&recount, number, bound);
    flux_arena_free(&recount.arena);
    return rc;
}
