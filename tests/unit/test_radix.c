/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting by key: few rows and many, narrow keys and wide ones, and equal keys in the order they came.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "schedule/radix.h"

#include <stdlib.h>

/* Sorts `count` rows whose keys have only the bits of `mask`, numbered in the order they come. */
static void sort_rows(uint64_t count, uint64_t mask)
{
    struct flux_random random = {count ^ mask};
    struct flux_keyed *rows = malloc(sizeof *rows * (count + 1)), *spare = malloc(sizeof *spare * (count + 1));
    uint64_t *key = malloc(sizeof *key * (count + 1)), *seen = calloc(count + 1, sizeof *seen);
    assert_true(rows && spare && key && seen);
    for (uint64_t i = 0; i < count; i++) {
        key[i] = flux_random_next(&random) & mask;
        rows[i] = (struct flux_keyed){key[i], (uint32_t)i, 0};
    }
    flux_radix_sort(rows, spare, count);
    for (uint64_t i = 0; i < count; i++) {
        assert_true(rows[i].item < count && !seen[rows[i].item]++);
        assert_true(rows[i].key == key[rows[i].item]);
        if (i > 0)
            assert_true(rows[i - 1].key < rows[i].key ||
                        (rows[i - 1].key == rows[i].key && rows[i - 1].item < rows[i].item));
    }
    free(rows);
    free(spare);
    free(key);
    free(seen);
}

static void rows_are_sorted(void **state)
{
    static const uint64_t counts[] = {0, 1, 2, 63, 64, 65, 1000, 5000};
    static const uint64_t masks[] = {
        0, 1, 0x7ff, 0x800, 0x3fffff, UINT64_C(0xffffffff00000000), UINT64_C(1) << 63, UINT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t j = 0; j < sizeof masks / sizeof *masks; j++)
            sort_rows(counts[i], masks[j]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
