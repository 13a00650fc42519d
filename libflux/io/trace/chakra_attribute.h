/* SPDX-License-Identifier: Apache-2.0
 *
 * io/trace/chakra_attribute.h - AttributeProto: a name and one of thirty kinds of value.
 */
#ifndef FLUX_IO_TRACE_CHAKRA_ATTRIBUTE_H
#define FLUX_IO_TRACE_CHAKRA_ATTRIBUTE_H

#include "io/trace/chakra_wire.h"

/* The name as it stands in files, for messages. */
const char *flux_io_chakra_attribute_name(enum flux_io_chakra_attribute which);

/* Reads a string field up to its end into `room`, cut to `size` - 1 bytes and ended; zero bytes become "?". `length` is
 * that in the file. */
bool flux_io_chakra_text(pb_istream_t *stream, char *room, size_t size, uint64_t *length);

/* Reads the whole of `stream`, an AttributeProto. A known attribute goes to `value[]`, its text to `text` where it is
 * PG_NAME or SCHEMA (FLUX_IO_CHAKRA_TEXT_MAX + 1 bytes). `*old` is set where the layout is that of schema 0.0.2 or
 * 0.0.3. NULL, or what is wrong with the bytes. */
const char *flux_io_chakra_attribute_read(pb_istream_t *stream, struct flux_io_chakra_value *value, char *text,
                                          int *old);

#endif
