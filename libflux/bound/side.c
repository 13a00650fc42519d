/* SPDX-License-Identifier: Apache-2.0 */
#include "bound/side.h"

#include <string.h>

#define DIGIT_BITS 11u
#define DIGITS (1u << DIGIT_BITS)

struct keyed {
    uint64_t key;
    uint32_t node;
    uint32_t padding;
};

/* Stable radix sort by key, ascending; the result is in `rows`. */
static void sort_keyed(struct keyed *rows, struct keyed *spare, uint64_t count, uint64_t largest)
{
    struct keyed *from = rows, *to = spare;
    uint64_t place[DIGITS];
    for (uint32_t shift = 0; shift < 64 && largest >> shift; shift += DIGIT_BITS) {
        memset(place, 0, sizeof place);
        for (uint64_t i = 0; i < count; i++)
            place[from[i].key >> shift & (DIGITS - 1)]++;
        uint64_t sum = 0;
        for (uint32_t digit = 0; digit < DIGITS; digit++) {
            uint64_t here = place[digit];
            place[digit] = sum;
            sum += here;
        }
        for (uint64_t i = 0; i < count; i++)
            to[place[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
        struct keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != rows)
        memcpy(rows, from, (size_t)count * sizeof *rows);
}

/* Sends with the largest `time` first, equal ones by number. `rows` and `spare` have room for all sends. */
static void order_sends(const struct flux_problem *problem, const int64_t *time, struct keyed *rows,
                        struct keyed *spare)
{
    int64_t largest = 0, smallest = INT64_MAX;
    uint64_t count = 0;
    for (uint32_t node = 0; node < problem->nodes; node++)
        if (flux_problem_is_send(problem, node)) {
            largest = time[node] > largest ? time[node] : largest;
            smallest = time[node] < smallest ? time[node] : smallest;
        }
    for (uint32_t node = 0; node < problem->nodes; node++)
        if (flux_problem_is_send(problem, node))
            rows[count++] = (struct keyed){(uint64_t)(largest - time[node]), node, 0};
    if (count)
        sort_keyed(rows, spare, count, (uint64_t)(largest - smallest));
}

/* The two sides that a send uses. */
static void sides_of(const struct flux_problem *problem, uint32_t node, uint32_t side[2])
{
    int simplex = problem->rule == FLUX_RULE_SIMPLEX;
    side[0] = simplex ? 2 * problem->src[node] : problem->src[node];
    side[1] = simplex ? 2 * problem->dst[node] + 1 : problem->dst[node];
}

/* Deals the ordered sends out to their sides. `at` is scratch, one per side. */
static void deal(const struct flux_problem *problem, const struct flux_sides *sides, const struct keyed *rows,
                 uint64_t *at, uint32_t *nodes)
{
    memcpy(at, sides->first, sides->count * sizeof *at);
    for (uint64_t i = 0; i < problem->sends; i++) {
        uint32_t side[2];
        sides_of(problem, rows[i].node, side);
        nodes[at[side[0]]++] = rows[i].node;
        nodes[at[side[1]]++] = rows[i].node;
    }
}

static int find_orders(const struct flux_problem *problem, struct flux_arena *arena, struct flux_sides *sides)
{
    uint64_t sends = problem->sends;
    struct flux_arena scratch;
    flux_arena_init(&scratch, arena->memory);
    sides->first = flux_arena_zero(arena, (uint64_t)sides->count + 1, sizeof *sides->first);
    sides->by_head = flux_arena_alloc(arena, 2 * sends, sizeof *sides->by_head);
    sides->by_tail = flux_arena_alloc(arena, 2 * sends, sizeof *sides->by_tail);
    struct keyed *rows = flux_arena_alloc(&scratch, sends, sizeof *rows);
    struct keyed *spare = flux_arena_alloc(&scratch, sends, sizeof *spare);
    uint64_t *at = flux_arena_alloc(&scratch, sides->count, sizeof *at);
    if (!sides->first || !sides->by_head || !sides->by_tail || !rows || !spare || !at) {
        flux_arena_free(&scratch);
        return FLUX_E_MEMORY;
    }
    for (uint32_t node = 0; node < problem->nodes; node++)
        if (flux_problem_is_send(problem, node)) {
            uint32_t side[2];
            sides_of(problem, node, side);
            sides->first[side[0] + 1]++;
            sides->first[side[1] + 1]++;
        }
    for (uint32_t side = 0; side < sides->count; side++) {
        if (sides->first[side + 1] > sides->most)
            sides->most = (uint32_t)sides->first[side + 1];
        sides->first[side + 1] += sides->first[side];
    }
    order_sends(problem, problem->head, rows, spare);
    deal(problem, sides, rows, at, sides->by_head);
    order_sends(problem, problem->tail, rows, spare);
    deal(problem, sides, rows, at, sides->by_tail);
    flux_arena_free(&scratch);
    return FLUX_OK;
}

/* Number of the set `bits` in a hash table of sets with `room` slots; a new one is appended. */
static uint32_t number_of(struct flux_sides *sides, uint32_t *slot, uint64_t room, const uint64_t *bits)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < sides->words; i++)
        hash = (hash ^ bits[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    uint64_t size = sides->words * sizeof *bits, at = (hash ^ hash >> 32) & (room - 1);
    while (slot[at] != FLUX_NONE && memcmp(sides->set + (uint64_t)slot[at] * sides->words, bits, size) != 0)
        at = (at + 1) & (room - 1);
    if (slot[at] == FLUX_NONE) {
        memcpy(sides->set + (uint64_t)sides->sets * sides->words, bits, size);
        slot[at] = sides->sets++;
    }
    return slot[at];
}

static void all_switches(const struct flux_problem *problem, uint64_t *bits)
{
    for (uint32_t k = 0; k < problem->switches; k++)
        bits[k / 64] |= UINT64_C(1) << k % 64;
}

static int find_sets(const struct flux_problem *problem, struct flux_arena *arena, struct flux_sides *sides)
{
    sides->words = (problem->switches + 63) / 64;
    if (!problem->durations) {
        sides->sets = 1;
        sides->set = flux_arena_zero(arena, sides->words, sizeof *sides->set);
        if (!sides->set)
            return FLUX_E_MEMORY;
        all_switches(problem, sides->set);
        return FLUX_OK;
    }
    struct flux_arena scratch;
    uint64_t room = 16;
    while (room < 2 * (uint64_t)problem->sends)
        room *= 2;
    flux_arena_init(&scratch, arena->memory);
    sides->set = flux_arena_alloc(arena, problem->sends, sides->words * sizeof *sides->set);
    sides->set_of = flux_arena_alloc(arena, problem->nodes, sizeof *sides->set_of);
    uint32_t *slot = flux_arena_alloc(&scratch, room, sizeof *slot);
    uint64_t *bits = flux_arena_alloc(&scratch, sides->words, sizeof *bits);
    if (!sides->set || !sides->set_of || !slot || !bits) {
        flux_arena_free(&scratch);
        return FLUX_E_MEMORY;
    }
    memset(slot, 0xff, (size_t)room * sizeof *slot);
    for (uint32_t node = 0; node < problem->nodes; node++) {
        sides->set_of[node] = FLUX_NONE;
        if (!flux_problem_is_send(problem, node))
            continue;
        memset(bits, 0, sides->words * sizeof *bits);
        for (uint32_t k = 0; k < problem->switches; k++)
            if (flux_problem_duration(problem, node, k) >= 0)
                bits[k / 64] |= UINT64_C(1) << k % 64;
        sides->set_of[node] = number_of(sides, slot, room, bits);
    }
    flux_arena_free(&scratch);
    return FLUX_OK;
}

int flux_sides_find(const struct flux_problem *problem, struct flux_arena *arena, struct flux_sides *sides)
{
    memset(sides, 0, sizeof *sides);
    sides->count = problem->rule == FLUX_RULE_SIMPLEX ? 2 * problem->gpus : problem->gpus;
    int rc = find_orders(problem, arena, sides);
    return rc ? rc : find_sets(problem, arena, sides);
}
