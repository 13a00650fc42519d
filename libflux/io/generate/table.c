/* SPDX-License-Identifier: Apache-2.0 */
#include "io/generate/table.h"

#include "io/fail.h"
#include "io/generate/table_read.h"
#include "io/yaml_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const top_keys[] = {"models", "gpus"};
enum { TOP_MODELS, TOP_GPUS, TOP_KEYS };

/* A row whose name is there already replaces it. */
static int keep_model(struct flux_io_table *table, const struct flux_io_model *model)
{
    for (uint64_t i = 0; i < table->model_count; i++)
        if (strcmp(table->models[i].name, model->name) == 0) {
            table->models[i] = *model;
            return FLUX_OK;
        }
    if (flux_io_grow(table->memory, &table->models, &table->model_capacity, table->model_count + 1, sizeof *model))
        return FLUX_E_MEMORY;
    table->models[table->model_count++] = *model;
    return FLUX_OK;
}

static int keep_gpu(struct flux_io_table *table, const struct flux_io_gpu *gpu)
{
    for (uint64_t i = 0; i < table->gpu_count; i++)
        if (strcmp(table->gpus[i].name, gpu->name) == 0) {
            table->gpus[i] = *gpu;
            return FLUX_OK;
        }
    if (flux_io_grow(table->memory, &table->gpus, &table->gpu_capacity, table->gpu_count + 1, sizeof *gpu))
        return FLUX_E_MEMORY;
    table->gpus[table->gpu_count++] = *gpu;
    return FLUX_OK;
}

static int read_rows(struct flux_io_table *table, struct flux_io_yaml *yaml, uint32_t which)
{
    int more = 0;
    int rc = flux_io_yaml_list(yaml, which == TOP_MODELS ? "a list of models" : "a list of GPUs");
    while (!rc && !(rc = flux_io_yaml_item(yaml, &more)) && more) {
        struct flux_io_model model;
        struct flux_io_gpu gpu;
        rc = which == TOP_MODELS ? flux_io_table_read_model(yaml, &model) : flux_io_table_read_gpu(yaml, &gpu);
        if (!rc && (which == TOP_MODELS ? keep_model(table, &model) : keep_gpu(table, &gpu)))
            return flux_io_fail_memory(yaml->error);
    }
    return rc;
}

static int read_table(void *context, struct flux_io_yaml *yaml)
{
    struct flux_io_table *table = context;
    struct flux_io_keys keys = {"table", top_keys, TOP_KEYS, {{0, 0}}};
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, "a table {models: [...], gpus: [...]}");
    while (!rc && !(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        rc = read_rows(table, yaml, key);
    return rc ? rc : flux_io_yaml_finish(yaml);
}

int flux_io_table_load(struct flux_io_table *table, const struct flux_io_memory *memory, const char *path,
                       struct flux_error *error)
{
    struct flux_io_yaml_reader reader = {read_table, table};
    struct flux_io_source source;
    uint64_t size;
    memset(table, 0, sizeof *table);
    table->memory = memory;
    const unsigned char *text = flux_io_table_text(&size);
    flux_io_source_of(&source, memory, "the models that are compiled in", text, size);
    int rc = flux_io_yaml_read_source(memory, &source, &reader, error);
    return rc || !path ? rc : flux_io_yaml_read_file(memory, path, &reader, error);
}

void flux_io_table_free(struct flux_io_table *table)
{
    if (!table->memory)
        return;
    flux_io_release(table->memory, table->models, table->model_capacity, sizeof *table->models);
    flux_io_release(table->memory, table->gpus, table->gpu_capacity, sizeof *table->gpus);
    memset(table, 0, sizeof *table);
}

/* "there is no WHAT 'NAME'; known are a, b, c". `names` has its first name at `row` and the others `stride` apart. */
static int fail_unknown(struct flux_error *error, const char *what, const char *name, const char *row, uint64_t count,
                        uint64_t stride)
{
    char list[256];
    char quoted[FLUX_IO_QUOTE];
    size_t used = 0;
    list[0] = '\0';
    for (uint64_t i = 0; i < count && used < sizeof list; i++) {
        int length = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", row + i * stride);
        used += length > 0 ? (size_t)length : 0;
    }
    if (!name || !*name)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "no %s is given; known are %s", what, list);
    return flux_io_fail(error, FLUX_E_ARGUMENT, "there is no %s '%s'; known are %s", what,
                        flux_io_quote(name, quoted, sizeof quoted), list);
}

int flux_io_table_model(const struct flux_io_table *table, const char *name, const struct flux_io_model **model,
                        struct flux_error *error)
{
    for (uint64_t i = 0; name && i < table->model_count; i++)
        if (strcmp(table->models[i].name, name) == 0) {
            *model = &table->models[i];
            return FLUX_OK;
        }
    return fail_unknown(error, "model", name, table->models->name, table->model_count, sizeof *table->models);
}

int flux_io_table_gpu(const struct flux_io_table *table, const char *name, const struct flux_io_gpu **gpu,
                      struct flux_error *error)
{
    for (uint64_t i = 0; name && i < table->gpu_count; i++)
        if (strcmp(table->gpus[i].name, name) == 0) {
            *gpu = &table->gpus[i];
            return FLUX_OK;
        }
    return fail_unknown(error, "GPU", name, table->gpus->name, table->gpu_count, sizeof *table->gpus);
}
