/* SPDX-License-Identifier: Apache-2.0
 *
 * tiny.h - a backend of one's own, in one file, against installed headers only: branch and bound over the binaries,
 * bounds of all columns tightened row by row. It is exact where the best values of the other columns follow from their
 * bounds, which is so for libflux's programs: their rows say "this starts so long after that".
 */
#ifndef TINY_H
#define TINY_H

#include <libflux/backend.h>

extern const struct flux_backend tiny_backend;

#endif
