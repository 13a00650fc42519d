/* SPDX-License-Identifier: Apache-2.0 */
#include "bound/label_state.h"

#include <libflux/error.h>
#include <string.h>

/* The least time between the end of the `i`-th send of one queue of the set and the start of the `j`-th of one; -1
 * where some need not wait. */
static int64_t pause_between(const struct flux_queues *queues, uint32_t set, uint32_t i, uint32_t j)
{
    int64_t least = INT64_MAX;
    for (uint32_t p = 0; p < queues->count; p++)
        for (uint32_t q = 0; q < queues->count && set >> p & 1; q++) {
            if (!(set >> q & 1))
                continue;
            uint32_t from = queues->queue[p].first + i;
            int64_t lag = flux_queues_lag(queues, from, queues->queue[q].first + j);
            if (lag < 0)
                return -1;
            least = lag - queues->duration[from] < least ? lag - queues->duration[from] : least;
        }
    return least;
}

/* Rounds: the first sends, and from each round the next sends that all wait for all of it. */
static void choose_rounds(const struct flux_queues *queues, struct flux_waste *waste, uint32_t sends)
{
    waste->rounds = 0;
    for (uint32_t i = 0; i < sends; i++)
        if (waste->rounds == 0 || pause_between(queues, waste->set, waste->place[waste->rounds - 1], i) >= 0)
            waste->place[waste->rounds++] = i;
    for (uint32_t done = 0, round = 0; done <= sends; done++) {
        round += round < waste->rounds && waste->place[round] < done;
        waste->round[done] = round;
    }
}

/* Chains as long as that of `q`, one of each circuit. */
static void gather(const struct flux_queues *queues, uint32_t q, struct flux_waste *waste)
{
    waste->set = 0;
    waste->circuits = 0;
    for (uint32_t p = 0; p < queues->count; p++) {
        uint32_t alone = queues->queue[p].chain && queues->queue[p].count == queues->queue[q].count;
        for (uint32_t r = 0; r < queues->count; r++)
            alone &= r == p || queues->queue[r].circuit != queues->queue[p].circuit || !queues->queue[r].chain ||
                     queues->queue[r].count != queues->queue[p].count;
        waste->set |= alone << p;
        waste->circuits |= alone << queues->queue[p].circuit;
    }
}

/* ---- what ports waste ---- */

/* How many ports were last in a round so long ago. */
#define HOME 0u /* in none yet, but with a circuit of one up */
#define AWAY 1u /* in none yet, with another circuit up */
#define LAST 2u /* in the one before; then the one before that; then longer ago */
#define AGES 5u
#define PLACES (FLUX_WASTE_LINKS + 1)
struct wasting {
    const struct flux_queues *queues;
    uint32_t circuits; /* of a round */
    int64_t pause[AGES];
    int64_t *next; /* from the next round on, by case and what is missing */
};

static uint32_t case_of(const uint32_t *ports)
{
    return ((ports[0] * PLACES + ports[1]) * PLACES + ports[2]) * PLACES + ports[3];
}

/* A port in a round that was in one before has idled since, or has carried something else, with setups before and
 * after; `trips` of them did that for a circuit that was missing, whose setup is counted for itself. */
static int64_t waste_of(const struct wasting *wasting, const uint32_t *uses, uint32_t trips)
{
    int64_t delay = wasting->queues->delay, waste = uses[AWAY] * delay;
    uint32_t sum = uses[HOME] + uses[AWAY];
    for (uint32_t age = AGES; age-- > LAST;) {
        uint32_t trip = uses[age] < trips ? uses[age] : trips;
        int64_t idle = wasting->pause[age] < 2 * delay ? wasting->pause[age] : 2 * delay;
        waste += trip * delay + (uses[age] - trip) * idle;
        trips -= trip;
        sum += uses[age];
    }
    return waste + (int64_t)(wasting->circuits - sum) * delay;
}

/* The least for so many ports of each age, some of which are in the round. */
static int64_t least_of(const struct wasting *wasting, const uint32_t *ports, const uint32_t *uses, uint32_t missing)
{
    const uint32_t again = uses[LAST] + uses[LAST + 1] + uses[LAST + 2], sum = again + uses[HOME] + uses[AWAY];
    const uint32_t after[AGES] = {ports[HOME] - uses[HOME], ports[AWAY] - uses[AWAY], sum, ports[LAST] - uses[LAST], 0};
    const int64_t *next = wasting->next + (uint64_t)case_of(after) * (FLUX_WASTE_MISSING + 1);
    int64_t least = INT64_MAX;
    if (sum == 0 || sum > wasting->circuits)
        return least;
    for (uint32_t trips = 0; trips <= missing && trips <= again; trips++) {
        int64_t waste = waste_of(wasting, uses, trips) + next[missing - trips];
        least = waste < least ? waste : least;
    }
    return least;
}

static int next_uses(const uint32_t *ports, uint32_t *uses)
{
    uint32_t age = 0;
    while (age < AGES && uses[age] == ports[age])
        uses[age++] = 0;
    if (age < AGES)
        uses[age]++;
    return age < AGES;
}

static void fill_case(const struct wasting *wasting, const uint32_t *ports, int64_t *now)
{
    uint32_t uses[AGES] = {0};
    int64_t *row = now + (uint64_t)case_of(ports) * (FLUX_WASTE_MISSING + 1);
    for (uint32_t missing = 0; missing <= FLUX_WASTE_MISSING; missing++)
        row[missing] = INT64_MAX;
    while (next_uses(ports, uses))
        for (uint32_t missing = 0; missing <= FLUX_WASTE_MISSING; missing++) {
            int64_t waste = least_of(wasting, ports, uses, missing);
            row[missing] = waste < row[missing] ? waste : row[missing];
        }
}

static void fill_round(const struct wasting *wasting, int64_t *now)
{
    uint32_t ports[AGES], links = wasting->queues->links;
    for (ports[0] = 0; ports[0] <= links; ports[0]++)
        for (ports[1] = 0; ports[0] + ports[1] <= links; ports[1]++)
            for (ports[2] = 0; ports[0] + ports[1] + ports[2] <= links; ports[2]++)
                for (ports[3] = 0; ports[0] + ports[1] + ports[2] + ports[3] <= links; ports[3]++) {
                    ports[4] = links - ports[0] - ports[1] - ports[2] - ports[3];
                    fill_case(wasting, ports, now);
                }
}

/* The chains' sends outside rounds, from after round `i` - 1 to the end of round `i`: they fill pauses. */
static int64_t work_beside(const struct flux_queues *queues, const struct flux_waste *waste, uint32_t i, uint32_t sends)
{
    uint32_t end = i < waste->rounds ? waste->place[i] : sends;
    int64_t work = 0;
    for (uint32_t q = 0; q < queues->count; q++)
        for (uint32_t place = i ? waste->place[i - 1] + 1 : 0; waste->set >> q & 1 && place < end; place++)
            work += queues->duration[queues->queue[q].first + place];
    return work;
}

static void take_round(const struct flux_queues *queues, const int64_t *now, int64_t beside, int64_t *least)
{
    for (uint32_t home = 0; home <= queues->links; home++) {
        const uint32_t ports[AGES] = {home, queues->links - home, 0, 0, 0};
        const int64_t *row = now + (uint64_t)case_of(ports) * (FLUX_WASTE_MISSING + 1);
        for (uint32_t missing = 0; missing <= FLUX_WASTE_MISSING; missing++) {
            int64_t waste = row[missing] + (int64_t)missing * queues->delay - beside;
            least[home * (FLUX_WASTE_MISSING + 1) + missing] = waste > 0 ? waste : 0;
        }
    }
}

static int measure(const struct flux_queues *queues, struct flux_arena *arena, uint32_t sends, struct flux_waste *waste)
{
    uint64_t cases = (uint64_t)PLACES * PLACES * PLACES * PLACES * (FLUX_WASTE_MISSING + 1);
    struct wasting wasting = {.queues = queues, .circuits = flux_bits(waste->set)};
    int64_t *now = flux_arena_zero(arena, cases, sizeof *now), beside = 0;
    wasting.next = flux_arena_zero(arena, cases, sizeof *wasting.next);
    waste->least = flux_arena_zero(arena, waste->rounds + UINT64_C(1), FLUX_WASTE_CASES * sizeof *waste->least);
    if (!now || !wasting.next || !waste->least)
        return FLUX_E_MEMORY;
    for (uint32_t i = waste->rounds + 1; i-- > 0;) {
        int64_t *next = wasting.next;
        beside += work_beside(queues, waste, i, sends);
        if (i < waste->rounds) {
            for (uint32_t age = LAST, before = 1; age < AGES; age++, before++)
                wasting.pause[age] =
                    i >= before ? pause_between(queues, waste->set, waste->place[i - before], waste->place[i]) : 0;
            fill_round(&wasting, now);
            wasting.next = now;
            now = next;
        }
        take_round(queues, wasting.next, beside, waste->least + (uint64_t)i * FLUX_WASTE_CASES);
    }
    return FLUX_OK;
}

static int find_for(const struct flux_queues *queues, struct flux_arena *arena, uint32_t sends,
                    struct flux_waste *waste)
{
    waste->place = flux_arena_alloc(arena, sends, sizeof *waste->place);
    waste->round = flux_arena_alloc(arena, sends + UINT64_C(1), sizeof *waste->round);
    if (!waste->place || !waste->round)
        return FLUX_E_MEMORY;
    choose_rounds(queues, waste, sends);
    return measure(queues, arena, sends, waste);
}

int flux_waste_find(const struct flux_queues *queues, struct flux_arena *arena, struct flux_waste *waste)
{
    memset(waste, 0, sizeof *waste);
    for (uint32_t q = 0, seen = 0; q < queues->count && queues->links <= FLUX_WASTE_LINKS; q++) {
        struct flux_waste some;
        gather(queues, q, &some);
        if (!(some.set >> q & 1) || seen >> q & 1)
            continue;
        seen |= some.set;
        int rc = find_for(queues, arena, queues->queue[q].count, &some);
        if (rc)
            return rc;
        if (!waste->set || some.least[0] > waste->least[0])
            *waste = some;
    }
    return FLUX_OK;
}

int64_t flux_waste_from(const struct flux_queues *queues, const struct flux_waste *waste,
                        const struct flux_label_state *state)
{
    uint32_t begun = 0, home = 0, unused = 0, missing = 0;
    int64_t beside = 0; /* other sends of the chains' circuits fill pauses without a setup */
    for (uint32_t q = 0; q < queues->count; q++) {
        if (waste->set >> q & 1)
            begun = state->done[q] > begun ? state->done[q] : begun;
        else if (state->done[q] == queues->queue[q].count)
            continue;
        else if (waste->circuits >> queues->queue[q].circuit & 1)
            beside += queues->work[queues->queue[q].first + state->done[q]];
        else
            missing |= UINT32_C(1) << queues->queue[q].circuit;
    }
    for (uint32_t x = 0; x < queues->links; x++) {
        if (state->up[x] == FLUX_PORT_UNUSED) {
            unused++;
            continue;
        }
        home += waste->circuits >> state->up[x] & 1;
        missing &= ~(UINT32_C(1) << state->up[x]);
    }
    missing = flux_bits(missing);
    missing = missing > unused ? missing - unused : 0;
    missing = missing < FLUX_WASTE_MISSING ? missing : FLUX_WASTE_MISSING;
    int64_t least = waste->least[(uint64_t)waste->round[begun] * FLUX_WASTE_CASES +
                                 (home + unused) * (FLUX_WASTE_MISSING + 1) + missing];
    return least > beside ? least - beside : 0;
}
