/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of demand matrices: which format, what unit, and the entries as they are kept.
 */
#include "io/matrix/matrix.h"

#include "io/fail.h"

#include <libflux/units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_LEAST FLUX_IO_LEAST(struct flux_matrix_options, unit)

/* "us": a unit of time or of size, by the library's own reader of "1us". */
static int find_unit(struct flux_matrices *matrices, const char *unit)
{
    char one[16];
    int64_t time;
    uint64_t bytes;
    if (snprintf(one, sizeof one, "1%s", unit) >= (int)sizeof one)
        return -1;
    if (flux_time_parse(one, &time, NULL) == FLUX_OK) {
        matrices->unit = (uint64_t)time;
        matrices->is_time = 1;
    } else if (flux_bytes_parse(one, &bytes, NULL) == FLUX_OK) {
        matrices->unit = bytes;
        matrices->is_time = 0;
    } else {
        return -1;
    }
    return one[1] >= '0' && one[1] <= '9' ? -1 : 0; /* "10us" is no unit */
}

int flux_io_lines_comment(struct flux_io_lines *lines)
{
    static const char key[] = "unit:";
    struct flux_matrices *matrices = lines->matrices;
    char unit[16] = "", quoted[FLUX_IO_QUOTE];
    const char *text = lines->text + strspn(lines->text, " \t#%");
    if (strncmp(text, key, sizeof key - 1) != 0)
        return FLUX_OK;
    text += sizeof key - 1;
    text += strspn(text, " \t");
    size_t length = strcspn(text, " \t");
    if (length < sizeof unit)
        memcpy(unit, text, length);
    if (matrices->explicit)
        return FLUX_OK;
    uint64_t unit_before = matrices->unit;
    uint32_t is_time = matrices->is_time;
    if (!*unit || find_unit(matrices, unit))
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, (uint64_t)(text - lines->text) + 1,
                                  "'%s' is no unit; say ps, ns, us, ms, s, or B, kB, MiB and the like",
                                  flux_io_quote(text, quoted, sizeof quoted));
    if (matrices->begin_capacity && (matrices->unit != unit_before || matrices->is_time != is_time))
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, 1, "the unit changes after the first entries");
    return FLUX_OK;
}

int flux_io_matrix_begin(struct flux_io_lines *lines, uint64_t ports)
{
    struct flux_matrices *matrices = lines->matrices;
    if (ports < 2)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, 1, "a matrix of %llu ports; there must be 2 or more",
                                  (unsigned long long)ports);
    if (ports > FLUX_DEMAND_PORTS_MAX)
        return flux_io_lines_fail(lines, FLUX_E_TOO_BIG, 1, "%llu ports; at most %d", (unsigned long long)ports,
                                  FLUX_DEMAND_PORTS_MAX);
    if (matrices->ports && matrices->ports != ports)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, 1, "matrix %llu has %llu ports, those before it %u",
                                  (unsigned long long)matrices->count + 1, (unsigned long long)ports,
                                  (unsigned)matrices->ports);
    matrices->ports = (uint32_t)ports;
    if (flux_io_grow(&matrices->memory, &matrices->begin, &matrices->begin_capacity, matrices->count + 2,
                     sizeof *matrices->begin))
        return flux_io_fail_memory(lines->error);
    matrices->begin[matrices->count] = matrices->entry_count;
    return FLUX_OK;
}

int flux_io_matrix_add(struct flux_io_lines *lines, uint64_t src, uint64_t dst, int64_t value, uint64_t column)
{
    struct flux_matrices *matrices = lines->matrices;
    if (src == dst)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, column,
                                  "port %llu sends to itself; the diagonal needs no circuit: set it to 0",
                                  (unsigned long long)src);
    if (flux_io_grow(&matrices->memory, &matrices->entries, &matrices->entry_capacity, matrices->entry_count + 1,
                     sizeof *matrices->entries))
        return flux_io_fail_memory(lines->error);
    matrices->entries[matrices->entry_count++] = (struct flux_matrix_entry){(uint32_t)src, (uint32_t)dst, value};
    return FLUX_OK;
}

static int compare_entries(const void *left, const void *right)
{
    const struct flux_matrix_entry *a = left, *b = right;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    return a->dst < b->dst ? -1 : a->dst > b->dst;
}

int flux_io_matrix_end(struct flux_io_lines *lines, uint64_t line)
{
    struct flux_matrices *matrices = lines->matrices;
    uint64_t count = matrices->entry_count - matrices->begin[matrices->count];
    int sorted = 1;
    if (!count)
        return flux_io_fail_line(lines->error, FLUX_E_FORMAT, lines->source->path, line, 1,
                                 "a matrix of zeros: there is nothing to send");
    struct flux_matrix_entry *entries = matrices->entries + matrices->begin[matrices->count];
    for (uint64_t i = 1; i < count && sorted; i++)
        sorted = compare_entries(&entries[i - 1], &entries[i]) < 0;
    if (!sorted)
        qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    for (uint64_t i = 1; i < count; i++)
        if (compare_entries(&entries[i - 1], &entries[i]) == 0)
            return flux_io_fail_line(lines->error, FLUX_E_FORMAT, lines->source->path, line, 1,
                                     "row %u, column %u is given twice in the matrix that begins here; add them up",
                                     (unsigned)entries[i].src + 1, (unsigned)entries[i].dst + 1);
    matrices->begin[++matrices->count] = matrices->entry_count;
    return FLUX_OK;
}

static int fill(struct flux_io_lines *lines)
{
    int more, rc;
    /* What comes before the first line that is a banner or no comment does not tell the formats apart. */
    while (!(rc = flux_io_lines_next(lines, &more)) && more && !flux_io_is_market(lines->text) &&
           (flux_io_line_is_blank(lines->text) || flux_io_line_is_comment(lines->text)))
        if ((rc = flux_io_lines_comment(lines)))
            return rc;
    if (rc)
        return rc;
    rc = more && flux_io_is_market(lines->text) ? flux_io_market_read(lines) : flux_io_table_read(lines, more);
    if (!rc && !lines->matrices->count)
        rc = flux_io_fail_path(lines->error, FLUX_E_FORMAT, lines->source->path, "there is no matrix in it");
    return rc;
}

int flux_io_matrices_fill(struct flux_matrices *matrices, struct flux_io_source *source, const char *unit,
                          struct flux_error *error)
{
    char quoted[FLUX_IO_QUOTE];
    matrices->unit = 1;
    matrices->explicit = unit != NULL;
    if (unit && (!*unit || find_unit(matrices, unit)))
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "'%s' is no unit of a matrix; say ps, ns, us, ms, s, or B, kB, MiB and the like",
                            flux_io_quote(unit, quoted, sizeof quoted));
    struct flux_io_lines *lines = flux_io_alloc_zero(&matrices->memory, 1, sizeof *lines);
    if (!lines)
        return flux_io_fail_memory(error);
    lines->source = source;
    lines->matrices = matrices;
    lines->error = error;
    int rc = fill(lines);
    flux_io_release(&matrices->memory, lines->text, lines->capacity, 1);
    flux_io_release(&matrices->memory, lines, 1, sizeof *lines);
    return rc;
}

void flux_io_matrices_empty(struct flux_matrices *matrices)
{
    flux_io_release(&matrices->memory, matrices->entries, matrices->entry_capacity, sizeof *matrices->entries);
    flux_io_release(&matrices->memory, matrices->begin, matrices->begin_capacity, sizeof *matrices->begin);
}

int flux_matrices_read(const struct flux_env *env, const char *path, const struct flux_matrix_options *options,
                       struct flux_matrices **matrices, struct flux_error *error)
{
    struct flux_matrix_options given = FLUX_MATRIX_OPTIONS_INIT;
    struct flux_io_memory memory;
    struct flux_io_source source;
    if (!matrices)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_matrices_read: matrices is NULL");
    *matrices = NULL;
    int rc = flux_io_memory_init(&memory, env);
    if (rc)
        return flux_io_fail(error, rc,
                            "flux_matrices_read: env is not made from FLUX_ENV_INIT, or has half an allocator");
    if (options && (rc = flux_io_abi(&given, sizeof given, options, OPTIONS_LEAST, "flux_matrix_options", error)))
        return rc;
    struct flux_matrices *fresh = flux_io_alloc_zero(&memory, 1, sizeof *fresh);
    if (!fresh)
        return flux_io_fail_memory(error);
    fresh->memory = memory;
    if (!(rc = flux_io_source_open(&source, &fresh->memory, path, error))) {
        if (source.descriptor < 0)
            rc = flux_io_fail_path(error, FLUX_E_IO, path, "no such file; check the path");
        else if (source.head_size == 0)
            rc = flux_io_fail_path(error, FLUX_E_FORMAT, path, "is empty; there is no matrix in it");
        else
            rc = flux_io_matrices_fill(fresh, &source, given.unit, error);
        flux_io_source_close(&source);
    }
    if (rc)
        flux_matrices_free(fresh);
    else
        *matrices = fresh;
    return rc;
}

void flux_matrices_free(struct flux_matrices *matrices)
{
    if (!matrices)
        return;
    struct flux_io_memory memory = matrices->memory;
    flux_io_matrices_empty(matrices);
    flux_io_release(&memory, matrices, 1, sizeof *matrices);
}

uint32_t flux_matrices_ports(const struct flux_matrices *matrices)
{
    return matrices ? matrices->ports : 0;
}

uint64_t flux_matrices_count(const struct flux_matrices *matrices)
{
    return matrices ? matrices->count : 0;
}

int flux_matrices_are_times(const struct flux_matrices *matrices)
{
    return matrices && matrices->is_time;
}

const struct flux_matrix_entry *flux_matrices_entries(const struct flux_matrices *matrices, uint64_t index,
                                                      uint64_t *count)
{
    int there = matrices && index < matrices->count;
    if (count)
        *count = there ? matrices->begin[index + 1] - matrices->begin[index] : 0;
    return there ? matrices->entries + matrices->begin[index] : NULL;
}
