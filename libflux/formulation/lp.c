/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/lp.c - a program in the CPLEX LP format, as GLPK, CBC, HiGHS, Gurobi and CPLEX read it.
 */
#include "formulation/text.h"

#include <math.h>

#define TERMS_A_LINE 6 /* some readers have short lines */

static void add_term(struct flux_text *text, double value, const char *name, uint64_t nth)
{
    if (nth && nth % TERMS_A_LINE == 0)
        flux_text_add(text, "\n  ");
    flux_text_add(text, value < 0 ? " - " : nth ? " + " : " ");
    double size = fabs(value);
    if (size > 1 || size < 1) {
        flux_text_value(text, size);
        flux_text_add(text, " ");
    }
    flux_text_add(text, name);
}

static void write_row(const struct flux_formulation *formulation, const struct flux_names *names,
                      struct flux_text *text, uint32_t row)
{
    const struct flux_milp *milp = &formulation->milp;
    char name[FLUX_NAME_ROOM];
    uint64_t first = milp->row_first[row];
    flux_text_add(text, " ");
    flux_text_add(text, flux_names_row(names, &formulation->row_meaning[row], row, name));
    flux_text_add(text, ":");
    for (uint64_t i = first; i < milp->row_first[row + 1]; i++)
        add_term(text, milp->entry_value[i],
                 flux_names_column(names, &formulation->column_meaning[milp->entry_column[i]], name), i - first);
    int below = isinf(milp->row_lower[row]);
    int above = isinf(milp->row_upper[row]);
    flux_text_add(text, below ? " <= " : above ? " >= " : " = ");
    flux_text_value(text, below ? milp->row_upper[row] : milp->row_lower[row]);
    flux_text_add(text, "\n");
}

static void write_bound(const struct flux_formulation *formulation, const struct flux_names *names,
                        struct flux_text *text, uint32_t column)
{
    const struct flux_milp *milp = &formulation->milp;
    char name[FLUX_NAME_ROOM];
    double lower = milp->column_lower[column], upper = milp->column_upper[column];
    if (milp->column_kind[column] == FLUX_COLUMN_BINARY || (lower <= 0 && isinf(upper)))
        return;
    flux_text_add(text, " ");
    flux_text_value(text, lower);
    flux_text_add(text, " <= ");
    flux_text_add(text, flux_names_column(names, &formulation->column_meaning[column], name));
    if (!isinf(upper)) {
        flux_text_add(text, " <= ");
        flux_text_value(text, upper);
    }
    flux_text_add(text, "\n");
}

int flux_lp_write(const struct flux_formulation *formulation, const struct flux_names *names, struct flux_text *text)
{
    const struct flux_milp *milp = &formulation->milp;
    char name[FLUX_NAME_ROOM];
    flux_text_add(text, "\\ A schedule of optical circuits: times are in steps of ");
    flux_text_value(text, ldexp((double)formulation->unit, (int)formulation->shift));
    flux_text_add(text, " ps.\nMinimize\n objective: makespan\nSubject To\n");
    for (uint32_t row = 0; row < milp->rows && !text->failed; row++)
        write_row(formulation, names, text, row);
    if (!milp->rows) /* the format wants one */
        flux_text_add(text, " nothing: makespan >= 0\n");
    flux_text_add(text, "Bounds\n");
    int binaries = 0;
    for (uint32_t j = 0; j < milp->columns && !text->failed; j++) {
        write_bound(formulation, names, text, j);
        binaries |= milp->column_kind[j] == FLUX_COLUMN_BINARY;
    }
    if (binaries)
        flux_text_add(text, "Binaries\n");
    for (uint32_t j = 0; j < milp->columns && !text->failed; j++) {
        if (milp->column_kind[j] != FLUX_COLUMN_BINARY)
            continue;
        flux_text_add(text, " ");
        flux_text_add(text, flux_names_column(names, &formulation->column_meaning[j], name));
        flux_text_add(text, "\n");
    }
    flux_text_add(text, "End\n");
    flux_text_flush(text);
    return text->failed ? FLUX_E_IO : FLUX_OK;
}
