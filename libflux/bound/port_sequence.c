/* SPDX-License-Identifier: Apache-2.0 */
#include "bound/port_sequence.h"

#include "bound/labels.h"
#include "bound/side.h"

#include <libflux/error.h>
#include <stdlib.h>
#include <string.h>

#define GUESSES 4u                             /* runs of a quick look: each only beats the one before */
#define ARCS_PER_STEP 8u                       /* arcs looked at cost less than labels */
#define STEPS_LEAST (UINT64_C(1) << 20)        /* for any problem */
#define STEPS_PER_SEND (3 * UINT64_C(1) << 16) /* of the side with most of them */
#define STEPS_MOST (UINT64_C(1) << 27)
#define SHARE 4u /* of what is left of the caller's limits: one in this many */
#define TIME_LIMIT                                                                                                     \
    (FLUX_TIME_MAX >> 6) /* a time for each link, and a setup for each circuit, adds up without overflow */

struct candidate {
    uint64_t shape; /* equal for sides whose sends look alike */
    int64_t load;
    uint32_t gpu;
    uint32_t side;
};

struct work {
    const struct flux_problem *problem;
    struct flux_labels_limits limits;
    struct flux_arena *arena; /* for what stays */
    struct flux_arena scratch;
    uint32_t *nodes;
    uint32_t count;
    int64_t *way[2]; /* under DUPLEX, by GPU: the load from the one looked at, and to it */
    int64_t makespan;
    struct flux_bound_value *value;
    struct flux_port_sequence *found;
};

static int belongs(const struct flux_problem *problem, uint32_t node, uint32_t gpu, uint32_t side)
{
    return side == FLUX_SIDE_BOTH || (side == FLUX_SIDE_TRANSMIT ? problem->src : problem->dst)[node] == gpu;
}

/* Under DUPLEX the two directions of a pair may be under way at once. Only the one with more to carry stays: what is
 * left competes as under PAPER. */
static void keep_one_way(struct work *work, uint32_t gpu)
{
    const struct flux_problem *problem = work->problem;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        uint32_t node = work->nodes[i], in = problem->dst[node] == gpu;
        work->way[in][in ? problem->src[node] : problem->dst[node]] += problem->duration[node];
    }
    for (uint32_t i = 0; i < work->count; i++) {
        uint32_t node = work->nodes[i], in = problem->dst[node] == gpu;
        uint32_t peer = in ? problem->src[node] : problem->dst[node];
        if ((work->way[1][peer] > work->way[0][peer]) == (int)in)
            work->nodes[kept++] = node;
    }
    work->count = kept;
    for (uint64_t i = problem->touch_first[gpu]; i < problem->touch_first[gpu + 1]; i++) {
        uint32_t node = problem->touch[i], peer = problem->src[node] == gpu ? problem->dst[node] : problem->src[node];
        work->way[0][peer] = work->way[1][peer] = 0;
    }
}

static void collect(struct work *work, const struct candidate *candidate)
{
    const struct flux_problem *problem = work->problem;
    work->count = 0;
    for (uint64_t i = problem->touch_first[candidate->gpu]; i < problem->touch_first[candidate->gpu + 1]; i++)
        if (belongs(problem, problem->touch[i], candidate->gpu, candidate->side))
            work->nodes[work->count++] = problem->touch[i];
    if (problem->rule == FLUX_RULE_DUPLEX)
        keep_one_way(work, candidate->gpu);
}

static uint64_t mix(uint64_t sum, int64_t value)
{
    sum = (sum ^ (uint64_t)value) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 31;
}

/* Load without setups, and a sum that does not depend on the order of the sends. */
static void measure(struct work *work, struct candidate *candidate)
{
    const struct flux_problem *problem = work->problem;
    collect(work, candidate);
    for (uint32_t i = 0; i < work->count; i++) {
        uint32_t node = work->nodes[i];
        candidate->load += problem->duration[node];
        candidate->shape += mix(mix(mix(1, problem->head[node]), problem->tail[node]), problem->duration[node]);
    }
}

static int compare(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->load != b->load)
        return a->load > b->load ? -1 : 1;
    if (a->shape != b->shape)
        return a->shape < b->shape ? -1 : 1;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    return a->side < b->side ? -1 : a->side > b->side;
}

static struct candidate *list(struct work *work, uint32_t *count)
{
    const struct flux_problem *problem = work->problem;
    int simplex = problem->rule == FLUX_RULE_SIMPLEX;
    struct candidate *candidates = flux_arena_zero(&work->scratch, problem->gpus, 2 * sizeof *candidates);
    *count = 0;
    if (!candidates)
        return NULL;
    for (uint32_t gpu = 0; gpu < problem->gpus; gpu++)
        for (uint32_t side = simplex ? FLUX_SIDE_TRANSMIT : FLUX_SIDE_BOTH;
             side <= (uint32_t)(simplex ? FLUX_SIDE_RECEIVE : FLUX_SIDE_BOTH); side++) {
            struct candidate *candidate = &candidates[(*count)++];
            candidate->gpu = gpu;
            candidate->side = side;
            measure(work, candidate);
        }
    qsort(candidates, *count, sizeof *candidates, compare);
    return candidates;
}

static int keep(struct work *work, const struct flux_queues *queues, const struct flux_labels_result *result)
{
    struct flux_port_sequence *found = work->found;
    if (!found)
        return FLUX_OK;
    found->node = flux_arena_alloc(work->arena, queues->sends, sizeof *found->node);
    found->start = flux_arena_alloc(work->arena, queues->sends, sizeof *found->start);
    if (!found->node || !found->start)
        return FLUX_E_MEMORY;
    found->count = queues->sends;
    for (uint32_t i = 0; i < queues->sends; i++) {
        found->node[i] = queues->node[result->steps[i].position];
        found->start[i] = result->steps[i].start;
    }
    return FLUX_OK;
}

static int raise_bound(struct work *work, const struct candidate *candidate, const struct flux_queues *queues,
                       int64_t bound)
{
    struct flux_bound_value *value = work->value;
    uint32_t *nodes = flux_arena_alloc(work->arena, queues->sends, sizeof *nodes);
    if (!nodes)
        return FLUX_E_MEMORY;
    memcpy(nodes, queues->node, queues->sends * sizeof *nodes);
    *value = (struct flux_bound_value){.bound = bound,
                                       .kind = FLUX_CERTIFICATE_PORT_SEQUENCE,
                                       .gpu = candidate->gpu,
                                       .side = candidate->side,
                                       .nodes = nodes,
                                       .count = queues->sends};
    return FLUX_OK;
}

/* A quick look is one at the fullest side, with as few sends as may be. */
static int is_guess(const struct work *work)
{
    return work->limits.width < FLUX_PORT_SEQUENCE_PROVE;
}

/* Down from the schedule's makespan to the best end of this side's sends, and then the proof that it is the best. Few
 * states first: what they reach need not be asked again, and is often no more than another bound, so that there is
 * nothing to prove. */
static int settle(struct work *work, const struct candidate *candidate, const struct flux_queues *queues)
{
    struct flux_windows windows;
    struct flux_labels_limits *limits = &work->limits;
    const uint32_t width = limits->width;
    int64_t end = work->makespan;
    flux_windows_find(queues, &windows);
    int rc = flux_waste_find(queues, &work->scratch, &windows.waste);
    limits->width = FLUX_PORT_SEQUENCE_GUESS < width ? FLUX_PORT_SEQUENCE_GUESS : width;
    for (uint32_t round = 0; !rc && work->value->bound < end; round++) {
        struct flux_labels_result result;
        rc = flux_labels_run(queues, &windows, end - 1, limits, &work->scratch, &result);
        if (rc || result.outcome == FLUX_LABELS_SPENT)
            break;
        if (result.reached) {
            end = result.end;
            rc = keep(work, queues, &result);
        } else if (result.end > work->value->bound)
            rc = raise_bound(work, candidate, queues, result.end);
        if (!result.reached || round + 1 == GUESSES) {
            if (limits->width == width)
                break;
            limits->width = width;
        }
    }
    limits->width = width;
    return rc;
}

/* Looks at the sends that `which` leaves of a side. `sends` is how many these are. */
static int look(struct work *work, const struct candidate *candidate, uint32_t which, uint32_t *sends)
{
    struct flux_queues queues;
    uint64_t arcs = 0;
    *sends = 0;
    if (work->count * (work->problem->arcs + work->problem->nodes) / ARCS_PER_STEP > work->limits.steps)
        return FLUX_OK;
    int rc = flux_queues_make(work->problem, work->nodes, work->count, which, &work->scratch, &queues, &arcs);
    work->limits.steps -= arcs / ARCS_PER_STEP < work->limits.steps ? arcs / ARCS_PER_STEP : work->limits.steps;
    if (rc)
        return rc == FLUX_QUEUES_UNFIT ? FLUX_OK : rc;
    *sends = queues.sends;
    return settle(work, candidate, &queues);
}

/* Where there is a sequence to make a schedule of, that comes first: it may meet the bound. */
static int is_over(const struct work *work)
{
    return work->value->bound >= work->makespan || work->limits.control->stopped || work->limits.steps == 0 ||
           (work->found && work->found->count);
}

/* Few sends first; more where that leaves a gap. */
static int look_at(struct work *work, const struct candidate *candidate)
{
    static const uint32_t which[] = {FLUX_QUEUES_SPINE, FLUX_QUEUES_THIN, FLUX_QUEUES_ALL};
    uint32_t before = 0, sends, looks = is_guess(work) ? 1 : sizeof which / sizeof *which;
    int rc = FLUX_OK;
    collect(work, candidate);
    for (uint32_t i = 0; i < looks && !rc && before < work->count && !is_over(work); i++) {
        rc = look(work, candidate, which[i], &sends);
        if (sends == 0)
            break;
        before = sends;
    }
    return rc;
}

static int look_at_all(struct work *work)
{
    uint32_t count;
    struct candidate *candidates = list(work, &count);
    int rc = candidates ? FLUX_OK : FLUX_E_MEMORY;
    for (uint32_t i = 0; i < (is_guess(work) && count ? 1 : count) && !rc && !is_over(work); i++)
        if (i == 0 || candidates[i].load != candidates[i - 1].load || candidates[i].shape != candidates[i - 1].shape)
            rc = look_at(work, &candidates[i]);
    return rc;
}

static struct flux_labels_limits limits_of(const struct flux_problem *problem, struct flux_control *control,
                                           uint32_t width)
{
    struct flux_labels_limits limits = {control, UINT64_MAX, STEPS_LEAST, width};
    uint64_t most = 0;
    for (uint32_t gpu = 0; gpu < problem->gpus; gpu++) {
        uint64_t sends = problem->touch_first[gpu + 1] - problem->touch_first[gpu];
        most = sends > most ? sends : most;
    }
    if (problem->switches > 1) /* with one, neighbours must agree, which one GPU alone does not show */
        limits.steps += most * STEPS_PER_SEND;
    limits.steps = limits.steps < STEPS_MOST ? limits.steps : STEPS_MOST;
    limits.steps = flux_control_share_steps(control, SHARE, FLUX_LABELS_STEPS_PER_WORK, limits.steps);
    limits.deadline_ns = flux_control_share_deadline(control, SHARE);
    return limits;
}

int flux_bound_port_sequence(const struct flux_problem *problem, struct flux_control *control, int64_t makespan,
                             uint32_t width, struct flux_arena *arena, struct flux_bound_value *value,
                             struct flux_port_sequence *found)
{
    struct work work = {.problem = problem,
                        .limits = limits_of(problem, control, width),
                        .arena = arena,
                        .makespan = makespan,
                        .value = value,
                        .found = found};
    if (found)
        memset(found, 0, sizeof *found);
    if (problem->sends == 0 || value->bound >= makespan || control->stopped || makespan > TIME_LIMIT)
        return FLUX_OK;
    flux_arena_init(&work.scratch, arena->memory);
    work.nodes = flux_arena_alloc(&work.scratch, problem->sends, sizeof *work.nodes);
    for (uint32_t way = 0; way < 2; way++)
        work.way[way] = flux_arena_zero(&work.scratch, problem->gpus, sizeof *work.way[way]);
    int rc = work.nodes && work.way[0] && work.way[1] ? look_at_all(&work) : FLUX_E_MEMORY;
    if (found)
        found->spent = work.limits.steps == 0;
    flux_arena_free(&work.scratch);
    return rc;
}
