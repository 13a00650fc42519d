/* SPDX-License-Identifier: Apache-2.0 */
#include "io/yaml_file.h"

#include "io/fail.h"

int flux_io_yaml_read_source(const struct flux_io_memory *memory, struct flux_io_source *source,
                             const struct flux_io_yaml_reader *reader, struct flux_error *error)
{
    struct flux_io_yaml *yaml = flux_io_alloc(memory, 1, sizeof *yaml);
    if (!yaml)
        return flux_io_fail_memory(error);
    int rc = flux_io_yaml_open(yaml, source, error);
    if (!rc)
        rc = reader->read(reader->context, yaml);
    flux_io_yaml_close(yaml);
    flux_io_release(memory, yaml, 1, sizeof *yaml);
    return rc;
}

int flux_io_yaml_read_file(const struct flux_io_memory *memory, const char *path,
                           const struct flux_io_yaml_reader *reader, struct flux_error *error)
{
    struct flux_io_source source;
    int rc = flux_io_source_open(&source, memory, path, error);
    if (rc)
        return rc;
    if (source.descriptor < 0)
        return flux_io_fail_path(error, FLUX_E_IO, path, "no such file; check the path");
    rc = flux_io_yaml_read_source(memory, &source, reader, error);
    flux_io_source_close(&source);
    return rc;
}
