/* SPDX-License-Identifier: Apache-2.0
 *
 * demand/demand.h - inside of the demand room: a matrix, matchings on it, and lists of weighted matchings.
 */
#ifndef FLUX_DEMAND_DEMAND_H
#define FLUX_DEMAND_DEMAND_H

#include "base/memory.h"

#include <libflux/demand.h>

struct flux_demand_matrix {
    struct flux_arena *arena; /* scratch of the computation */
    uint32_t ports;
    int64_t delay;
    const int64_t *demand; /* ports * ports */
    int64_t limit;         /* a decomposition whose weights and delays sum to more is of no use, and may stop there */
};

/* Matchings with the time that each is held. */
struct flux_demand_terms {
    uint64_t count;
    uint64_t capacity;
    int64_t total; /* of weights and delays, as they were added */
    int64_t *weight;
    uint32_t *out; /* count * ports: by input the output, or FLUX_NONE */
};

/* Appends a matching, held for `weight`. 0 or FLUX_E_MEMORY. The terms live in the matrix's arena. */
int flux_demand_add(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms, const uint32_t *out,
                    int64_t weight);

/* The decompositions: each covers the matrix. 0 or FLUX_E_MEMORY. */
int flux_demand_bvn(const struct flux_demand_matrix *matrix, int bottleneck, struct flux_demand_terms *terms);
int flux_demand_solstice(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms);
int flux_demand_eclipse(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms);
int flux_demand_spectra(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms);
int flux_demand_first_fit(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms);

/* `steps` of Eclipse, then Spectra on the rest. 0 or FLUX_E_MEMORY. */
int flux_demand_peaks_first(const struct flux_demand_matrix *matrix, uint64_t steps, struct flux_demand_terms *terms);

/* Turns terms into others that cover the matrix in less time and with no more matchings. 0 or FLUX_E_MEMORY. */
int flux_demand_improve(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms);

/* The same with groups of terms at a time, for decompositions that serve each pair in one term. 0 or FLUX_E_MEMORY. */
int flux_demand_repeel(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms);

/* Terms on switches: longest first to the least loaded (Graham, 1969), then split so that the loads are equal, as
 * Spectra's Equalize does. With `balance` terms change places in between, while that makes the fullest switch emptier.
 * States come by switch, in order of time; `matching` is the number of the term. */
int flux_demand_layout(const struct flux_demand_matrix *matrix, const struct flux_demand_terms *terms,
                       uint32_t switches, int balance, struct flux_demand_state **states, uint64_t *count,
                       int64_t *makespan);

/* Circuits by switch, then start. 0 or FLUX_E_MEMORY. */
int flux_demand_sunflow(const struct flux_demand_matrix *matrix, uint32_t switches,
                        struct flux_demand_circuit **circuits, uint64_t *count, int64_t *makespan);

/* Does the plan serve the matrix by `makespan`, with matchings, or circuits that leave each other's ports alone?
 * 0, FLUX_E_MISMATCH or FLUX_E_MEMORY. */
int flux_demand_check_states(const struct flux_demand_matrix *matrix, const struct flux_demand_terms *terms,
                             const struct flux_demand_state *states, uint64_t count, uint32_t switches,
                             int64_t makespan);
int flux_demand_check_circuits(const struct flux_demand_matrix *matrix, const struct flux_demand_circuit *circuits,
                               uint64_t count, uint32_t switches, int64_t makespan);

/* 0 or FLUX_E_MEMORY. */
int flux_demand_bound(const struct flux_demand_matrix *matrix, uint32_t switches, int64_t *bound);

/* A largest matching of inputs to outputs on the entries of `value` that are at least `least`, from the matching in
 * `out` and `in` (by output), which is kept as far as its entries still count (Hopcroft and Karp, 1973). Returns its
 * size. The scratch arrays have `ports` numbers each, 4 of them. */
uint32_t flux_demand_match(uint32_t ports, const int64_t *value, int64_t least, uint32_t *out, uint32_t *in,
                           uint32_t *scratch);

/* The assignment of inputs to outputs with the largest sum of `value` (Kuhn, 1955, in the shortest augmenting path form
 * of Jonker and Volgenant, 1987). Values are 0 .. 2^44. `scratch` has 6 * (ports + 1) numbers. */
void flux_demand_assign(uint32_t ports, const int64_t *value, uint32_t *out, int64_t *scratch);

#endif
