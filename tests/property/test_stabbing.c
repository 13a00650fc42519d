/* SPDX-License-Identifier: Apache-2.0
 *
 * Times for the changes of one switch: on a short axis, against all sets of times there are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "schedule/stabbing.h"

#include "../support/random_problem.h"

#include <libflux/error.h>
#include <string.h>

#define LENGTH 13u /* of the axis */
#define WINDOWS_MAX 6u

struct riddle {
    struct flux_window windows[WINDOWS_MAX];
    struct flux_window allowed[LENGTH + 1];
    uint32_t count;
    uint32_t allowed_count;
    uint32_t allowed_mask; /* bit t: time t is allowed */
    int64_t dwell;
};

static void make_riddle(struct flux_random *random, struct riddle *riddle)
{
    memset(riddle, 0, sizeof *riddle);
    riddle->count = flux_random_below(random, WINDOWS_MAX + 1);
    riddle->dwell = flux_random_below(random, 7);
    uint32_t crowd = flux_random_below(random, 3);
    riddle->allowed_mask = crowd ? (uint32_t)flux_random_next(random) : UINT32_MAX;
    if (crowd == 2)
        riddle->allowed_mask |= (uint32_t)flux_random_next(random);
    riddle->allowed_mask = (riddle->allowed_mask & ((1u << LENGTH) - 1)) | 1u << LENGTH;
    for (uint32_t t = 0; t <= LENGTH; t++) {
        if (!(riddle->allowed_mask >> t & 1))
            continue;
        if (t == 0 || !(riddle->allowed_mask >> (t - 1) & 1))
            riddle->allowed[riddle->allowed_count++].lo = t;
        riddle->allowed[riddle->allowed_count - 1].hi = t < LENGTH ? t : INT64_MAX;
    }
    for (uint32_t i = 0; i < riddle->count; i++) {
        struct flux_window window = {flux_random_below(random, LENGTH), 0, 0, 0};
        window.hi = window.lo + flux_random_below(random, 6);
        window.hi = window.hi < LENGTH ? window.hi : LENGTH - 1;
        uint32_t j = i;
        for (; j > 0 && riddle->windows[j - 1].lo > window.lo; j--)
            riddle->windows[j] = riddle->windows[j - 1];
        riddle->windows[j] = window;
    }
}

/* Is this set of times an answer without points that meet nothing new? */
static int answers(const struct riddle *riddle, uint32_t set)
{
    uint32_t used = 0;
    int64_t last = -1;
    if (set & ~riddle->allowed_mask)
        return 0;
    for (uint32_t t = 0; t < LENGTH; t++)
        if (set >> t & 1) {
            if (last >= 0 && t - last < riddle->dwell)
                return 0;
            last = t;
        }
    for (uint32_t i = 0; i < riddle->count; i++) {
        int64_t t = riddle->windows[i].lo;
        while (t <= riddle->windows[i].hi && !(set >> t & 1))
            t++;
        if (t > riddle->windows[i].hi)
            return 0;
        used |= 1u << t;
    }
    return used == set;
}

/* Of two different sets, the one whose first point that the other lacks is earlier comes first. */
static int comes_before(uint32_t set, uint32_t other)
{
    uint32_t differ = set ^ other;
    return (set & (differ & -differ)) != 0;
}

static void judge(const struct riddle *riddle, struct flux_arena *arena, uint32_t *solved, uint32_t *several)
{
    struct flux_stabbing stabbing = {.windows = riddle->windows,
                                     .count = riddle->count,
                                     .allowed = riddle->allowed,
                                     .allowed_count = riddle->allowed_count,
                                     .dwell = riddle->dwell};
    struct flux_stuck stuck = {0, 0, 0, 0};
    int64_t points[WINDOWS_MAX];
    uint64_t count;
    uint32_t best = 0, found = 0, chosen = 0;
    for (uint32_t set = 0; set < 1u << LENGTH; set++)
        if (answers(riddle, set)) {
            best = !found || comes_before(set, best) ? set : best;
            found++;
        }
    assert_int_equal(flux_stabbing_prepare(&stabbing, arena), 0);
    assert_int_equal(flux_stabbing_test(&stabbing, arena, &stuck), found > 0);
    int rc = flux_stabbing_choose(&stabbing, arena, points, &count);
    assert_int_equal(rc, found ? FLUX_OK : FLUX_E_MISMATCH);
    if (!found) {
        assert_true(stuck.window < riddle->count && stuck.before < riddle->count);
        assert_true(stuck.next > riddle->windows[stuck.window].hi);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        chosen |= 1u << points[i];
    assert_int_equal(chosen, best);
    ++*solved;
    *several += found > 1;
}

static void all_sets_agree(void **state)
{
    uint32_t count = random_problem_count(20000), solved = 0, several = 0;
    struct flux_random random = {7};
    struct flux_memory memory;
    (void)state;
    assert_int_equal(flux_memory_init(&memory, NULL), 0);
    for (uint32_t i = 0; i < count; i++) {
        struct riddle riddle;
        struct flux_arena arena;
        flux_arena_init(&arena, &memory);
        make_riddle(&random, &riddle);
        judge(&riddle, &arena, &solved, &several);
        flux_arena_free(&arena);
    }
    assert_in_range(solved, count / 5, count - count / 5);
    assert_in_range(several, count / 10, solved);
}

static void neighbours_are_found(void **state)
{
    static const struct flux_window allowed[] = {{0, 0, 0, 0}, {5, 7, 0, 0}, {9, INT64_MAX, 0, 0}};
    static const int64_t next[] = {0, 5, 5, 5, 5, 5, 6, 7, 9, 9, 10}, previous[] = {0, 0, 0, 0, 0, 5, 6, 7, 7, 9, 10};
    struct flux_stabbing stabbing = {.allowed = allowed, .allowed_count = 3};
    (void)state;
    for (int64_t t = 0; t <= 10; t++) {
        assert_int_equal(flux_stabbing_next(&stabbing, t), next[t]);
        assert_int_equal(flux_stabbing_previous(&stabbing, t), previous[t]);
    }
    assert_int_equal(flux_stabbing_next(&stabbing, INT64_MAX), INT64_MAX);
    stabbing.allowed = &allowed[1];
    stabbing.allowed_count = 2;
    assert_int_equal(flux_stabbing_previous(&stabbing, 4), -1);
}

/* Points at the very end of time. */
static void nothing_overflows(void **state)
{
    static const struct flux_window windows[] = {{INT64_MAX / 2 + 1, INT64_MAX / 2 + 1, 0, 0},
                                                 {INT64_MAX / 2 + 2, INT64_MAX - 1, 0, 0}};
    static const struct flux_window allowed[] = {{0, INT64_MAX, 0, 0}};
    struct flux_stabbing stabbing = {
        .windows = windows, .count = 2, .allowed = allowed, .allowed_count = 1, .dwell = INT64_MAX / 2 + 1};
    struct flux_memory memory;
    struct flux_arena arena;
    struct flux_stuck stuck;
    int64_t points[2];
    uint64_t count;
    (void)state;
    assert_int_equal(flux_memory_init(&memory, NULL), 0);
    flux_arena_init(&arena, &memory);
    assert_int_equal(flux_stabbing_prepare(&stabbing, &arena), 0);
    assert_int_equal(flux_stabbing_test(&stabbing, &arena, &stuck), 0);
    assert_int_equal(stuck.window, 1);
    assert_int_equal(stuck.before, 0);
    assert_int_equal(stuck.next, INT64_MAX);
    assert_int_equal(flux_stabbing_choose(&stabbing, &arena, points, &count), FLUX_E_MISMATCH);
    stabbing.dwell = INT64_MAX / 2 - 1;
    assert_int_equal(flux_stabbing_test(&stabbing, &arena, &stuck), 1);
    assert_int_equal(flux_stabbing_choose(&stabbing, &arena, points, &count), FLUX_OK);
    assert_int_equal(count, 2);
    assert_int_equal(points[1], INT64_MAX / 2 + 1 + stabbing.dwell);
    flux_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sets_agree),
        cmocka_unit_test(neighbours_are_found),
        cmocka_unit_test(nothing_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
