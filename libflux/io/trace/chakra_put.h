/* SPDX-License-Identifier: Apache-2.0
 *
 * io/trace/chakra_put.h - the messages of a Chakra execution trace, written: schema 0.0.4, as chakra_wire.h reads it.
 *
 * Attributes have the kinds that ASTRA-sim's first feeder insists on: sizes int64, ranks and tags int32.
 */
#ifndef FLUX_IO_TRACE_CHAKRA_PUT_H
#define FLUX_IO_TRACE_CHAKRA_PUT_H

#include "io/output.h"

struct flux_io_chakra_written {
    const char *name;
    uint64_t id;
    uint64_t duration_us;
    uint32_t type; /* FLUX_IO_CHAKRA_COMP, _SEND or _RECV */
    uint32_t src;  /* of SEND and RECV */
    uint32_t dst;
    uint32_t tag;
    uint64_t bytes;
    const uint64_t *deps;
    uint64_t dep_count;
};

/* The first frame of a file. */
void flux_io_chakra_put_metadata(struct flux_io_output *out);
void flux_io_chakra_put_node(struct flux_io_output *out, const struct flux_io_chakra_written *node);

#endif
