/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance_bench.h"

#include <math.h>
#include <stdio.h>

extern const struct conformance_entry conformance_models[];
extern const uint32_t conformance_model_count;

/* Judges and frees. */
static int finish(struct bench *bench, struct program *program, uint32_t status, double cost)
{
    int verdict = bench_expect(bench, &program->milp, status, cost);
    program_free(program);
    return verdict;
}

static int empty(struct bench *bench)
{
    struct program program;
    program_init(&program, 0, 0, 0);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 0);
}

static int empty_with_rows(struct bench *bench)
{
    struct program program;
    program_init(&program, 0, 2, 0);
    program_row(&program, -1, 1);
    program_row(&program, 0, INFINITY);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 0);
}

static int empty_infeasible(struct bench *bench)
{
    struct program program;
    program_init(&program, 0, 1, 0);
    program_row(&program, 1, 2);
    return finish(bench, &program, FLUX_MILP_INFEASIBLE, 0);
}

static int one_column(struct bench *bench)
{
    struct program program;
    program_init(&program, 1, 0, 0);
    program_continuous(&program, 2, 5, 1);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 2);
}

static int one_binary(struct bench *bench)
{
    struct program program;
    program_init(&program, 1, 0, 0);
    program_binary(&program, -3);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, -3);
}

static int no_cost(struct bench *bench)
{
    struct program program;
    program_init(&program, 2, 1, 2);
    program_binary(&program, 0);
    program_continuous(&program, 0, 9, 0);
    program_row(&program, 5, 5);
    program_entry(&program, 0, 2);
    program_entry(&program, 1, 1);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 0);
}

static int fixed_columns(struct bench *bench)
{
    struct program program;
    program_init(&program, 3, 1, 3);
    program_continuous(&program, 4, 4, 1);
    program_continuous(&program, -2, -2, 1);
    program_binary(&program, 5);
    program.column_lower[2] = 1; /* a binary held at 1 */
    program_row(&program, 7, 7);
    program_entry(&program, 0, 2);
    program_entry(&program, 1, 1);
    program_entry(&program, 2, 1);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 7);
}

static int rows_without_entries(struct bench *bench)
{
    struct program program;
    program_init(&program, 1, 2, 1);
    program_binary(&program, 1);
    program_row(&program, -1, 0);
    program_row(&program, 1, INFINITY);
    program_entry(&program, 0, 1);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 1);
}

static int impossible_row_without_entries(struct bench *bench)
{
    struct program program;
    program_init(&program, 1, 1, 0);
    program_binary(&program, 1);
    program_row(&program, 1, INFINITY);
    return finish(bench, &program, FLUX_MILP_INFEASIBLE, 0);
}

static int rows_without_bounds(struct bench *bench)
{
    struct program program;
    program_init(&program, 2, 2, 4);
    program_binary(&program, -1);
    program_binary(&program, -1);
    program_row(&program, -INFINITY, INFINITY);
    program_entry(&program, 0, 1);
    program_entry(&program, 1, 1);
    program_row(&program, -INFINITY, 1);
    program_entry(&program, 0, 1);
    program_entry(&program, 1, 1);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, -1);
}

static int infeasible_relaxation(struct bench *bench)
{
    struct program program;
    program_init(&program, 2, 2, 4);
    program_continuous(&program, 0, INFINITY, 1);
    program_continuous(&program, 0, INFINITY, 1);
    program_row(&program, 4, INFINITY);
    program_entry(&program, 0, 1);
    program_entry(&program, 1, 1);
    program_row(&program, -INFINITY, 3);
    program_entry(&program, 0, 1);
    program_entry(&program, 1, 1);
    return finish(bench, &program, FLUX_MILP_INFEASIBLE, 0);
}

static int infeasible_in_whole_numbers(struct bench *bench)
{
    struct program program;
    program_init(&program, 3, 1, 3);
    program_row(&program, 3, 3);
    for (uint32_t j = 0; j < 3; j++) {
        program_binary(&program, 1);
        program_entry(&program, j, 2);
    }
    return finish(bench, &program, FLUX_MILP_INFEASIBLE, 0);
}

static int unbounded(struct bench *bench)
{
    struct program program;
    program_init(&program, 2, 1, 2);
    program_continuous(&program, 0, INFINITY, -1);
    program_continuous(&program, 0, INFINITY, 0);
    program_row(&program, -INFINITY, 1);
    program_entry(&program, 0, 1);
    program_entry(&program, 1, -1);
    return finish(bench, &program, FLUX_MILP_UNBOUNDED, 0);
}

static int unbounded_with_binary(struct bench *bench)
{
    struct program program;
    program_init(&program, 2, 1, 2);
    program_continuous(&program, -INFINITY, INFINITY, 1);
    program_binary(&program, 1);
    program_row(&program, -INFINITY, 1);
    program_entry(&program, 0, 1);
    program_entry(&program, 1, 1);
    return finish(bench, &program, FLUX_MILP_UNBOUNDED, 0);
}

static int free_columns(struct bench *bench)
{
    struct program program;
    program_init(&program, 2, 2, 4);
    program_continuous(&program, -INFINITY, INFINITY, 1);
    program_continuous(&program, -INFINITY, INFINITY, 2);
    program_row(&program, -7, INFINITY);
    program_entry(&program, 0, 1);
    program_entry(&program, 1, 1);
    program_row(&program, -1, -1);
    program_entry(&program, 0, 1);
    program_entry(&program, 1, -1);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, -10); /* -4 and -3 */
}

static int negative_bounds(struct bench *bench)
{
    struct program program;
    program_init(&program, 2, 1, 2);
    program_continuous(&program, -9, -4, 1);
    program_continuous(&program, -INFINITY, 6, -1);
    program_row(&program, -INFINITY, -1);
    program_entry(&program, 0, 1);
    program_entry(&program, 1, 1);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, -15); /* -9 and 6 */
}

static int equality_rows(struct bench *bench)
{
    struct program program;
    program_init(&program, 4, 4, 8);
    static const double costs[] = {3, 1, 2, 7}, supply[] = {5, 4}, demand[] = {6, 3};
    for (uint32_t j = 0; j < 4; j++)
        program_continuous(&program, 0, INFINITY, costs[j]);
    for (uint32_t i = 0; i < 2; i++) {
        program_row(&program, supply[i], supply[i]);
        program_entry(&program, 2 * i, 1);
        program_entry(&program, 2 * i + 1, 1);
    }
    for (uint32_t i = 0; i < 2; i++) {
        program_row(&program, demand[i], demand[i]);
        program_entry(&program, i, 1);
        program_entry(&program, 2 + i, 1);
    }
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 17); /* 2, 3, 4, 0 */
}

static int ranged_rows(struct bench *bench)
{
    struct program program;
    program_init(&program, 3, 1, 3);
    static const double costs[] = {-5, -4, 3};
    program_row(&program, 2, 4);
    for (uint32_t j = 0; j < 3; j++) {
        program_binary(&program, costs[j]);
        program_entry(&program, j, 3 - (double)j);
    }
    return finish(bench, &program, FLUX_MILP_OPTIMAL, -5);
}

/* The same row forty times, and rows that touch the only vertex. */
static int degenerate(struct bench *bench)
{
    struct program program;
    program_init(&program, 3, 43, 129);
    for (uint32_t j = 0; j < 3; j++)
        program_continuous(&program, 0, INFINITY, -1);
    for (uint32_t r = 0; r < 43; r++) {
        program_row(&program, -INFINITY, r < 40 ? 6 : 4);
        for (uint32_t j = 0; j < 3; j++)
            if (r < 40 || j != r - 40)
                program_entry(&program, j, 1);
    }
    return finish(bench, &program, FLUX_MILP_OPTIMAL, -6);
}

/* An assignment where every permutation costs the same. */
static int ties(struct bench *bench)
{
    struct program program;
    program_init(&program, 25, 10, 50);
    for (uint32_t j = 0; j < 25; j++)
        program_binary(&program, 2);
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i < 5; i++) {
            program_row(&program, 1, 1);
            for (uint32_t k = 0; k < 5; k++)
                program_entry(&program, side ? 5 * k + i : 5 * i + k, 1);
        }
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 10);
}

static int knapsack(struct bench *bench)
{
    static const double worth[] = {10, 13, 7, 8, 12, 4, 9, 11}, weight[] = {5, 8, 3, 4, 7, 2, 5, 6};
    struct program program;
    program_init(&program, 8, 1, 8);
    program_row(&program, -INFINITY, 20);
    for (uint32_t j = 0; j < 8; j++) {
        program_binary(&program, -worth[j]);
        program_entry(&program, j, weight[j]);
    }
    return finish(bench, &program, FLUX_MILP_OPTIMAL, program_enumerate(&program.milp));
}

static int one_machine(struct bench *bench)
{
    struct program program;
    program_machine(&program, 4, 40, 1);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 18);
}

/* Big M a thousand times the horizon. */
static int big_coefficients(struct bench *bench)
{
    struct program program;
    program_machine(&program, 3, 20000, 1);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 12);
}

static int large_unit(struct bench *bench)
{
    struct program program;
    program_machine(&program, 3, 40e6, 1e6);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 12e6);
}

static int small_unit(struct bench *bench)
{
    struct program program;
    program_machine(&program, 3, 0.4, 0.01);
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 0.12);
}

static int cutoff_above(struct bench *bench)
{
    struct program program;
    program_machine(&program, 3, 40, 1);
    program.milp.cutoff = 12.5;
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 12);
}

static int cutoff_at_the_optimum(struct bench *bench)
{
    struct program program;
    program_machine(&program, 3, 40, 1);
    program.milp.cutoff = 12;
    return finish(bench, &program, FLUX_MILP_INFEASIBLE, 0);
}

static int cutoff_far_below(struct bench *bench)
{
    struct program program;
    program_machine(&program, 3, 40, 1);
    program.milp.cutoff = -5;
    return finish(bench, &program, FLUX_MILP_INFEASIBLE, 0);
}

/* Costs of both signs on several columns: no single column's bound can stand for the cutoff. */
static int cutoff_of_many_costs(struct bench *bench)
{
    for (int below = 0; below < 2; below++) {
        struct program program;
        program_init(&program, 4, 1, 4);
        static const double costs[] = {-5, -4, 3, 2};
        program_row(&program, 2, 2);
        for (uint32_t j = 0; j < 4; j++) {
            program_binary(&program, costs[j]);
            program_entry(&program, j, j < 2 ? 2 : 1);
        }
        program.milp.cutoff = below ? -5 : -4.5;
        if (finish(bench, &program, below ? FLUX_MILP_INFEASIBLE : FLUX_MILP_OPTIMAL, -5))
            return CONFORMANCE_FAILED;
    }
    return CONFORMANCE_PASSED;
}

/* One after the other, in the order of their numbers. */
static void machine_start(const struct program *program, uint32_t jobs, double *start)
{
    double at = 0;
    for (uint32_t i = 0; i < jobs; i++) {
        start[i] = at;
        at += 3 + i;
    }
    start[jobs] = at;
    for (uint32_t j = jobs + 1; j < program->milp.columns; j++)
        start[j] = 1;
}

static int start_feasible(struct bench *bench)
{
    struct program program;
    double start[16];
    program_machine(&program, 4, 40, 1);
    machine_start(&program, 4, start);
    program.milp.start = start;
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 18);
}

static int start_infeasible(struct bench *bench)
{
    struct program program;
    double start[16] = {0};
    program_machine(&program, 4, 40, 1);
    program.milp.start = start;
    return finish(bench, &program, FLUX_MILP_OPTIMAL, 18);
}

static int random_binaries(struct bench *bench)
{
    uint64_t state = 2024;
    for (int round = 0; round < 60; round++) {
        struct program program;
        program_random(&program, 3 + (uint32_t)round % 8, 1 + (uint32_t)round % 5, &state);
        double best = program_enumerate(&program.milp);
        int verdict = finish(bench, &program, isinf(best) ? FLUX_MILP_INFEASIBLE : FLUX_MILP_OPTIMAL, best);
        if (verdict) {
            char before[CONFORMANCE_WHY];
            snprintf(before, sizeof before, "%s", bench->why);
            return bench_fails(bench, "round %d: %.200s", round, before);
        }
    }
    return CONFORMANCE_PASSED;
}

const struct conformance_entry conformance_models[] = {
    {"nothing at all", empty},
    {"rows without columns", empty_with_rows},
    {"an impossible row without columns", empty_infeasible},
    {"one column", one_column},
    {"one binary", one_binary},
    {"no costs", no_cost},
    {"fixed columns", fixed_columns},
    {"rows without entries", rows_without_entries},
    {"an impossible row without entries", impossible_row_without_entries},
    {"rows without bounds", rows_without_bounds},
    {"infeasible relaxation", infeasible_relaxation},
    {"infeasible in whole numbers only", infeasible_in_whole_numbers},
    {"unbounded", unbounded},
    {"unbounded with a binary", unbounded_with_binary},
    {"free columns", free_columns},
    {"negative bounds", negative_bounds},
    {"equality rows", equality_rows},
    {"rows with two bounds", ranged_rows},
    {"degenerate", degenerate},
    {"ties", ties},
    {"knapsack", knapsack},
    {"jobs on one machine", one_machine},
    {"big coefficients", big_coefficients},
    {"large unit of time", large_unit},
    {"small unit of time", small_unit},
    {"cutoff above the optimum", cutoff_above},
    {"cutoff at the optimum", cutoff_at_the_optimum},
    {"cutoff far below", cutoff_far_below},
    {"cutoff of many costs", cutoff_of_many_costs},
    {"feasible start", start_feasible},
    {"infeasible start", start_infeasible},
    {"random binaries against enumeration", random_binaries},
};
const uint32_t conformance_model_count = sizeof conformance_models / sizeof *conformance_models;
