/* SPDX-License-Identifier: Apache-2.0
 *
 * Demand matrices as a workload: every entry is a send. A matrix of a sequence is a step: a GPU's sends of a step wait
 * until all that it sent and received in the step before is over, and for the compute between.
 */
#include "io/import.h"
#include "io/fail.h"
#include "io/matrix/matrix.h"

#include <stdio.h>
#include <string.h>

#define VERTICES_MAX UINT64_C(100000000)

/* Words of the first lines of the head are looked at, not their values. */
static int numbers_in(char *line, int *count, int *names)
{
    struct flux_io_word word;
    char *rest = line, separator = flux_io_separator(line);
    uint64_t column = 1;
    *count = *names = 0;
    while (flux_io_next_word(&rest, &column, separator, &word)) {
        if (flux_io_is_number(word.text))
            ++*count;
        else if (++*names > 1 || *count)
            return 0;
    }
    return *count >= 2;
}

static int words_in(char *line)
{
    struct flux_io_word word;
    char *rest = line, separator = flux_io_separator(line);
    uint64_t column = 1;
    int count = 0;
    while (flux_io_next_word(&rest, &column, separator, &word))
        count++;
    return count;
}

/* Of a line that is longer than the head the last word may be half a word. */
static void drop_last(char *line)
{
    size_t length = strlen(line);
    while (length && !strchr(",; \t", line[length - 1]))
        length--;
    line[length ? length - 1 : 0] = '\0';
}

/* A banner, a first row of numbers, or a row of names and then one of as many numbers, with or without a name. */
int flux_io_matrix_recognise(const struct flux_io_source *source)
{
    char head[FLUX_IO_HEAD + 1], line[FLUX_IO_HEAD + 1], *at = head;
    int header = 0;
    if (source->descriptor < 0 || memchr(source->head, 0, source->head_size))
        return 0;
    memcpy(head, source->head, source->head_size);
    head[source->head_size] = '\0';
    at += strncmp(at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (*at) {
        size_t length = strcspn(at, "\r\n");
        int count, names, is_cut = !at[length] && source->head_size == FLUX_IO_HEAD;
        memcpy(line, at, length);
        line[length] = '\0';
        at += length + (at[length] != '\0');
        if (is_cut)
            drop_last(line);
        if (flux_io_is_market(line))
            return 1;
        if (flux_io_line_is_blank(line) || flux_io_line_is_comment(line))
            continue;
        char copy[FLUX_IO_HEAD + 1];
        memcpy(copy, line, length + 1);
        int row = numbers_in(copy, &count, &names);
        if (header)
            return row && (is_cut || count + names == header || count == header);
        if (row && !names)
            return 1;
        header = words_in(line);
    }
    return 0;
}

struct steps {
    const struct flux_matrices *matrices;
    const struct flux_import_options *options;
    struct flux_graph *graph;
    struct flux_error *error;
    uint32_t *ready;  /* by GPU: what its sends wait for; FLUX_NONE: nothing */
    uint32_t *joined; /* by GPU: the vertex that its sends of the current step end in */
};

static int add_edge(const struct steps *steps, uint32_t from, uint32_t to)
{
    int rc = from == FLUX_NONE || to == FLUX_NONE ? FLUX_OK : flux_graph_add_edge(steps->graph, from, to, 0);
    return rc ? flux_io_fail(steps->error, rc, "the graph of the matrices cannot be built: out of memory") : FLUX_OK;
}

/* What ends a step at each GPU: compute, of length 0 where none was asked for. None after the last step. */
static int add_joins(struct steps *steps, uint64_t step)
{
    char label[64];
    for (uint32_t g = 0; g < steps->matrices->ports; g++) {
        steps->joined[g] = FLUX_NONE;
        if (step + 1 == steps->matrices->count)
            continue;
        int rc = flux_graph_add_compute(steps->graph, g, steps->options->step_compute, &steps->joined[g]);
        snprintf(label, sizeof label, "m%llu/compute%u", (unsigned long long)step, (unsigned)g);
        rc = rc ? rc : flux_graph_set_label(steps->graph, steps->joined[g], label);
        if (rc)
            return flux_io_fail(steps->error, rc, "the graph of the matrices cannot be built: out of memory");
        if ((rc = add_edge(steps, steps->ready[g], steps->joined[g])))
            return rc;
    }
    return FLUX_OK;
}

static int add_send(const struct steps *steps, uint64_t step, const struct flux_matrix_entry *entry)
{
    int is_time = (int)steps->matrices->is_time;
    struct flux_send row = {entry->src, entry->dst, is_time ? 0 : (uint64_t)entry->value, is_time ? entry->value : 0,
                            0};
    uint32_t send;
    char label[64];
    int rc = flux_graph_add_sends(steps->graph, &row, 1, sizeof row, &send, steps->error);
    if (rc)
        return rc;
    snprintf(label, sizeof label, "m%llu/%u-%u", (unsigned long long)step, (unsigned)entry->src, (unsigned)entry->dst);
    if (flux_graph_set_label(steps->graph, send, label))
        return flux_io_fail_memory(steps->error);
    if ((rc = add_edge(steps, steps->ready[entry->src], send)) ||
        (rc = add_edge(steps, send, steps->joined[entry->src])))
        return rc;
    return add_edge(steps, send, steps->joined[entry->dst]);
}

static int add_steps(struct steps *steps)
{
    uint32_t ports = steps->matrices->ports;
    int rc = FLUX_OK;
    memset(steps->ready, 0xff, ports * sizeof *steps->ready);
    for (uint64_t step = 0; step < steps->matrices->count && !rc; step++) {
        uint64_t count;
        const struct flux_matrix_entry *entries = flux_matrices_entries(steps->matrices, step, &count);
        rc = add_joins(steps, step);
        for (uint64_t i = 0; i < count && !rc; i++)
            rc = add_send(steps, step, &entries[i]);
        memcpy(steps->ready, steps->joined, ports * sizeof *steps->ready);
    }
    return rc;
}

static int build(struct flux_import *import, const struct flux_matrices *matrices, const char *path,
                 const struct flux_import_options *options, struct flux_error *error)
{
    uint64_t most = options->vertices_max ? options->vertices_max : VERTICES_MAX;
    uint64_t vertices = matrices->entry_count + (matrices->count - 1) * matrices->ports;
    if (vertices > most)
        return flux_io_fail_path(error, FLUX_E_TOO_BIG, path, "%llu vertices, more than the limit of %llu",
                                 (unsigned long long)vertices, (unsigned long long)most);
    if (options->step_compute < 0 || options->step_compute > FLUX_TIME_MAX)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "the compute between steps is 0 .. 2^62 ps");
    if (flux_graph_new(&import->memory.env, matrices->ports, &import->graph))
        return flux_io_fail_memory(error);
    struct steps steps = {matrices, options, import->graph, error, NULL, NULL};
    uint32_t *room = flux_io_alloc(&import->memory, 2 * (uint64_t)matrices->ports, sizeof *room);
    if (!room)
        return flux_io_fail_memory(error);
    steps.ready = room;
    steps.joined = room + matrices->ports;
    int rc = flux_graph_reserve(import->graph, vertices, 3 * matrices->entry_count);
    rc = rc ? flux_io_fail_memory(error) : add_steps(&steps);
    flux_io_release(&import->memory, room, 2 * (uint64_t)matrices->ports, sizeof *room);
    return rc;
}

int flux_io_matrix_read(struct flux_import *import, struct flux_io_source *source,
                        const struct flux_import_options *options, struct flux_error *error)
{
    struct flux_matrices matrices = {.memory = import->memory};
    int rc = flux_io_matrices_fill(&matrices, source, options->unit, error);
    if (!rc)
        rc = build(import, &matrices, source->path, options, error);
    if (!rc) {
        import->counts[FLUX_IO_COUNT_RANKS] = matrices.ports;
        import->counts[FLUX_IO_COUNT_NODES] = matrices.entry_count;
        import->counts[FLUX_IO_COUNT_MESSAGES] = matrices.entry_count;
        for (uint64_t i = 0; i < matrices.entry_count && !matrices.is_time; i++)
            import->counts[FLUX_IO_COUNT_BYTES] += (uint64_t)matrices.entries[i].value;
    }
    flux_io_matrices_empty(&matrices);
    return rc;
}
