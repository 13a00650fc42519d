/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *room(uint64_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    assert(block);
    return block;
}

void program_init(struct program *program, uint32_t columns, uint32_t rows, uint64_t entries)
{
    memset(program, 0, sizeof *program);
    program->column_lower = room(columns, sizeof(double));
    program->column_upper = room(columns, sizeof(double));
    program->cost = room(columns, sizeof(double));
    program->column_kind = room(columns, 1);
    program->row_lower = room(rows, sizeof(double));
    program->row_upper = room(rows, sizeof(double));
    program->row_first = room((uint64_t)rows + 1, sizeof(uint64_t));
    program->entry_column = room(entries, sizeof(uint32_t));
    program->entry_value = room(entries, sizeof(double));
    program->milp = (struct flux_milp){
        .size = sizeof program->milp,
        .column_lower = program->column_lower,
        .column_upper = program->column_upper,
        .cost = program->cost,
        .column_kind = program->column_kind,
        .row_lower = program->row_lower,
        .row_upper = program->row_upper,
        .row_first = program->row_first,
        .entry_column = program->entry_column,
        .entry_value = program->entry_value,
        .cutoff = INFINITY,
    };
}

void program_free(struct program *program)
{
    free(program->column_lower);
    free(program->column_upper);
    free(program->cost);
    free(program->column_kind);
    free(program->row_lower);
    free(program->row_upper);
    free(program->row_first);
    free(program->entry_column);
    free(program->entry_value);
}

static uint32_t add_column(struct program *program, uint8_t kind, double lower, double upper, double cost)
{
    uint32_t j = program->milp.columns++;
    program->column_kind[j] = kind;
    program->column_lower[j] = lower;
    program->column_upper[j] = upper;
    program->cost[j] = cost;
    return j;
}

uint32_t program_continuous(struct program *program, double lower, double upper, double cost)
{
    return add_column(program, FLUX_COLUMN_CONTINUOUS, lower, upper, cost);
}

uint32_t program_binary(struct program *program, double cost)
{
    return add_column(program, FLUX_COLUMN_BINARY, 0, 1, cost);
}

uint32_t program_row(struct program *program, double lower, double upper)
{
    uint32_t r = program->milp.rows++;
    program->row_lower[r] = lower;
    program->row_upper[r] = upper;
    program->row_first[r] = program->row_first[r + 1] = program->milp.entries;
    return r;
}

void program_entry(struct program *program, uint32_t column, double value)
{
    program->entry_column[program->milp.entries] = column;
    program->entry_value[program->milp.entries] = value;
    program->row_first[program->milp.rows] = ++program->milp.entries;
}

double program_cost(const struct flux_milp *milp, const double *values)
{
    double cost = 0;
    for (uint32_t j = 0; j < milp->columns; j++)
        cost += milp->cost[j] * values[j];
    return cost;
}

double program_violation(const struct flux_milp *milp, const double *values)
{
    double worst = 0;
    for (uint32_t j = 0; j < milp->columns; j++) {
        worst = fmax(worst, fmax(milp->column_lower[j] - values[j], values[j] - milp->column_upper[j]));
        if (milp->column_kind[j] == FLUX_COLUMN_BINARY)
            worst = fmax(worst, fabs(values[j] - floor(values[j] + 0.5)));
        if (isnan(values[j]))
            return INFINITY;
    }
    for (uint32_t r = 0; r < milp->rows; r++) {
        double sum = 0, scale = 1;
        for (uint64_t e = milp->row_first[r]; e < milp->row_first[r + 1]; e++) {
            sum += milp->entry_value[e] * values[milp->entry_column[e]];
            scale = fmax(scale, fabs(milp->entry_value[e]));
        }
        worst = fmax(worst, fmax(milp->row_lower[r] - sum, sum - milp->row_upper[r]) / scale);
    }
    return worst;
}

double program_enumerate(const struct flux_milp *milp)
{
    double values[20] = {0}, best = INFINITY;
    assert(milp->columns <= 20);
    for (uint32_t point = 0; point < UINT32_C(1) << milp->columns; point++) {
        for (uint32_t j = 0; j < milp->columns; j++)
            values[j] = point >> j & 1;
        if (program_violation(milp, values) <= 1e-9)
            best = fmin(best, program_cost(milp, values));
    }
    return best;
}

static int draw(uint64_t *state, int least, int most)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return least + (int)((*state >> 33) % (uint64_t)(most - least + 1));
}

void program_random(struct program *program, uint32_t columns, uint32_t rows, uint64_t *state)
{
    program_init(program, columns, rows, (uint64_t)columns * rows);
    for (uint32_t j = 0; j < columns; j++)
        program_binary(program, draw(state, -9, 9));
    for (uint32_t r = 0; r < rows; r++) {
        int kind = draw(state, 0, 3), side = draw(state, -3, 6);
        program_row(program, kind == 0 || kind == 3 ? (double)side : -(double)INFINITY,
                    kind == 1 || kind == 3 ? (double)side + 4 : (double)INFINITY);
        for (uint32_t j = 0; j < columns; j++)
            if (draw(state, 0, 2))
                program_entry(program, j, draw(state, -5, 5));
    }
}

void program_market_split(struct program *program, uint32_t columns, uint32_t rows)
{
    uint64_t state = 7;
    program_init(program, columns + 2 * rows, rows, (uint64_t)columns * rows + 2 * rows);
    for (uint32_t j = 0; j < columns; j++)
        program_binary(program, 0);
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t less = program_continuous(program, 0, INFINITY, 1), more = program_continuous(program, 0, INFINITY, 1);
        double sum = 0;
        program_row(program, 0, 0);
        for (uint32_t j = 0; j < columns; j++) {
            int share = draw(&state, 0, 99);
            program_entry(program, j, share);
            sum += share;
        }
        program_entry(program, less, 1);
        program_entry(program, more, -1);
        program->row_lower[r] = program->row_upper[r] = floor(sum / 2);
    }
}

void program_dense(struct program *program, uint32_t columns, uint32_t rows)
{
    uint64_t state = 11;
    program_init(program, columns, rows, (uint64_t)columns * rows);
    for (uint32_t j = 0; j < columns; j++)
        program_continuous(program, 0, INFINITY, draw(&state, 1, 999));
    for (uint32_t r = 0; r < rows; r++) {
        program_row(program, draw(&state, 1000, 99999), INFINITY);
        for (uint32_t j = 0; j < columns; j++)
            program_entry(program, j, draw(&state, 1, 999));
    }
}

void program_sparse(struct program *program, uint32_t columns, uint32_t rows)
{
    uint64_t state = 13;
    program_init(program, columns, rows, 6 * (uint64_t)rows);
    for (uint32_t j = 0; j < columns; j++)
        program_continuous(program, 0, INFINITY, draw(&state, 1, 999));
    for (uint32_t r = 0; r < rows; r++) {
        program_row(program, draw(&state, 1000, 99999), INFINITY);
        for (uint32_t i = 0; i < 6; i++) /* one of each sixth: no column twice */
            program_entry(program, i * (columns / 6) + (uint32_t)draw(&state, 0, (int)(columns / 6) - 1),
                          draw(&state, 1, 999));
    }
}

void program_machine(struct program *program, uint32_t jobs, double big, double unit)
{
    uint32_t pairs = jobs * (jobs - 1) / 2;
    program_init(program, jobs + 1 + pairs, jobs + 2 * pairs, 2 * (uint64_t)jobs + 6 * (uint64_t)pairs);
    for (uint32_t i = 0; i < jobs; i++)
        program_continuous(program, 0, big, 0);
    uint32_t end = program_continuous(program, 0, big, 1);
    for (uint32_t i = 0; i < jobs; i++) {
        program_row(program, (3 + i) * unit, INFINITY);
        program_entry(program, end, 1);
        program_entry(program, i, -1);
    }
    for (uint32_t i = 0; i < jobs; i++)
        for (uint32_t k = i + 1; k < jobs; k++) {
            uint32_t first = program_binary(program, 0);
            program_row(program, (3 + i) * unit - big, INFINITY); /* k - i - big * first >= d_i - big */
            program_entry(program, k, 1);
            program_entry(program, i, -1);
            program_entry(program, first, -big);
            program_row(program, (3 + k) * unit, INFINITY);
            program_entry(program, i, 1);
            program_entry(program, k, -1);
            program_entry(program, first, big);
        }
}
