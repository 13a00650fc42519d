/* SPDX-License-Identifier: Apache-2.0 */
#include "io/fail.h"
#include "io/workload/group.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GROUP_FILE_MAX (UINT64_C(256) << 20)

/* One definition whose ranks are being read: who says so, for messages. */
struct place {
    const char *path;
    uint64_t offset; /* UINT64_MAX: none, it is the group file */
    uint32_t rank;   /* FLUX_NONE: the group file */
};

static int fail_place(struct flux_error *error, const struct place *place, const char *text)
{
    if (place->offset == UINT64_MAX)
        return flux_io_fail_path(error, FLUX_E_FORMAT, place->path, "%s", text);
    return flux_io_fail_offset(error, FLUX_E_FORMAT, place->path, place->offset, "%s", text);
}

static int fail_group(struct flux_error *error, const struct place *place, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int fail_group(struct flux_error *error, const struct place *place, const char *name, const char *format, ...)
{
    char quoted[FLUX_IO_QUOTE];
    char what[160];
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(text, sizeof text, "group \"%s\" %s", flux_io_quote(name, quoted, sizeof quoted), what);
    return fail_place(error, place, text);
}

/* Appends the members behind groups->rank_used without moving it. `may_be_empty`: that means all ranks. */
static int read_members(struct flux_io_groups *groups, const struct place *place, const char *name, const json_t *ranks,
                        int may_be_empty, uint32_t *count, struct flux_error *error)
{
    size_t size = json_is_array(ranks) ? json_array_size(ranks) : 0;
    if (!json_is_array(ranks))
        return fail_group(error, place, name, "is not an array of ranks");
    if (size == 0 && !may_be_empty)
        return fail_group(error, place, name, "has no member");
    if (size >= UINT32_MAX)
        return fail_group(error, place, name, "has %zu members", size);
    *count = (uint32_t)size;
    if (flux_io_grow(groups->memory, &groups->ranks, &groups->rank_capacity, groups->rank_used + *count,
                     sizeof *groups->ranks))
        return flux_io_fail_memory(error);
    uint32_t *to = groups->ranks + groups->rank_used;
    for (uint32_t i = 0; i < *count; i++) {
        const json_t *item = json_array_get(ranks, i);
        json_int_t rank = json_integer_value(item);
        if (!json_is_integer(item))
            return fail_group(error, place, name, "has as member %" PRIu32 " something that is no whole number", i + 1);
        if (rank < 0 || rank >= (json_int_t)groups->rank_count)
            return fail_group(error, place, name,
                              "names rank %" JSON_INTEGER_FORMAT ", and the ranks are 0 .. %" PRIu32, rank,
                              groups->rank_count - 1);
        to[i] = (uint32_t)rank;
    }
    return FLUX_OK;
}

static int check_distinct(struct flux_io_groups *groups, const struct place *place, const char *name, uint32_t count,
                          unsigned char *seen, struct flux_error *error)
{
    const uint32_t *ranks = groups->ranks + groups->rank_used;
    uint32_t twice = FLUX_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (seen[ranks[i]])
            twice = ranks[i];
        seen[ranks[i]] = 1;
    }
    for (uint32_t i = 0; i < count; i++)
        seen[ranks[i]] = 0;
    return twice == FLUX_NONE ? FLUX_OK : fail_group(error, place, name, "names rank %" PRIu32 " twice", twice);
}

/* `seen` has a zero byte per rank, and has so again afterwards. */
static int define(struct flux_io_groups *groups, const struct place *place, const char *name, const json_t *ranks,
                  unsigned char *seen, struct flux_error *error)
{
    uint32_t count = 0;
    uint32_t index;
    int fresh;
    int rc = read_members(groups, place, name, ranks, place->rank != FLUX_NONE, &count, error);
    if (rc || (rc = check_distinct(groups, place, name, count, seen, error)))
        return rc;
    if (flux_io_strings_add(&groups->defined, name, strlen(name), &index, &fresh) ||
        flux_io_grow(groups->memory, &groups->definitions, &groups->definition_capacity, groups->defined.count,
                     sizeof *groups->definitions))
        return flux_io_fail_memory(error);
    struct flux_io_definition *definition = &groups->definitions[index];
    if (fresh || place->rank == FLUX_NONE) { /* the group file wins */
        *definition = (struct flux_io_definition){groups->rank_used, count, place->rank};
        groups->rank_used += count;
        return FLUX_OK;
    }
    if (definition->rank == FLUX_NONE)
        return FLUX_OK;
    if (definition->count == count &&
        (!count || memcmp(groups->ranks + definition->first, groups->ranks + groups->rank_used,
                          count * sizeof *groups->ranks) == 0))
        return FLUX_OK;
    return fail_group(error, place, name, "has other members in rank %" PRIu32 " than in rank %" PRIu32, place->rank,
                      definition->rank);
}

static int define_file(struct flux_io_groups *groups, const char *path, json_t *root, struct flux_error *error)
{
    struct place place = {path, UINT64_MAX, FLUX_NONE};
    const char *name;
    json_t *ranks;
    int rc = FLUX_OK;
    if (!json_is_object(root))
        return flux_io_fail_line(error, FLUX_E_FORMAT, path, 1, 1,
                                 "a group file is one object {\"name\": [ranks], ...}");
    unsigned char *seen = flux_io_alloc_zero(groups->memory, groups->rank_count, 1);
    if (!seen)
        return flux_io_fail_memory(error);
    json_object_foreach(root, name, ranks)
    {
        if (*name)
            rc = define(groups, &place, name, ranks, seen, error);
        else
            rc = fail_group(error, &place, name, "needs a name");
        if (rc)
            break;
    }
    flux_io_release(groups->memory, seen, groups->rank_count, 1);
    return rc;
}

/* JSON's parser has a complaint about every text that is wrong, and often none where memory was out. */
static int out_of_memory(const json_error_t *json)
{
    return !*json->text || json_error_code(json) == json_error_out_of_memory;
}

/* Of JSON's parser, with the line and column that it gives. */
static int fail_json(struct flux_error *error, const char *path, const json_error_t *json)
{
    if (out_of_memory(json))
        return flux_io_fail_memory(error);
    uint64_t line = json->line > 0 ? (uint64_t)json->line : 1;
    uint64_t column = json->column > 0 ? (uint64_t)json->column : 1;
    return flux_io_fail_line(error, FLUX_E_FORMAT, path, line, column, "is not JSON: %s", json->text);
}

int flux_io_groups_read(struct flux_io_groups *groups, const char *path, struct flux_error *error)
{
    json_error_t json;
    char *text = NULL;
    uint64_t capacity = 0;
    uint64_t length = 0;
    int rc = FLUX_OK;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return flux_io_fail_errno(error, path, "read", errno, NULL);
    for (size_t got = 1; got && !rc;) {
        if (flux_io_grow(groups->memory, &text, &capacity, length + 65536, 1)) {
            rc = flux_io_fail_memory(error);
            break;
        }
        got = fread(text + length, 1, (size_t)(capacity - length), file);
        length += got;
        if (length > GROUP_FILE_MAX)
            rc = flux_io_fail_path(error, FLUX_E_TOO_BIG, path, "is larger than %" PRIu64 " bytes; is it a group file?",
                                   GROUP_FILE_MAX);
    }
    if (!rc && ferror(file))
        rc = flux_io_fail_errno(error, path, "read", errno, NULL);
    fclose(file);
    if (!rc) {
        json_t *root = json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, &json);
        rc = root ? define_file(groups, path, root, error) : fail_json(error, path, &json);
        json_decref(root);
    }
    flux_io_release(groups->memory, text, capacity, 1);
    return rc;
}

static int declare_all(struct flux_io_groups *groups, const struct place *place, const json_t *root,
                       struct flux_error *error)
{
    int rc = FLUX_OK;
    unsigned char *seen = flux_io_alloc_zero(groups->memory, groups->rank_count, 1);
    if (!seen)
        return flux_io_fail_memory(error);
    for (size_t i = 0; !rc && i < json_array_size(root); i++) {
        const json_t *entry = json_array_get(root, i);
        const json_t *name = json_object_get(entry, "pg_name");
        const json_t *ranks = json_object_get(entry, "ranks");
        if (!json_is_string(name) || !ranks)
            rc = fail_place(error, place, "a process group lacks its pg_name or ranks");
        else if (json_string_length(name))
            rc = define(groups, place, json_string_value(name), ranks, seen, error);
    }
    flux_io_release(groups->memory, seen, groups->rank_count, 1);
    return rc;
}

int flux_io_groups_declare(struct flux_io_groups *groups, const char *path, uint64_t offset, uint32_t rank,
                           const char *text, uint64_t length, struct flux_error *error)
{
    struct place place = {path, offset, rank};
    json_error_t json;
    char wrong[256];
    if (length >= 4 && text[0] == '[' && (text[1] == '"' || text[1] == '\'')) { /* ['[{...}, ...]'] */
        text += 2;
        length -= 4;
    }
    json_t *root = json_loadb(text, (size_t)length, 0, &json);
    if (!root && out_of_memory(&json))
        return flux_io_fail_memory(error);
    if (!root) {
        snprintf(wrong, sizeof wrong, "the process groups are not JSON: %s", json.text);
        return fail_place(error, &place, wrong);
    }
    int rc = json_is_array(root) ? declare_all(groups, &place, root, error)
                                 : fail_place(error, &place, "the process groups are no array");
    json_decref(root);
    return rc;
}
