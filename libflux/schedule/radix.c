/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/radix.h"

#include <string.h>

#define DIGIT_BITS 11u
#define DIGITS (1u << DIGIT_BITS)
#define SMALL 64u /* below this many rows, clearing the counters costs more than insertion */

static void insertion_sort(struct flux_keyed *rows, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        struct flux_keyed row = rows[i];
        uint64_t j = i;
        for (; j > 0 && rows[j - 1].key > row.key; j--)
            rows[j] = rows[j - 1];
        rows[j] = row;
    }
}

static uint32_t digit(const struct flux_keyed *row, uint32_t shift)
{
    return (uint32_t)(row->key >> shift) & (DIGITS - 1);
}

void flux_radix_sort(struct flux_keyed *rows, struct flux_keyed *spare, uint64_t count)
{
    struct flux_keyed *from = rows, *to = spare;
    uint64_t place[DIGITS], differ = 0;
    if (count < SMALL) {
        insertion_sort(rows, count);
        return;
    }
    for (uint64_t i = 1; i < count; i++)
        differ |= rows[i].key ^ rows[0].key;
    for (uint32_t shift = 0; shift < 64; shift += DIGIT_BITS) {
        if ((differ >> shift & (DIGITS - 1)) == 0)
            continue;
        memset(place, 0, sizeof place);
        for (uint64_t i = 0; i < count; i++)
            place[digit(&from[i], shift)]++;
        uint64_t sum = 0;
        for (uint32_t d = 0; d < DIGITS; d++) {
            uint64_t rows_of_digit = place[d];
            place[d] = sum;
            sum += rows_of_digit;
        }
        for (uint64_t i = 0; i < count; i++)
            to[place[digit(&from[i], shift)]++] = from[i];
        struct flux_keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != rows)
        memcpy(rows, from, (size_t)count * sizeof *rows);
}
