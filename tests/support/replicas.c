/* SPDX-License-Identifier: Apache-2.0 */
#include "replicas.h"

#include "base/random.h"

#include <stdlib.h>

#define STEPS_MOST 6u
#define COPIES_MOST 8u
#define GPUS_MOST 5u
#define ALL (COPIES_MOST * GPUS_MOST)

/* One step: every GPU of every copy that takes part sends once; or a compute; or all wait for all. */
struct step {
    uint32_t kind; /* 0: within the copy, 1: to the next copy, 2: compute, 3: a barrier */
    uint32_t hop;
    int64_t time[GPUS_MOST];
    uint32_t runs[GPUS_MOST];
    int64_t lag;
    uint32_t fork;
};

struct making {
    const struct replicas *shape;
    struct flux_graph *graph;
    struct flux_random random;
    uint32_t name[ALL];  /* by copy and GPU */
    uint32_t front[ALL]; /* the last vertex of each, FLUX_NONE: none */
    uint32_t came[ALL];  /* the last one that arrived */
};

static void edge(struct making *making, uint32_t from, uint32_t to, int64_t lag)
{
    if (from != FLUX_NONE && flux_graph_add_edge(making->graph, from, to, lag))
        abort();
}

/* A step's members in random order, so that numbers say nothing; all of them begin before any has ended. */
static void run(struct making *making, const struct step *step)
{
    const struct replicas *shape = making->shape;
    uint32_t count = shape->copies * shape->gpus, order[ALL], front[ALL], came[ALL], barrier = FLUX_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = flux_random_below(&making->random, i + 1);
        order[i] = order[j];
        order[j] = i;
        front[i] = making->front[i];
        came[i] = making->came[i];
    }
    if (step->kind == 3 && flux_graph_add_compute(making->graph, 0, step->lag, &barrier))
        abort();
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = order[i], copy = at / shape->gpus, gpu = at % shape->gpus, to = at, v;
        if (step->kind == 0)
            to = copy * shape->gpus + (gpu + step->hop) % shape->gpus;
        if (step->kind == 1)
            to = (copy + step->hop) % shape->copies * shape->gpus + gpu;
        if (step->kind == 3) {
            edge(making, front[at], barrier, 0);
            edge(making, came[at], barrier, step->lag);
            making->front[at] = making->came[at] = barrier;
            continue;
        }
        if (!step->runs[gpu] || (step->kind < 2 && to == at))
            continue;
        if (step->kind == 2 ? flux_graph_add_compute(making->graph, making->name[at], step->time[gpu], &v)
                            : flux_graph_add_send(making->graph, making->name[at], making->name[to], 1, &v))
            abort();
        if (step->kind < 2 && flux_graph_set_duration(making->graph, v, step->time[gpu]))
            abort();
        edge(making, front[at], v, step->lag);
        edge(making, came[at], v, 0);
        if (step->fork == 0)
            making->front[at] = v;
        making->came[to] = v;
    }
}

static struct step draw(struct making *making)
{
    const struct replicas *shape = making->shape;
    struct flux_random *random = &making->random;
    struct step step = {.kind = flux_random_below(random, 8)};
    step.kind = step.kind < 3 ? 0 : step.kind < 6 ? shape->rings : step.kind - 4;
    step.hop = 1 + flux_random_below(random, step.kind ? 2 : shape->gpus);
    step.lag = flux_random_below(random, 4);
    step.fork = flux_random_below(random, 3) == 0;
    for (uint32_t g = 0; g < shape->gpus; g++) {
        step.time[g] = 1 + flux_random_below(random, 9);
        step.runs[g] = flux_random_below(random, 4) != 0;
        if (shape->turn) {
            step.time[g] = step.time[0];
            step.runs[g] = 1;
        }
    }
    return step;
}

void replicas_make(struct replicas *shape, uint64_t seed, uint32_t rule, struct flux_graph **graph,
                   struct flux_fabric **fabric)
{
    struct making making = {.shape = shape, .random = {seed}};
    struct flux_random *random = &making.random;
    *shape = (struct replicas){.copies = 2 + flux_random_below(random, COPIES_MOST - 1),
                               .gpus = 1 + flux_random_below(random, GPUS_MOST),
                               .rings = flux_random_below(random, 4) != 0,
                               .turn = flux_random_below(random, 3) == 0};
    uint32_t all = shape->copies * shape->gpus;
    if (flux_graph_new(NULL, all, graph) || flux_fabric_new(NULL, all, 1 + flux_random_below(random, 3), fabric) ||
        flux_fabric_set_rule(*fabric, rule) ||
        flux_fabric_set_delay(*fabric, FLUX_ALL_SWITCHES, flux_random_below(random, 12)))
        abort();
    making.graph = *graph;
    for (uint32_t i = 0; i < all; i++) {
        uint32_t j = flux_random_below(random, i + 1);
        making.name[i] = making.name[j];
        making.name[j] = i;
        making.front[i] = making.came[i] = FLUX_NONE;
    }
    for (uint32_t i = 0, steps = 1 + flux_random_below(random, STEPS_MOST); i < steps; i++) {
        struct step step = draw(&making);
        run(&making, &step);
    }
    shape->vertices = flux_graph_vertices(*graph) / shape->copies;
}
