/* SPDX-License-Identifier: Apache-2.0 */
#include "formulation/builder.h"

#include <math.h>

void flux_builder_count(struct flux_builder *builder)
{
    *builder = (struct flux_builder){0};
}

int flux_builder_fill(struct flux_builder *builder, struct flux_formulation *formulation,
                      const struct flux_formulation_size *size)
{
    struct flux_arena *arena = &formulation->arena;
    *builder = (struct flux_builder){.formulation = formulation};
    builder->column_lower = flux_arena_alloc(arena, size->columns, sizeof *builder->column_lower);
    builder->column_upper = flux_arena_alloc(arena, size->columns, sizeof *builder->column_upper);
    builder->cost = flux_arena_alloc(arena, size->columns, sizeof *builder->cost);
    builder->column_kind = flux_arena_alloc(arena, size->columns, sizeof *builder->column_kind);
    builder->row_lower = flux_arena_alloc(arena, size->rows, sizeof *builder->row_lower);
    builder->row_upper = flux_arena_alloc(arena, size->rows, sizeof *builder->row_upper);
    builder->row_first = flux_arena_zero(arena, size->rows + 1, sizeof *builder->row_first);
    builder->entry_column = flux_arena_alloc(arena, size->entries, sizeof *builder->entry_column);
    builder->entry_value = flux_arena_alloc(arena, size->entries, sizeof *builder->entry_value);
    formulation->column_meaning = flux_arena_alloc(arena, size->columns, sizeof *formulation->column_meaning);
    formulation->row_meaning = flux_arena_alloc(arena, size->rows, sizeof *formulation->row_meaning);
    if (!builder->column_lower || !builder->column_upper || !builder->cost || !builder->column_kind ||
        !builder->row_lower || !builder->row_upper || !builder->row_first || !builder->entry_column ||
        !builder->entry_value || !formulation->column_meaning || !formulation->row_meaning)
        return FLUX_E_MEMORY;
    formulation->milp = (struct flux_milp){
        .size = sizeof formulation->milp,
        .columns = (uint32_t)size->columns,
        .rows = (uint32_t)size->rows,
        .entries = size->entries,
        .column_lower = builder->column_lower,
        .column_upper = builder->column_upper,
        .cost = builder->cost,
        .column_kind = builder->column_kind,
        .row_lower = builder->row_lower,
        .row_upper = builder->row_upper,
        .row_first = builder->row_first,
        .entry_column = builder->entry_column,
        .entry_value = builder->entry_value,
        .cutoff = (double)INFINITY,
    };
    return FLUX_OK;
}

uint32_t flux_builder_column(struct flux_builder *builder, uint32_t type, double lower, double upper, double cost,
                             struct flux_meaning meaning)
{
    uint64_t column = builder->size.columns++;
    if (builder->formulation) {
        builder->column_kind[column] = (uint8_t)type;
        builder->column_lower[column] = lower;
        builder->column_upper[column] = upper;
        builder->cost[column] = cost;
        builder->formulation->column_meaning[column] = meaning;
    }
    return (uint32_t)column;
}

void flux_builder_entry(struct flux_builder *builder, uint32_t column, double value)
{
    if (value > 0 || value < 0) {
        if (builder->formulation) {
            builder->entry_column[builder->size.entries] = column;
            builder->entry_value[builder->size.entries] = value;
        }
        builder->size.entries++;
    }
}

void flux_builder_row(struct flux_builder *builder, double lower, double upper, struct flux_meaning meaning)
{
    uint64_t row = builder->size.rows++;
    if (builder->formulation) {
        builder->row_lower[row] = lower;
        builder->row_upper[row] = upper;
        builder->row_first[row + 1] = builder->size.entries;
        builder->formulation->row_meaning[row] = meaning;
    }
}
