/* SPDX-License-Identifier: Apache-2.0
 *
 * demand/plan.c - the plan object: runs the algorithms, checks what they made, keeps the best.
 */
#include "base/fail.h"
#include "base/wide.h"
#include "demand/demand.h"

#include <inttypes.h>
#include <string.h>

#define ENTRY_MAX (INT64_C(1) << 50)
#define NEAR 100 /* a gap of a NEARth of the bound is near enough for what takes long */

struct flux_demand_plan {
    struct flux_memory memory;
    struct flux_arena arena;
    uint32_t ports;
    uint32_t algorithm;
    uint32_t requested;
    uint32_t padding;
    int64_t makespan;
    int64_t bound;
    struct flux_demand_terms terms;
    struct flux_demand_state *states;
    uint64_t state_count;
    struct flux_demand_circuit *circuits; /* of Sunflow, which has no states */
    uint64_t circuit_count;
};

static const char *const names[] = {"",        "bvn",       "bottleneck", "solstice", "eclipse",
                                    "spectra", "first-fit", "best",       "sunflow"};

#define ALGORITHMS (sizeof names / sizeof *names)

const char *flux_demand_name(uint32_t algorithm)
{
    return algorithm < ALGORITHMS ? names[algorithm] : "";
}

uint32_t flux_demand_find(const char *name)
{
    for (uint32_t i = 1; name && i < ALGORITHMS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return 0;
}

static int decompose(const struct flux_demand_matrix *matrix, uint32_t algorithm, struct flux_demand_terms *terms)
{
    switch (algorithm) {
    case FLUX_DEMAND_BVN:
        return flux_demand_bvn(matrix, 0, terms);
    case FLUX_DEMAND_BOTTLENECK:
        return flux_demand_bvn(matrix, 1, terms);
    case FLUX_DEMAND_SOLSTICE:
        return flux_demand_solstice(matrix, terms);
    case FLUX_DEMAND_ECLIPSE:
        return flux_demand_eclipse(matrix, terms);
    case FLUX_DEMAND_SPECTRA:
        return flux_demand_spectra(matrix, terms);
    default:
        return flux_demand_first_fit(matrix, terms);
    }
}

static int check_matrix(uint32_t ports, const int64_t *demand, int64_t delay, struct flux_error *error)
{
    flux_wide sum = (flux_wide)ports * ports * delay; /* no decomposition has more terms than entries, stuffed or not */
    for (uint64_t i = 0; i < ports; i++)
        for (uint64_t j = 0; j < ports; j++) {
            int64_t entry = demand[i * ports + j];
            if (entry < 0 || entry > ENTRY_MAX)
                return flux_fail(error, FLUX_E_ARGUMENT,
                                 "entry (%" PRIu64 ", %" PRIu64 ") is %" PRId64 " ps: demands are 0 .. 2^50 ps", i, j,
                                 entry);
            if (i == j && entry)
                return flux_fail(error, FLUX_E_ARGUMENT,
                                 "entry (%" PRIu64 ", %" PRIu64 ") is on the diagonal: a port does not send to itself",
                                 i, j);
            sum += entry;
        }
    if (2 * sum > ENTRY_MAX * (flux_wide)1024)
        return flux_fail(error, FLUX_E_OVERFLOW, "the demands and delays add up beyond 2^59 ps; use smaller times");
    return FLUX_OK;
}

/* The plan's terms on the switches, as published or balanced too. */
static int lay_out(const struct flux_demand_matrix *matrix, uint32_t switches, int balance,
                   struct flux_demand_plan *plan)
{
    int rc =
        flux_demand_layout(matrix, &plan->terms, switches, balance, &plan->states, &plan->state_count, &plan->makespan);
    return rc ? rc
              : flux_demand_check_states(matrix, &plan->terms, plan->states, plan->state_count, switches,
                                         plan->makespan);
}

/* One algorithm into a plan's fields; `arena` keeps them. */
static int run(const struct flux_demand_matrix *matrix, uint32_t algorithm, uint32_t switches,
               struct flux_demand_plan *plan)
{
    memset(&plan->terms, 0, sizeof plan->terms);
    plan->algorithm = algorithm;
    if (algorithm == FLUX_DEMAND_SUNFLOW) {
        int rc = flux_demand_sunflow(matrix, switches, &plan->circuits, &plan->circuit_count, &plan->makespan);
        return rc ? rc
                  : flux_demand_check_circuits(matrix, plan->circuits, plan->circuit_count, switches, plan->makespan);
    }
    int rc = decompose(matrix, algorithm, &plan->terms);
    if (!rc && plan->terms.total > matrix->limit) {
        plan->makespan = INT64_MAX;
        return FLUX_OK;
    }
    return rc ? rc : lay_out(matrix, switches, 0, plan);
}

/* The best of the algorithm as published, balanced, and with better matchings; the latter only where it is no more than
 * half as long again as `best`, another one's. */
static int run_and_improve(const struct flux_demand_matrix *matrix, uint32_t algorithm, uint32_t switches, int64_t best,
                           struct flux_demand_plan *plan)
{
    int rc = run(matrix, algorithm, switches, plan);
    int whole = algorithm == FLUX_DEMAND_SPECTRA || algorithm == FLUX_DEMAND_FIRST_FIT; /* a pair is in one term */
    for (int better = 0; better < 2 + whole && !rc && plan->makespan > plan->bound; better++) {
        if (plan->makespan - best > best / 2)
            break;
        struct flux_demand_plan candidate = *plan;
        if (better) {
            uint64_t count = plan->terms.count, n = matrix->ports;
            candidate.terms = (struct flux_demand_terms){0};
            for (uint64_t t = 0; t < count && !rc; t++)
                rc = flux_demand_add(matrix, &candidate.terms, plan->terms.out + t * n, plan->terms.weight[t]);
            rc = rc            ? rc
                 : better == 1 ? flux_demand_improve(matrix, &candidate.terms)
                               : flux_demand_repeel(matrix, &candidate.terms);
        }
        rc = rc ? rc : lay_out(matrix, switches, 1, &candidate);
        candidate.arena = plan->arena; /* it has grown since the copy */
        if (!rc && candidate.makespan < plan->makespan)
            *plan = candidate;
    }
    return rc;
}

/* Our own combination, labelled BEST: `steps` of Eclipse before the fewest matchings. */
static int run_peaks_first(const struct flux_demand_matrix *matrix, uint64_t steps, uint32_t switches,
                           struct flux_demand_plan *plan)
{
    memset(&plan->terms, 0, sizeof plan->terms);
    plan->algorithm = FLUX_DEMAND_BEST;
    int rc = flux_demand_peaks_first(matrix, steps, &plan->terms);
    rc = rc ? rc : flux_demand_improve(matrix, &plan->terms);
    return rc ? rc : lay_out(matrix, switches, 1, plan);
}

/* All algorithms, each in an arena of its own; the best one's is kept. */
static int run_best(struct flux_demand_matrix *matrix, uint32_t switches, struct flux_demand_plan *plan)
{
    static const struct {
        uint32_t algorithm;
        uint32_t steps;
    } tries[] = {{FLUX_DEMAND_SPECTRA, 0}, {FLUX_DEMAND_FIRST_FIT, 0},  {FLUX_DEMAND_ECLIPSE, 0},
                 {FLUX_DEMAND_BEST, 3},    {FLUX_DEMAND_BEST, 8},       {FLUX_DEMAND_BEST, 20},
                 {FLUX_DEMAND_BEST, 50},   {FLUX_DEMAND_BOTTLENECK, 0}, {FLUX_DEMAND_SOLSTICE, 0},
                 {FLUX_DEMAND_BVN, 0}};
    int rc = FLUX_OK;
    plan->makespan = INT64_MAX;
    for (uint32_t i = 0; i < sizeof tries / sizeof *tries && !rc; i++) {
        struct flux_demand_plan candidate = *plan;
        if (tries[i].steps && plan->makespan - plan->bound <= plan->bound / NEAR)
            continue;
        flux_arena_init(&candidate.arena, &plan->memory);
        matrix->arena = &candidate.arena;
        matrix->limit = plan->makespan > INT64_MAX / switches ? INT64_MAX : plan->makespan * switches;
        rc = tries[i].steps ? run_peaks_first(matrix, tries[i].steps, switches, &candidate)
                            : run_and_improve(matrix, tries[i].algorithm, switches, plan->makespan, &candidate);
        if (!rc && candidate.makespan < plan->makespan) {
            struct flux_arena old = plan->arena;
            *plan = candidate;
            flux_arena_free(&old);
        } else {
            flux_arena_free(&candidate.arena);
        }
        if (!rc && plan->makespan <= plan->bound)
            break;
    }
    return rc;
}

int flux_demand_schedule(const struct flux_env *env, uint32_t ports, const int64_t *demand, uint32_t switches,
                         int64_t delay, uint32_t algorithm, struct flux_demand_plan **plan, struct flux_error *error)
{
    struct flux_memory memory;
    if (!plan)
        return flux_fail(error, FLUX_E_ARGUMENT, "no place for the plan");
    *plan = NULL;
    if (!demand || ports < 2 || switches < 1 || algorithm < 1 || algorithm > FLUX_DEMAND_SUNFLOW)
        return flux_fail(error, FLUX_E_ARGUMENT,
                         "a matrix of at least 2 ports, at least one switch and a FLUX_DEMAND_ algorithm are needed");
    if (ports > FLUX_DEMAND_PORTS_MAX || switches > 1024)
        return flux_fail(error, FLUX_E_TOO_BIG, "at most %d ports and 1024 switches", FLUX_DEMAND_PORTS_MAX);
    if (delay < 0 || delay > ENTRY_MAX)
        return flux_fail(error, FLUX_E_ARGUMENT, "the delay is outside 0 .. 2^50 ps");
    int rc = check_matrix(ports, demand, delay, error);
    if (!rc)
        rc = flux_memory_init(&memory, env);
    if (rc)
        return rc;
    struct flux_demand_plan *fresh = flux_alloc_zero(&memory, 1, sizeof *fresh);
    if (!fresh)
        return flux_fail_memory(error);
    fresh->memory = memory;
    fresh->ports = ports;
    fresh->requested = algorithm;
    flux_arena_init(&fresh->arena, &fresh->memory);
    struct flux_demand_matrix matrix = {&fresh->arena, ports, delay, demand, INT64_MAX};
    rc = flux_demand_bound(&matrix, switches, &fresh->bound);
    if (!rc)
        rc = algorithm == FLUX_DEMAND_BEST ? run_best(&matrix, switches, fresh)
                                           : run(&matrix, algorithm, switches, fresh);
    if (rc) {
        flux_demand_plan_free(fresh);
        if (rc == FLUX_E_MISMATCH)
            return flux_fail(error, rc, "a plan did not serve the matrix; please report it");
        return flux_fail_memory(error);
    }
    *plan = fresh;
    return FLUX_OK;
}

void flux_demand_plan_free(struct flux_demand_plan *plan)
{
    if (!plan)
        return;
    struct flux_memory memory = plan->memory;
    flux_arena_free(&plan->arena);
    flux_release(&memory, plan, 1, sizeof *plan);
}

int64_t flux_demand_plan_makespan(const struct flux_demand_plan *plan)
{
    return plan ? plan->makespan : 0;
}

int64_t flux_demand_plan_bound(const struct flux_demand_plan *plan)
{
    return plan ? plan->bound : 0;
}

uint32_t flux_demand_plan_algorithm(const struct flux_demand_plan *plan)
{
    return plan ? plan->algorithm : 0;
}

const struct flux_demand_circuit *flux_demand_plan_circuits(const struct flux_demand_plan *plan, uint64_t *count)
{
    if (count)
        *count = plan ? plan->circuit_count : 0;
    return plan ? plan->circuits : NULL;
}

uint32_t flux_demand_plan_requested(const struct flux_demand_plan *plan)
{
    return plan ? plan->requested : 0;
}

uint64_t flux_demand_plan_configurations(const struct flux_demand_plan *plan)
{
    return plan ? plan->state_count + plan->circuit_count : 0;
}

uint64_t flux_demand_plan_matchings(const struct flux_demand_plan *plan)
{
    return plan ? plan->terms.count : 0;
}

const uint32_t *flux_demand_plan_matching(const struct flux_demand_plan *plan, uint64_t index)
{
    return plan && index < plan->terms.count ? plan->terms.out + index * plan->ports : NULL;
}

const struct flux_demand_state *flux_demand_plan_states(const struct flux_demand_plan *plan, uint64_t *count)
{
    if (count)
        *count = plan ? plan->state_count : 0;
    return plan ? plan->states : NULL;
}
