/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/mps.c - a program in free MPS: fields apart by blanks, names of any length.
 */
#include "formulation/text.h"

#include <math.h>

struct mps {
    const struct flux_formulation *formulation;
    const struct flux_names *names;
    struct flux_text *text;
    uint64_t *first; /* entries by column, from first[j] to first[j + 1] */
    uint32_t *row;
    double *value;
};

static void line(struct flux_text *text, const char *a, const char *b, const char *c, double value)
{
    flux_text_add(text, a);
    flux_text_add(text, b);
    flux_text_add(text, " ");
    flux_text_add(text, c);
    flux_text_add(text, " ");
    flux_text_value(text, value);
    flux_text_add(text, "\n");
}

static int transpose(struct mps *mps, struct flux_arena *arena)
{
    const struct flux_milp *milp = &mps->formulation->milp;
    mps->first = flux_arena_zero(arena, (uint64_t)milp->columns + 2, sizeof *mps->first);
    mps->row = flux_arena_alloc(arena, milp->entries, sizeof *mps->row);
    mps->value = flux_arena_alloc(arena, milp->entries, sizeof *mps->value);
    if (!mps->first || !mps->row || !mps->value)
        return FLUX_E_MEMORY;
    for (uint64_t i = 0; i < milp->entries; i++)
        mps->first[milp->entry_column[i] + 2]++;
    for (uint32_t j = 0; j < milp->columns; j++)
        mps->first[j + 2] += mps->first[j + 1];
    for (uint32_t row = 0; row < milp->rows; row++)
        for (uint64_t i = milp->row_first[row]; i < milp->row_first[row + 1]; i++) {
            uint64_t at = mps->first[milp->entry_column[i] + 1]++;
            mps->row[at] = row;
            mps->value[at] = milp->entry_value[i];
        }
    return FLUX_OK;
}

static const char *row_name(const struct mps *mps, uint32_t row, char name[FLUX_NAME_ROOM])
{
    return flux_names_row(mps->names, &mps->formulation->row_meaning[row], row, name);
}

static const char *column_name(const struct mps *mps, uint32_t column, char name[FLUX_NAME_ROOM])
{
    return flux_names_column(mps->names, &mps->formulation->column_meaning[column], name);
}

static void write_rows(const struct mps *mps)
{
    const struct flux_milp *milp = &mps->formulation->milp;
    char name[FLUX_NAME_ROOM];
    flux_text_add(mps->text, "ROWS\n N objective\n");
    for (uint32_t row = 0; row < milp->rows && !mps->text->failed; row++) {
        flux_text_add(mps->text, isinf(milp->row_lower[row]) ? " L " : isinf(milp->row_upper[row]) ? " G " : " E ");
        flux_text_add(mps->text, row_name(mps, row, name));
        flux_text_add(mps->text, "\n");
    }
}

static void write_columns(const struct mps *mps)
{
    const struct flux_milp *milp = &mps->formulation->milp;
    char column[FLUX_NAME_ROOM], row[FLUX_NAME_ROOM];
    int whole = 0;
    flux_text_add(mps->text, "COLUMNS\n");
    for (uint32_t j = 0; j < milp->columns && !mps->text->failed; j++) {
        int binary = milp->column_kind[j] == FLUX_COLUMN_BINARY;
        if (binary != whole)
            flux_text_add(mps->text, binary ? " M 'MARKER' 'INTORG'\n" : " M 'MARKER' 'INTEND'\n");
        whole = binary;
        column_name(mps, j, column);
        if (milp->cost[j] > 0 || mps->first[j] == mps->first[j + 1])
            line(mps->text, " ", column, "objective", milp->cost[j]);
        for (uint64_t i = mps->first[j]; i < mps->first[j + 1]; i++)
            line(mps->text, " ", column, row_name(mps, mps->row[i], row), mps->value[i]);
    }
    if (whole)
        flux_text_add(mps->text, " M 'MARKER' 'INTEND'\n");
}

static void write_sides(const struct mps *mps)
{
    const struct flux_milp *milp = &mps->formulation->milp;
    char name[FLUX_NAME_ROOM];
    flux_text_add(mps->text, "RHS\n");
    for (uint32_t row = 0; row < milp->rows && !mps->text->failed; row++) {
        double side = isinf(milp->row_lower[row]) ? milp->row_upper[row] : milp->row_lower[row];
        if (side > 0 || side < 0)
            line(mps->text, " ", "RHS", row_name(mps, row, name), side);
    }
    flux_text_add(mps->text, "BOUNDS\n");
    for (uint32_t j = 0; j < milp->columns && !mps->text->failed; j++) {
        column_name(mps, j, name);
        if (milp->column_lower[j] > 0)
            line(mps->text, " LO ", "BOUND", name, milp->column_lower[j]);
        if (!isinf(milp->column_upper[j]))
            line(mps->text, " UP ", "BOUND", name, milp->column_upper[j]);
    }
}

int flux_mps_write(const struct flux_formulation *formulation, const struct flux_names *names, struct flux_text *text,
                   struct flux_arena *scratch)
{
    struct mps mps = {.formulation = formulation, .names = names, .text = text};
    int rc = transpose(&mps, scratch);
    if (rc)
        return rc;
    flux_text_add(text, "* A schedule of optical circuits: times are in steps of ");
    flux_text_value(text, ldexp((double)formulation->unit, (int)formulation->shift));
    flux_text_add(text, " ps.\nNAME schedule FREE\n");
    write_rows(&mps);
    write_columns(&mps);
    write_sides(&mps);
    flux_text_add(text, "ENDATA\n");
    flux_text_flush(text);
    return text->failed ? FLUX_E_IO : FLUX_OK;
}
