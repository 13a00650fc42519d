/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/rotor.c - the cycle of RotorNet (Mellette et al., SIGCOMM 2017, section 3): round-robin matchings that offer
 * every pair once, dealt to the switches in turn, in slots that follow from the delay and the duty cycle.
 */
#include "base/fail.h"
#include "base/wide.h"
#include "schedule/allocator.h"
#include "simulate/replay.h"

#include <inttypes.h>

struct rotor {
    uint32_t gpus;
    uint32_t rule;
    uint32_t matchings;
    struct flux_circuit_name *circuits;
    uint64_t count;
};

static void add(struct rotor *rotor, uint32_t k, uint32_t src, uint32_t dst)
{
    rotor->circuits[rotor->count++] = (struct flux_circuit_name){k, src, dst};
}

/* The circuits of matching m. SIMPLEX: everybody sends to the GPU m + 1 further on. DUPLEX: the pairs of round m of a
 * tournament by the circle method, both ways; PAPER: one way, then in the next matching the other way. */
static uint32_t add_matching(struct rotor *rotor, uint32_t k, uint32_t m)
{
    uint32_t n = rotor->gpus, around = n - 1;
    if (rotor->rule == FLUX_RULE_SIMPLEX) {
        for (uint32_t g = 0; g < n; g++)
            add(rotor, k, g, (g + m + 1) % n);
        return n;
    }
    uint32_t round = rotor->rule == FLUX_RULE_PAPER ? m / 2 : m, back = rotor->rule == FLUX_RULE_PAPER && m % 2;
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t a = i ? (round + i) % around : around, b = (round + around - i) % around;
        if (!back)
            add(rotor, k, a, b);
        if (back || rotor->rule == FLUX_RULE_DUPLEX)
            add(rotor, k, b, a);
    }
    return rotor->rule == FLUX_RULE_DUPLEX ? n : n / 2;
}

/* delay / (1 - duty) less the delay itself, to the nearest ps. */
static int64_t slot_of(int64_t delay, uint32_t duty_ppm)
{
    flux_wide rest = FLUX_PPM - duty_ppm, up = ((flux_wide)delay * duty_ppm + rest / 2) / rest;
    return up > FLUX_TIME_MAX ? FLUX_TIME_MAX : (int64_t)up;
}

static int make(const struct flux_graph *graph, const struct flux_fabric *fabric, uint32_t duty_ppm,
                struct rotor *rotor, struct flux_arena *arena, struct flux_replay **replay, struct flux_error *error)
{
    uint32_t switches = flux_fabric_switches(fabric), states = 0;
    uint64_t rows = rotor->matchings > switches ? rotor->matchings : switches;
    struct flux_cycle_state *state = flux_arena_alloc(arena, rows, sizeof *state);
    rotor->circuits = flux_arena_alloc(arena, rows * rotor->gpus, sizeof *rotor->circuits);
    if (!state || !rotor->circuits)
        return flux_fail_memory(error);
    for (uint32_t k = 0; k < switches; k++)
        for (uint64_t m = k % rotor->matchings; m < rotor->matchings; m += switches) {
            int64_t up = slot_of(flux_fabric_delay(fabric, k), duty_ppm);
            if (up < 1)
                return flux_fail(error, FLUX_E_ARGUMENT,
                                 "slots of switch %" PRIu32 " follow from its delay, which is 0 or too short", k);
            state[states].switch_index = k;
            state[states].duration = up;
            state[states++].circuits = add_matching(rotor, k, (uint32_t)m);
        }
    return flux_replay_new_cycle(graph, fabric, state, states, rotor->circuits, rotor->count, replay, error);
}

int flux_replay_new_rotor(const struct flux_graph *graph, const struct flux_fabric *fabric, uint32_t duty_ppm,
                          struct flux_replay **replay, struct flux_error *error)
{
    if (replay)
        *replay = NULL;
    if (!graph || !fabric || !replay)
        return flux_fail(error, FLUX_E_ARGUMENT, "graph, fabric or the place for the replay are NULL");
    struct rotor rotor = {.gpus = flux_fabric_gpus(fabric), .rule = flux_fabric_rule(fabric)};
    if (duty_ppm == 0 || duty_ppm >= FLUX_PPM)
        return flux_fail(error, FLUX_E_ARGUMENT, "the duty is %" PRIu32 " ppm, not between 0 and 1,000,000", duty_ppm);
    if (rotor.gpus % 2)
        return flux_fail(error, FLUX_E_ARGUMENT, "a rotor joins GPUs in pairs, and their number %" PRIu32 " is odd",
                         rotor.gpus);
    rotor.matchings = rotor.rule == FLUX_RULE_PAPER ? 2 * (rotor.gpus - 1) : rotor.gpus - 1;
    if ((uint64_t)rotor.matchings * rotor.gpus >= FLUX_NONE)
        return flux_fail(error, FLUX_E_TOO_BIG, "a rotor of %" PRIu32 " GPUs has more than 2^32 circuits", rotor.gpus);
    struct flux_arena arena;
    flux_arena_init(&arena, flux_allocator_of(graph));
    int rc = make(graph, fabric, duty_ppm, &rotor, &arena, replay, error);
    flux_arena_free(&arena);
    return rc;
}
