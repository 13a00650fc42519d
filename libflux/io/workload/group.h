/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/group.h - communicator groups: a name and an ordered list of ranks.
 *
 * Group 0 is the world. A reader first asks for names and gets numbers; when all ranks are read,
 * flux_io_groups_resolve() gives every number its members:
 *
 *   1. no name, or "": all ranks
 *   2. the name as the group file or the trace defines it, even "0"
 *   3. "0" where nothing defines it: all ranks
 *   4. names that are the same whole number, such as "1.0" and "1", with a warning
 *   5. anything else is an error
 *
 * Two names with the same members are two communicators.
 */
#ifndef FLUX_IO_WORKLOAD_GROUP_H
#define FLUX_IO_WORKLOAD_GROUP_H

#include "io/strings.h"

struct flux_import;

#define FLUX_IO_WORLD 0u

/* Where the members of a name lie, and where they came from. */
struct flux_io_definition {
    uint64_t first; /* in groups->ranks */
    uint32_t count; /* 0: all ranks */
    uint32_t rank;  /* whose trace said so; FLUX_NONE: the group file */
};

/* Who asked for a name first, for the message. */
struct flux_io_asker {
    uint64_t id;
    uint32_t rank;
    uint32_t reserved;
};

struct flux_io_group {
    const uint32_t *ranks;  /* in their order, which is that of rings */
    const uint32_t *sorted; /* positions in `ranks`, in ascending order of rank */
    uint32_t count;
    uint32_t same_as; /* the number of the group that this one is another spelling of; else its own */
};

struct flux_io_groups {
    const struct flux_io_memory *memory;
    uint32_t rank_count;
    uint32_t reserved;
    struct flux_io_strings asked; /* the name with index i belongs to group i + 1 */
    struct flux_io_asker *askers;
    uint64_t asker_capacity;
    struct flux_io_strings defined; /* names that have a definition */
    struct flux_io_definition *definitions;
    uint64_t definition_capacity;
    uint32_t *ranks;
    uint64_t rank_used;
    uint64_t rank_capacity;
    /* Set by resolving: asked.count + 1 groups. */
    struct flux_io_group *groups;
    uint64_t group_count;
    uint32_t *positions;
    uint64_t position_count;
};

void flux_io_groups_init(struct flux_io_groups *groups, const struct flux_io_memory *memory, uint32_t rank_count);
void flux_io_groups_free(struct flux_io_groups *groups);

/* The number of the group with this name, whose members come later; `rank` and `id` say which node wants it.
 * 0, MEMORY or TOO_BIG. */
int flux_io_groups_ask(struct flux_io_groups *groups, const char *name, uint64_t length, uint32_t rank, uint64_t id,
                       uint32_t *group);

/* Defines groups from a JSON file {"name": [ranks], ...}; they replace what ranks have declared. Errors: IO, FORMAT
 * with line and column, TOO_BIG (a file beyond 256 MiB), MEMORY. */
int flux_io_groups_read(struct flux_io_groups *groups, const char *path, struct flux_error *error);

/* Defines groups from what a rank's trace says: a JSON array of {"pg_name": "name", "ranks": [...]}, an empty list
 * meaning all ranks, within the brackets and quotes that the PyTorch converter puts around it. Two ranks that differ
 * are an error. `path` and `offset` go into messages. Errors: FORMAT, MEMORY. */
int flux_io_groups_declare(struct flux_io_groups *groups, const char *path, uint64_t offset, uint32_t rank,
                           const char *text, uint64_t length, struct flux_error *error);

/* Defines a group of `count` ranks: first, first + stride, .. 0, MEMORY or TOO_BIG. */
int flux_io_groups_define(struct flux_io_groups *groups, const char *name, uint64_t length, uint32_t first,
                          uint32_t count, uint32_t stride);

/* Members of every group that was asked for. `import` takes the warnings. Errors: FORMAT, MEMORY. */
int flux_io_groups_resolve(struct flux_io_groups *groups, struct flux_import *import, const char *path,
                           struct flux_error *error);

/* The place of `rank` among the members, or FLUX_NONE. */
uint32_t flux_io_group_position(const struct flux_io_group *group, uint32_t rank);

/* Its name, "world" for group 0. */
const char *flux_io_group_name(const struct flux_io_groups *groups, uint32_t group);

#endif
