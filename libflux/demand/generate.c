/* SPDX-License-Identifier: Apache-2.0
 *
 * demand/generate.c - matrices of the literature, seeded. Integers only, so that every machine makes the same ones:
 * normal numbers are sums of twelve even ones, and powers of two are products of square roots.
 */
#include "base/abi.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/wide.h"

#include <libflux/demand.h>
#include <string.h>

#define GENERATOR_LEAST FLUX_ABI_LEAST(struct flux_demand_generator, reserved)
#define MILLION 1000000
#define DRAWS_MAX (UINT64_C(1) << 36) /* tokens of all ports together */
#define LOG2_E 6196328019             /* of e, times 2^32 */
#define WEIGHT_BITS 20                /* a popularity of 1 */

static const struct flux_demand_generator defaults = {
    .size = sizeof(struct flux_demand_generator),
    .line = FLUX_MS,
    .heavy = 4,
    .light = 12,
    .heavy_ppm = 700000,
    .noise_ppm = 3000,
    .tokens = 4096,
    .top_k = 2,
    .sigma_ppm = 500000,
};

/* Mean 0, variance 1, in units of 2^-32: the sum of twelve even numbers. Never beyond 6. */
static int64_t normal(struct flux_random *random)
{
    int64_t sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (int64_t)(flux_random_next(random) >> 32);
    return sum - 6 * INT64_C(0xffffffff);
}

static uint64_t square_root(uint64_t square)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= square)
            root += bit;
    return root;
}

/* 2^(x / 2^32) in units of 2^-WEIGHT_BITS, at least 1 of them: the root of the root of 2, and so on, for each bit of
 * the fraction. x is -40 .. 40 times 2^32. */
static uint64_t power_of_two(int64_t x)
{
    uint64_t value = UINT64_C(1) << 30, factor = UINT64_C(1) << 31, fraction = (uint64_t)x & 0xffffffffu;
    int64_t shift = (x - (int64_t)fraction) / (INT64_C(1) << 32) + WEIGHT_BITS - 30;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1) {
        factor = square_root(factor << 30);
        if (fraction & bit)
            value = value * factor >> 30;
    }
    value = shift >= 0 ? value << shift : value >> -shift;
    return value ? value : 1;
}

static uint64_t lognormal(struct flux_random *random, uint32_t sigma_ppm)
{
    return power_of_two((int64_t)((flux_wide)normal(random) * sigma_ppm / MILLION * LOG2_E >> 32));
}

/* Every permutation without a fixed point alike: drawn again while a port would send to itself. */
static void derangement(struct flux_random *random, uint32_t ports, uint32_t *out)
{
    int fixed;
    do {
        fixed = 0;
        for (uint32_t i = 0; i < ports; i++)
            out[i] = i;
        for (uint32_t i = ports - 1; i > 0; i--) {
            uint32_t j = flux_random_below(random, i + 1), swap = out[i];
            out[i] = out[j];
            out[j] = swap;
        }
        for (uint32_t i = 0; i < ports; i++)
            fixed |= out[i] == i;
    } while (fixed);
}

static void standard(const struct flux_demand_generator *given, struct flux_random *random, uint32_t *out,
                     int64_t *demand)
{
    uint64_t ports = given->ports;
    int64_t heavy = (int64_t)((flux_wide)given->line * given->heavy_ppm / MILLION);
    for (uint32_t p = 0; p < given->heavy + given->light; p++) {
        int64_t weight = p < given->heavy ? heavy / given->heavy : (given->line - heavy) / given->light;
        derangement(random, given->ports, out);
        for (uint64_t i = 0; i < ports; i++)
            demand[i * ports + out[i]] += weight;
    }
    for (uint64_t i = 0; i < ports * ports; i++) {
        if (!demand[i])
            continue;
        flux_wide noise = (flux_wide)normal(random) * given->noise_ppm / MILLION * given->line;
        demand[i] += (int64_t)(noise / (INT64_C(1) << 32));
        demand[i] = demand[i] > 1 ? demand[i] : 1;
    }
}

/* Sums of popularities up to each port; `even` ones are all 1. */
static void popularities(const struct flux_demand_generator *given, struct flux_random *random, int even,
                         uint64_t *upto)
{
    uint64_t sum = 0;
    for (uint32_t j = 0; j < given->ports; j++)
        upto[j] = sum += even ? UINT64_C(1) << WEIGHT_BITS : lognormal(random, given->sigma_ppm);
}

static uint32_t draw(struct flux_random *random, uint32_t ports, const uint64_t *upto)
{
    uint64_t at = (uint64_t)((flux_uwide)flux_random_next(random) * upto[ports - 1] >> 64);
    uint32_t low = 0, high = ports - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at < upto[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void experts(const struct flux_demand_generator *given, struct flux_random *random, uint64_t *upto,
                    int64_t *demand)
{
    uint64_t ports = given->ports, copies = (uint64_t)given->tokens * given->top_k;
    int even = given->kind == FLUX_DEMAND_MOE_MULTINOMIAL;
    popularities(given, random, even, upto);
    for (uint64_t i = 0; i < ports; i++) {
        if (given->kind == FLUX_DEMAND_MOE_PAIRS && i)
            popularities(given, random, 0, upto);
        for (uint64_t token = 0; token < copies; token++)
            demand[i * ports + draw(random, given->ports, upto)]++;
        demand[i * ports + i] = 0; /* what stays at home needs no circuit */
    }
    for (uint64_t i = 0; i < ports * ports; i++)
        demand[i] = (int64_t)((flux_wide)demand[i] * given->line / (int64_t)copies);
}

static int settle(struct flux_demand_generator *given, const struct flux_demand_generator *options,
                  struct flux_error *error)
{
    *given = defaults;
    int rc = options ? flux_abi_import(given, sizeof *given, options, GENERATOR_LEAST, "demand_generator", error) : 0;
    if (rc)
        return rc;
    given->line = given->line ? given->line : defaults.line;
    given->heavy = given->heavy ? given->heavy : defaults.heavy;
    given->light = given->light ? given->light : defaults.light;
    given->heavy_ppm = given->heavy_ppm ? given->heavy_ppm : defaults.heavy_ppm;
    given->noise_ppm = given->noise_ppm ? given->noise_ppm : defaults.noise_ppm;
    given->tokens = given->tokens ? given->tokens : defaults.tokens;
    given->top_k = given->top_k ? given->top_k : defaults.top_k;
    given->sigma_ppm = given->sigma_ppm ? given->sigma_ppm : defaults.sigma_ppm;
    if (given->kind < FLUX_DEMAND_STANDARD || given->kind > FLUX_DEMAND_MOE_PAIRS || given->ports < 2)
        return flux_fail(error, FLUX_E_ARGUMENT, "a kind (FLUX_DEMAND_STANDARD, ...) and at least 2 ports are needed");
    if (given->ports > FLUX_DEMAND_PORTS_MAX || given->heavy > 4096 || given->light > 4096)
        return flux_fail(error, FLUX_E_TOO_BIG, "at most %d ports and 4096 permutations", FLUX_DEMAND_PORTS_MAX);
    if (given->line < 1000 || given->line > INT64_C(1) << 50)
        return flux_fail(error, FLUX_E_ARGUMENT, "the sum of a line is 1000 .. 2^50 ps");
    if (given->heavy_ppm > MILLION || given->noise_ppm > MILLION || given->sigma_ppm > 4 * MILLION)
        return flux_fail(error, FLUX_E_ARGUMENT, "a share or a noise above 1, or a sigma above 4");
    if ((flux_uwide)given->tokens * given->top_k * given->ports > DRAWS_MAX)
        return flux_fail(error, FLUX_E_TOO_BIG, "more than 2^36 tokens in all");
    return FLUX_OK;
}

int flux_demand_generate(const struct flux_env *env, const struct flux_demand_generator *options, int64_t *demand,
                         struct flux_error *error)
{
    struct flux_demand_generator given;
    struct flux_memory memory;
    if (!demand)
        return flux_fail(error, FLUX_E_ARGUMENT, "no place for the matrix");
    int rc = settle(&given, options, error);
    if (!rc)
        rc = flux_memory_init(&memory, env);
    if (rc)
        return rc;
    struct flux_random random = {given.seed};
    uint64_t *room = flux_alloc(&memory, given.ports, sizeof *room);
    if (!room)
        return flux_fail_memory(error);
    memset(demand, 0, (size_t)given.ports * given.ports * sizeof *demand);
    if (given.kind == FLUX_DEMAND_STANDARD)
        standard(&given, &random, (uint32_t *)(void *)room, demand);
    else
        experts(&given, &random, room, demand);
    flux_release(&memory, room, given.ports, sizeof *room);
    return FLUX_OK;
}
