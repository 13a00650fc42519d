/* SPDX-License-Identifier: Apache-2.0 */
#include "search/rounds.h"

#include "search/colour.h"

#include <libflux/error.h>
#include <stdlib.h>

#define COLOUR_GPUS 512u /* beyond, a round is a circuit: colouring takes GPUs times rounds */
#define COLOUR_CIRCUITS 4096u

static int compare(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The GPUs of the circuits, ascending, each once. */
static uint32_t find_gpus(const struct flux_circuit_name *circuits, uint32_t count, uint32_t *gpu)
{
    uint32_t gpus = 0;
    for (uint32_t c = 0; c < count; c++) {
        gpu[2 * c] = circuits[c].src;
        gpu[2 * c + 1] = circuits[c].dst;
    }
    qsort(gpu, 2 * (size_t)count, sizeof *gpu, compare);
    for (uint32_t i = 0; i < 2 * count; i++)
        if (i == 0 || gpu[i] != gpu[i - 1])
            gpu[gpus++] = gpu[i];
    return gpus;
}

static uint32_t place_of(const uint32_t *gpu, uint32_t gpus, uint32_t wanted)
{
    return (uint32_t)((const uint32_t *)bsearch(&wanted, gpu, gpus, sizeof *gpu, compare) - gpu);
}

/* The factor of a pair of labels in the circle method: labels below the last one stand on a circle, the last one in
 * its middle; with an odd number there is nobody in the middle. */
static uint32_t factor_of(uint32_t a, uint32_t b, uint32_t gpus)
{
    uint32_t circle = gpus % 2 ? gpus : gpus - 1;
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return (high == circle ? 2 * low : low + high) % circle;
}

/* Whom `a` meets in a factor. */
static uint32_t partner(uint32_t a, uint32_t factor, uint32_t gpus)
{
    uint32_t circle = gpus - 1;
    if (a < circle && 2 * a % circle == factor)
        return circle;
    if (a == circle) /* the one whose double is the factor: circle is odd */
        return factor % 2 ? (factor + circle) / 2 : factor / 2;
    return (factor + circle - a) % circle;
}

/* Labels such that neighbours on the ring meet in factors 0 and 1, which together are one ring through everybody. */
static void label_ring(uint32_t *label, uint32_t gpus)
{
    uint32_t at = gpus - 1;
    for (uint32_t i = 0; i < gpus; i++) {
        label[i] = gpus % 2 ? i : at;
        if (gpus % 2 == 0)
            at = partner(at, i % 2, gpus);
    }
}

static int is_all_to_all(uint32_t rule, uint32_t gpus, uint32_t count)
{
    return gpus > 2 && (rule == FLUX_RULE_DUPLEX ? count == gpus * (gpus - 1) || count == gpus * (gpus - 1) / 2
                                                 : count == gpus * (gpus - 1));
}

/* Every pair is there, in both directions or, under DUPLEX, in either. */
static void factorise(uint32_t rule, const struct flux_circuit_name *circuits, uint32_t count, const uint32_t *gpu,
                      uint32_t gpus, uint32_t *label, uint32_t *round)
{
    label_ring(label, gpus);
    for (uint32_t c = 0; c < count; c++) {
        uint32_t from = place_of(gpu, gpus, circuits[c].src), to = place_of(gpu, gpus, circuits[c].dst);
        uint32_t ahead = (to + gpus - from) % gpus; /* along the ring */
        uint32_t factor = factor_of(label[from], label[to], gpus);
        int forward = 2 * ahead < gpus || (2 * ahead == gpus && from < to);
        if (rule == FLUX_RULE_SIMPLEX)
            round[c] = ahead - 1;
        else if (rule == FLUX_RULE_DUPLEX)
            round[c] = factor;
        else
            round[c] = 2 * factor + (forward ? 0 : 1);
    }
}

static uint32_t highest(const uint32_t *round, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t c = 0; c < count; c++)
        most = round[c] > most ? round[c] : most;
    return most + 1;
}

static int colour(uint32_t rule, const struct flux_circuit_name *circuits, uint32_t count, const uint32_t *gpu,
                  uint32_t gpus, uint32_t *round, struct flux_arena *arena)
{
    struct flux_circuit_name *small = flux_arena_alloc(arena, count, sizeof *small);
    struct flux_colouring colouring = {.rule = rule, .gpus = gpus, .state = round};
    if (!small)
        return FLUX_E_MEMORY;
    for (uint32_t c = 0; c < count; c++) {
        small[c] = circuits[c];
        small[c].src = place_of(gpu, gpus, circuits[c].src);
        small[c].dst = place_of(gpu, gpus, circuits[c].dst);
    }
    colouring.limit = 4 * gpus < count ? 4 * gpus : count; /* no GPU has more than 2 (gpus - 1) circuits */
    return flux_colour(&colouring, small, count, arena);
}

int flux_rounds_find(uint32_t rule, const struct flux_circuit_name *circuits, uint32_t count, uint32_t *round,
                     uint32_t *used, struct flux_arena *arena)
{
    uint32_t *gpu = flux_arena_alloc(arena, 4 * (uint64_t)count, sizeof *gpu);
    int rc = FLUX_OK;
    if (!gpu)
        return FLUX_E_MEMORY;
    uint32_t gpus = find_gpus(circuits, count, gpu);
    if (is_all_to_all(rule, gpus, count))
        factorise(rule, circuits, count, gpu, gpus, gpu + 2 * (uint64_t)count, round);
    else if (gpus <= COLOUR_GPUS && count <= COLOUR_CIRCUITS)
        rc = colour(rule, circuits, count, gpu, gpus, round, arena);
    else
        for (uint32_t c = 0; c < count; c++)
            round[c] = c;
    if (!rc)
        *used = highest(round, count);
    return rc;
}
