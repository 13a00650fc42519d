/* SPDX-License-Identifier: Apache-2.0 */
#include "io/workload/label.h"

#include <inttypes.h>
#include <stdio.h>

#define NAME_BYTES 48
#define GROUP_BYTES 24

/* At most `most` bytes of `name`, made harmless, into `room`. */
static const char *clean(const char *name, size_t most, char *room)
{
    size_t i = 0;
    for (; name[i] && i < most; i++) {
        char c = name[i];
        int keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
                   c == '@' || c == '-';
        room[i] = (char)(keep ? c : '_');
    }
    room[i] = '\0';
    return room;
}

uint32_t flux_io_label_node(const struct flux_io_workload *workload, uint32_t rank, uint32_t node, char *label)
{
    const struct flux_io_node *at = &workload->ranks[rank]->nodes[node];
    char name[NAME_BYTES + 1] = "";
    if (at->name != FLUX_NONE)
        clean(flux_io_strings_text(&workload->names, at->name, NULL), NAME_BYTES, name);
    return (uint32_t)snprintf(label, FLUX_IO_LABEL, "r%" PRIu32 "/%" PRIu64 "%s%s", rank, at->id, *name ? "/" : "",
                              name);
}

uint32_t flux_io_label_member(const struct flux_io_workload *workload, const struct flux_io_instance *instance,
                              uint32_t member, char *label)
{
    uint32_t rank = workload->groups.groups[instance->group].ranks[member];
    const struct flux_io_node *node = &workload->ranks[rank]->nodes[workload->members[instance->members + member]];
    char group[GROUP_BYTES + 1];
    clean(flux_io_group_name(&workload->groups, instance->group), GROUP_BYTES, group);
    return (uint32_t)snprintf(label, FLUX_IO_LABEL, "r%" PRIu32 "/%" PRIu64 "/%s@%s#%" PRIu32, rank, node->id,
                              flux_io_collective_name(instance->kind), group, instance->occurrence);
}

void flux_io_label_step(char *label, uint32_t length, uint32_t chunk, uint32_t step, uint32_t to)
{
    int wrote = 0;
    label += length;
    size_t room = FLUX_IO_LABEL - length;
    if (chunk != FLUX_NONE)
        wrote = snprintf(label, room, "/c%" PRIu32 "s%" PRIu32, chunk, step);
    else
        wrote = snprintf(label, room, "/s%" PRIu32, step);
    if (to != FLUX_NONE)
        snprintf(label + wrote, room - (size_t)wrote, "-r%" PRIu32, to);
}
