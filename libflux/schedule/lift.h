/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/lift.h - what the lifts of a certificate make of heads and tails. For what checks certificates.
 */
#ifndef FLUX_SCHEDULE_LIFT_H
#define FLUX_SCHEDULE_LIFT_H

#include "schedule/lengths.h"

#include <libflux/certificate.h>

/* Raises heads and tails by the lifts, in topological order whatever their own order is. Linear in vertices and edges,
 * and for each lift in the part of the graph that is before (after) its vertex and within its window.
 * Errors: MEMORY, MISMATCH (a lift names what is not there), OVERFLOW. */
int flux_lengths_lift(struct flux_lengths *lengths, const struct flux_lift *lifts, uint64_t count);

#endif
