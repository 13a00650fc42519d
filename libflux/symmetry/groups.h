/* SPDX-License-Identifier: Apache-2.0
 *
 * symmetry/groups.h - a set of numbers split into groups; groups are joined, never split (union-find with halved
 * paths). The smallest number of a group stands for it.
 */
#ifndef FLUX_SYMMETRY_GROUPS_H
#define FLUX_SYMMETRY_GROUPS_H

#include "base/memory.h"

static inline void flux_groups_alone(uint32_t *group, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        group[i] = i;
}

static inline uint32_t flux_groups_first(uint32_t *group, uint32_t i)
{
    while (group[i] != i)
        i = group[i] = group[group[i]];
    return i;
}

static inline void flux_groups_join(uint32_t *group, uint32_t i, uint32_t j)
{
    i = flux_groups_first(group, i);
    j = flux_groups_first(group, j);
    if (i < j)
        group[j] = i;
    else
        group[i] = j;
}

#endif
