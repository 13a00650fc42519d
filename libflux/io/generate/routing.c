/* SPDX-License-Identifier: Apache-2.0 */
#include "io/generate/routing.h"

#include "base/random.h"

#define LN2 0.69314718055994530942
#define FEW 64u /* up to so many draws are made one by one; more follow the normal distribution */

/* 0 <= x < 1 with 53 bits. */
static double uniform(struct flux_random *random)
{
    return (double)(flux_random_next(random) >> 11) * 0x1p-53;
}

/* Twelve uniform numbers: mean 0, variance 1, no tail beyond 6. */
static double normal(struct flux_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(random);
    return sum;
}

/* exp(x) for |x| <= 700: 2^k times a series. */
static double exponential(double x)
{
    int k = (int)(x / LN2);
    double rest = x - k * LN2, term = 1, sum = 1;
    for (int i = 1; i < 24; i++) {
        term *= rest / i;
        sum += term;
    }
    for (; k > 0; k--)
        sum *= 2;
    for (; k < 0; k++)
        sum /= 2;
    return sum;
}

/* ln(x) for x >= 1: k ln 2 and a series in (m - 1) / (m + 1). */
static double logarithm(double x)
{
    int k = 0;
    for (; x >= 2; k++)
        x /= 2;
    double y = (x - 1) / (x + 1), power = y, sum = 0;
    for (int i = 1; i < 60; i += 2) {
        sum += power / i;
        power *= y * y;
    }
    return k * LN2 + 2 * sum;
}

/* Newton's method; converges from above. */
static double root(double x)
{
    double y = x > 1 ? x : 1;
    if (x <= 0)
        return 0;
    for (int i = 0; i < 80; i++) {
        double next = (y + x / y) / 2;
        if (!(next < y))
            break;
        y = next;
    }
    return y;
}

static struct flux_random stream(uint64_t seed, uint64_t a, uint64_t b)
{
    struct flux_random random = {seed};
    random.state = flux_random_next(&random) ^ a;
    random.state = flux_random_next(&random) ^ b;
    (void)flux_random_next(&random);
    return random;
}

void flux_io_route_weights(const struct flux_io_plan *plan, uint32_t layer, double *weights)
{
    uint32_t experts = plan->model->experts;
    struct flux_random random = stream(plan->seed, layer, UINT64_C(0x776569676874));
    double sum = 0;
    for (uint32_t e = 0; e < experts; e++) {
        double x = 0;
        if (plan->routing == FLUX_ROUTING_LOGNORMAL)
            x = plan->skew * normal(&random);
        else if (plan->routing == FLUX_ROUTING_ZIPF)
            x = -plan->skew * logarithm((double)e + 1);
        weights[e] = exponential(x);
        sum += weights[e];
    }
    for (uint32_t e = 0; e < experts; e++)
        weights[e] /= sum;
    for (uint32_t e = experts; plan->routing == FLUX_ROUTING_ZIPF && e > 1; e--) {
        uint32_t other = flux_random_below(&random, e);
        double swap = weights[e - 1];
        weights[e - 1] = weights[other];
        weights[other] = swap;
    }
}

/* How many of `draws` fall on something of this probability. */
static uint64_t binomial(struct flux_random *random, uint64_t draws, double probability)
{
    uint64_t hits = 0;
    if (probability >= 1)
        return draws;
    if (draws <= FEW) {
        for (uint64_t i = 0; i < draws; i++)
            hits += uniform(random) < probability;
        return hits;
    }
    double mean = (double)draws * probability;
    double x = mean + normal(random) * root(mean * (1 - probability)) + 0.5;
    if (x < 0)
        return 0;
    return x >= (double)draws ? draws : (uint64_t)x;
}

/* Bytes as tokens, rounded up; what a GPU does not send stays there. */
static void take_matrix(const struct flux_io_plan *plan, uint32_t layer, uint64_t assignments, uint64_t *counts)
{
    uint64_t ep = plan->ep, row = (uint64_t)plan->model->hidden * FLUX_IO_ELEMENT, count;
    const struct flux_matrix_entry *entries =
        flux_matrices_entries(plan->matrices, layer % flux_matrices_count(plan->matrices), &count);
    for (uint64_t i = 0; i < ep * ep; i++)
        counts[i] = i % (ep + 1) ? 0 : assignments;
    for (uint64_t k = 0; k < count; k++) {
        uint64_t tokens = ((uint64_t)entries[k].value + row - 1) / row;
        uint64_t *own = &counts[entries[k].src * (ep + 1)];
        counts[entries[k].src * ep + entries[k].dst] = tokens;
        *own = *own > tokens ? *own - tokens : 0;
    }
}

int flux_io_route_draw(const struct flux_io_plan *plan, const struct flux_io_route *route, uint64_t assignments,
                       uint64_t *counts)
{
    uint32_t experts = plan->model->experts, ep = plan->ep, local = experts / ep;
    if (plan->matrices) {
        take_matrix(plan, route->layer, assignments, counts);
        return FLUX_OK;
    }
    double *weights = flux_io_alloc(plan->memory, experts, sizeof *weights);
    if (!weights)
        return FLUX_E_MEMORY;
    flux_io_route_weights(plan, route->layer, weights);
    for (uint32_t i = 0; i < ep; i++) {
        struct flux_random random =
            stream(plan->seed, (uint64_t)route->iteration << 32 | route->micro_batch,
                   ((uint64_t)route->layer << 32 | route->group) ^ (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15));
        uint64_t left = assignments;
        double rest = 1;
        for (uint32_t j = 0; j < ep; j++)
            counts[(uint64_t)i * ep + j] = 0;
        for (uint32_t e = 0; e < experts && left; e++) {
            uint64_t hits = e + 1 == experts ? left : binomial(&random, left, weights[e] / rest);
            counts[(uint64_t)i * ep + e / local] += hits;
            left -= hits;
            rest -= weights[e];
            rest = rest > 0 ? rest : 0x1p-60;
        }
    }
    flux_io_release(plan->memory, weights, experts, sizeof *weights);
    return FLUX_OK;
}
