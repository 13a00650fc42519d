/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/periodic.c - schedulers of one traffic matrix, that of the whole iteration: their plan is a cycle, run until
 * the iteration is done.
 *
 * Cut in c repeats the matrix is divided by c. Of 1, 4 and 16 the best is kept, to the advantage of these schedulers.
 * Their plans are for switches with n inputs and n outputs: permutations. Where a GPU has one port for both directions
 * a matching is split into states that do not compete: into two, where it has a ring of an odd number of GPUs three.
 */
#include "compare/pairs.h"
#include "search/colour.h"

#include "base/fail.h"

#include <inttypes.h>
#include <libflux/demand.h>
#include <string.h>

#define REPEATS_MAX 1000000u

static const uint32_t repeats_tried[] = {1, 4, 16};

struct periodic {
    struct flux_comparing *comparing;
    struct flux_pairs pairs;
    uint32_t gpus;
    uint32_t algorithm; /* FLUX_DEMAND_* */
    int64_t delay;      /* that the plan counts with */
    int64_t *demand;    /* gpus * gpus, of one repeat */
    int64_t *left;      /* of it not served by the states so far */
    struct flux_circuit_name *matching;
    int64_t *served; /* by circuit of the matching */
    uint32_t *part;
    struct flux_cycle_state *states;
    uint64_t state_count;
    struct flux_circuit_name *circuits;
    uint64_t circuit_count;
};

/* The circuits of a state that still serve something, and how much. Returns how many. */
static uint32_t read_matching(struct periodic *periodic, const struct flux_demand_state *state, const uint32_t *out)
{
    const struct flux_fabric *fabric = periodic->comparing->fabric;
    uint32_t count = 0;
    for (uint32_t src = 0; src < periodic->gpus; src++) {
        if (out[src] == FLUX_NONE || !flux_compare_possible(fabric, state->switch_index, src, out[src]))
            continue;
        int64_t *left = &periodic->left[(uint64_t)src * periodic->gpus + out[src]];
        int64_t served = *left < state->time ? *left : state->time;
        if (served == 0)
            continue;
        *left -= served;
        periodic->matching[count] = (struct flux_circuit_name){state->switch_index, src, out[src]};
        periodic->served[count++] = served;
    }
    return count;
}

/* Appends the states that a matching becomes, each held as long as its circuits need. */
static int add_states(struct periodic *periodic, uint32_t count, struct flux_arena *arena)
{
    struct flux_colouring colouring = {
        flux_fabric_rule(periodic->comparing->fabric), periodic->gpus, 3, NULL, periodic->part, 0};
    if (flux_colour(&colouring, periodic->matching, count, arena))
        return FLUX_E_MEMORY;
    for (uint32_t part = 0; part < colouring.used; part++) {
        struct flux_cycle_state *state = &periodic->states[periodic->state_count++];
        *state = (struct flux_cycle_state){periodic->matching[0].switch_index, 0, 0};
        for (uint32_t c = 0; c < count; c++) {
            if (periodic->part[c] != part)
                continue;
            periodic->circuits[periodic->circuit_count++] = periodic->matching[c];
            state->circuits++;
            state->duration = periodic->served[c] > state->duration ? periodic->served[c] : state->duration;
        }
    }
    return FLUX_OK;
}

static int read_plan(struct periodic *periodic, const struct flux_demand_plan *plan, struct flux_arena *arena)
{
    uint64_t count = 0, gpus = periodic->gpus;
    const struct flux_demand_state *states = flux_demand_plan_states(plan, &count);
    periodic->state_count = periodic->circuit_count = 0;
    periodic->states = flux_arena_alloc(arena, 3 * count, sizeof *periodic->states);
    periodic->circuits = flux_arena_alloc(arena, count, gpus * sizeof *periodic->circuits);
    if (!periodic->states || !periodic->circuits)
        return FLUX_E_MEMORY;
    memcpy(periodic->left, periodic->demand, gpus * gpus * sizeof *periodic->left);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t circuits = read_matching(periodic, &states[i], flux_demand_plan_matching(plan, states[i].matching));
        if (circuits && add_states(periodic, circuits, arena))
            return FLUX_E_MEMORY;
    }
    return FLUX_OK;
}

/* The replay of the cycle with the matrix divided by `parts`. */
static int try(struct periodic *periodic, uint32_t parts, struct flux_replay **replay, struct flux_arena *arena)
{
    struct flux_comparing *comparing = periodic->comparing;
    uint64_t gpus = periodic->gpus;
    struct flux_demand_plan *plan = NULL;
    int rc = FLUX_OK;
    for (uint32_t p = 0; p < periodic->pairs.count; p++) {
        const struct flux_circuit_name *pair = &periodic->pairs.circuit[p];
        periodic->demand[pair->src * gpus + pair->dst] = (periodic->pairs.time[p] + parts - 1) / parts;
    }
    periodic->state_count = periodic->circuit_count = 0;
    if (periodic->pairs.count)
        rc = flux_demand_schedule(&comparing->comparison->memory.env, periodic->gpus, periodic->demand,
                                  flux_fabric_switches(comparing->fabric), periodic->delay, periodic->algorithm, &plan,
                                  comparing->error);
    if (!rc && plan)
        rc = read_plan(periodic, plan, arena);
    flux_demand_plan_free(plan);
    if (!rc)
        rc = flux_replay_new_cycle(comparing->graph, comparing->fabric, periodic->states, periodic->state_count,
                                   periodic->circuits, periodic->circuit_count, replay, comparing->error);
    return rc ? rc : flux_compare_replay(comparing, *replay);
}

static int make_arrays(struct periodic *periodic)
{
    struct flux_arena *arena = periodic->comparing->arena;
    uint64_t gpus = periodic->gpus;
    periodic->demand = flux_arena_zero(arena, gpus, gpus * sizeof *periodic->demand);
    periodic->left = flux_arena_alloc(arena, gpus, gpus * sizeof *periodic->left);
    periodic->matching = flux_arena_alloc(arena, gpus, sizeof *periodic->matching);
    periodic->served = flux_arena_alloc(arena, gpus, sizeof *periodic->served);
    periodic->part = flux_arena_alloc(arena, gpus, sizeof *periodic->part);
    return periodic->demand && periodic->left && periodic->matching && periodic->served && periodic->part
               ? FLUX_OK
               : FLUX_E_MEMORY;
}

/* Keeps the best of all repeats; of equal ones the first. */
static int try_all(struct periodic *periodic)
{
    struct flux_comparing *comparing = periodic->comparing;
    struct flux_comparison *comparison = comparing->comparison;
    const uint32_t *repeats = comparing->options.repeats ? &comparing->options.repeats : repeats_tried;
    uint32_t count = comparing->options.repeats ? 1 : sizeof repeats_tried / sizeof *repeats_tried;
    int64_t best = INT64_MAX;
    int rc = FLUX_OK;
    for (uint32_t i = 0; !rc && i < count; i++) {
        struct flux_replay_summary run = FLUX_REPLAY_SUMMARY_INIT;
        struct flux_replay *replay = NULL;
        struct flux_arena arena;
        flux_arena_init(&arena, comparing->arena->memory);
        rc = try(periodic, repeats[i], &replay, &arena);
        flux_arena_free(&arena);
        if (!rc)
            rc = flux_replay_summary(replay, &run);
        if (!rc && run.iteration < best) {
            struct flux_replay *worse = comparison->replay;
            comparison->replay = replay;
            replay = worse;
            best = run.iteration;
            comparison->summary.repeats = repeats[i];
        }
        flux_replay_free(replay);
    }
    return rc;
}

int flux_compare_periodic(struct flux_comparing *comparing)
{
    static const uint32_t algorithms[] = {FLUX_DEMAND_BOTTLENECK, FLUX_DEMAND_SOLSTICE, FLUX_DEMAND_ECLIPSE,
                                          FLUX_DEMAND_SPECTRA};
    uint32_t scheduler = comparing->comparison->summary.scheduler;
    struct periodic periodic = {.comparing = comparing, .gpus = flux_graph_gpus(comparing->graph)};
    periodic.algorithm = algorithms[scheduler - FLUX_SCHEDULER_BVN];
    for (uint32_t k = 0; k < flux_fabric_switches(comparing->fabric); k++)
        if (scheduler != FLUX_SCHEDULER_BVN && flux_fabric_delay(comparing->fabric, k) > periodic.delay)
            periodic.delay = flux_fabric_delay(comparing->fabric, k);
    if (comparing->options.repeats > REPEATS_MAX)
        return flux_fail(comparing->error, FLUX_E_ARGUMENT, "%" PRIu32 " repeats; at most %u",
                         comparing->options.repeats, REPEATS_MAX);
    if (periodic.gpus > FLUX_DEMAND_PORTS_MAX)
        return flux_compare_refuse(comparing, "a matrix of %" PRIu32 " GPUs; at most %d", periodic.gpus,
                                   FLUX_DEMAND_PORTS_MAX);
    int rc = flux_pairs_find(comparing, &periodic.pairs);
    if (!rc)
        rc = make_arrays(&periodic);
    if (!rc)
        rc = try_all(&periodic);
    if (rc) {
        flux_replay_free(comparing->comparison->replay);
        comparing->comparison->replay = NULL;
        comparing->comparison->summary.repeats = 0;
        return flux_compare_refuse_or_fail(comparing, rc);
    }
    return flux_compare_note(
        comparing, "%s%" PRIu32 " repeats per iteration",
        comparing->options.repeats ? "" : "best of 1, 4 and 16: ", comparing->comparison->summary.repeats);
}
