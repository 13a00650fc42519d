/* SPDX-License-Identifier: Apache-2.0
 *
 * io/trace/chakra_plain.h - nodes of a Chakra trace in JSON, where they look as nearly all do.
 *
 * Strings of printable ASCII without escapes, each member once, an attribute with its name first and one value, whole
 * numbers of up to 18 digits: such an object is read as it stands, without a tree of what is in it. Whatever is not so,
 * and whatever is wrong, is left to the reader of all JSON, which says the same of everything that is read here.
 */
#ifndef FLUX_IO_TRACE_CHAKRA_PLAIN_H
#define FLUX_IO_TRACE_CHAKRA_PLAIN_H

#include "io/trace/chakra_wire.h"

/* Reads the object of `size` bytes at `text` into reader->node, which is blank. 1; 0 where the object is left to the
 * other reader, and the node is blank again; or FLUX_E_MEMORY. */
int flux_io_chakra_plain(struct flux_io_chakra_reader *reader, const char *text, uint64_t size);

#endif
