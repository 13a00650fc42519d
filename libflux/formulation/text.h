/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/text.h - programs as text: a buffer in front of the caller's function, and names for columns and rows.
 */
#ifndef FLUX_FORMULATION_TEXT_H
#define FLUX_FORMULATION_TEXT_H

#include "formulation/formulation.h"
#include "model/graph.h"

#define FLUX_NAME_ROOM 112
#define FLUX_NAME_WORD 25

struct flux_text {
    int (*write)(void *user, const char *text, uint64_t length);
    void *user;
    int failed;
    uint32_t used;
    char buffer[4096];
};

void flux_text_add(struct flux_text *text, const char *piece);
/* Exact: a value is a whole number times a power of two, and all of its decimals are written. */
void flux_text_value(struct flux_text *text, double value);
void flux_text_flush(struct flux_text *text);

/* A word per node, of letters, digits and dots, no two alike: its label where it has one that allows this, otherwise
 * "v" and its number in the graph. Names in the files are made of these words and '_'. */
struct flux_names {
    char (*word)[FLUX_NAME_WORD];
};

/* Errors: MEMORY. */
int flux_names_make(struct flux_names *names, const struct flux_graph *graph, const struct flux_problem *problem,
                    struct flux_arena *arena);
/* Into `name`, which it returns. */
const char *flux_names_column(const struct flux_names *names, const struct flux_meaning *meaning,
                              char name[FLUX_NAME_ROOM]);
const char *flux_names_row(const struct flux_names *names, const struct flux_meaning *meaning, uint32_t row,
                           char name[FLUX_NAME_ROOM]);

/* formulation/lp.c and formulation/mps.c. Errors: MEMORY; IO where the text could not be written. */
int flux_lp_write(const struct flux_formulation *formulation, const struct flux_names *names, struct flux_text *text);
int flux_mps_write(const struct flux_formulation *formulation, const struct flux_names *names, struct flux_text *text,
                   struct flux_arena *scratch);

#endif
