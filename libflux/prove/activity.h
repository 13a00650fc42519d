/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/activity.h - which open variable is tried next: the one that dead ends spoke of most, lately. A heap.
 */
#ifndef FLUX_PROVE_ACTIVITY_H
#define FLUX_PROVE_ACTIVITY_H

#include "prove/clauses.h"

void flux_activity_put(struct flux_clauses *clauses, uint32_t variable); /* where it is not in the heap */
uint32_t flux_activity_take(struct flux_clauses *clauses);               /* of a heap that is not empty */
void flux_activity_bump(struct flux_clauses *clauses, uint32_t variable);
void flux_activity_decay(struct flux_clauses *clauses);

#endif
