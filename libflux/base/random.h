/* SPDX-License-Identifier: Apache-2.0
 *
 * base/random.h - reproducible random numbers (splitmix64 by Steele, Lea and Flood, OOPSLA 2014).
 */
#ifndef FLUX_BASE_RANDOM_H
#define FLUX_BASE_RANDOM_H

#include <stdint.h>

struct flux_random {
    uint64_t state;
};

static inline uint64_t flux_random_next(struct flux_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 .. below - 1, for below >= 1; unbiased enough for search (multiply and shift). */
static inline uint32_t flux_random_below(struct flux_random *random, uint32_t below)
{
    return (uint32_t)(((flux_random_next(random) >> 32) * below) >> 32);
}

#endif
