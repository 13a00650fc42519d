/* SPDX-License-Identifier: Apache-2.0 */
#include "bound/bound.h"

#include "bound/search.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The first node of a longest path; FLUX_NONE where none is as long as `bound`. */
static uint32_t path_begin(const struct flux_problem *problem, int64_t bound)
{
    uint32_t node = 0;
    while (node < problem->nodes && problem->head[node] + problem->duration[node] + problem->tail[node] != bound)
        node++;
    if (node == problem->nodes)
        return FLUX_NONE;
    for (uint64_t i = problem->in_first[node]; i < problem->in_first[node + 1];) {
        uint32_t before = problem->in[i].node;
        if (problem->head[before] + problem->duration[before] + problem->in[i].lag == problem->head[node]) {
            node = before;
            i = problem->in_first[node];
        } else {
            i++;
        }
    }
    return node;
}

/* The next node of a longest path after `node`; FLUX_NONE at its end. */
static uint32_t path_next(const struct flux_problem *problem, uint32_t node)
{
    for (uint64_t i = problem->out_first[node]; i < problem->out_first[node + 1]; i++) {
        uint32_t after = problem->out[i].node;
        if (problem->out[i].lag + problem->duration[after] + problem->tail[after] == problem->tail[node])
            return after;
    }
    return FLUX_NONE;
}

static int collect_path(const struct flux_problem *problem, struct flux_certificate *certificate)
{
    uint32_t begin = path_begin(problem, certificate->bound);
    for (uint32_t node = begin; node != FLUX_NONE; node = path_next(problem, node))
        certificate->vertex_count++;
    certificate->vertices = flux_alloc(&certificate->memory, certificate->vertex_count, sizeof *certificate->vertices);
    if (!certificate->vertices)
        return FLUX_E_MEMORY;
    uint64_t filled = 0;
    for (uint32_t node = begin; node != FLUX_NONE; node = path_next(problem, node))
        certificate->vertices[filled++] = problem->vertex[node];
    return FLUX_OK;
}

int flux_bound_counts(const struct flux_problem *problem, const struct flux_bound_value *value, uint32_t node)
{
    if ((value->side == FLUX_SIDE_TRANSMIT && problem->src[node] != value->gpu) ||
        (value->side == FLUX_SIDE_RECEIVE && problem->dst[node] != value->gpu) || problem->head[node] < value->head ||
        problem->tail[node] < value->tail)
        return 0;
    for (uint32_t k = 0; problem->durations && k < problem->switches; k++)
        if (flux_problem_duration(problem, node, k) >= 0 && !(value->switches[k / 64] >> k % 64 & 1))
            return 0;
    return 1;
}

static int collect_window(const struct flux_problem *problem, const struct flux_bound_value *value,
                          struct flux_certificate *certificate)
{
    uint64_t begin = problem->touch_first[value->gpu], end = problem->touch_first[value->gpu + 1];
    for (uint64_t i = begin; i < end; i++)
        certificate->vertex_count += (uint64_t)flux_bound_counts(problem, value, problem->touch[i]);
    certificate->vertices = flux_alloc(&certificate->memory, certificate->vertex_count, sizeof *certificate->vertices);
    if (!certificate->vertices)
        return FLUX_E_MEMORY;
    uint64_t filled = 0;
    for (uint64_t i = begin; i < end; i++)
        if (flux_bound_counts(problem, value, problem->touch[i]))
            certificate->vertices[filled++] = problem->vertex[problem->touch[i]];
    qsort(certificate->vertices, (size_t)filled, sizeof *certificate->vertices, compare_numbers);
    return FLUX_OK;
}

static int collect_nodes(const struct flux_problem *problem, const struct flux_bound_value *value,
                         struct flux_certificate *certificate)
{
    certificate->vertex_count = value->count;
    certificate->vertices = flux_alloc(&certificate->memory, certificate->vertex_count, sizeof *certificate->vertices);
    if (!certificate->vertices)
        return FLUX_E_MEMORY;
    for (uint64_t i = 0; i < value->count; i++)
        certificate->vertices[i] = problem->vertex[value->nodes[i]];
    qsort(certificate->vertices, (size_t)value->count, sizeof *certificate->vertices, compare_numbers);
    return FLUX_OK;
}

static int copy_lifts(const struct flux_lifted *lifted, struct flux_certificate *certificate)
{
    if (lifted->count == 0)
        return FLUX_OK;
    certificate->lifts = flux_alloc(&certificate->memory, lifted->count, sizeof *certificate->lifts);
    if (!certificate->lifts)
        return FLUX_E_MEMORY;
    certificate->lift_count = lifted->count;
    memcpy(certificate->lifts, lifted->lifts, lifted->count * sizeof *certificate->lifts);
    return FLUX_OK;
}

/* The vertices of a certificate whose other members are set. */
static int collect(const struct flux_problem *problem, const struct flux_bound_value *value,
                   struct flux_certificate *certificate)
{
    switch (value->kind) {
    case FLUX_CERTIFICATE_CRITICAL_PATH:
    case FLUX_CERTIFICATE_LIFTED_PATH:
        return collect_path(problem, certificate);
    case FLUX_CERTIFICATE_PORT_LOAD:
    case FLUX_CERTIFICATE_PORT_EDGES:
    case FLUX_CERTIFICATE_LIFTED_LOAD:
    case FLUX_CERTIFICATE_LIFTED_EDGES:
        return collect_window(problem, value, certificate);
    case FLUX_CERTIFICATE_PORT_SEQUENCE:
    case FLUX_CERTIFICATE_PORT_SHARE:
    case FLUX_CERTIFICATE_LIFTED_SHARE:
    case FLUX_CERTIFICATE_SUBSET:
        return collect_nodes(problem, value, certificate);
    default:
        return FLUX_OK;
    }
}

int flux_certificate_make(const struct flux_problem *problem, const struct flux_bound_value *value,
                          const struct flux_memory *memory, struct flux_certificate **certificate)
{
    struct flux_certificate *fresh = flux_alloc_zero(memory, 1, sizeof *fresh);
    struct flux_problem view = *problem;
    int rc = FLUX_OK;
    *certificate = NULL;
    if (!fresh)
        return FLUX_E_MEMORY;
    fresh->memory = *memory;
    fresh->kind = value->kind;
    fresh->bound = value->bound;
    fresh->gpu = value->gpu;
    fresh->side = value->side;
    fresh->head = value->head;
    fresh->tail = value->tail;
    if (value->lifted) {
        view.head = value->lifted->head;
        view.tail = value->lifted->tail;
        rc = copy_lifts(value->lifted, fresh);
    }
    if (!rc)
        rc = collect(&view, value, fresh);
    if (rc)
        flux_certificate_free(fresh);
    else
        *certificate = fresh;
    return rc;
}

void flux_certificate_free(struct flux_certificate *certificate)
{
    if (!certificate)
        return;
    struct flux_memory memory = certificate->memory;
    flux_release(&memory, certificate->vertices, certificate->vertex_count, sizeof *certificate->vertices);
    flux_release(&memory, certificate->lifts, certificate->lift_count, sizeof *certificate->lifts);
    flux_release(&memory, certificate, 1, sizeof *certificate);
}

const char *flux_certificate_kind_name(uint32_t kind)
{
    switch (kind) {
    case FLUX_CERTIFICATE_NONE:
        return "none";
    case FLUX_CERTIFICATE_CRITICAL_PATH:
        return "critical-path";
    case FLUX_CERTIFICATE_PORT_LOAD:
        return "port-load";
    case FLUX_CERTIFICATE_PORT_EDGES:
        return "port-edges";
    case FLUX_CERTIFICATE_LIFTED_PATH:
        return "lifted-path";
    case FLUX_CERTIFICATE_LIFTED_LOAD:
        return "lifted-load";
    case FLUX_CERTIFICATE_LIFTED_EDGES:
        return "lifted-edges";
    case FLUX_CERTIFICATE_PORT_SEQUENCE:
        return "port-sequence";
    case FLUX_CERTIFICATE_PORT_SHARE:
        return "port-share";
    case FLUX_CERTIFICATE_LIFTED_SHARE:
        return "lifted-share";
    case FLUX_CERTIFICATE_SEARCH:
        return "search";
    case FLUX_CERTIFICATE_SOLVER:
        return "solver";
    case FLUX_CERTIFICATE_SUBSET:
        return "subset";
    default:
        return "unknown";
    }
}

uint32_t flux_certificate_kind(const struct flux_certificate *certificate)
{
    return certificate ? certificate->kind : FLUX_CERTIFICATE_NONE;
}

int64_t flux_certificate_bound(const struct flux_certificate *certificate)
{
    return certificate ? certificate->bound : 0;
}

uint32_t flux_certificate_gpu(const struct flux_certificate *certificate)
{
    return certificate ? certificate->gpu : FLUX_NONE;
}

uint32_t flux_certificate_side(const struct flux_certificate *certificate)
{
    return certificate ? certificate->side : FLUX_SIDE_BOTH;
}

int64_t flux_certificate_head(const struct flux_certificate *certificate)
{
    return certificate ? certificate->head : 0;
}

int64_t flux_certificate_tail(const struct flux_certificate *certificate)
{
    return certificate ? certificate->tail : 0;
}

const uint32_t *flux_certificate_vertices(const struct flux_certificate *certificate, uint64_t *count)
{
    if (count)
        *count = certificate ? certificate->vertex_count : 0;
    return certificate ? certificate->vertices : NULL;
}

const struct flux_lift *flux_certificate_lifts(const struct flux_certificate *certificate, uint64_t *count)
{
    if (count)
        *count = certificate ? certificate->lift_count : 0;
    return certificate ? certificate->lifts : NULL;
}
