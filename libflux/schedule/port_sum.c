/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/port_sum.h"

#include "base/fail.h"

int flux_port_side_exists(const struct flux_lengths *lengths, uint32_t side)
{
    if (lengths->rule == FLUX_RULE_SIMPLEX)
        return side == FLUX_SIDE_TRANSMIT || side == FLUX_SIDE_RECEIVE;
    return side == FLUX_SIDE_BOTH;
}

int flux_port_has(const struct flux_lengths *lengths, uint32_t gpu, uint32_t side, uint32_t v)
{
    const struct flux_precedence *precedence = &lengths->precedence;
    if (v >= precedence->vertices || precedence->to[v] == FLUX_NONE)
        return 0;
    int sends = precedence->at[v] == gpu, receives = precedence->to[v] == gpu;
    return side == FLUX_SIDE_TRANSMIT ? sends : side == FLUX_SIDE_RECEIVE ? receives : sends || receives;
}

/* The switches that can carry at least one of the sends. */
static int sum_links(const struct flux_lengths *lengths, const uint32_t *vertices, uint64_t count,
                     struct flux_arena *scratch, struct flux_port_sum *sum)
{
    uint8_t *used = flux_arena_zero(scratch, lengths->switches, sizeof *used);
    if (!used)
        return flux_fail_memory(lengths->error);
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
static int sum_load(const struct flux_lengths *lengths, uint32_t gpu, const uint32_t *vertices, uint64_t count,
                    struct flux_arena *scratch, struct flux_port_sum *sum)
{
    uint64_t gpus = flux_fabric_gpus(lengths->fabric);
    flux_wide *out = flux_arena_zero(scratch, gpus, sizeof *out);
    flux_wide *in = flux_arena_zero(scratch, gpus, sizeof *in);
    if (!out || !in)
        return flux_fail_memory(lengths->error);
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

int flux_port_sum_find(const struct flux_lengths *lengths, uint32_t gpu, const uint32_t *vertices, uint64_t count,
                       const struct flux_memory *memory, struct flux_port_sum *sum)
{
    struct flux_arena scratch;
    *sum = (struct flux_port_sum){0, 0, 0, INT64_MAX};
    flux_arena_init(&scratch, memory);
    int rc = sum_links(lengths, vertices, count, &scratch, sum);
    if (!rc)
        rc = sum_load(lengths, gpu, vertices, count, &scratch, sum);
    flux_arena_free(&scratch);
    return rc;
}

flux_wide flux_port_sum_setups(const struct flux_port_sum *sum)
{
    return sum->circuits > sum->links ? sum->load + (flux_wide)sum->delay * (sum->circuits - sum->links) : sum->load;
}
