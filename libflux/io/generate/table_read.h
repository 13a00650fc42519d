/* SPDX-License-Identifier: Apache-2.0
 *
 * io/generate/table_read.h - one row of a table of models and GPUs.
 */
#ifndef FLUX_IO_GENERATE_TABLE_READ_H
#define FLUX_IO_GENERATE_TABLE_READ_H

#include "io/generate/table.h"
#include "io/yaml.h"

/* Each stands on the row. Errors: FORMAT. */
int flux_io_table_read_model(struct flux_io_yaml *yaml, struct flux_io_model *model);
int flux_io_table_read_gpu(struct flux_io_yaml *yaml, struct flux_io_gpu *gpu);

#endif
