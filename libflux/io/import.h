/* SPDX-License-Identifier: Apache-2.0
 *
 * io/import.h - what every reader fills, and the table of formats.
 *
 * A format is one file with a recogniser and a reader, and one line in the table of import.c.
 */
#ifndef FLUX_IO_IMPORT_H
#define FLUX_IO_IMPORT_H

#include "io/memory.h"
#include "io/source.h"
#include "io/workload/program.h"
#include "io/workload/rules.h"

#include <libflux/io/import.h>

enum flux_io_count {
    FLUX_IO_COUNT_RANKS,
    FLUX_IO_COUNT_NODES,
    FLUX_IO_COUNT_COLLECTIVES,
    FLUX_IO_COUNT_MESSAGES,
    FLUX_IO_COUNT_BYTES,
    FLUX_IO_COUNT_MAKESPAN,
    FLUX_IO_COUNT_BOUND,
    FLUX_IO_COUNT_CONTROL_KEPT,
    FLUX_IO_COUNT_CONTROL_DROPPED,
    FLUX_IO_COUNTS
};

struct flux_io_sentences {
    char **text;
    uint64_t count;
    uint64_t capacity;
};

struct flux_import {
    struct flux_io_memory memory;
    const char *format;       /* set by flux_import() */
    struct flux_graph *graph; /* the reader's to set; NULL: none */
    struct flux_fabric *fabric;
    struct flux_certificate *certificate; /* of the schedule in the input; NULL: none */
    struct flux_slot *slots;              /* from `memory` */
    uint64_t slot_count;
    uint64_t slot_capacity;
    struct flux_io_sentences warnings;
    struct flux_io_sentences notes;
    uint64_t counts[FLUX_IO_COUNTS];
    struct flux_io_rules rules; /* of collective algorithms */
    struct flux_io_programs programs;
    uint32_t strict; /* of the options */
};

/* Keep a sentence. Under `strict` a warning is the error FLUX_E_FORMAT with "PATH: " before its text. 0, FORMAT or
 * MEMORY. */
int flux_io_warn(struct flux_import *import, const char *path, struct flux_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int flux_io_note(struct flux_import *import, struct flux_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A caller's options, whatever its version. 0 or ABI. */
int flux_import_options_take(struct flux_import_options *ours, const struct flux_import_options *theirs,
                             struct flux_error *error);

/* The files of rules and of algorithms that the options name. */
int flux_import_algorithms_read(struct flux_import *import, const struct flux_import_options *options,
                                struct flux_error *error);

/* A reader gets options with every member in place: zeros that mean a default are still zeros. What it leaves in
 * `import` on failure is freed by the caller. */
struct flux_io_format {
    struct flux_format row;                                /* what users see of it */
    int (*recognise)(const struct flux_io_source *source); /* 1 or 0; from path and head alone, and what files exist */
    int (*read)(struct flux_import *import, struct flux_io_source *source, const struct flux_import_options *options,
                struct flux_error *error);
};

int flux_io_native_recognise(const struct flux_io_source *source);
int flux_io_native_read(struct flux_import *import, struct flux_io_source *source,
                        const struct flux_import_options *options, struct flux_error *error);

int flux_io_chakra_recognise(const struct flux_io_source *source);
int flux_io_chakra_read(struct flux_import *import, struct flux_io_source *source,
                        const struct flux_import_options *options, struct flux_error *error);

int flux_io_chakra_json_recognise(const struct flux_io_source *source);

int flux_io_goal_text_recognise(const struct flux_io_source *source);
int flux_io_goal_text_read(struct flux_import *import, struct flux_io_source *source,
                           const struct flux_import_options *options, struct flux_error *error);

int flux_io_goal_binary_recognise(const struct flux_io_source *source);
int flux_io_goal_binary_read(struct flux_import *import, struct flux_io_source *source,
                             const struct flux_import_options *options, struct flux_error *error);

int flux_io_simai_recognise(const struct flux_io_source *source);
int flux_io_simai_read(struct flux_import *import, struct flux_io_source *source,
                       const struct flux_import_options *options, struct flux_error *error);

int flux_io_aicb_csv_recognise(const struct flux_io_source *source);
int flux_io_aicb_csv_read(struct flux_import *import, struct flux_io_source *source,
                          const struct flux_import_options *options, struct flux_error *error);

int flux_io_msccl_recognise(const struct flux_io_source *source);
int flux_io_msccl_import(struct flux_import *import, struct flux_io_source *source,
                         const struct flux_import_options *options, struct flux_error *error);

int flux_io_matrix_recognise(const struct flux_io_source *source);
int flux_io_matrix_read(struct flux_import *import, struct flux_io_source *source,
                        const struct flux_import_options *options, struct flux_error *error);

#endif
