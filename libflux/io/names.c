/* SPDX-License-Identifier: Apache-2.0 */
#include "io/names.h"

#include "io/utf8.h"

#include <stdio.h>
#include <string.h>

#define NAME_ROOM (FLUX_LABEL_MAX * 3 + 1) /* every byte may become three */

/* The label as UTF-8 into `name`; its length. */
static size_t clean_label(const char *label, char *name)
{
    const unsigned char *at = (const unsigned char *)label;
    size_t left = strlen(label);
    size_t length = 0;
    while (left > 0) {
        size_t part = flux_io_utf8_length(at, left);
        memcpy(name + length, part ? (const char *)at : "\xef\xbf\xbd", part ? part : 3);
        length += part ? part : 3;
        at += part ? part : 1;
        left -= part ? part : 1;
    }
    name[length] = '\0';
    return length;
}

/* All labels; `*plain` is 1 where each vertex has one of its own that fits, so that these are the names. */
static int collect_labels(struct flux_io_strings *labels, const struct flux_graph *graph, int *plain)
{
    char name[NAME_ROOM];
    uint32_t vertices = flux_graph_vertices(graph);
    *plain = 1;
    for (uint32_t v = 0; v < vertices; v++) {
        uint32_t index;
        int fresh = 0;
        size_t length = clean_label(flux_graph_label(graph, v), name);
        if (length && length <= FLUX_LABEL_MAX) {
            int rc = flux_io_strings_add(labels, name, length, &index, &fresh);
            if (rc)
                return rc;
        }
        if (!fresh)
            *plain = 0;
    }
    return FLUX_OK;
}

/* Makes `name` one that is neither a label nor taken, and takes it. */
static int take_derived(struct flux_io_names *names, struct flux_io_strings *labels, char *name, size_t length)
{
    uint32_t index;
    while (flux_io_strings_find(labels, name, length) != FLUX_NONE ||
           flux_io_strings_find(&names->ids, name, length) != FLUX_NONE)
        name[length++] = '_';
    return flux_io_strings_add(&names->ids, name, length, &index, NULL);
}

static int name_vertex(struct flux_io_names *names, struct flux_io_strings *labels, const struct flux_graph *graph,
                       uint32_t v)
{
    char name[NAME_ROOM + 64];
    char suffix[16];
    uint32_t index;
    size_t length = clean_label(flux_graph_label(graph, v), name);
    size_t behind = (size_t)snprintf(suffix, sizeof suffix, "_v%lu", (unsigned long)v);
    if (length && length <= FLUX_LABEL_MAX && flux_io_strings_find(&names->ids, name, length) == FLUX_NONE)
        return flux_io_strings_add(&names->ids, name, length, &index, NULL);
    if (length == 0 || length + behind + 32 > FLUX_LABEL_MAX) { /* none, or no room behind it */
        memcpy(name, suffix + 1, behind);
        length = behind - 1;
    } else {
        memcpy(name + length, suffix, behind + 1);
        length += behind;
    }
    return take_derived(names, labels, name, length);
}

int flux_io_names_build(struct flux_io_names *names, const struct flux_io_memory *memory,
                        const struct flux_graph *graph)
{
    struct flux_io_strings labels;
    int plain;
    flux_io_strings_init(&names->ids, memory);
    flux_io_strings_init(&labels, memory);
    int rc = collect_labels(&labels, graph, &plain);
    if (!rc && plain) {
        names->ids = labels;
        return FLUX_OK;
    }
    for (uint32_t v = 0; !rc && v < flux_graph_vertices(graph); v++)
        rc = name_vertex(names, &labels, graph, v);
    flux_io_strings_free(&labels);
    return rc;
}

void flux_io_names_free(struct flux_io_names *names)
{
    flux_io_strings_free(&names->ids);
}

const char *flux_io_names_of(const struct flux_io_names *names, uint32_t vertex)
{
    return flux_io_strings_text(&names->ids, vertex, NULL);
}
