/* SPDX-License-Identifier: Apache-2.0
 *
 * io/emit.h - writes the structure of a native document, as YAML or as JSON.
 *
 * Outer levels are blocks, a key or an item to a line; inner ones are in flow style on one line, which is broken only
 * where it gets long. The same calls make the same structure in both.
 */
#ifndef FLUX_IO_EMIT_H
#define FLUX_IO_EMIT_H

#include "io/output.h"

#define FLUX_IO_LEVELS 8

struct flux_io_emit {
    struct flux_io_output *out;
    uint64_t line_begin; /* out->written where the line began */
    int json;
    int after_key;                  /* a block key of YAML was written, its value not yet */
    uint32_t blocks;                /* block levels that are open */
    uint32_t level;                 /* all levels that are open */
    uint32_t count[FLUX_IO_LEVELS]; /* by level: entries so far */
};

void flux_io_emit_begin(struct flux_io_emit *emit, struct flux_io_output *out, int json);
void flux_io_emit_end(struct flux_io_emit *emit);

/* A key of the level that is open, block or flow; its value follows. */
void flux_io_emit_key(struct flux_io_emit *emit, const char *key);
/* The next item of the list that is open, block or flow. */
void flux_io_emit_item(struct flux_io_emit *emit);

/* As a value: a block with keys, or a block list. */
void flux_io_emit_open_block(struct flux_io_emit *emit);
void flux_io_emit_close_block(struct flux_io_emit *emit);
void flux_io_emit_open_list(struct flux_io_emit *emit);
void flux_io_emit_close_list(struct flux_io_emit *emit);

/* As a value: '{' or '[' in flow style, and the end of it. */
void flux_io_emit_open_flow(struct flux_io_emit *emit, char bracket);
void flux_io_emit_close_flow(struct flux_io_emit *emit, char bracket);

/* Scalars. A word is of our own making, such as "10us"; a name is anybody's. */
void flux_io_emit_whole(struct flux_io_emit *emit, uint64_t number);
void flux_io_emit_word(struct flux_io_emit *emit, const char *word);
void flux_io_emit_name(struct flux_io_emit *emit, const char *name);
void flux_io_emit_time(struct flux_io_emit *emit, int64_t time);
void flux_io_emit_bytes(struct flux_io_emit *emit, uint64_t bytes);
void flux_io_emit_rate(struct flux_io_emit *emit, uint64_t rate);

#endif
