/* SPDX-License-Identifier: Apache-2.0
 *
 * io/gunzip.h - a gzip file as a stream of its contents, in a fixed amount of memory.
 *
 * A small file may claim to hold terabytes. Beyond FLUX_IO_GUNZIP_FREE bytes it is refused where it holds more than
 * FLUX_IO_GUNZIP_RATIO times its own size, which no trace does, and in any case beyond FLUX_IO_GUNZIP_MAX bytes.
 */
#ifndef FLUX_IO_GUNZIP_H
#define FLUX_IO_GUNZIP_H

#include "io/memory.h"

#define FLUX_IO_GUNZIP_FREE (UINT64_C(64) << 20)
#define FLUX_IO_GUNZIP_RATIO 300u
#define FLUX_IO_GUNZIP_MAX (UINT64_C(16) << 30)

struct flux_io_gunzip;

/* `raw` are the first bytes of the file, already read: at most FLUX_IO_GUNZIP_RAW. 0 or MEMORY. */
#define FLUX_IO_GUNZIP_RAW 16384u
int flux_io_gunzip_new(const struct flux_io_memory *memory, const unsigned char *raw, uint32_t size,
                       struct flux_io_gunzip **gunzip);
void flux_io_gunzip_free(const struct flux_io_memory *memory, struct flux_io_gunzip *gunzip);

/* Up to `size` bytes; `*count` 0 at the end. Errors name `path` and the byte of the contents: FORMAT (damaged, cut
 * off), TOO_BIG, IO, MEMORY. */
int flux_io_gunzip_read(struct flux_io_gunzip *gunzip, int descriptor, const char *path, void *bytes, size_t size,
                        size_t *count, struct flux_error *error);

#endif
