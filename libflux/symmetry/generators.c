/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetry/generators.h"

#include "search/sequence.h"
#include "symmetry/groups.h"

#include <libflux/error.h>
#include <string.h>

#define TRIES 16u

struct finding {
    const struct flux_problem *problem;
    struct flux_colours colours;
    struct flux_arena *arena;
    struct flux_generators *found;
    struct flux_automorphism map; /* being tried */
    uint32_t roots;
    uint32_t *root;  /* of each part, its first GPU of the largest kind */
    uint32_t *queue; /* GPUs of the first part by distance from its root, `reached` of them */
    uint32_t *from;  /* by GPU of the first part: the one before it on the way from the root */
    uint32_t *place; /* and which of that one's sends leads to it */
    uint32_t *spare; /* by GPU */
    uint32_t *next;  /* room for GPUs whose images are to be followed */
    uint32_t *orbit; /* by GPU: groups of those that are images of each other */
    uint32_t reached;
    uint32_t tries;
};

static uint32_t other_end(const struct finding *finding, uint64_t gpu, uint64_t place)
{
    const struct flux_colours *colours = &finding->colours;
    uint32_t v = colours->send[colours->first[2 * gpu] + place];
    return colours->first[2 * gpu] + place < colours->first[2 * gpu + 1] ? finding->problem->dst[v]
                                                                         : finding->problem->src[v];
}

static uint64_t sends_of(const struct finding *finding, uint64_t gpu)
{
    return finding->colours.first[2 * gpu + 2] - finding->colours.first[2 * gpu];
}

/* A colour that most GPUs with sends have; the smallest number of GPU among equals. FLUX_NONE: no two are alike. */
static int find_kind(const struct finding *finding, uint32_t *gpu)
{
    const struct flux_problem *problem = finding->problem;
    uint32_t *order = finding->spare, most = 1;
    *gpu = FLUX_NONE;
    flux_groups_alone(order, problem->gpus);
    int rc = flux_sequence_sort(order, problem->gpus, (const int64_t *)finding->colours.gpu, finding->arena);
    for (uint32_t i = 0, j; i < problem->gpus && !rc; i = j) {
        for (j = i; j < problem->gpus && finding->colours.gpu[order[j]] == finding->colours.gpu[order[i]];)
            j++;
        if (sends_of(finding, order[i]) && (j - i > most || (j - i == most && *gpu != FLUX_NONE && order[i] < *gpu))) {
            most = j - i;
            *gpu = order[i];
        }
    }
    return rc;
}

/* All GPUs of the part of `root`, by distance. */
static void walk(struct finding *finding, uint32_t root, uint32_t *part)
{
    uint32_t head = 0;
    finding->reached = 0;
    finding->queue[finding->reached++] = root;
    part[root] = root;
    while (head < finding->reached) {
        uint32_t g = finding->queue[head++];
        for (uint64_t i = 0; i < sends_of(finding, g); i++) {
            uint32_t next = other_end(finding, g, i);
            if (part[next] != FLUX_NONE)
                continue;
            part[next] = root;
            finding->from[next] = g;
            finding->place[next] = (uint32_t)i;
            finding->queue[finding->reached++] = next;
        }
    }
}

/* The roots of all parts that have a GPU of the kind of `first`; the way through the part of the first root stays. */
static void find_roots(struct finding *finding, uint32_t first)
{
    const struct flux_problem *problem = finding->problem;
    uint32_t *part = finding->spare;
    memset(part, 0xff, problem->gpus * sizeof *part);
    finding->roots = 0;
    for (uint32_t g = first; g < problem->gpus; g++)
        if (finding->colours.gpu[g] == finding->colours.gpu[first] && part[g] == FLUX_NONE) {
            walk(finding, g, part);
            finding->root[finding->roots++] = g;
        }
    memset(part, 0xff, problem->gpus * sizeof *part);
    walk(finding, first, part);
}

/* Where the way from the first root to `target` leads from `root`. */
static uint32_t follow_way(const struct finding *finding, uint32_t root, uint32_t target)
{
    uint32_t length = 0, at = root;
    for (uint32_t g = target; g != finding->root[0]; g = finding->from[g])
        finding->spare[length++] = finding->place[g];
    while (length && finding->spare[length - 1] < sends_of(finding, at))
        at = other_end(finding, at, finding->spare[--length]);
    return length ? FLUX_NONE : at;
}

/* Keeps the map that is being tried where it holds. */
static int keep(struct finding *finding)
{
    struct flux_arena scratch;
    int holds = 0;
    flux_automorphism_complete(finding->problem, &finding->colours, &finding->map);
    flux_arena_init(&scratch, finding->arena->memory);
    int rc = flux_automorphism_holds(finding->problem, &finding->map, &scratch, &holds);
    flux_arena_free(&scratch);
    if (rc || !holds)
        return rc;
    for (uint32_t g = 0; g < finding->problem->gpus; g++)
        flux_groups_join(finding->orbit, g, finding->map.gpu[g]);
    finding->found->map[finding->found->count++] = finding->map;
    return flux_automorphism_alloc(finding->problem, finding->arena, &finding->map);
}

/* Every root goes where the way to `target` leads; or, without one, to the next root. */
static int attempt(struct finding *finding, uint32_t target)
{
    flux_automorphism_clear(finding->problem, &finding->map);
    finding->tries++;
    for (uint32_t i = 0; i < finding->roots; i++) {
        uint32_t root = finding->root[i], to = finding->root[i + 1 < finding->roots ? i + 1 : 0];
        if (target != FLUX_NONE)
            to = follow_way(finding, root, target);
        if (to == FLUX_NONE || finding->map.gpu[root] != FLUX_NONE ||
            !flux_automorphism_follow(finding->problem, &finding->colours, root, to, finding->next, &finding->map))
            return FLUX_OK;
    }
    return keep(finding);
}

static int search(struct finding *finding, uint32_t first)
{
    int rc = FLUX_OK;
    find_roots(finding, first);
    if (finding->roots > 1)
        rc = attempt(finding, FLUX_NONE);
    for (uint32_t i = 1; i < finding->reached && !rc; i++) {
        uint32_t g = finding->queue[i];
        if (finding->tries == TRIES || finding->found->count == FLUX_GENERATORS_MOST)
            break;
        if (finding->colours.gpu[g] == finding->colours.gpu[first] &&
            flux_groups_first(finding->orbit, g) != flux_groups_first(finding->orbit, first))
            rc = attempt(finding, g);
    }
    return rc;
}

int flux_generators_find(const struct flux_problem *problem, struct flux_arena *arena,
                         struct flux_generators *generators)
{
    struct finding finding = {.problem = problem, .arena = arena, .found = generators};
    uint32_t **const by_gpu[] = {&finding.root,  &finding.queue, &finding.from, &finding.place,
                                 &finding.spare, &finding.next,  &finding.orbit};
    uint32_t first;
    generators->count = 0;
    for (uint32_t i = 0; i < sizeof by_gpu / sizeof *by_gpu; i++) {
        *by_gpu[i] = flux_arena_alloc(arena, problem->gpus, sizeof **by_gpu[i]);
        if (!*by_gpu[i])
            return FLUX_E_MEMORY;
    }
    int rc = flux_colours_find(problem, arena, &finding.colours);
    if (!rc)
        rc = find_kind(&finding, &first);
    if (rc || first == FLUX_NONE)
        return rc;
    flux_groups_alone(finding.orbit, problem->gpus);
    rc = flux_automorphism_alloc(problem, arena, &finding.map);
    return rc ? rc : search(&finding, first);
}
