/* SPDX-License-Identifier: Apache-2.0
 *
 * io/strings.h - names and numbers of a file to dense indices 0, 1, 2, ... in order of arrival.
 *
 * Hash tables with open addressing, keyed so that a hostile file cannot choose names that meet (SipHash-1-3; Aumasson
 * and Bernstein, 2012). The key differs from run to run, the indices do not depend on it.
 */
#ifndef FLUX_IO_STRINGS_H
#define FLUX_IO_STRINGS_H

#include "io/memory.h"

/* Distinct strings. They may hold zero bytes. */
struct flux_io_strings {
    const struct flux_io_memory *memory;
    uint64_t key[2];
    uint64_t count;
    uint64_t probes; /* table places looked at so far */
    char *text;      /* every string and an end after it */
    uint64_t text_used;
    uint64_t text_capacity;
    uint64_t *begin; /* of string i in `text` */
    uint64_t begin_capacity;
    struct flux_io_strings_place *places;
    uint64_t place_count; /* a power of two */
};

/* `memory` must outlive the strings. Nothing is allocated yet. */
void flux_io_strings_init(struct flux_io_strings *strings, const struct flux_io_memory *memory);
void flux_io_strings_free(struct flux_io_strings *strings);

/* `*index` is that of the string; `*fresh` (may be NULL) is 1 where it was not there before. 0, FLUX_E_MEMORY, or
 * FLUX_E_TOO_BIG beyond 2^32 - 2 strings. */
int flux_io_strings_add(struct flux_io_strings *strings, const char *text, uint64_t length, uint32_t *index,
                        int *fresh);
/* Its index, or FLUX_NONE. */
uint32_t flux_io_strings_find(struct flux_io_strings *strings, const char *text, uint64_t length);
/* Ended by a zero byte; lives until the next add. `length` may be NULL. */
const char *flux_io_strings_text(const struct flux_io_strings *strings, uint32_t index, uint64_t *length);

/* Distinct 64-bit numbers, the same way. */
struct flux_io_numbers {
    const struct flux_io_memory *memory;
    uint64_t key[2];
    uint64_t count;
    uint64_t *number; /* number i */
    uint64_t number_capacity;
    uint32_t *places; /* index + 1; 0: free */
    uint64_t place_count;
};

void flux_io_numbers_init(struct flux_io_numbers *numbers, const struct flux_io_memory *memory);
void flux_io_numbers_free(struct flux_io_numbers *numbers);
int flux_io_numbers_add(struct flux_io_numbers *numbers, uint64_t number, uint32_t *index, int *fresh);
uint32_t flux_io_numbers_find(const struct flux_io_numbers *numbers, uint64_t number);

#endif
