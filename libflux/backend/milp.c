/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/milp.h"

#include "base/fail.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A number of a program: finite and not beyond FLUX_MILP_LARGEST. False for NaN. */
static int is_number(double value)
{
    return fabs(value) <= FLUX_MILP_LARGEST;
}

static int is_bit(double value)
{
    return value == 0 || value == 1;
}

/* NULL, or what is wrong with a pair of bounds. */
static const char *bounds_fault(double lower, double upper)
{
    if (isnan(lower) || isnan(upper))
        return "a bound is not a number";
    if (!is_number(lower) && !(isinf(lower) && lower < 0))
        return "the lower bound is too large";
    if (!is_number(upper) && !(isinf(upper) && upper > 0))
        return "the upper bound is too large";
    if (lower > upper)
        return "the lower bound is above the upper one";
    return NULL;
}

static int check_columns(const struct flux_milp *milp, struct flux_error *error)
{
    for (uint32_t j = 0; j < milp->columns; j++) {
        double lower = milp->column_lower[j], upper = milp->column_upper[j];
        const char *fault = bounds_fault(lower, upper);
        if (!fault && milp->column_kind[j] > FLUX_COLUMN_BINARY)
            fault = "its kind is unknown";
        if (!fault && milp->column_kind[j] == FLUX_COLUMN_BINARY && !(is_bit(lower) && is_bit(upper)))
            fault = "it is binary, and its bounds are not 0 or 1";
        if (!fault && !is_number(milp->cost[j]))
            fault = "its cost is not a finite number of at most 1e15";
        if (!fault && milp->start && !is_number(milp->start[j]))
            fault = "its start is not a finite number of at most 1e15";
        if (fault)
            return flux_fail(error, FLUX_E_ARGUMENT, "mixed-integer program, column %" PRIu32 ": %s", j, fault);
    }
    return FLUX_OK;
}

/* `seen` has room for a row number + 1 per column. */
static const char *row_fault(const struct flux_milp *milp, uint32_t row, uint32_t *seen)
{
    const char *fault = bounds_fault(milp->row_lower[row], milp->row_upper[row]);
    if (fault)
        return fault;
    if (milp->row_first[row] > milp->row_first[row + 1] || milp->row_first[row + 1] > milp->entries)
        return "its entries are out of order";
    for (uint64_t e = milp->row_first[row]; e < milp->row_first[row + 1]; e++) {
        uint32_t column = milp->entry_column[e];
        if (column >= milp->columns)
            return "an entry names a column that is not there";
        if (seen[column] == row + 1)
            return "two entries name the same column";
        seen[column] = row + 1;
        if (!is_number(milp->entry_value[e]))
            return "an entry is not a finite number of at most 1e15";
    }
    return NULL;
}

static int check_rows(const struct flux_milp *milp, uint32_t *seen, struct flux_error *error)
{
    for (uint32_t r = 0; r < milp->rows; r++) {
        const char *fault = row_fault(milp, r, seen);
        if (fault)
            return flux_fail(error, FLUX_E_ARGUMENT, "mixed-integer program, row %" PRIu32 ": %s", r, fault);
    }
    return FLUX_OK;
}

static int check_arrays(const struct flux_milp *milp, struct flux_error *error)
{
    int columns = milp->column_lower && milp->column_upper && milp->cost && milp->column_kind;
    int rows = milp->row_lower && milp->row_upper && milp->row_first;
    if (milp->rows == UINT32_MAX || milp->columns == UINT32_MAX)
        return flux_fail(error, FLUX_E_ARGUMENT, "mixed-integer program with more than %" PRIu32 " rows or columns",
                         UINT32_MAX - 1);
    if ((milp->columns && !columns) || (milp->rows && !rows) ||
        (milp->entries && !(milp->entry_column && milp->entry_value)))
        return flux_fail(error, FLUX_E_ARGUMENT, "mixed-integer program with an array that is NULL");
    if (milp->rows ? milp->row_first[0] != 0 || milp->row_first[milp->rows] != milp->entries : milp->entries != 0)
        return flux_fail(error, FLUX_E_ARGUMENT, "mixed-integer program whose rows do not hold its entries");
    if (isnan(milp->cutoff) || (isinf(milp->cutoff) ? milp->cutoff < 0 : !is_number(milp->cutoff)))
        return flux_fail(error, FLUX_E_ARGUMENT, "mixed-integer program whose cutoff is not a number of at most 1e15");
    return FLUX_OK;
}

int flux_milp_check(const struct flux_milp *milp, const struct flux_memory *memory, struct flux_error *error)
{
    if (!milp)
        return flux_fail(error, FLUX_E_ARGUMENT, "no mixed-integer program");
    if (milp->size != sizeof *milp)
        return flux_fail(error, FLUX_E_ABI, "struct flux_milp has size %" PRIu64 ", not %zu", milp->size,
                         sizeof *milp);
    int rc = check_arrays(milp, error);
    if (!rc)
        rc = check_columns(milp, error);
    if (rc || !milp->rows)
        return rc;
    uint32_t *seen = flux_alloc_zero(memory, milp->columns, sizeof *seen);
    if (!seen)
        return flux_fail_memory(error);
    rc = check_rows(milp, seen, error);
    flux_release(memory, seen, milp->columns, sizeof *seen);
    return rc;
}

double flux_milp_cost(const struct flux_milp *milp, const double *values)
{
    double cost = 0;
    for (uint32_t j = 0; j < milp->columns; j++)
        cost += milp->cost[j] * values[j];
    return cost;
}

static double worse(double worst, double excess, double scale)
{
    return excess > 0 && excess / scale > worst ? excess / scale : worst;
}

static double column_violation(const struct flux_milp *milp, uint32_t j, double value)
{
    double lower = milp->column_lower[j], upper = milp->column_upper[j], worst = 0;
    if (!isfinite(value))
        return INFINITY;
    if (!isinf(lower))
        worst = worse(worst, lower - value, 1 + fabs(lower));
    if (!isinf(upper))
        worst = worse(worst, value - upper, 1 + fabs(upper));
    if (milp->column_kind[j] == FLUX_COLUMN_BINARY)
        worst = worse(worst, fmin(fabs(value), fabs(value - 1)), 1);
    return worst;
}

static double row_violation(const struct flux_milp *milp, uint32_t row, const double *values)
{
    double sum = 0, scale = 1, worst = 0;
    for (uint64_t e = milp->row_first[row]; e < milp->row_first[row + 1]; e++) {
        uint32_t j = milp->entry_column[e];
        double entry = milp->entry_value[e];
        double size = fabs(milp->column_kind[j] == FLUX_COLUMN_BINARY ? entry : entry * values[j]);
        sum += entry * values[j];
        scale = fmax(scale, 1 + size);
    }
    if (!isinf(milp->row_lower[row]))
        worst = worse(worst, milp->row_lower[row] - sum, scale);
    if (!isinf(milp->row_upper[row]))
        worst = worse(worst, sum - milp->row_upper[row], scale);
    return isfinite(sum) ? worst : INFINITY;
}

double flux_milp_violation(const struct flux_milp *milp, const double *values)
{
    double worst = 0;
    for (uint32_t j = 0; j < milp->columns; j++)
        worst = fmax(worst, column_violation(milp, j, values[j]));
    if (isinf(worst))
        return worst;
    for (uint32_t r = 0; r < milp->rows; r++)
        worst = fmax(worst, row_violation(milp, r, values));
    return worst;
}
