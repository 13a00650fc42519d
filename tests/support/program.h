/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/program.h - mixed-integer programs put together column by column and row by row, and the ones that
 * tests share. Needs <libflux/backend.h> and the C library only.
 */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include <libflux/backend.h>

struct program {
    struct flux_milp milp;
    double *column_lower, *column_upper, *cost, *row_lower, *row_upper, *entry_value;
    uint8_t *column_kind;
    uint64_t *row_first;
    uint32_t *entry_column;
};

/* Room for that many; memory from malloc(), which these tests do without checking further than assert(). */
void program_init(struct program *program, uint32_t columns, uint32_t rows, uint64_t entries);
void program_free(struct program *program);

/* Each returns the number of the new column or row. Entries go to the last row. */
uint32_t program_continuous(struct program *program, double lower, double upper, double cost);
uint32_t program_binary(struct program *program, double cost);
uint32_t program_row(struct program *program, double lower, double upper);
void program_entry(struct program *program, uint32_t column, double value);

/* Cost of a point; how far its worst row, bound or binary is off. */
double program_cost(const struct flux_milp *milp, const double *values);
double program_violation(const struct flux_milp *milp, const double *values);

/* The least cost by trying all points, for at most 20 columns that are all binary; INFINITY where there is none. */
double program_enumerate(const struct flux_milp *milp);

/* Random binaries with `rows` random rows; numbers are small and whole. `state` is a random state that goes on. */
void program_random(struct program *program, uint32_t columns, uint32_t rows, uint64_t *state);

/* Rows of whole numbers that binaries must split in halves: 50 columns or so keep any branch and bound busy for hours,
 * and every relaxation is easy. */
void program_market_split(struct program *program, uint32_t columns, uint32_t rows);

/* One dense relaxation that keeps a simplex method busy: no binaries. */
void program_dense(struct program *program, uint32_t columns, uint32_t rows);

/* The same with six entries in each row, for a longer time with smaller steps. */
void program_sparse(struct program *program, uint32_t columns, uint32_t rows);

/* `jobs` of durations 3, 4, 5, ... on one machine by pairs of big-M rows; the least makespan is the sum. */
void program_machine(struct program *program, uint32_t jobs, double big, double unit);

#endif
