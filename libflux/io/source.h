/* SPDX-License-Identifier: Apache-2.0
 *
 * io/source.h - what the caller named as input: a file, a pipe, standard input, or a prefix of several files.
 *
 * It is opened once, read-only, and read from the beginning to the end. What begins as gzip does is delivered
 * uncompressed, whatever it is. The first bytes are read ahead, so that formats can be told apart, and are delivered
 * again to who reads on.
 */
#ifndef FLUX_IO_SOURCE_H
#define FLUX_IO_SOURCE_H

#include "io/memory.h"

#define FLUX_IO_HEAD 4096

struct flux_io_source {
    const struct flux_io_memory *memory;
    const char *path;              /* as given; "-": standard input */
    struct flux_io_gunzip *gunzip; /* NULL: the bytes are delivered as they are */
    const unsigned char *text;     /* not NULL: the bytes are there, and there is no file */
    uint64_t text_size;            /* of them left */
    uint64_t size;                 /* of a regular file that is not compressed; else UINT64_MAX */
    int descriptor;                /* -1: there is no file of that name, so `path` may be a prefix */
    uint32_t head_size;            /* bytes in `head`; less than its room only where the file ends there */
    uint32_t head_given;           /* of them delivered so far */
    unsigned char head[FLUX_IO_HEAD];
};

/* A path that does not exist is no error here: descriptor -1, head_size 0. `memory` and `path` must outlive the source.
 * Errors: ARGUMENT, IO (a directory, a file that may not be read), FORMAT (damaged gzip), MEMORY. */
int flux_io_source_open(struct flux_io_source *source, const struct flux_io_memory *memory, const char *path,
                        struct flux_error *error);
/* A source whose bytes are there already; `path` is what messages call it. It need not be closed. */
void flux_io_source_of(struct flux_io_source *source, const struct flux_io_memory *memory, const char *path,
                       const unsigned char *text, uint64_t size);
void flux_io_source_close(struct flux_io_source *source);

/* Up to `size` more bytes, from the beginning on; `*count` 0 at the end. Errors: IO, FORMAT, TOO_BIG. */
int flux_io_source_read(struct flux_io_source *source, void *bytes, size_t size, size_t *count,
                        struct flux_error *error);

/* All of it, for formats that point to and fro. `*bytes` is to be released with `*capacity`. More than `most` bytes are
 * TOO_BIG. */
int flux_io_source_read_all(struct flux_io_source *source, uint64_t most, unsigned char **bytes, uint64_t *size,
                            uint64_t *capacity, struct flux_error *error);

/* The error for a path that is neither a file nor a prefix of anything. */
int flux_io_source_missing(const struct flux_io_source *source, struct flux_error *error);

/* Does the head, from its first byte that is no space or line end on, begin with `text`? */
int flux_io_source_begins(const struct flux_io_source *source, const char *text);

#endif
