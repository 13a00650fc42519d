/* SPDX-License-Identifier: Apache-2.0 */
#include "io/import.h"

#include "io/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXPANSION "--ranks --vertices-max --chunks --all-reduce --all-gather --reduce-scatter --all-to-all"

/* The first that recognises the input reads it. */
static const struct flux_io_format formats[] = {
    {{"native", "native document: workload, fabric, schedule, or any of them (YAML or JSON)",
      "a top-level key that is flux, workload, fabric or schedule", "--strict --vertices-max"},
     flux_io_native_recognise,
     flux_io_native_read},
    {{"chakra", "Chakra execution trace, schemas 0.0.4 and 1.0.0, one file per rank",
      "PREFIX of PREFIX.0.et, PREFIX.1.et, ..., the name of one such file, or a first frame of metadata",
      "--strict --size-scale --groups --deps --missing-parent --peak-flops --memory-rate --overlap-compute " EXPANSION},
     flux_io_chakra_recognise,
     flux_io_chakra_read},
    {{"chakra-json", "Chakra execution trace as chakra_jsonizer writes it: JSON objects one behind another",
      "begins with { and is no native document; PREFIX.0.json, PREFIX.1.json, ... are a set", "as chakra"},
     flux_io_chakra_json_recognise,
     flux_io_chakra_read},
    {{"goal", "GOAL of LogGOPSim and ATLAHS, text", "the first word is num_ranks",
      "--strict --endpoints --overlap-compute --vertices-max"},
     flux_io_goal_text_recognise,
     flux_io_goal_text_read},
    {{"goal-binary", "GOAL as txt2bin writes it", "begins with the number 4223 in 8 bytes",
      "--strict --endpoints --overlap-compute --vertices-max"},
     flux_io_goal_binary_recognise,
     flux_io_goal_binary_read},
    {{"simai", "workload of SimAI or AICB, text", "the first word is a policy such as HYBRID_TRANSFORMER_FWD_IN_BCKWD",
      "--strict --compute-unit --fold --overlap-compute " EXPANSION},
     flux_io_simai_recognise,
     flux_io_simai_read},
    {{"aicb-csv", "calls of a rank as AICB logs them: refused, with what is missing",
      "a line that begins with comm_type,comm_group,comm_group_size", "none"},
     flux_io_aicb_csv_recognise,
     flux_io_aicb_csv_read},
    {{"msccl", "MSCCL algorithm, XML, as a workload of its own", "begins with <",
      "--strict --collective-size --overlap-compute --vertices-max"},
     flux_io_msccl_recognise,
     flux_io_msccl_import},
    {{"matrix", "demand matrices, each a step: a table with commas, semicolons or spaces, or Matrix Market",
      "a first row of numbers, or of names above one, or the banner %%MatrixMarket",
      "--unit --step-compute --vertices-max"},
     flux_io_matrix_recognise,
     flux_io_matrix_read},
};

#define FORMATS (sizeof formats / sizeof formats[0])
#define OPTIONS_LEAST FLUX_IO_LEAST(struct flux_import_options, step_compute)

const struct flux_format *flux_import_formats(uint32_t index)
{
    return index < FORMATS ? &formats[index].row : NULL;
}

static int unknown_format(const struct flux_io_source *source, struct flux_error *error)
{
    char list[160];
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < FORMATS && used < sizeof list; i++) {
        int length = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", formats[i].row.name);
        used += length > 0 ? (size_t)length : 0;
    }
    if (source->head_size == 0)
        return flux_io_fail_path(error, FLUX_E_FORMAT, source->path,
                                 "is empty; known formats: %s (flux-ocs formats tells more)", list);
    return flux_io_fail_path(error, FLUX_E_FORMAT, source->path,
                             "unknown format; known ones: %s (flux-ocs formats tells more)", list);
}

static int read_any(struct flux_import *import, struct flux_io_source *source,
                    const struct flux_import_options *options, struct flux_error *error)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (!formats[i].recognise(source))
            continue;
        import->format = formats[i].row.name;
        return formats[i].read(import, source, options, error);
    }
    if (source->descriptor < 0)
        return flux_io_source_missing(source, error);
    return unknown_format(source, error);
}

int flux_import_options_take(struct flux_import_options *ours, const struct flux_import_options *theirs,
                             struct flux_error *error)
{
    return flux_io_abi(ours, sizeof *ours, theirs, OPTIONS_LEAST, "flux_import_options", error);
}

int flux_import_algorithms_read(struct flux_import *import, const struct flux_import_options *options,
                                struct flux_error *error)
{
    int rc = FLUX_OK;
    if (options->algorithm_count && !options->algorithms)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_import: algorithm_count is not 0 and algorithms is NULL");
    if (options->collectives_path)
        rc = flux_io_rules_read(&import->rules, &import->memory, options->collectives_path, options->node, error);
    for (uint32_t i = 0; !rc && i < options->algorithm_count; i++)
        rc = flux_io_programs_read(&import->programs, &import->memory, options->algorithms[i],
                                   options->vertices_max ? options->vertices_max : UINT64_MAX, error);
    return rc;
}

int flux_import(const struct flux_env *env, const char *path, const struct flux_import_options *options,
                struct flux_import **import, struct flux_error *error)
{
    struct flux_import_options given = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_io_memory memory;
    struct flux_io_source source;
    if (!import)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_import: import is NULL");
    *import = NULL;
    int rc = flux_io_memory_init(&memory, env);
    if (rc)
        return flux_io_fail(error, rc, "flux_import: env is not made from FLUX_ENV_INIT, or has half an allocator");
    if (options && (rc = flux_import_options_take(&given, options, error)))
        return rc;
    struct flux_import *fresh = flux_io_alloc_zero(&memory, 1, sizeof *fresh);
    if (!fresh)
        return flux_io_fail_memory(error);
    fresh->memory = memory;
    fresh->strict = given.strict;
    if ((rc = flux_io_source_open(&source, &fresh->memory, path, error))) {
        flux_import_free(fresh);
        return rc;
    }
    rc = flux_import_algorithms_read(fresh, &given, error);
    if (!rc)
        rc = read_any(fresh, &source, &given, error);
    flux_io_source_close(&source);
    if (rc) {
        flux_import_free(fresh);
        return rc;
    }
    *import = fresh;
    return FLUX_OK;
}

static void free_sentences(const struct flux_io_memory *memory, struct flux_io_sentences *sentences)
{
    for (uint64_t i = 0; i < sentences->count; i++)
        flux_io_release(memory, sentences->text[i], strlen(sentences->text[i]) + 1, 1);
    flux_io_release(memory, sentences->text, sentences->capacity, sizeof *sentences->text);
}

void flux_import_free(struct flux_import *import)
{
    if (!import)
        return;
    struct flux_io_memory memory = import->memory;
    flux_graph_free(import->graph);
    flux_fabric_free(import->fabric);
    flux_certificate_free(import->certificate);
    flux_io_release(&memory, import->slots, import->slot_capacity, sizeof *import->slots);
    flux_io_rules_free(&import->rules, &memory);
    flux_io_programs_free(&import->programs, &memory);
    free_sentences(&memory, &import->warnings);
    free_sentences(&memory, &import->notes);
    flux_io_release(&memory, import, 1, sizeof *import);
}

static int keep(struct flux_import *import, struct flux_io_sentences *sentences, const char *text,
                struct flux_error *error)
{
    if (flux_io_grow(&import->memory, &sentences->text, &sentences->capacity, sentences->count + 1,
                     sizeof *sentences->text))
        return flux_io_fail_memory(error);
    char *copy = flux_io_copy(&import->memory, text, strlen(text));
    if (!copy)
        return flux_io_fail_memory(error);
    sentences->text[sentences->count++] = copy;
    return FLUX_OK;
}

int flux_io_warn(struct flux_import *import, const char *path, struct flux_error *error, const char *format, ...)
{
    struct flux_error sentence; /* its text is cleaned and cut as that of an error */
    char text[sizeof sentence.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (import->strict)
        return flux_io_fail_path(error, FLUX_E_FORMAT, path, "%s", text);
    flux_io_fail(&sentence, FLUX_OK, "%s", text);
    return keep(import, &import->warnings, sentence.text, error);
}

int flux_io_note(struct flux_import *import, struct flux_error *error, const char *format, ...)
{
    struct flux_error sentence;
    char text[sizeof sentence.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    flux_io_fail(&sentence, FLUX_OK, "%s", text);
    return keep(import, &import->notes, sentence.text, error);
}

const char *flux_import_format(const struct flux_import *import)
{
    return import ? import->format : NULL;
}

const struct flux_graph *flux_import_graph(const struct flux_import *import)
{
    return import ? import->graph : NULL;
}

const struct flux_fabric *flux_import_fabric(const struct flux_import *import)
{
    return import ? import->fabric : NULL;
}

const struct flux_slot *flux_import_slots(const struct flux_import *import, uint64_t *count)
{
    if (count)
        *count = import ? import->slot_count : 0;
    return import ? import->slots : NULL;
}

const struct flux_certificate *flux_import_certificate(const struct flux_import *import)
{
    return import ? import->certificate : NULL;
}

struct flux_graph *flux_import_take_graph(struct flux_import *import)
{
    if (!import)
        return NULL;
    struct flux_graph *graph = import->graph;
    import->graph = NULL;
    return graph;
}

uint64_t flux_import_warnings(const struct flux_import *import)
{
    return import ? import->warnings.count : 0;
}

const char *flux_import_warning(const struct flux_import *import, uint64_t index)
{
    return import && index < import->warnings.count ? import->warnings.text[index] : NULL;
}

uint64_t flux_import_notes(const struct flux_import *import)
{
    return import ? import->notes.count : 0;
}

const char *flux_import_note(const struct flux_import *import, uint64_t index)
{
    return import && index < import->notes.count ? import->notes.text[index] : NULL;
}

uint64_t flux_import_count(const struct flux_import *import, const char *name)
{
    static const char *const names[FLUX_IO_COUNTS] = {"ranks",    "nodes", "collectives",  "messages",       "bytes",
                                                      "makespan", "bound", "control_kept", "control_dropped"};
    for (int i = 0; import && name && i < FLUX_IO_COUNTS; i++)
        if (strcmp(name, names[i]) == 0)
            return import->counts[i];
    return 0;
}
