/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/label.h - names of vertices that lead back to the trace.
 *
 *   r3/747/attn_qkv              rank 3, node 747, its name
 *   r3/747/all_gather@5#12       the end of rank 3's part in collective 12 (from 0) of group 5
 *   r3/747/all_gather@5#12/s2-r1 its send of step 2 to rank 1; with chunks /c1s2-r1; without -r1 a point between steps
 *   r3/747/all_gather@5#12/start where more than one dependency meets more than one first send
 *
 * Unique by rank, node and step. Letters, digits and _ . @ - of names are kept, anything else becomes _; long names are
 * cut. So a label needs no quotes in YAML, CSV or a shell.
 */
#ifndef FLUX_IO_WORKLOAD_LABEL_H
#define FLUX_IO_WORKLOAD_LABEL_H

#include "io/workload/workload.h"

#define FLUX_IO_LABEL 160

/* Of a node by itself. Each writes at most FLUX_IO_LABEL bytes and returns their number without the end. */
uint32_t flux_io_label_node(const struct flux_io_workload *workload, uint32_t rank, uint32_t node, char *label);

/* Of member `member` of an instance: what the labels of its steps begin with. */
uint32_t flux_io_label_member(const struct flux_io_workload *workload, const struct flux_io_instance *instance,
                              uint32_t member, char *label);

/* Puts "/s2-r1" behind `length` bytes of a member's label. `chunk` FLUX_NONE: not cut in chunks; `to` FLUX_NONE: none.
 */
void flux_io_label_step(char *label, uint32_t length, uint32_t chunk, uint32_t step, uint32_t to);

#endif
