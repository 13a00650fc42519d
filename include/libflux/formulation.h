/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/formulation.h - a problem as a mixed-integer program in a solver's own file format. Stable.
 *
 * docs/formulation.md says what every column and row is. The programs of flux_schedule()'s backends are these.
 */
#ifndef LIBFLUX_FORMULATION_H
#define LIBFLUX_FORMULATION_H

#include <libflux/schedule.h>

FLUX_BEGIN_DECLS

#define FLUX_FORMAT_LP 0  /* CPLEX LP */
#define FLUX_FORMAT_MPS 1 /* free MPS */

/* Filled by flux_formulation_write(). The caller sets `size`; no more than that is written. Grows at the end. */
struct flux_formulation_summary {
    uint64_t size;
    uint64_t columns;
    uint64_t rows;
    uint64_t entries;
    int64_t step; /* ps that a value of 1 stands for: the makespan is the objective times this */
};

#define FLUX_FORMULATION_SUMMARY_INIT { sizeof(struct flux_formulation_summary), 0, 0, 0, 0 }

/* Writes the program of FLUX_FORMULATION_TIGHT or FLUX_FORMULATION_PAPER (see libflux/schedule.h) as text, piece by
 * piece, to `write`, which returns 0, or anything else to end it. TIGHT takes in the bound and the makespan of a
 * construction, and still has every schedule at least as good as that. The same text for the same input. `summary` and
 * `error` may be NULL.
 * Errors: as flux_schedule(); TOO_BIG for a program that nobody could solve, with its numbers, before anything is
 * written; IO where `write` ended it. Since 0.1. */
FLUX_API int flux_formulation_write(const struct flux_graph *graph, const struct flux_fabric *fabric,
                                    uint32_t formulation, uint32_t format,
                                    int (*write)(void *user, const char *text, uint64_t length), void *user,
                                    struct flux_formulation_summary *summary, struct flux_error *error);

FLUX_END_DECLS
#endif
