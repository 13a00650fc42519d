/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/joint.h - all ranks together, before anything is expanded: which node waits for which across ranks.
 *
 * Nodes are numbered through: node i of rank r is base[r] + i. In this graph a collective is one point that waits for
 * the nodes of all members and that all members wait for, which is what every algorithm amounts to; so a cycle here is
 * a deadlock of the program, found while the graph is still small.
 */
#ifndef FLUX_IO_WORKLOAD_JOINT_H
#define FLUX_IO_WORKLOAD_JOINT_H

#include "io/workload/workload.h"

struct flux_io_joint {
    const struct flux_io_workload *workload;
    uint64_t *base;     /* rank_count + 1 */
    uint32_t *partner;  /* of a collective its instance (FLUX_NONE: a group of one); of a receive its send */
    uint32_t *previous; /* of a serial compute the one that its GPU runs before it; FLUX_NONE: none */
    uint64_t node_count;
};

/* `serialize`: serial computes of a rank follow each other in the order of the rank; where that closes a cycle over
 * several ranks, in an order that closes none, with a note. On error there is nothing to free.
 * Errors: CYCLE (one is told), TOO_BIG, MEMORY. */
int flux_io_joint_make(struct flux_io_joint *joint, const struct flux_io_workload *workload, int serialize,
                       struct flux_error *error);
void flux_io_joint_free(struct flux_io_joint *joint);

#endif
