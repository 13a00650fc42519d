/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/piece.h - some sends of a problem as a problem of their own: the longest paths between them, before them and
 * after them stay; all other sends use no ports, and switches that stop as a whole or need time between changes are
 * plain ones. Every schedule of the whole, cut down to these sends, is one of the piece.
 */
#ifndef FLUX_PROVE_PIECE_H
#define FLUX_PROVE_PIECE_H

#include "model/problem.h"

/* Of `count` sends, ascending. The piece's node i is nodes[i]; it lives in `arena`, and reads from `whole`. Errors:
 * MEMORY. */
int flux_piece_make(const struct flux_problem *whole, const uint32_t *nodes, uint32_t count, struct flux_arena *arena,
                    struct flux_problem *piece);

#endif
