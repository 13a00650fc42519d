/* SPDX-License-Identifier: Apache-2.0
 *
 * io/trace/chakra_node.h - what a node of a Chakra trace means for a workload.
 */
#ifndef FLUX_IO_TRACE_CHAKRA_NODE_H
#define FLUX_IO_TRACE_CHAKRA_NODE_H

#include "io/trace/chakra_wire.h"
#include "io/workload/roofline.h"
#include "io/workload/workload.h"

/* How nodes are read: from the options of the import. */
struct flux_io_chakra_rules {
    struct flux_io_roofline roofline;
    uint64_t scale_num; /* of comm_size and tensor_size */
    uint64_t scale_den;
    uint32_t memory_rate_given; /* 1: MEM_LOAD and MEM_STORE take their size at that rate; 0: no time */
    uint32_t replicated;        /* 1: the node stands for all ranks */
    uint32_t broadcasts;        /* 1: a broadcast comes from its group's first member; 0: it only joins them */
    uint32_t reserved;
};

/* What is told once per rank. */
struct flux_io_chakra_tally {
    uint64_t timeless;   /* computes without a duration, operations or a size */
    uint64_t sizeless;   /* computes with operations, timed without a tensor size */
    uint64_t memory;     /* MEM_LOAD and MEM_STORE taken to need no time */
    uint64_t invalid;    /* of type 0 */
    uint64_t unknown;    /* of a type that the schema does not have */
    uint64_t broadcasts; /* the schema does not name the root */
    uint64_t host;       /* operations of the host, which take no time */
    uint64_t collectives;
    uint32_t unknown_type;
    uint32_t reserved;
};

/* Adds reader->node, and what it waits for, to rank `rank`. Errors: FORMAT, OVERFLOW, MEMORY. */
int flux_io_chakra_node_add(struct flux_io_workload *workload, uint32_t rank, const struct flux_io_chakra_rules *rules,
                            const struct flux_io_chakra_reader *reader, struct flux_io_chakra_tally *tally,
                            struct flux_error *error);

#endif
