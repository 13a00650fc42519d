/* SPDX-License-Identifier: Apache-2.0
 *
 * io/source.h - what the caller named as input: a file, standard input, or a prefix of several files.
 *
 * The first bytes are read ahead, so that formats can be told apart, and are delivered again to who reads on.
 */
#ifndef FLUX_IO_SOURCE_H
#define FLUX_IO_SOURCE_H

#include <libflux/error.h>
#include <stddef.h>
#include <stdint.h>

#define FLUX_IO_HEAD 4096

struct flux_io_source {
    const char *path;    /* as given; "-": standard input */
    int descriptor;      /* -1: there is no file of that name, so `path` may be a prefix */
    uint32_t head_size;  /* bytes in `head`; less than its room only where the file ends there */
    uint32_t head_given; /* of them delivered so far */
    unsigned char head[FLUX_IO_HEAD];
};

/* A path that does not exist is no error here: descriptor -1, head_size 0. Errors: ARGUMENT, IO (a directory, a file
 * that may not be read). */
int flux_io_source_open(struct flux_io_source *source, const char *path, struct flux_error *error);
void flux_io_source_close(struct flux_io_source *source);

/* Up to `size` more bytes, from the beginning on; `*count` 0 at the end. Errors: IO. */
int flux_io_source_read(struct flux_io_source *source, void *bytes, size_t size, size_t *count,
                        struct flux_error *error);

/* The error for a path that is neither a file nor a prefix of anything. */
int flux_io_source_missing(const struct flux_io_source *source, struct flux_error *error);

#endif
