/* SPDX-License-Identifier: Apache-2.0
 *
 * io/trace/chakra_set.h - the files of a trace set: PREFIX.0.et, PREFIX.1.et, ... or .et.gz, .json, .json.gz.
 *
 * The rank is the number in a file's name; the order of a directory does not matter. A name with %d in the place of the
 * rank means the same as the prefix, and so does the name of one rank's file.
 */
#ifndef FLUX_IO_TRACE_CHAKRA_SET_H
#define FLUX_IO_TRACE_CHAKRA_SET_H

#include "io/memory.h"

struct flux_io_chakra_set {
    const struct flux_io_memory *memory;
    char *prefix; /* "DIRECTORY/NAME" before the dot of the rank; of a single file its whole path */
    uint64_t prefix_size;
    uint64_t stem_size;     /* of "DIRECTORY/NAME" at the beginning of `prefix` */
    unsigned char *endings; /* by rank: 0 .et, 1 .et.gz, 2 .json, 3 .json.gz */
    uint64_t capacity;
    uint32_t count;   /* ranks 0 .. count - 1, all there */
    uint32_t single;  /* 1: `path` names this one file, and it is all that is read */
    uint32_t doubled; /* ranks that have several of them; the first is read */
    uint32_t reserved;
};

/* 1 where `path` names a trace set or one of its files, and 0 where it does not. Nothing is kept. */
int flux_io_chakra_set_exists(const char *path, int is_file);

/* Finds the files. `is_file` says that `path` is a file and not a prefix; `alone` that then only that file counts, even
 * if it has neighbours. Errors: IO, FORMAT (a rank is missing: its number is told), TOO_BIG, MEMORY. Free it either
 * way. */
int flux_io_chakra_set_find(struct flux_io_chakra_set *set, const struct flux_io_memory *memory, const char *path,
                            int is_file, int alone, struct flux_error *error);
void flux_io_chakra_set_free(struct flux_io_chakra_set *set);

/* The path of a rank's file, to be released with its length + 1; NULL when there is no memory. */
char *flux_io_chakra_set_path(const struct flux_io_chakra_set *set, uint32_t rank);

#endif
