/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/parts.h - the bytes of a run of a cycle, counted again from its parts.
 */
#ifndef TESTS_PARTS_H
#define TESTS_PARTS_H

#include <libflux/flux.h>

#define PARTS_TEXT 200

/* 1 where every byte of every send leaves its source once and arrives once, none leaves a GPU before it is there, no
 * two parts are on competing circuits of one switch at a time, and the series and peaks of NIC memory are those that
 * follow; 0 with a reason in `why`. Quadratic. */
int parts_check(const struct flux_graph *graph, const struct flux_fabric *fabric, struct flux_replay *replay,
                char why[PARTS_TEXT]);

#endif
