/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/conformance.h - small models that every backend must get right, and the ways in which it must fail.
 * Needs <libflux/backend.h> and the C library, so that an author can run it on a backend of his own: docs/backends.md.
 */
#ifndef TESTS_CONFORMANCE_H
#define TESTS_CONFORMANCE_H

#include <libflux/backend.h>

#define CONFORMANCE_WHY 240

#define CONFORMANCE_PASSED 0
#define CONFORMANCE_FAILED 1
#define CONFORMANCE_SKIPPED 2 /* the backend does not claim what is tested */

uint32_t conformance_count(void);

/* What case `index` is about. */
const char *conformance_name(uint32_t index);

/* Runs one case; `why` tells what went wrong. A backend that does not claim FLUX_BACKEND_OPTIMAL may
 * answer UNKNOWN everywhere; what it does say must be true. */
int conformance_case(uint32_t index, const struct flux_backend *backend, char why[CONFORMANCE_WHY]);

#endif
