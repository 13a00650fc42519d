/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/demand.h - one traffic matrix over parallel switches, without a DAG: decompositions into matchings, and how
 * they are laid out on the switches. Stable.
 *
 * The model of the literature that these algorithms come from: n inputs and n outputs per switch (a switch state is a
 * partial permutation), demand[i][j] is the time that the traffic from i to j needs on one circuit, and a switch
 * carries nothing for `delay` before each of its states, the first included. A pair may be split over states and
 * switches. Times are picoseconds; the diagonal is 0.
 */
#ifndef LIBFLUX_DEMAND_H
#define LIBFLUX_DEMAND_H

#include <libflux/env.h>
#include <libflux/error.h>

FLUX_BEGIN_DECLS

#define FLUX_DEMAND_PORTS_MAX 4096

#define FLUX_DEMAND_BVN 1        /* Birkhoff - von Neumann with any perfect matching (Hopcroft-Karp) */
#define FLUX_DEMAND_BOTTLENECK 2 /* the same with matchings whose least entry is largest */
#define FLUX_DEMAND_SOLSTICE 3   /* Liu et al., CoNEXT 2015: QuickStuff and BigSlice, run until all is served */
#define FLUX_DEMAND_ECLIPSE 4    /* Bojja Venkatakrishnan et al., SIGMETRICS 2016: greedy by served time per cost */
#define FLUX_DEMAND_SPECTRA 5    /* after Liang et al., 2026: fewest matchings, load-aware, equalised by splitting */
#define FLUX_DEMAND_FIRST_FIT 6  /* edge colouring, largest entries first: entries of like size meet */
#define FLUX_DEMAND_BEST 7       /* the shortest of all of the above, each improved */
#define FLUX_DEMAND_SUNFLOW 8    /* Huang et al., CoNEXT 2016: one circuit per pair, held until the pair is served */

/* A state of one switch: it begins with `delay` of darkness and then serves its pairs for `time`. Rows are ordered by
 * switch, then start. Frozen. */
struct flux_demand_state {
    uint32_t switch_index;
    uint32_t matching; /* row of flux_demand_plan_matching() */
    int64_t start;     /* of the darkness */
    int64_t time;
};

/* A circuit of FLUX_DEMAND_SUNFLOW, whose switches do not stop as a whole: only the sender's and the receiver's port
 * are dark for `delay` from `start` on; then it serves the pair for `time`. Rows are ordered by switch, then start.
 * Frozen. */
struct flux_demand_circuit {
    uint32_t switch_index;
    uint32_t src;
    uint32_t dst;
    uint32_t reserved; /* 0 */
    int64_t start;
    int64_t time;
};

struct flux_demand_plan;

/* Lays `demand` (row-major, ports * ports, each 0 .. 2^50) out on `switches` switches by `algorithm` (FLUX_DEMAND_*).
 * Free with flux_demand_plan_free(). Every plan is checked before it is returned: each state is a matching, and every
 * pair is served for at least its demand.
 * Errors: ARGUMENT (a diagonal or negative entry: the text names it), TOO_BIG, OVERFLOW, MEMORY. Since 0.1. */
FLUX_API int flux_demand_schedule(const struct flux_env *env, uint32_t ports, const int64_t *demand, uint32_t switches,
                                  int64_t delay, uint32_t algorithm, struct flux_demand_plan **plan,
                                  struct flux_error *error);
FLUX_API void flux_demand_plan_free(struct flux_demand_plan *plan); /* NULL is fine */

FLUX_API int64_t flux_demand_plan_makespan(const struct flux_demand_plan *plan);
/* No plan is shorter, Sunflow's included; docs/demand.md has the formula. */
FLUX_API int64_t flux_demand_plan_bound(const struct flux_demand_plan *plan);
FLUX_API uint32_t flux_demand_plan_algorithm(const struct flux_demand_plan *plan); /* which one it is, of BEST too */
FLUX_API uint32_t
flux_demand_plan_requested(const struct flux_demand_plan *plan); /* which one was asked for. Since 0.1. */
FLUX_API uint64_t flux_demand_plan_matchings(const struct flux_demand_plan *plan);
/* By input the output, FLUX_NONE where the input is dark; `ports` numbers. */
FLUX_API const uint32_t *flux_demand_plan_matching(const struct flux_demand_plan *plan, uint64_t index);
FLUX_API const struct flux_demand_state *flux_demand_plan_states(const struct flux_demand_plan *plan, uint64_t *count);
/* Of FLUX_DEMAND_SUNFLOW, which has neither matchings nor states; NULL and 0 of all others. Since 0.1. */
FLUX_API const struct flux_demand_circuit *flux_demand_plan_circuits(const struct flux_demand_plan *plan,
                                                                     uint64_t *count);
/* How often switches are set: states, or circuits where there are none. Since 0.1. */
FLUX_API uint64_t flux_demand_plan_configurations(const struct flux_demand_plan *plan);

/* Matrices of the literature. */
#define FLUX_DEMAND_STANDARD 1 /* of Solstice, Eclipse and their kin: a few heavy and many light permutations, noise   \
                                */
#define FLUX_DEMAND_MOE_MULTINOMIAL 2 /* mixture of experts: every token draws its experts evenly */
#define FLUX_DEMAND_MOE_LOGNORMAL 3   /* experts differ in popularity, the same for every port: hot columns */
#define FLUX_DEMAND_MOE_PAIRS 4       /* every port has experts that it prefers: hot pairs */

/* What to make; 0 means the default everywhere but in `kind`, `ports` and `seed`. Grows at the end: start from
 * FLUX_DEMAND_GENERATOR_INIT. */
struct flux_demand_generator {
    uint64_t size;
    uint32_t kind; /* FLUX_DEMAND_STANDARD, ... */
    uint32_t ports;
    uint64_t seed;
    int64_t line;       /* ps that a row sums to, about, with what stays at home; 1 ms */
    uint32_t heavy;     /* STANDARD: heavy permutations; 4 */
    uint32_t light;     /* light ones; 12 */
    uint32_t heavy_ppm; /* of the line that the heavy ones carry together; 700,000 */
    uint32_t noise_ppm; /* standard deviation on each entry, of the line; 3,000 */
    uint32_t tokens;    /* MOE: of each port; 4,096 */
    uint32_t top_k;     /* experts that a token goes to, one by one; 2 */
    uint32_t sigma_ppm; /* of the logarithm of popularity; 500,000 */
    uint32_t reserved;  /* 0 */
};

#define FLUX_DEMAND_GENERATOR_INIT                                                                                     \
    {                                                                                                                  \
        sizeof(struct flux_demand_generator), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                                       \
    }

/* Fills `demand` (ports * ports, row-major) with picoseconds. The same options make the same matrix everywhere.
 * Errors: ARGUMENT, ABI, TOO_BIG, MEMORY. Since 0.1. */
FLUX_API int flux_demand_generate(const struct flux_env *env, const struct flux_demand_generator *options,
                                  int64_t *demand, struct flux_error *error);

/* "bvn", "spectra", ...; a static string, "" for an unknown number. And back: 0 for an unknown name. */
FLUX_API const char *flux_demand_name(uint32_t algorithm);
FLUX_API uint32_t flux_demand_find(const char *name);

FLUX_END_DECLS
#endif
