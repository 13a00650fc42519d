/* SPDX-License-Identifier: Apache-2.0
 *
 * Each reader by itself, behind its own recogniser.
 */
#include "target.h"

#include "io/import.h"
#include "io/workload/workload.h"

#include <libflux/io/generate.h>
#include <libflux/io/matrix.h>
#include <libflux/io/write.h>
#include <string.h>

#define VERTICES_MAX 20000u /* which take some 20 MB at most, whatever they come from */
#define BUDGET(size) ((UINT64_C(64) << 20) + 2000 * (uint64_t)(size))

typedef int recogniser(const struct flux_io_source *source);
typedef int reader(struct flux_import *import, struct flux_io_source *source, const struct flux_import_options *options,
                   struct flux_error *error);

static void judge_graph(const struct flux_graph *graph)
{
    struct flux_error error;
    if (flux_graph_check(graph, &error))
        fuzz_wrong("a graph that is not sound: %s", error.text);
    if (flux_graph_vertices(graph) > VERTICES_MAX)
        fuzz_wrong("%u vertices are more than were allowed", flux_graph_vertices(graph));
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++)
        if (strlen(flux_graph_label(graph, v)) > FLUX_LABEL_MAX)
            fuzz_wrong("a label is too long");
}

static int judge_import(struct flux_import *import, int rc, const struct flux_error *error, const char *path)
{
    if (rc) {
        fuzz_judge_error(rc, error, path);
        return 0;
    }
    if (flux_import_graph(import))
        judge_graph(flux_import_graph(import));
    for (uint64_t i = 0; i < flux_import_warnings(import); i++)
        if (!*flux_import_warning(import, i))
            fuzz_wrong("an empty warning");
    return 1;
}

/* As flux_import() does it, for one format alone. */
static int run(const unsigned char *bytes, size_t size, recogniser *recognise, reader *read,
               const struct flux_import_options *options)
{
    struct fuzz_memory budget;
    struct flux_io_memory memory;
    struct flux_io_source source;
    struct flux_error error = {0};
    const char *path = fuzz_file(bytes, size);
    int result = -1;
    fuzz_memory_begin(&budget, BUDGET(size));
    flux_io_memory_init(&memory, &budget.env);
    struct flux_import *import = flux_io_alloc_zero(&memory, 1, sizeof *import);
    import->memory = memory;
    if (flux_io_source_open(&source, &import->memory, path, &error) == FLUX_OK) {
        if (recognise(&source))
            result = judge_import(import, read(import, &source, options, &error), &error, path);
        flux_io_source_close(&source);
    }
    flux_import_free(import);
    fuzz_memory_end(&budget);
    return result;
}

static struct flux_import_options options_of(const unsigned char *bytes, size_t size)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    uint32_t sum = 0; /* so that the same bytes are read in the same way */
    for (size_t i = 0; i < size && i < 64; i++)
        sum = sum * 31 + bytes[i];
    options.vertices_max = VERTICES_MAX;
    options.overlap_compute = sum & 1;
    options.endpoints = sum >> 1 & 1;
    options.fold = sum >> 2 & 1;
    options.chunks = 1 + (sum >> 3 & 1);
    return options;
}

#define READER(name, recognise, read)                                                                                  \
    int fuzz_##name(const unsigned char *bytes, size_t size)                                                           \
    {                                                                                                                  \
        struct flux_import_options options = options_of(bytes, size);                                                  \
        return run(bytes, size, recognise, read, &options);                                                            \
    }

READER(native, flux_io_native_recognise, flux_io_native_read)
READER(goal, flux_io_goal_text_recognise, flux_io_goal_text_read)
READER(goal_binary, flux_io_goal_binary_recognise, flux_io_goal_binary_read)
READER(aicb, flux_io_aicb_csv_recognise, flux_io_aicb_csv_read)
READER(msccl, flux_io_msccl_recognise, flux_io_msccl_import)
READER(matrix, flux_io_matrix_recognise, flux_io_matrix_read)

int fuzz_market(const unsigned char *bytes, size_t size)
{
    return size > 2 && bytes[0] == '%' && bytes[1] == '%' ? fuzz_matrix(bytes, size) : -1;
}

/* One trace, for itself and as both of two ranks. */
static int run_trace(const unsigned char *bytes, size_t size, recogniser *recognise)
{
    struct flux_import_options options = options_of(bytes, size);
    int alone = run(bytes, size, recognise, flux_io_chakra_read, &options);
    if (alone < 0)
        return alone;
    options.ranks = 2;
    options.deps = FLUX_DEPS_DATA_CTRL;
    return run(bytes, size, recognise, flux_io_chakra_read, &options) | alone;
}

/* A file whose name tells what it is. */
static int by_name(const struct flux_io_source *source)
{
    (void)source;
    return 1;
}

int fuzz_chakra(const unsigned char *bytes, size_t size)
{
    return run_trace(bytes, size, by_name);
}

int fuzz_chakra_json(const unsigned char *bytes, size_t size)
{
    return run_trace(bytes, size, flux_io_chakra_json_recognise);
}

int fuzz_simai(const unsigned char *bytes, size_t size)
{
    struct flux_import_options options = options_of(bytes, size);
    int result = run(bytes, size, flux_io_simai_recognise, flux_io_simai_read, &options);
    options.ranks = 8; /* for files that do not say */
    return result < 0 ? result : result | run(bytes, size, flux_io_simai_recognise, flux_io_simai_read, &options);
}

/* ---- files beside the input ---- */

int fuzz_matrices(const unsigned char *bytes, size_t size)
{
    struct fuzz_memory budget;
    struct flux_matrices *matrices;
    struct flux_error error = {0};
    const char *path = fuzz_file(bytes, size);
    uint64_t count;
    fuzz_memory_begin(&budget, BUDGET(size));
    int rc = flux_matrices_read(&budget.env, path, NULL, &matrices, &error);
    if (rc)
        fuzz_judge_error(rc, &error, path);
    for (uint64_t m = 0; !rc && m < flux_matrices_count(matrices); m++) {
        const struct flux_matrix_entry *entry = flux_matrices_entries(matrices, m, &count);
        for (uint64_t i = 0; i < count; i++)
            if (entry[i].src >= flux_matrices_ports(matrices) || entry[i].dst >= flux_matrices_ports(matrices) ||
                entry[i].src == entry[i].dst || entry[i].value < 1 || entry[i].value > FLUX_TIME_MAX)
                fuzz_wrong("an entry that cannot be");
    }
    flux_matrices_free(matrices);
    fuzz_memory_end(&budget);
    return rc == 0;
}

int fuzz_rules(const unsigned char *bytes, size_t size)
{
    struct fuzz_memory budget;
    struct flux_io_memory memory;
    struct flux_io_rules rules = {0};
    struct flux_error error = {0};
    const char *path = fuzz_file(bytes, size);
    fuzz_memory_begin(&budget, BUDGET(size));
    flux_io_memory_init(&memory, &budget.env);
    int rc = flux_io_rules_read(&rules, &memory, path, 4, &error);
    if (rc)
        fuzz_judge_error(rc, &error, path);
    for (uint32_t members = 2; !rc && members < 40; members += 7)
        flux_io_rules_find(&rules, members % FLUX_IO_COLLECTIVE_KINDS, UINT64_C(1) << members, members);
    flux_io_rules_free(&rules, &memory);
    fuzz_memory_end(&budget);
    return rc == 0;
}

/* An all-reduce of 4 ranks, as SimAI has it, by whatever algorithm the bytes hold. */
int fuzz_algorithm(const unsigned char *bytes, size_t size)
{
    struct fuzz_memory budget;
    struct flux_io_memory memory;
    struct flux_io_programs programs = {0};
    struct flux_error error = {0};
    const char *path = fuzz_file(bytes, size);
    uint64_t sum;
    fuzz_memory_begin(&budget, BUDGET(size));
    flux_io_memory_init(&memory, &budget.env);
    int rc = flux_io_programs_read(&programs, &memory, path, VERTICES_MAX, &error);
    if (rc)
        fuzz_judge_error(rc, &error, path);
    if (!rc && programs.count) {
        const struct flux_io_program *program = programs.program;
        struct flux_io_expansion expansion;
        flux_io_expansion_init(&expansion, &memory);
        if (flux_io_program_bytes(program, 12345, &sum) == 0 && flux_io_program_expand(program, &expansion, 12345))
            fuzz_wrong("an algorithm takes too much memory");
        flux_io_expansion_free(&expansion);
    }
    flux_io_programs_free(&programs, &memory);
    fuzz_memory_end(&budget);
    return rc == 0;
}

static int generate(const unsigned char *bytes, size_t size, int times)
{
    struct flux_generate_options options = FLUX_GENERATE_OPTIONS_INIT;
    struct flux_import_options import_options = FLUX_IMPORT_OPTIONS_INIT;
    struct fuzz_memory budget;
    struct flux_import *import;
    struct flux_error error = {0};
    const char *path = fuzz_file(bytes, size);
    import_options.vertices_max = VERTICES_MAX;
    options.import = &import_options;
    options.model = times ? "llama3-8b" : "small";
    options.gpu = times ? "a100" : "mine";
    options.layers = times ? 1 : 0;
    options.tensor = 2;
    options.sequence = 64;
    options.times_path = times ? path : NULL;
    options.models_path = times ? NULL : path;
    fuzz_memory_begin(&budget, BUDGET(size));
    int rc = flux_generate(&budget.env, &options, &import, &error);
    if (rc && rc != FLUX_E_ARGUMENT) /* a table may lack the model, or its numbers not divide */
        fuzz_judge_error(rc, &error, NULL);
    if (!rc)
        judge_graph(flux_import_graph(import));
    flux_import_free(import);
    fuzz_memory_end(&budget);
    return rc == 0;
}

int fuzz_models(const unsigned char *bytes, size_t size)
{
    return generate(bytes, size, 0);
}

int fuzz_times(const unsigned char *bytes, size_t size)
{
    return generate(bytes, size, 1);
}

/* The communicator groups of a trace that knows group "5" only by name. */
int fuzz_groups(const unsigned char *bytes, size_t size)
{
    struct fuzz_memory budget;
    struct flux_io_memory memory;
    struct flux_io_groups groups;
    struct flux_error error = {0};
    const char *path = fuzz_file(bytes, size);
    fuzz_memory_begin(&budget, BUDGET(size));
    flux_io_memory_init(&memory, &budget.env);
    flux_io_groups_init(&groups, &memory, 8);
    int rc = flux_io_groups_read(&groups, path, &error);
    if (rc)
        fuzz_judge_error(rc, &error, path);
    flux_io_groups_free(&groups);
    fuzz_memory_end(&budget);
    return rc == 0;
}

/* What comes out is of any format, or of none. */
int fuzz_gzip(const unsigned char *bytes, size_t size)
{
    struct flux_import_options options = options_of(bytes, size);
    struct fuzz_memory budget;
    struct flux_import *import;
    struct flux_error error = {0};
    const char *path = fuzz_file(bytes, size);
    if (size < 2 || bytes[0] != 0x1f || bytes[1] != 0x8b)
        return -1;
    fuzz_memory_begin(&budget, BUDGET(300 * size));
    int rc = flux_import(&budget.env, path, &options, &import, &error);
    int result = judge_import(import, rc, &error, path);
    flux_import_free(import);
    fuzz_memory_end(&budget);
    return result;
}
