/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/builder.h - columns and rows one after the other, first counted, then written into arrays that fit.
 */
#ifndef FLUX_FORMULATION_BUILDER_H
#define FLUX_FORMULATION_BUILDER_H

#include "formulation/formulation.h"

struct flux_builder {
    struct flux_formulation *formulation; /* NULL: counting */
    struct flux_formulation_size size;    /* so far */
    double *column_lower;
    double *column_upper;
    double *cost;
    uint8_t *column_kind;
    double *row_lower;
    double *row_upper;
    uint64_t *row_first;
    uint32_t *entry_column;
    double *entry_value;
};

void flux_builder_count(struct flux_builder *builder);

/* Arrays of `size` in the formulation's arena. Errors: MEMORY. */
int flux_builder_fill(struct flux_builder *builder, struct flux_formulation *formulation,
                      const struct flux_formulation_size *size);

/* The number of the new column. */
uint32_t flux_builder_column(struct flux_builder *builder, uint32_t type, double lower, double upper, double cost,
                             struct flux_meaning meaning);

/* A row is its entries, no column twice, and then its end. A value of 0 leaves no entry. */
void flux_builder_entry(struct flux_builder *builder, uint32_t column, double value);
void flux_builder_row(struct flux_builder *builder, double lower, double upper, struct flux_meaning meaning);

#endif
