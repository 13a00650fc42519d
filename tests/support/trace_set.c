/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_set.h"

#include "ideal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void trace_set_new(struct trace_set *set)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    memset(set, 0, sizeof *set);
    files_new(set->folder);
    files_path(set->folder, "t", set->prefix);
    set->options = options;
}

void trace_set_free(struct trace_set *set)
{
    flux_import_free(set->import);
    chakra_free(&set->writer);
    files_remove(set->folder);
}

struct chakra_writer *trace_set_begin(struct trace_set *set)
{
    chakra_begin(&set->writer, "0.0.4", NULL);
    return &set->writer;
}

void trace_set_save(struct trace_set *set, uint32_t rank)
{
    char name[32];
    char path[FILES_PATH];
    snprintf(name, sizeof name, "t.%u.et", rank);
    chakra_save(&set->writer, files_path(set->folder, name, path));
}

int trace_set_read(struct trace_set *set, const char *path)
{
    flux_import_free(set->import);
    set->import = NULL;
    return flux_import(NULL, path ? path : set->prefix, &set->options, &set->import, &set->error);
}

uint32_t trace_set_vertex(const struct trace_set *set, const char *label)
{
    const struct flux_graph *graph = flux_import_graph(set->import);
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++)
        if (strcmp(flux_graph_label(graph, v), label) == 0)
            return v;
    return FLUX_NONE;
}

int trace_set_warns(const struct trace_set *set, const char *words)
{
    for (uint64_t i = 0; i < flux_import_warnings(set->import); i++)
        if (strstr(flux_import_warning(set->import, i), words))
            return 1;
    return 0;
}

int trace_set_notes(const struct trace_set *set, const char *words)
{
    for (uint64_t i = 0; i < flux_import_notes(set->import); i++)
        if (strstr(flux_import_note(set->import, i), words))
            return 1;
    return 0;
}

int64_t trace_set_makespan(const struct trace_set *set)
{
    struct ideal ideal;
    int64_t makespan = ideal_run(&ideal, flux_import_graph(set->import), FLUX_RATE_DEFAULT) ? -1 : ideal.makespan;
    ideal_free(&ideal);
    return makespan;
}

int64_t trace_set_start(const struct trace_set *set, const char *label)
{
    struct ideal ideal;
    uint32_t v = trace_set_vertex(set, label);
    int64_t start = -1;
    if (v != FLUX_NONE && ideal_run(&ideal, flux_import_graph(set->import), FLUX_RATE_DEFAULT) == 0)
        start = ideal.start[v];
    if (v != FLUX_NONE)
        ideal_free(&ideal);
    return start;
}
