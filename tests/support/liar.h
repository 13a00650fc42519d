/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/liar.h - backends that lie, each in one way. None of them may do harm, and none may be believed.
 */
#ifndef TESTS_LIAR_H
#define TESTS_LIAR_H

#include <libflux/backend.h>

/* How the one who uses it notices. */
#define LIAR_REFUSED 1       /* before it is called: its table is wrong */
#define LIAR_FAILS 2         /* open() or solve() returns an error */
#define LIAR_CAUGHT 3        /* by its answer alone */
#define LIAR_AGAINST_START 4 /* by the program's start, where that is feasible */
#define LIAR_SAYS_NOTHING 5  /* UNKNOWN, after doing something that it should not */

struct liar {
    const char *lie;
    const struct flux_backend *backend;
    uint32_t noticed; /* LIAR_* */
};

extern const struct liar liars[];
extern const uint32_t liar_count;

/* One of them by its backend's name, as "liar_nan"; aborts where there is none. */
const struct flux_backend *liar_find(const char *name);

#endif
