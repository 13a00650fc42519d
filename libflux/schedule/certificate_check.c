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

#include <inttypes.h>
#include <libflux/certificate.h>
#include <libflux/units.h>

struct recount {
    const struct flux_certificate *certificate;
    struct flux_error *error;
    struct flux_arena arena;
    struct flux_lengths lengths;
};

/* What the sends of a port certificate come to. */
struct port_sum {
    flux_wide load;    /* P of docs/certificates.md */
    uint64_t circuits; /* f */
    uint32_t links;    /* s */
    int64_t delay;     /* the least of those links */
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
    const struct flux_precedence *precedence = &recount->lengths.precedence;
    uint32_t gpu = flux_certificate_gpu(certificate), side = flux_certificate_side(certificate);
    if (v >= precedence->vertices || precedence->to[v] == FLUX_NONE)
        return 0;
    int sends = precedence->at[v] == gpu, receives = precedence->to[v] == gpu;
    if (side == FLUX_SIDE_TRANSMIT ? !sends : side == FLUX_SIDE_RECEIVE ? !receives : !sends && !receives)
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
    int simplex = recount->lengths.rule == FLUX_RULE_SIMPLEX;
    uint8_t *seen = flux_arena_zero(scratch, recount->lengths.precedence.vertices, sizeof *seen);
    if (!seen)
        return flux_fail_memory(recount->error);
    if (simplex ? side != FLUX_SIDE_TRANSMIT && side != FLUX_SIDE_RECEIVE : side != FLUX_SIDE_BOTH)
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

/* The switches that can carry at least one of the sends. */
static int sum_links(const struct recount *recount, struct flux_arena *scratch, struct port_sum *sum)
{
    uint64_t count;
    const uint32_t *vertices = flux_certificate_vertices(recount->certificate, &count);
    const struct flux_lengths *lengths = &recount->lengths;
    uint8_t *used = flux_arena_zero(scratch, lengths->switches, sizeof *used);
    if (!used)
        return flux_fail_memory(recount->error);
    for (uint64_t i = 0; i < count && sum->links < lengths->switches; i++)
        for (uint32_t k = 0; k < lengths->switches; k++) {
            uint32_t v = vertices[i];
            if (used[k] || !flux_lengths_carry(lengths, k, lengths->precedence.at[v], lengths->precedence.to[v]))
                continue;
            int64_t delay = flux_fabric_delay(lengths->fabric, k);
            used[k] = 1;
            sum->links++;
            sum->delay = delay < sum->delay ? delay : sum->delay;
        }
    return FLUX_OK;
}

/* Load and circuits, by partner of the GPU. */
static int sum_load(const struct recount *recount, struct flux_arena *scratch, struct port_sum *sum)
{
    const struct flux_lengths *lengths = &recount->lengths;
    uint64_t count, gpus = flux_fabric_gpus(lengths->fabric);
    const uint32_t *vertices = flux_certificate_vertices(recount->certificate, &count);
    uint32_t gpu = flux_certificate_gpu(recount->certificate);
    flux_wide *out = flux_arena_zero(scratch, gpus, sizeof *out);
    flux_wide *in = flux_arena_zero(scratch, gpus, sizeof *in);
    if (!out || !in)
        return flux_fail_memory(recount->error);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t v = vertices[i];
        if (lengths->precedence.at[v] == gpu)
            out[lengths->precedence.to[v]] += lengths->duration[v];
        else
            in[lengths->precedence.at[v]] += lengths->duration[v];
    }
    for (uint64_t g = 0; g < gpus; g++) {
        if (lengths->rule == FLUX_RULE_DUPLEX) {
            sum->load += out[g] > in[g] ? out[g] : in[g];
            sum->circuits += out[g] || in[g];
        } else {
            sum->load += out[g] + in[g];
            sum->circuits += (uint64_t)(out[g] > 0) + (in[g] > 0);
        }
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

static flux_wide load_with_setups(const struct port_sum *sum)
{
    return sum->circuits > sum->links ? sum->load + (flux_wide)sum->delay * (sum->circuits - sum->links) : sum->load;
}

static int port_number(const struct recount *recount, struct flux_arena *scratch, flux_wide *number)
{
    const struct flux_certificate *certificate = recount->certificate;
    struct port_sum sum = {0, 0, 0, INT64_MAX};
    uint64_t count;
    flux_certificate_vertices(certificate, &count);
    int rc = check_sends(recount, scratch);
    if (!rc)
        rc = sum_links(recount, scratch, &sum);
    if (!rc)
        rc = sum_load(recount, scratch, &sum);
    if (rc)
        return rc;
    flux_wide total = load_with_setups(&sum);
    if (count == 0)
        return flux_fail(recount->error, FLUX_E_MISMATCH, "the certificate of a port has no sends");
    if (flux_certificate_kind(certificate) == FLUX_CERTIFICATE_PORT_LOAD) {
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

static int recompute(struct recount *recount, flux_wide *number)
{
    uint32_t kind = flux_certificate_kind(recount->certificate);
    *number = 0;
    if (kind == FLUX_CERTIFICATE_NONE)
        return FLUX_OK;
    if (kind == FLUX_CERTIFICATE_CRITICAL_PATH) {
        *number = critical_path(recount);
        return FLUX_OK;
    }
    if (kind == FLUX_CERTIFICATE_PORT_LOAD || kind == FLUX_CERTIFICATE_PORT_EDGES) {
        struct flux_arena scratch;
        flux_arena_init(&scratch, recount->arena.memory);
        int rc = port_number(recount, &scratch, number);
        flux_arena_free(&scratch);
        return rc;
    }
    return flux_fail(recount->error, FLUX_E_MISMATCH, "a certificate of kind %s cannot be recomputed",
                     flux_certificate_kind_name(kind));
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
