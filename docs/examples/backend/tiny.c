/* SPDX-License-Identifier: Apache-2.0 */
#include "tiny.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-7
#define ROUNDS_MOST 1000        /* of tightening: bounds that creep on are good enough */
#define BYTES_MOST (256u << 20) /* of saved bounds */

struct tiny {
    struct flux_env env;
    uint64_t nodes_most; /* 0: no limit */
};

/* A solve. Level l of the tree keeps its bounds at lower[l * columns], upper[l * columns]. */
struct search {
    const struct flux_milp *milp;
    const struct flux_milp_run *run;
    struct flux_milp_result *result;
    double *lower, *upper;
    uint32_t *branch; /* by level: the column it branches on */
    uint8_t *tried;   /* by level: how many of its two values */
    double best;      /* only points below this are of interest */
    uint64_t nodes_most;
    int undecided; /* some leaf was given up: nothing is proven */
};

/* --- memory: the caller's, where there is one --------------------------------------------------------------------- */

static void *get(const struct flux_env *env, uint64_t size)
{
    return env->alloc ? env->alloc(env->user, size) : malloc(size);
}

static void put(const struct flux_env *env, void *block, uint64_t size)
{
    if (block && env->release)
        env->release(env->user, block, size);
    else if (block)
        free(block);
}

static int fail(struct flux_error *error, int code, const char *text)
{
    error->code = code;
    snprintf(error->text, sizeof error->text, "%s", text);
    return code;
}

/* --- open, set, close --------------------------------------------------------------------------------------------- */

static const char *tiny_version(void)
{
    return "1.0";
}

static const struct flux_backend_parameter *tiny_describe(uint32_t index)
{
    static const struct flux_backend_parameter nodes = {"nodes", "0 .. 999999999", "0",
                                                        "give up after that many nodes; 0: never"};
    return index == 0 ? &nodes : NULL;
}

static int tiny_open(const struct flux_env *env, void **instance, struct flux_error *error)
{
    struct flux_env none = FLUX_ENV_INIT;
    if (!env)
        env = &none;
    struct tiny *tiny = get(env, sizeof *tiny);
    *instance = tiny;
    if (!tiny)
        return fail(error, FLUX_E_MEMORY, "out of memory");
    tiny->env = *env;
    tiny->nodes_most = 0;
    return FLUX_OK;
}

static int tiny_set(void *instance, const char *key, const char *value, struct flux_error *error)
{
    struct tiny *tiny = instance;
    uint64_t nodes = 0;
    size_t length = strspn(value, "0123456789");
    if (strcmp(key, "nodes"))
        return fail(error, FLUX_E_ARGUMENT, "the only parameter is \"nodes\"");
    if (length == 0 || length > 9 || value[length])
        return fail(error, FLUX_E_ARGUMENT, "nodes is a whole number up to 999999999");
    for (size_t i = 0; i < length; i++)
        nodes = nodes * 10 + (uint64_t)(value[i] - '0');
    tiny->nodes_most = nodes;
    return FLUX_OK;
}

static void tiny_close(void *instance)
{
    struct tiny *tiny = instance;
    struct flux_env env = tiny->env;
    put(&env, tiny, sizeof *tiny);
}

/* --- bounds ------------------------------------------------------------------------------------------------------- */

/* Least value of the row without entry `skip`; -INFINITY where some column has no bound on that side. */
static double least_without(const struct flux_milp *milp, uint64_t first, uint64_t end, uint64_t skip, double sign,
                            const double *lower, const double *upper)
{
    double sum = 0;
    for (uint64_t e = first; e < end; e++) {
        double entry = sign * milp->entry_value[e];
        uint32_t j = milp->entry_column[e];
        if (e != skip && entry != 0)
            sum += entry * (entry > 0 ? lower[j] : upper[j]);
    }
    return sum;
}

/* sign * row <= limit: tightens every column in it. 1 where something moved, -1 where nothing fits. */
static int tighten_side(const struct flux_milp *milp, uint32_t row, double sign, double limit, double *lower,
                        double *upper)
{
    uint64_t first = milp->row_first[row], end = milp->row_first[row + 1];
    int moved = 0;
    if (isinf(limit))
        return 0;
    if (first == end)
        return limit < -TOLERANCE ? -1 : 0;
    for (uint64_t e = first; e < end; e++) {
        uint32_t j = milp->entry_column[e];
        double entry = sign * milp->entry_value[e];
        double rest = least_without(milp, first, end, e, sign, lower, upper);
        if (entry == 0 || isinf(rest))
            continue;
        double most = (limit - rest) / entry; /* a new upper bound, or a lower one where the entry is negative */
        double slack = TOLERANCE * (1 + fabs(most));
        if (milp->column_kind[j] == FLUX_COLUMN_BINARY)
            most = entry > 0 ? floor(most + 1e-6) : ceil(most - 1e-6);
        if (entry > 0 && most < upper[j] - slack)
            upper[j] = most, moved = 1;
        if (entry < 0 && most > lower[j] + slack)
            lower[j] = most, moved = 1;
        if (lower[j] > upper[j] + TOLERANCE * (1 + fabs(upper[j])))
            return -1;
    }
    return moved;
}

/* 0 where the bounds leave nothing. */
static int tighten(struct search *search, double *lower, double *upper)
{
    const struct flux_milp *milp = search->milp;
    int moved = 1;
    for (int round = 0; round < ROUNDS_MOST && moved; round++) {
        moved = 0;
        for (uint32_t r = 0; r < milp->rows; r++) {
            int above = tighten_side(milp, r, 1, milp->row_upper[r], lower, upper);
            int below = above < 0 ? -1 : tighten_side(milp, r, -1, -milp->row_lower[r], lower, upper);
            if (below < 0)
                return 0;
            moved |= above | below;
        }
        if (search->run->stop && search->run->stop(search->run->user))
            return 1;
    }
    return 1;
}

/* No point within the bounds costs less. */
static double least_cost(const struct flux_milp *milp, const double *lower, const double *upper)
{
    double cost = 0;
    for (uint32_t j = 0; j < milp->columns; j++)
        if (milp->cost[j] != 0)
            cost += milp->cost[j] * (milp->cost[j] > 0 ? lower[j] : upper[j]);
    return cost;
}

/* --- leaves ------------------------------------------------------------------------------------------------------- */

static int is_feasible(const struct flux_milp *milp, const double *values)
{
    for (uint32_t r = 0; r < milp->rows; r++) {
        double sum = 0, scale = 1;
        for (uint64_t e = milp->row_first[r]; e < milp->row_first[r + 1]; e++) {
            sum += milp->entry_value[e] * values[milp->entry_column[e]];
            scale = fmax(scale, fabs(milp->entry_value[e]));
        }
        if (sum < milp->row_lower[r] - 1e-6 * scale || sum > milp->row_upper[r] + 1e-6 * scale)
            return 0;
    }
    return 1;
}

/* All binaries are fixed: every column goes to the end of its range that costs least. Where that is a point, none of
 * this leaf is better. */
static void take_leaf(struct search *search, const double *lower, const double *upper, double *values)
{
    const struct flux_milp *milp = search->milp;
    for (uint32_t j = 0; j < milp->columns; j++) {
        values[j] = milp->cost[j] >= 0 && !isinf(lower[j]) ? lower[j] : upper[j];
        if (isinf(values[j]) && milp->cost[j] == 0)
            values[j] = 0;
    }
    double cost = least_cost(milp, lower, upper);
    if (isinf(cost) || !is_feasible(milp, values)) {
        search->undecided = 1;
        return;
    }
    search->best = cost;
    search->result->objective = cost;
    search->result->status = FLUX_MILP_FEASIBLE;
    memcpy(search->result->values, values, milp->columns * sizeof *values);
    if (search->run->incumbent)
        search->run->incumbent(search->run->user, values, cost);
}

static uint32_t free_binary(const struct flux_milp *milp, const double *lower, const double *upper)
{
    for (uint32_t j = 0; j < milp->columns; j++)
        if (milp->column_kind[j] == FLUX_COLUMN_BINARY && upper[j] - lower[j] > 0.5)
            return j;
    return milp->columns;
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */

/* Looks at the node whose bounds are at `level`. 1 where it must be branched on. */
static int look(struct search *search, uint32_t level, double *values)
{
    const struct flux_milp *milp = search->milp;
    double *lower = search->lower + (size_t)level * milp->columns;
    double *upper = search->upper + (size_t)level * milp->columns;
    search->result->nodes++;
    if (!tighten(search, lower, upper))
        return 0;
    double cost = least_cost(milp, lower, upper);
    if (level == 0)
        search->result->bound = cost;
    if (cost >= search->best - 1e-9 * (1 + fabs(search->best)))
        return 0;
    search->branch[level] = free_binary(milp, lower, upper);
    search->tried[level] = 0;
    if (search->branch[level] < milp->columns)
        return 1;
    take_leaf(search, lower, upper, values);
    return 0;
}

/* Depth first, without recursion. 1 where the whole tree was seen. */
static int walk(struct search *search, double *values)
{
    const struct flux_milp *milp = search->milp;
    size_t row = milp->columns * sizeof(double);
    uint32_t depth = (uint32_t)look(search, 0, values); /* levels that are being branched on */
    while (depth > 0) {
        uint32_t level = depth - 1, j = search->branch[level];
        if (search->run->stop && search->run->stop(search->run->user))
            return 0;
        if (search->nodes_most && search->result->nodes >= search->nodes_most)
            return 0;
        if (search->tried[level] == 2) {
            depth--;
            continue;
        }
        double *lower = search->lower + (size_t)depth * milp->columns;
        double *upper = search->upper + (size_t)depth * milp->columns;
        memcpy(lower, lower - milp->columns, row);
        memcpy(upper, upper - milp->columns, row);
        lower[j] = upper[j] = search->tried[level]++;
        depth += (uint32_t)look(search, depth, values);
    }
    return !search->run->stop || !search->run->stop(search->run->user);
}

static void conclude(struct search *search, int complete)
{
    struct flux_milp_result *result = search->result;
    if (complete && !search->undecided && result->status == FLUX_MILP_FEASIBLE) {
        result->status = FLUX_MILP_OPTIMAL;
        result->bound = result->objective;
    } else if (complete && !search->undecided) {
        result->status = FLUX_MILP_INFEASIBLE;
    } else if (result->status == FLUX_MILP_FEASIBLE) {
        result->bound = fmin(result->bound, result->objective);
    }
}

static int tiny_solve(void *instance, const struct flux_milp *milp, const struct flux_milp_run *run,
                      struct flux_milp_result *result, struct flux_error *error)
{
    struct tiny *tiny = instance;
    uint64_t levels = 1;
    for (uint32_t j = 0; j < milp->columns; j++)
        levels += milp->column_kind[j] == FLUX_COLUMN_BINARY;
    result->status = FLUX_MILP_UNKNOWN;
    result->bound = -INFINITY;
    if (run->remaining_ns == 0 || (run->stop && run->stop(run->user)))
        return FLUX_OK;
    if (levels * (milp->columns + 1) > BYTES_MOST / (2 * sizeof(double)))
        return fail(error, FLUX_E_TOO_BIG, "too many binaries and columns for this solver");
    /* One block: bounds of all levels, the values of a leaf, then what is kept for each level. */
    uint64_t doubles = (2 * levels + 1) * milp->columns;
    uint64_t size = doubles * sizeof(double) + levels * (sizeof(uint32_t) + 1);
    double *block = get(&tiny->env, size);
    if (!block)
        return fail(error, FLUX_E_MEMORY, "out of memory");
    struct search search = {
        .milp = milp,
        .run = run,
        .result = result,
        .lower = block,
        .upper = block + levels * milp->columns,
        .branch = (uint32_t *)(block + doubles),
        .tried = (uint8_t *)((uint32_t *)(block + doubles) + levels),
        .best = milp->cutoff,
        .nodes_most = tiny->nodes_most,
    };
    if (milp->columns) {
        memcpy(search.lower, milp->column_lower, milp->columns * sizeof(double));
        memcpy(search.upper, milp->column_upper, milp->columns * sizeof(double));
    }
    conclude(&search, walk(&search, block + 2 * levels * milp->columns));
    put(&tiny->env, block, size);
    return FLUX_OK;
}

const struct flux_backend tiny_backend = {
    .abi = FLUX_BACKEND_ABI,
    .size = sizeof(struct flux_backend),
    .name = "tiny",
    /* It proves what it can, and does not claim that it always can: not FLUX_BACKEND_OPTIMAL. */
    .capabilities = FLUX_BACKEND_SOLVES | FLUX_BACKEND_BOUND | FLUX_BACKEND_CANCEL | FLUX_BACKEND_DETERMINISTIC,
    .version = tiny_version,
    .describe = tiny_describe,
    .open = tiny_open,
    .set = tiny_set,
    .solve = tiny_solve,
    .close = tiny_close,
};
