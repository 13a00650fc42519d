/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/run.h - the one safe way to use a backend, ours or anybody's.
 *
 * What a backend may count on: the program was checked (backend/milp.h), its parameters are set before solve(), one
 * thread uses an instance, close() is called on every path on which open() succeeded.
 * What the caller may count on: a result is either believable by itself or marked as disbelieved. Disbelieved is a
 * result with an unknown status, a number that is not finite, a point outside its own bounds and rows by more than
 * FLUX_MILP_TOLERANCE, an objective that is not the point's cost, a bound above the point's cost, or a word against
 * the start: "infeasible" or a bound above it although it is feasible. A point that passes is still only a hint about
 * switches and order. Whether a bound below every point is too high nobody can see here: it stays the solver's word.
 */
#ifndef FLUX_BACKEND_RUN_H
#define FLUX_BACKEND_RUN_H

#include "base/control.h"
#include "base/memory.h"

#include <libflux/backend.h>

struct flux_backend_request {
    const struct flux_backend *backend;
    const struct flux_milp *milp;
    const struct flux_parameter *parameters; /* all of the caller's: those named "BACKEND.key" are this backend's */
    uint64_t parameter_count;
    struct flux_control *control; /* whose deadline, cancel token, work limit and progress are obeyed */
    uint64_t deadline_ns;         /* one more deadline, on the control's clock; UINT64_MAX: none */
    /* May be NULL. Called on the caller's thread with finite values, their cost, and only while the backend runs. */
    void (*incumbent)(void *user, const double *values, double cost);
    void *user;
};

struct flux_backend_answer {
    uint32_t status;      /* FLUX_MILP_*; UNKNOWN where disbelieved */
    uint32_t disbelieved; /* 1: what came back was nonsense, and is not here */
    double objective;     /* with FEASIBLE and OPTIMAL: the cost of `values`, computed here */
    double bound;         /* the solver's word; -INFINITY where unknown */
    uint64_t nodes;
    uint64_t spent_ns; /* open to close */
    uint64_t late_ns;  /* how long it ran on after it was first told to stop */
    double *values;    /* with FEASIBLE and OPTIMAL, in the arena; else NULL */
    char why[192];     /* why it was disbelieved; empty otherwise */
};

/* Opens, sets parameters, solves, closes, checks. `arena` holds the answer's values. When control or deadline_ns says
 * stop before the start, the answer is UNKNOWN and the backend is not opened.
 * OPTIMAL with a bound clearly below the point's cost (a gap tolerance was asked for) becomes FEASIBLE.
 * Errors: what flux_backend_check() and flux_milp_check() find; ARGUMENT for a parameter; MEMORY; TOO_BIG; BACKEND for
 * whatever else the backend fails with, its own sentence in the text. The answer is UNKNOWN then. */
int flux_backend_run(const struct flux_backend_request *request, struct flux_arena *arena,
                     struct flux_backend_answer *answer, struct flux_error *error);

/* Everything that can be known about a choice before any time is spent: opens, sets the parameters, closes. Parameters
 * of other built-in backends are not looked at; a key without a backend's name, or with one that nobody has, is wrong.
 * Errors: as flux_backend_run(). */
int flux_backend_probe(const struct flux_backend *backend, const struct flux_parameter *parameters, uint64_t count,
                       const struct flux_memory *memory, struct flux_error *error);

#endif
