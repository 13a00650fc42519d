/* SPDX-License-Identifier: Apache-2.0
 *
 * io/yaml_file.h - a whole YAML file of settings, read by one function.
 */
#ifndef FLUX_IO_YAML_FILE_H
#define FLUX_IO_YAML_FILE_H

#include "io/yaml.h"

/* `read` stands on the document's root and reads to its end, flux_io_yaml_finish() included. */
struct flux_io_yaml_reader {
    int (*read)(void *context, struct flux_io_yaml *yaml);
    void *context;
};

/* Errors: those of `read`, and IO, FORMAT, MEMORY. */
int flux_io_yaml_read_source(const struct flux_io_memory *memory, struct flux_io_source *source,
                             const struct flux_io_yaml_reader *reader, struct flux_error *error);
int flux_io_yaml_read_file(const struct flux_io_memory *memory, const char *path,
                           const struct flux_io_yaml_reader *reader, struct flux_error *error);

#endif
