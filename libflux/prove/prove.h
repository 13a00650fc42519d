/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/prove.h - small problems solved to the end by our own search: a better plan, or the proof that there is none.
 *
 * Is there a schedule of at most so many picoseconds? Decisions are which switch carries a send and which of two sends
 * is first; longest paths and what ports must carry forbid others, and every dead end becomes a clause. Downwards from
 * the best plan, until there is none.
 */
#ifndef FLUX_PROVE_PROVE_H
#define FLUX_PROVE_PROVE_H

#include "base/control.h"
#include "search/plan.h"

#define FLUX_PROVE_STEPS_PER_WORK 64u

struct flux_prove_answer {
    int64_t bound; /* no schedule is shorter; 0 where nothing was proven */
    int improved;  /* the plan is a better one */
    int proven;    /* and there is none better than it */
    uint64_t conflicts;
    uint64_t steps;
};

struct flux_prove_limits {
    uint64_t steps;
    uint64_t deadline_ns; /* UINT64_MAX: none */
    uint32_t turn;        /* dead ends of the first turn; 0: as is good */
};

/* Improves `plan`, and proves that nothing is below it. It ends at its limits, and where `control` says so. Does
 * nothing where the problem is too large, or order and switches do not decide it (blocking, dwell). `bound` is what is
 * proven already. Errors: MEMORY. */
int flux_prove(const struct flux_problem *problem, struct flux_control *control, const struct flux_prove_limits *limits,
               int64_t bound, struct flux_plan *plan, struct flux_prove_answer *answer);

/* Improves the plan of a stretch within its frame, `plan`, whose makespan is that of the whole; ends after so many dead
 * ends, or where there is nothing better (`proven`). With a seed other than 0 another one that is as good will do. Work
 * is for the caller to count. Errors: MEMORY. */
struct flux_stretch;
int flux_prove_stretch(const struct flux_stretch *stretch, struct flux_control *control, uint64_t conflicts,
                       uint64_t seed, struct flux_plan *plan, struct flux_prove_answer *answer);

/* Is there a schedule of a piece that is shorter than `plan` says? `improved`: there is, in `plan`; `proven`: there is
 * none; neither: the limits were reached, or the piece is too large. The control does not hear of its makespan. Errors:
 * MEMORY. */
int flux_prove_piece(const struct flux_problem *piece, struct flux_control *control,
                     const struct flux_prove_limits *limits, struct flux_plan *plan, struct flux_prove_answer *answer);

#endif
