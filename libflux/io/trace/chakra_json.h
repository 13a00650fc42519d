/* SPDX-License-Identifier: Apache-2.0
 *
 * io/trace/chakra_json.h - a Chakra trace as chakra_jsonizer writes it: the same messages as JSON objects, one behind
 * another with nothing between, by the JSON mapping of protocol buffers. 64-bit numbers are strings, defaults are left
 * out, and names are in camel case; in snake case they are read, too.
 */
#ifndef FLUX_IO_TRACE_CHAKRA_JSON_H
#define FLUX_IO_TRACE_CHAKRA_JSON_H

#include "io/trace/chakra_wire.h"

/* Does it begin with a JSON object? A trace of frames may begin with the same byte. */
int flux_io_chakra_json_begins(const struct flux_io_source *source);

/* Refuses by name JSON that is known to be something else. 0 or FORMAT. */
int flux_io_chakra_json_check(const struct flux_io_source *source, struct flux_error *error);

/* Reads the metadata of an opened reader. */
int flux_io_chakra_json_open(struct flux_io_chakra_reader *reader, struct flux_error *error);

/* 1 and reader->node; 0 at the end of the file; or an error: FORMAT with line and column, TOO_BIG, IO, MEMORY. */
int flux_io_chakra_json_next(struct flux_io_chakra_reader *reader, struct flux_error *error);

#endif
