/* SPDX-License-Identifier: Apache-2.0 */
#include "io/workload/label.h"

#include <string.h>

#define NAME_BYTES 48
#define GROUP_BYTES 24

/* A label that is being written. Every vertex has one, so this is no place for printf(). All that is put here fits:
 * names and numbers have a largest length, see FLUX_IO_LABEL. */
struct label {
    char *text;
    uint32_t length;
};

static void put(struct label *label, const char *text)
{
    size_t length = strlen(text);
    memcpy(label->text + label->length, text, length);
    label->length += (uint32_t)length;
}

static void put_number(struct label *label, const char *before, uint64_t number)
{
    char digits[21];
    char *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    put(label, before);
    put(label, at);
}

/* At most `most` bytes of a name out of a file, made harmless. */
static void put_name(struct label *label, const char *before, const char *name, uint32_t most)
{
    put(label, before);
    for (uint32_t i = 0; name[i] && i < most; i++) {
        char c = name[i];
        int keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                   c == '.' || c == '@' || c == '-';
        label->text[label->length++] = (char)(keep ? c : '_');
    }
}

static void put_node(struct label *label, uint32_t rank, uint64_t id)
{
    put_number(label, "r", rank);
    put_number(label, "/", id);
}

uint32_t flux_io_label_node(const struct flux_io_workload *workload, uint32_t rank, uint32_t node, char *text)
{
    const struct flux_io_node *at = &workload->ranks[rank]->nodes[node];
    struct label label = {text, 0};
    put_node(&label, rank, at->id);
    if (at->name != FLUX_NONE)
        put_name(&label, "/", flux_io_strings_text(&workload->names, at->name, NULL), NAME_BYTES);
    text[label.length] = '\0';
    return label.length;
}

uint32_t flux_io_label_member(const struct flux_io_workload *workload, const struct flux_io_instance *instance,
                              uint32_t member, char *text)
{
    uint32_t rank = workload->groups.groups[instance->group].ranks[member];
    struct label label = {text, 0};
    put_node(&label, rank, workload->ranks[rank]->nodes[workload->members[instance->members + member]].id);
    put(&label, "/");
    put(&label, flux_io_collective_name(instance->kind));
    put_name(&label, "@", flux_io_group_name(&workload->groups, instance->group), GROUP_BYTES);
    put_number(&label, "#", instance->occurrence);
    text[label.length] = '\0';
    return label.length;
}

void flux_io_label_step(char *text, uint32_t length, uint32_t chunk, uint32_t step, uint32_t to)
{
    struct label label = {text, length};
    if (chunk != FLUX_NONE)
        put_number(&label, "/c", chunk);
    put_number(&label, chunk != FLUX_NONE ? "s" : "/s", step);
    if (to != FLUX_NONE)
        put_number(&label, "-r", to);
    text[label.length] = '\0';
}
