/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/trace_set.h - a folder with the trace set that a test writes, and what reading it gives.
 */
#ifndef TESTS_TRACE_SET_H
#define TESTS_TRACE_SET_H

#include "chakra_writer.h"
#include "files.h"

#include <libflux/io/import.h>

struct trace_set {
    char folder[FILES_PATH];
    char prefix[FILES_PATH]; /* FOLDER/t */
    struct chakra_writer writer;
    struct flux_import_options options;
    struct flux_import *import; /* of the last trace_set_read() that was well; NULL: it was not */
    struct flux_error error;
};

void trace_set_new(struct trace_set *set);
void trace_set_free(struct trace_set *set);

/* Begins set->writer with metadata of version 0.0.4, and saves it as FOLDER/t.RANK.et. */
struct chakra_writer *trace_set_begin(struct trace_set *set);
void trace_set_save(struct trace_set *set, uint32_t rank);

/* Reads `path`, or the prefix where it is NULL, with set->options. Returns the code. The import before is freed. */
int trace_set_read(struct trace_set *set, const char *path);

/* The vertex with this label, or FLUX_NONE. */
uint32_t trace_set_vertex(const struct trace_set *set, const char *label);
/* 1 where some warning (or note) holds `words`. */
int trace_set_warns(const struct trace_set *set, const char *words);
int trace_set_notes(const struct trace_set *set, const char *words);
/* When everything ends on links that never wait, at 800 Gbps. */
int64_t trace_set_makespan(const struct trace_set *set);
/* When the vertex with this label starts then. */
int64_t trace_set_start(const struct trace_set *set, const char *label);

#endif
