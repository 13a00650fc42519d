/* SPDX-License-Identifier: Apache-2.0
 *
 * io/trace/chakra_json_words.h - names of Chakra's schema in the JSON mapping of protocol buffers.
 */
#ifndef FLUX_IO_TRACE_CHAKRA_JSON_WORDS_H
#define FLUX_IO_TRACE_CHAKRA_JSON_WORDS_H

#include <stddef.h>
#include <stdint.h>

#define FLUX_IO_CHAKRA_WORD 24 /* room for any name of the schema; longer ones are cut and fit none */

/* "int64Val" of "int64_val", in `room`. */
const char *flux_io_chakra_camel_case(const char *name, char room[FLUX_IO_CHAKRA_WORD]);

/* Whether an attribute has a member of this name, in camel case, that holds its value. */
int flux_io_chakra_is_value(const char *name);

/* The number of a NodeType by name; UINT32_MAX where it is none. */
uint32_t flux_io_chakra_type_of(const char *name);

/* Which attribute that is kept, or FLUX_IO_CHAKRA_ATTRIBUTES. */
uint32_t flux_io_chakra_attribute_of(const char *name);

#endif
