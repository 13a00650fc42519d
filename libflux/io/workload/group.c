/* SPDX-License-Identifier: Apache-2.0 */
#include "io/workload/group.h"

#include "io/fail.h"
#include "io/import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void flux_io_groups_init(struct flux_io_groups *groups, const struct flux_io_memory *memory, uint32_t rank_count)
{
    memset(groups, 0, sizeof *groups);
    groups->memory = memory;
    groups->rank_count = rank_count;
    flux_io_strings_init(&groups->asked, memory);
    flux_io_strings_init(&groups->defined, memory);
}

void flux_io_groups_free(struct flux_io_groups *groups)
{
    const struct flux_io_memory *memory = groups->memory;
    flux_io_strings_free(&groups->asked);
    flux_io_strings_free(&groups->defined);
    flux_io_release(memory, groups->askers, groups->asker_capacity, sizeof *groups->askers);
    flux_io_release(memory, groups->definitions, groups->definition_capacity, sizeof *groups->definitions);
    flux_io_release(memory, groups->ranks, groups->rank_capacity, sizeof *groups->ranks);
    flux_io_release(memory, groups->groups, groups->group_count, sizeof *groups->groups);
    flux_io_release(memory, groups->positions, groups->position_count, sizeof *groups->positions);
}

int flux_io_groups_ask(struct flux_io_groups *groups, const char *name, uint64_t length, uint32_t rank, uint64_t id,
                       uint32_t *group)
{
    uint32_t index;
    int fresh;
    *group = FLUX_IO_WORLD;
    if (length == 0)
        return FLUX_OK;
    int rc = flux_io_strings_add(&groups->asked, name, length, &index, &fresh);
    if (rc)
        return rc;
    if (fresh) {
        rc = flux_io_grow(groups->memory, &groups->askers, &groups->asker_capacity, groups->asked.count,
                          sizeof *groups->askers);
        if (rc)
            return rc;
        groups->askers[index] = (struct flux_io_asker){id, rank, 0};
    }
    *group = index + 1;
    return FLUX_OK;
}

int flux_io_groups_define(struct flux_io_groups *groups, const char *name, uint64_t length, uint32_t first,
                          uint32_t count, uint32_t stride)
{
    uint32_t index;
    int fresh;
    int rc = flux_io_strings_add(&groups->defined, name, length, &index, &fresh);
    if (!rc)
        rc = flux_io_grow(groups->memory, &groups->definitions, &groups->definition_capacity, groups->defined.count,
                          sizeof *groups->definitions);
    if (!rc)
        rc = flux_io_grow(groups->memory, &groups->ranks, &groups->rank_capacity, groups->rank_used + count,
                          sizeof *groups->ranks);
    if (rc)
        return rc;
    groups->definitions[index] = (struct flux_io_definition){groups->rank_used, count, FLUX_NONE};
    for (uint32_t i = 0; i < count; i++)
        groups->ranks[groups->rank_used++] = first + i * stride;
    return FLUX_OK;
}

const char *flux_io_group_name(const struct flux_io_groups *groups, uint32_t group)
{
    return group == FLUX_IO_WORLD ? "world" : flux_io_strings_text(&groups->asked, group - 1, NULL);
}

uint32_t flux_io_group_position(const struct flux_io_group *group, uint32_t rank)
{
    uint32_t low = 0;
    uint32_t high = group->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (group->ranks[group->sorted[middle]] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < group->count && group->ranks[group->sorted[low]] == rank ? group->sorted[low] : FLUX_NONE;
}

/* The digits of a whole number written as "7", "007" or "7.00"; NULL for anything else. */
static const char *whole_number(const char *name, uint64_t *length)
{
    const char *begin = name;
    while (*begin == '0' && begin[1] >= '0' && begin[1] <= '9')
        begin++;
    const char *end = begin;
    while (*end >= '0' && *end <= '9')
        end++;
    if (end == begin)
        return NULL;
    *length = (uint64_t)(end - begin);
    if (*end == '.')
        for (end++; *end == '0';)
            end++;
    return *end ? NULL : begin;
}

/* What a name is as a number, for every definition whose name is one; the first of several. */
static int index_numbers(const struct flux_io_groups *groups, struct flux_io_strings *numbers, uint32_t **owner)
{
    *owner = flux_io_alloc(groups->memory, groups->defined.count, sizeof **owner);
    if (!*owner)
        return FLUX_E_MEMORY;
    for (uint32_t d = 0; d < groups->defined.count; d++) {
        uint64_t length;
        uint32_t index;
        int fresh;
        const char *digits = whole_number(flux_io_strings_text(&groups->defined, d, NULL), &length);
        if (!digits)
            continue;
        int rc = flux_io_strings_add(numbers, digits, length, &index, &fresh);
        if (rc)
            return rc;
        if (fresh)
            (*owner)[index] = d;
    }
    return FLUX_OK;
}

static int fail_unknown(const struct flux_io_groups *groups, const char *path, uint32_t asked, struct flux_error *error)
{
    char keys[160] = "";
    char room[FLUX_IO_QUOTE];
    char name[FLUX_IO_QUOTE];
    size_t used = 0;
    uint32_t d = 0;
    for (; d < groups->defined.count && d < 8 && used < sizeof keys - 1; d++) {
        flux_io_quote(flux_io_strings_text(&groups->defined, d, NULL), room, 16);
        int length = snprintf(keys + used, sizeof keys - used, "%s\"%s\"", d ? ", " : "", room);
        used += length > 0 ? (size_t)length : 0;
    }
    flux_io_quote(flux_io_strings_text(&groups->asked, asked, NULL), name, sizeof name);
    if (!groups->defined.count)
        return flux_io_fail_path(error, FLUX_E_FORMAT, path,
                                 "rank %" PRIu32 " node %" PRIu64
                                 " runs a collective in group \"%s\", and no group file was given or found; pass one",
                                 groups->askers[asked].rank, groups->askers[asked].id, name);
    return flux_io_fail_path(
        error, FLUX_E_FORMAT, path,
        "rank %" PRIu32 " node %" PRIu64 " runs a collective in group \"%s\", which nothing defines; there are %s%s",
        groups->askers[asked].rank, groups->askers[asked].id, name, keys, d < groups->defined.count ? ", ..." : "");
}

/* The definition of an asked name, or FLUX_NONE for the world. */
static int find_definition(struct flux_io_groups *groups, struct flux_import *import, const char *path,
                           struct flux_io_strings *numbers, const uint32_t *owner, uint32_t asked, uint32_t *found,
                           struct flux_error *error)
{
    char room[FLUX_IO_QUOTE];
    char other[FLUX_IO_QUOTE];
    uint64_t length;
    const char *name = flux_io_strings_text(&groups->asked, asked, &length);
    *found = flux_io_strings_find(&groups->defined, name, length);
    if (*found != FLUX_NONE || strcmp(name, "0") == 0)
        return FLUX_OK;
    const char *digits = whole_number(name, &length);
    if (!digits)
        return fail_unknown(groups, path, asked, error);
    uint32_t index = flux_io_strings_find(numbers, digits, length);
    if (index == FLUX_NONE && !(length == 1 && *digits == '0'))
        return fail_unknown(groups, path, asked, error);
    flux_io_quote(name, room, sizeof room);
    if (index == FLUX_NONE)
        return flux_io_warn(import, path, error, "group \"%s\" is taken for \"0\", all ranks", room);
    *found = owner[index];
    flux_io_quote(flux_io_strings_text(&groups->defined, *found, NULL), other, sizeof other);
    return flux_io_warn(import, path, error, "group \"%s\" is taken for \"%s\"", room, other);
}

static int compare_pairs(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* The places of the members in ascending order of rank. `pairs` has room for them. */
static void sort_positions(const uint32_t *ranks, uint32_t count, uint32_t *sorted, uint64_t *pairs)
{
    for (uint32_t i = 0; i < count; i++)
        pairs[i] = (uint64_t)ranks[i] << 32 | i;
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (uint32_t)pairs[i];
}

/* Which definition each group has: FLUX_NONE is the world. */
static int find_definitions(struct flux_io_groups *groups, struct flux_import *import, const char *path,
                            uint32_t *chosen, struct flux_error *error)
{
    struct flux_io_strings numbers;
    uint32_t *owner = NULL;
    flux_io_strings_init(&numbers, groups->memory);
    int rc = index_numbers(groups, &numbers, &owner);
    if (rc)
        rc = flux_io_fail_memory(error);
    chosen[0] = FLUX_NONE;
    for (uint32_t i = 0; !rc && i < groups->asked.count; i++)
        rc = find_definition(groups, import, path, &numbers, owner, i, &chosen[i + 1], error);
    flux_io_strings_free(&numbers);
    flux_io_release(groups->memory, owner, groups->defined.count, sizeof *owner);
    return rc;
}

/* Numbers that mean the same definition are one group: the first. */
static void unite(struct flux_io_groups *groups, const uint32_t *chosen, uint32_t *first_user)
{
    for (uint32_t d = 0; d < groups->defined.count; d++)
        first_user[d] = FLUX_NONE;
    for (uint32_t g = 0; g < groups->group_count; g++) {
        groups->groups[g].same_as = FLUX_IO_WORLD;
        if (chosen[g] == FLUX_NONE)
            continue;
        if (first_user[chosen[g]] == FLUX_NONE)
            first_user[chosen[g]] = g;
        groups->groups[g].same_as = first_user[chosen[g]];
    }
}

/* Members of the groups that stand for themselves; the others share theirs. */
static void fill_members(struct flux_io_groups *groups, const uint32_t *chosen, uint32_t *world, uint64_t *pairs)
{
    uint64_t used = groups->rank_count;
    for (uint32_t r = 0; r < groups->rank_count; r++)
        groups->positions[r] = world[r] = r;
    for (uint32_t g = 0; g < groups->group_count; g++) {
        struct flux_io_group *group = &groups->groups[g];
        if (group->same_as != g) {
            uint32_t same_as = group->same_as;
            *group = groups->groups[same_as];
            group->same_as = same_as;
        } else if (chosen[g] == FLUX_NONE || groups->definitions[chosen[g]].count == 0) {
            group->ranks = world;
            group->sorted = groups->positions;
            group->count = groups->rank_count;
        } else {
            const struct flux_io_definition *definition = &groups->definitions[chosen[g]];
            group->ranks = groups->ranks + definition->first;
            group->sorted = groups->positions + used;
            group->count = definition->count;
            sort_positions(group->ranks, group->count, groups->positions + used, pairs);
            used += group->count;
        }
    }
}

int flux_io_groups_resolve(struct flux_io_groups *groups, struct flux_import *import, const char *path,
                           struct flux_error *error)
{
    const struct flux_io_memory *memory = groups->memory;
    uint64_t scratch = groups->asked.count + 1 + groups->defined.count;
    uint64_t world_at = groups->rank_used;
    if (flux_io_grow(memory, &groups->ranks, &groups->rank_capacity, world_at + groups->rank_count,
                     sizeof *groups->ranks))
        return flux_io_fail_memory(error);
    uint32_t *chosen = flux_io_alloc(memory, scratch, sizeof *chosen);
    uint64_t *pairs = flux_io_alloc(memory, groups->rank_count, sizeof *pairs);
    groups->group_count = groups->asked.count + 1;
    groups->groups = flux_io_alloc_zero(memory, groups->group_count, sizeof *groups->groups);
    int rc = chosen && pairs && groups->groups ? FLUX_OK : flux_io_fail_memory(error);
    if (!rc)
        rc = find_definitions(groups, import, path, chosen, error);
    if (!rc) {
        unite(groups, chosen, chosen + groups->group_count);
        groups->position_count = groups->rank_count;
        for (uint32_t g = 1; g < groups->group_count; g++)
            if (groups->groups[g].same_as == g)
                groups->position_count += groups->definitions[chosen[g]].count;
        groups->positions = flux_io_alloc(memory, groups->position_count, sizeof *groups->positions);
        if (groups->positions)
            fill_members(groups, chosen, groups->ranks + world_at, pairs);
        else
            rc = flux_io_fail_memory(error);
    }
    flux_io_release(memory, chosen, scratch, sizeof *chosen);
    flux_io_release(memory, pairs, groups->rank_count, sizeof *pairs);
    return rc;
}
