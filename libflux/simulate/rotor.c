/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/rotor.c - the cycle of RotorNet (Mellette et al., SIGCOMM 2017, section 3): round-robin matchings that offer
 * every pair once, dealt to the switches in turn, in slots that follow from the delay and the duty cycle.
 */
#include "base/abi.h"
#include "base/fail.h"
#include "base/wide.h"
#include "schedule/allocator.h"
#include "simulate/cycle.h"

#include <inttypes.h>

#define OPTIONS_LEAST FLUX_ABI_LEAST(struct flux_rotor_options, padding)

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

static int make(const struct flux_graph *graph, const struct flux_fabric *fabric,
                const struct flux_rotor_options *options, struct rotor *rotor, struct flux_arena *arena,
                struct flux_replay **replay, struct flux_error *error)
{
    uint32_t switches = flux_fabric_switches(fabric), states = 0;
    uint64_t rows = rotor->matchings > switches ? rotor->matchings : switches;
    struct flux_cycle_state *state = flux_arena_alloc(arena, rows, sizeof *state);
    int64_t *extra = flux_arena_zero(arena, switches, sizeof *extra);
    rotor->circuits = flux_arena_alloc(arena, rows * rotor->gpus, sizeof *rotor->circuits);
    if (!state || !extra || !rotor->circuits)
        return flux_fail_memory(error);
    for (uint32_t k = 0; k < switches; k++) {
        int64_t delay = flux_fabric_delay(fabric, k), up = slot_of(delay, options->duty_ppm);
        if (up < 1)
            return flux_fail(error, FLUX_E_ARGUMENT,
                             "slots of switch %" PRIu32 " follow from its delay, which is 0 or too short", k);
        if (options->phase == FLUX_ROTOR_STAGGERED)
            extra[k] = (int64_t)(((flux_wide)up + delay) * k / switches);
        if (up > FLUX_TIME_MAX - extra[k])
            return flux_fail(error, FLUX_E_OVERFLOW, "slots of switch %" PRIu32 " last beyond 2^62 ps", k);
        for (uint64_t m = k % rotor->matchings; m < rotor->matchings; m += switches) {
            state[states].switch_index = k;
            state[states].duration = up;
            state[states++].circuits = add_matching(rotor, k, (uint32_t)m);
        }
    }
    const struct flux_cycle_recipe recipe = {.states = state,
                                             .state_count = states,
                                             .circuits = rotor->circuits,
                                             .circuit_count = rotor->count,
                                             .extra = extra,
                                             .vlb = options->routing == FLUX_ROTOR_VLB};
    return flux_cycle_new(graph, fabric, &recipe, replay, error);
}

static int read_options(const struct flux_rotor_options *given, struct flux_rotor_options *options,
                        struct flux_error *error)
{
    *options = (struct flux_rotor_options)FLUX_ROTOR_OPTIONS_INIT;
    int rc = given ? flux_abi_import(options, sizeof *options, given, OPTIONS_LEAST, "rotor_options", error) : 0;
    if (rc)
        return rc;
    if (options->duty_ppm == 0 || options->duty_ppm >= FLUX_PPM)
        return flux_fail(error, FLUX_E_ARGUMENT, "the duty is %" PRIu32 " ppm, not between 0 and 1,000,000",
                         options->duty_ppm);
    if (options->routing > FLUX_ROTOR_VLB)
        return flux_fail(error, FLUX_E_ARGUMENT, "routing is %" PRIu32 ", not FLUX_ROTOR_DIRECT or FLUX_ROTOR_VLB",
                         options->routing);
    if (options->phase > FLUX_ROTOR_STAGGERED)
        return flux_fail(error, FLUX_E_ARGUMENT, "phase is %" PRIu32 ", not FLUX_ROTOR_ALIGNED or FLUX_ROTOR_STAGGERED",
                         options->phase);
    return FLUX_OK;
}

int flux_replay_new_rotor(const struct flux_graph *graph, const struct flux_fabric *fabric,
                          const struct flux_rotor_options *options, struct flux_replay **replay,
                          struct flux_error *error)
{
    struct flux_rotor_options given;
    if (replay)
        *replay = NULL;
    if (!graph || !fabric || !replay)
        return flux_fail(error, FLUX_E_ARGUMENT, "graph, fabric or the place for the replay are NULL");
    int rc = read_options(options, &given, error);
    if (rc)
        return rc;
    struct rotor rotor = {.gpus = flux_fabric_gpus(fabric), .rule = flux_fabric_rule(fabric)};
    if (rotor.gpus % 2)
        return flux_fail(error, FLUX_E_ARGUMENT, "a rotor joins GPUs in pairs, and their number %" PRIu32 " is odd",
                         rotor.gpus);
    rotor.matchings = rotor.rule == FLUX_RULE_PAPER ? 2 * (rotor.gpus - 1) : rotor.gpus - 1;
    if ((uint64_t)rotor.matchings * rotor.gpus >= FLUX_NONE)
        return flux_fail(error, FLUX_E_TOO_BIG, "a rotor of %" PRIu32 " GPUs has more than 2^32 circuits", rotor.gpus);
    struct flux_arena arena;
    flux_arena_init(&arena, flux_allocator_of(graph));
    rc = make(graph, fabric, &given, &rotor, &arena, replay, error);
    flux_arena_free(&arena);
    return rc;
}
