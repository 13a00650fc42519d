/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/radix.h - items in the order of a key, in linear time and without asking for memory.
 */
#ifndef FLUX_SCHEDULE_RADIX_H
#define FLUX_SCHEDULE_RADIX_H

#include <stdint.h>

struct flux_keyed {
    uint64_t key;
    uint32_t item;
    uint32_t padding;
};

/* Sorts `rows` by key; rows of equal key keep their order. `spare` has room for as many. Least significant digit
 * first; digits that all keys share cost nothing. */
void flux_radix_sort(struct flux_keyed *rows, struct flux_keyed *spare, uint64_t count);

#endif
