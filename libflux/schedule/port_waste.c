/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/port_waste.h"

#include <libflux/error.h>
#include <string.h>

/* When a link was in a round: HOME and AWAY are for none yet, with one of their circuits up or another one. */
enum { HOME, AWAY, BEFORE, BEFORE_THAT, LONGER_AGO, KINDS };

#define MISSING (FLUX_PORT_WASTE_MISSING + 1)

struct weighing {
    const struct flux_port_queues *queues;
    uint32_t circuits;
    int64_t pause[KINDS];
    int64_t *later; /* from the next round on, by the links' kinds as a number, and what is missing */
};

static uint32_t size_of(const struct flux_port_queues *queues, uint32_t q)
{
    return queues->first[q + 1] - queues->first[q];
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Least time from the end of the sends at place `i` to the start of those at place `j`; -1 where a lag is missing. */
static int64_t pause_of(const struct flux_port_queues *queues, uint32_t set, uint32_t i, uint32_t j)
{
    int64_t pause = FLUX_TIME_MAX;
    for (uint32_t p = 0; p < queues->count; p++)
        for (uint32_t q = 0; q < queues->count; q++) {
            if (!(set >> p & set >> q & 1))
                continue;
            uint32_t u = queues->first[p] + i, v = queues->first[q] + j;
            pause = smaller(pause, queues->lag[(uint64_t)u * queues->positions + v] - queues->duration[u]);
            if (pause < 0)
                return -1;
        }
    return pause;
}

/* ---- what one round adds ---- */

static uint32_t digit(uint32_t number, uint32_t place, uint32_t base)
{
    for (; place; place--)
        number /= base;
    return number % base;
}

static uint32_t power(uint32_t base, uint32_t exponent)
{
    return exponent ? base * power(base, exponent - 1) : 1;
}

/* `choice` says of each link whether it stays out (0), comes in (1), or comes in from fetching a missing circuit (2).
 * FLUX_TIME_MAX where that cannot be. */
static int64_t weigh(const struct weighing *weighing, uint32_t kinds, uint32_t choice, uint32_t missing)
{
    const struct flux_port_queues *queues = weighing->queues;
    uint32_t in = 0, after = 0;
    int64_t sum = 0;
    for (uint32_t x = queues->links; x-- > 0;) {
        uint32_t kind = digit(kinds, x, KINDS), way = digit(choice, x, 3), next = kind;
        if (way == 0)
            next = kind == BEFORE ? BEFORE_THAT : kind == BEFORE_THAT ? LONGER_AGO : kind;
        if (way == 2 && (kind < BEFORE || missing == 0))
            return FLUX_TIME_MAX;
        if (way) {
            next = BEFORE;
            in++;
            missing -= way == 2;
            sum += way == 2 || kind == AWAY ? queues->delay : 0;
            sum += way == 1 && kind >= BEFORE ? smaller(weighing->pause[kind], 2 * queues->delay) : 0;
        }
        after = after * KINDS + next;
    }
    if (in == 0 || in > weighing->circuits)
        return FLUX_TIME_MAX;
    return sum + (int64_t)(weighing->circuits - in) * queues->delay + weighing->later[after * MISSING + missing];
}

static void weigh_all(const struct weighing *weighing, int64_t *least)
{
    uint32_t kinds = power(KINDS, weighing->queues->links), choices = power(3, weighing->queues->links);
    for (uint32_t kind = 0; kind < kinds; kind++)
        for (uint32_t missing = 0; missing < MISSING; missing++) {
            int64_t best = FLUX_TIME_MAX;
            for (uint32_t choice = 1; choice < choices; choice++)
                best = smaller(best, weigh(weighing, kind, choice, missing));
            least[kind * MISSING + missing] = best;
        }
}

/* ---- all rounds ---- */

static void choose_places(const struct flux_port_queues *queues, uint32_t size, struct flux_port_waste *waste)
{
    waste->rounds = 0;
    for (uint32_t i = 0; i < size; i++)
        if (!waste->rounds || pause_of(queues, waste->queues, waste->place[waste->rounds - 1], i) >= 0)
            waste->place[waste->rounds++] = i;
}

/* The queues' sends after round `i` - 1 and before round `i`, which may fill what would be wasted. */
static int64_t between(const struct flux_port_queues *queues, const struct flux_port_waste *waste, uint32_t size,
                       uint32_t i)
{
    uint32_t begin = i ? waste->place[i - 1] + 1 : 0, end = i < waste->rounds ? waste->place[i] : size;
    int64_t sum = 0;
    for (uint32_t q = 0; q < queues->count; q++)
        for (uint32_t place = begin; waste->queues >> q & 1 && place < end; place++)
            sum += queues->duration[queues->first[q] + place];
    return sum;
}

static void note(const struct flux_port_queues *queues, const int64_t *later, int64_t filled, int64_t *least)
{
    uint32_t away = 0; /* all links, as a number */
    for (uint32_t x = 0; x < queues->links; x++)
        away = away * KINDS + AWAY;
    for (uint32_t home = 0, kinds = away; home <= queues->links; home++) {
        for (uint32_t missing = 0; missing < MISSING; missing++) {
            int64_t sum = later[kinds * MISSING + missing] + (int64_t)missing * queues->delay - filled;
            least[home * MISSING + missing] = sum > 0 ? sum : 0;
        }
        kinds -= power(KINDS, home) * (AWAY - HOME); /* one more is at home */
    }
}

static void find_pauses(const struct flux_port_queues *queues, const struct flux_port_waste *waste, uint32_t i,
                        int64_t *pause)
{
    int64_t longest = 0;
    for (uint32_t kind = BEFORE, back = 1; kind < KINDS; kind++, back++) {
        int64_t here = i >= back ? pause_of(queues, waste->queues, waste->place[i - back], waste->place[i]) : 0;
        pause[kind] = longest = here > longest ? here : longest;
    }
}

static int find_for(const struct flux_port_queues *queues, uint32_t size, struct flux_arena *arena,
                    struct flux_port_waste *waste)
{
    uint64_t cases = (uint64_t)power(KINDS, queues->links) * MISSING;
    struct weighing weighing = {.queues = queues};
    int64_t *row = flux_arena_zero(arena, cases, sizeof *row), filled = 0;
    weighing.later = flux_arena_zero(arena, cases, sizeof *weighing.later);
    waste->place = flux_arena_alloc(arena, size, sizeof *waste->place);
    if (!row || !weighing.later || !waste->place)
        return FLUX_E_MEMORY;
    choose_places(queues, size, waste);
    waste->least =
        flux_arena_alloc(arena, (waste->rounds + UINT64_C(1)) * (queues->links + 1) * MISSING, sizeof *waste->least);
    if (!waste->least)
        return FLUX_E_MEMORY;
    for (uint32_t q = 0; q < queues->count; q++)
        weighing.circuits += waste->queues >> q & 1;
    for (uint32_t i = waste->rounds + 1; i-- > 0;) {
        filled += between(queues, waste, size, i);
        if (i < waste->rounds) {
            int64_t *old = weighing.later;
            find_pauses(queues, waste, i, weighing.pause);
            weigh_all(&weighing, row);
            weighing.later = row;
            row = old;
        }
        note(queues, weighing.later, filled, waste->least + (uint64_t)i * (queues->links + 1) * MISSING);
    }
    return FLUX_OK;
}

/* All queues that are the only ones of their circuit with this size. */
static void gather(const struct flux_port_queues *queues, uint32_t size, struct flux_port_waste *waste)
{
    memset(waste, 0, sizeof *waste);
    for (uint32_t q = 0; q < queues->count; q++) {
        uint32_t same = 0;
        for (uint32_t p = 0; p < queues->count; p++)
            same += queues->circuit[p] == queues->circuit[q] && size_of(queues, p) == size;
        if (same > 1 || size_of(queues, q) != size)
            continue;
        waste->queues |= UINT32_C(1) << q;
        waste->circuits |= UINT32_C(1) << queues->circuit[q];
    }
}

int flux_port_waste_find(const struct flux_port_queues *queues, struct flux_arena *arena, struct flux_port_waste *waste)
{
    memset(waste, 0, sizeof *waste);
    if (queues->links > FLUX_PORT_WASTE_LINKS)
        return FLUX_OK;
    for (uint32_t q = 0, seen = 0; q < queues->count; q++) {
        struct flux_port_waste some;
        gather(queues, size_of(queues, q), &some);
        if (!(some.queues >> q & 1) || seen >> q & 1)
            continue;
        seen |= some.queues;
        int rc = find_for(queues, size_of(queues, q), arena, &some);
        if (rc)
            return rc;
        if (!waste->queues || some.least[0] > waste->least[0])
            *waste = some;
    }
    return FLUX_OK;
}

int64_t flux_port_waste_left(const struct flux_port_queues *queues, const struct flux_port_waste *waste,
                             const uint16_t *gone, const uint8_t *circuit, uint8_t fresh)
{
    uint32_t round = 0, home = 0, fresh_links = 0, wanted = 0, missing = 0;
    int64_t filled = 0; /* by other sends of the rounds' circuits, without a setup */
    for (uint32_t q = 0; q < queues->count; q++) {
        if (!(waste->queues >> q & 1) && (waste->circuits >> queues->circuit[q] & 1))
            for (uint32_t i = queues->first[q] + gone[q]; i < queues->first[q + 1]; i++)
                filled += queues->duration[i];
        else if (!(waste->queues >> q & 1))
            wanted |= (gone[q] < size_of(queues, q) ? UINT32_C(1) : 0) << queues->circuit[q];
        else
            while (round < waste->rounds && waste->place[round] < gone[q])
                round++;
    }
    for (uint32_t x = 0; x < queues->links; x++) {
        fresh_links += circuit[x] == fresh;
        home += circuit[x] == fresh || (waste->circuits >> circuit[x] & 1);
        wanted &= circuit[x] == fresh ? wanted : ~(UINT32_C(1) << circuit[x]);
    }
    for (; wanted; wanted &= wanted - 1)
        missing++;
    missing -= fresh_links < missing ? fresh_links : missing;
    missing = missing < FLUX_PORT_WASTE_MISSING ? missing : FLUX_PORT_WASTE_MISSING;
    int64_t least = waste->least[((uint64_t)round * (queues->links + 1) + home) * MISSING + missing];
    return least > filled ? least - filled : 0;
}
