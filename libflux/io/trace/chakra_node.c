/* SPDX-License-Identifier: Apache-2.0 */
#include "io/trace/chakra_node.h"

#include "io/fail.h"
#include "io/trace/chakra_attribute.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PS_PER_US UINT64_C(1000000)
#define NAME_KEPT 63u /* bytes of a name that labels and messages use */

struct adding {
    struct flux_io_workload *workload;
    const struct flux_io_chakra_rules *rules;
    const struct flux_io_chakra_reader *reader;
    const struct flux_io_chakra_node *node;
    struct flux_io_chakra_tally *tally;
    struct flux_error *error;
    uint32_t rank;
};

static int fail_node(const struct adding *adding, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail_node(const struct adding *adding, int code, const char *format, ...)
{
    const struct flux_io_chakra_node *node = adding->node;
    char name[FLUX_IO_QUOTE];
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    flux_io_quote(node->name, name, sizeof name);
    return flux_io_fail_offset(adding->error, code, adding->reader->stream.path, node->offset,
                               "rank %" PRIu32 " node %" PRIu64 "%s%s%s %s", adding->rank, node->id, *name ? " (" : "",
                               name, *name ? ")" : "", what);
}

static const struct flux_io_chakra_value *value_of(const struct adding *adding, enum flux_io_chakra_attribute which)
{
    return &adding->node->value[which];
}

static int is_true(const struct adding *adding, enum flux_io_chakra_attribute which)
{
    return value_of(adding, which)->kind == FLUX_IO_CHAKRA_INTEGER && value_of(adding, which)->magnitude != 0;
}

/* The attribute as a number of any integer kind. `*present` is 0 where it is not there or has no value. */
static int get_number(const struct adding *adding, enum flux_io_chakra_attribute which, uint64_t *number, int *present)
{
    const struct flux_io_chakra_value *value = value_of(adding, which);
    *number = 0;
    *present = value->kind != FLUX_IO_CHAKRA_NONE;
    if (!*present)
        return FLUX_OK;
    if (value->kind != FLUX_IO_CHAKRA_INTEGER)
        return fail_node(adding, FLUX_E_FORMAT, "has a %s that is no whole number",
                         flux_io_chakra_attribute_name(which));
    if (value->negative)
        return fail_node(adding, FLUX_E_FORMAT, "has the %s -%" PRIu64, flux_io_chakra_attribute_name(which),
                         value->magnitude);
    *number = value->magnitude;
    return FLUX_OK;
}

static int need_number(const struct adding *adding, enum flux_io_chakra_attribute which, uint64_t *number)
{
    int present;
    int rc = get_number(adding, which, number, &present);
    if (!rc && !present)
        rc = fail_node(adding, FLUX_E_FORMAT, "has no %s", flux_io_chakra_attribute_name(which));
    return rc;
}

/* number * scale, rounded up. */
static int scale(const struct adding *adding, uint64_t *number)
{
    __extension__ typedef unsigned __int128 wide;
    wide scaled = ((wide)*number * adding->rules->scale_num + adding->rules->scale_den - 1) / adding->rules->scale_den;
    if (scaled >= FLUX_IO_SIZE_UNKNOWN)
        return fail_node(adding, FLUX_E_OVERFLOW, "has a size of %" PRIu64 " times the scale: beyond 64 bits", *number);
    *number = (uint64_t)scaled;
    return FLUX_OK;
}

/* The size of a message, scaled. */
static int get_size(const struct adding *adding, uint64_t *size, int *present)
{
    int rc = get_number(adding, FLUX_IO_CHAKRA_COMM_SIZE, size, present);
    if (!rc && !*present && value_of(adding, FLUX_IO_CHAKRA_MSG_CHUNK_CNT)->kind != FLUX_IO_CHAKRA_NONE)
        rc = fail_node(adding, FLUX_E_FORMAT,
                       "has msg_chunk_cnt in the place of comm_size: this file is an algorithm for a collective and no "
                       "workload");
    return rc ? rc : scale(adding, size);
}

static int read_compute(const struct adding *adding, struct flux_io_node *to)
{
    uint64_t operations;
    uint64_t size;
    int has_operations;
    int has_size;
    if (is_true(adding, FLUX_IO_CHAKRA_IS_CPU_OP)) {
        adding->tally->host++;
        return FLUX_OK;
    }
    to->kind = FLUX_IO_COMPUTE;
    to->stream = 1;
    if (adding->node->duration_us) {
        to->amount =
            adding->node->duration_us > UINT64_MAX / PS_PER_US ? UINT64_MAX : adding->node->duration_us * PS_PER_US;
        return FLUX_OK;
    }
    int rc = get_number(adding, FLUX_IO_CHAKRA_NUM_OPS, &operations, &has_operations);
    if (rc || (rc = get_number(adding, FLUX_IO_CHAKRA_TENSOR_SIZE, &size, &has_size)) || (rc = scale(adding, &size)))
        return rc;
    adding->tally->timeless += !has_operations && !has_size;
    adding->tally->sizeless += operations && !size;
    to->amount = flux_io_roofline_time(&adding->rules->roofline, operations, size);
    return FLUX_OK;
}

static int read_memory(const struct adding *adding, struct flux_io_node *to)
{
    uint64_t size;
    int present;
    if (!adding->rules->memory_rate_given) {
        adding->tally->memory++;
        return FLUX_OK;
    }
    int rc = get_number(adding, FLUX_IO_CHAKRA_TENSOR_SIZE, &size, &present);
    if (rc || (rc = scale(adding, &size)))
        return rc;
    to->kind = FLUX_IO_COMPUTE;
    to->amount = flux_io_time_at(size, adding->rules->roofline.bytes);
    return FLUX_OK;
}

/* A rank in an attribute; where it is the rank's own it may be left out. */
static int read_peer(const struct adding *adding, enum flux_io_chakra_attribute other,
                     enum flux_io_chakra_attribute own, uint32_t *peer)
{
    uint64_t number;
    int present;
    int rc = get_number(adding, own, &number, &present);
    if (!rc && present && number != adding->rank)
        rc = fail_node(adding, FLUX_E_FORMAT, "has the %s %" PRIu64 ", which is not its rank",
                       flux_io_chakra_attribute_name(own), number);
    if (rc || (rc = need_number(adding, other, &number)))
        return rc;
    if (number >= adding->workload->rank_count)
        return fail_node(adding, FLUX_E_FORMAT, "has the %s %" PRIu64 ", and the ranks are 0 .. %" PRIu32,
                         flux_io_chakra_attribute_name(other), number, adding->workload->rank_count - 1);
    if (number == adding->rank)
        return fail_node(adding, FLUX_E_FORMAT, "has its own rank as %s; no circuit leads from a GPU to itself",
                         flux_io_chakra_attribute_name(other));
    *peer = (uint32_t)number;
    return FLUX_OK;
}

/* Any 32 bits, signed or not. */
static int read_tag(const struct adding *adding, uint32_t *tag)
{
    const struct flux_io_chakra_value *value = value_of(adding, FLUX_IO_CHAKRA_COMM_TAG);
    *tag = 0;
    if (value->kind == FLUX_IO_CHAKRA_NONE)
        return FLUX_OK;
    if (value->kind != FLUX_IO_CHAKRA_INTEGER || value->magnitude > (value->negative ? UINT64_C(1) << 31 : UINT32_MAX))
        return fail_node(adding, FLUX_E_FORMAT, "has a comm_tag that is no number of 32 bits");
    *tag = value->negative ? (uint32_t)0 - (uint32_t)value->magnitude : (uint32_t)value->magnitude;
    return FLUX_OK;
}

static int read_message(const struct adding *adding, struct flux_io_node *to)
{
    int is_send = adding->node->type == FLUX_IO_CHAKRA_SEND;
    int present;
    if (adding->rules->replicated)
        return fail_node(adding, FLUX_E_FORMAT,
                         "is a message to or from one rank: a trace that has such nodes cannot stand for all ranks");
    int rc = read_peer(adding, is_send ? FLUX_IO_CHAKRA_COMM_DST : FLUX_IO_CHAKRA_COMM_SRC,
                       is_send ? FLUX_IO_CHAKRA_COMM_SRC : FLUX_IO_CHAKRA_COMM_DST, &to->peer);
    if (rc || (rc = read_tag(adding, &to->key)) || (rc = get_size(adding, &to->amount, &present)))
        return rc;
    if (!present && is_send)
        return fail_node(adding, FLUX_E_FORMAT, "has no comm_size");
    if (!present)
        to->amount = FLUX_IO_SIZE_UNKNOWN;
    to->kind = is_send ? FLUX_IO_SEND : FLUX_IO_RECV;
    return FLUX_OK;
}

/* pg_name, or in older files comm_group, as a text or as a number. */
static int read_group(const struct adding *adding, uint32_t *group)
{
    static const enum flux_io_chakra_attribute names[2] = {FLUX_IO_CHAKRA_PG_NAME, FLUX_IO_CHAKRA_COMM_GROUP};
    char digits[24] = "";
    const char *name = "";
    for (int i = 0; i < 2 && !*name; i++) {
        const struct flux_io_chakra_value *value = value_of(adding, names[i]);
        if (value->kind == FLUX_IO_CHAKRA_TEXT && names[i] == FLUX_IO_CHAKRA_PG_NAME) {
            name = adding->node->group;
            if (value->magnitude > FLUX_IO_CHAKRA_TEXT_MAX)
                return fail_node(adding, FLUX_E_FORMAT, "has a pg_name of %" PRIu64 " bytes; %d are possible",
                                 value->magnitude, FLUX_IO_CHAKRA_TEXT_MAX);
        } else if (value->kind == FLUX_IO_CHAKRA_INTEGER) {
            snprintf(digits, sizeof digits, "%s%" PRIu64, value->negative ? "-" : "", value->magnitude);
            name = digits;
        } else if (value->kind != FLUX_IO_CHAKRA_NONE) {
            return fail_node(adding, FLUX_E_FORMAT, "has a %s that names no group",
                             flux_io_chakra_attribute_name(names[i]));
        }
    }
    uint32_t dims = value_of(adding, FLUX_IO_CHAKRA_INVOLVED_DIM)->kind;
    if (!*name && dims != FLUX_IO_CHAKRA_NONE && dims != FLUX_IO_CHAKRA_ALL_TRUE)
        return fail_node(adding, FLUX_E_FORMAT,
                         "runs over some dimensions of a network only (involved_dim); it needs a group (pg_name)");
    if (flux_io_groups_ask(&adding->workload->groups, name, strlen(name), adding->rank, adding->node->id, group))
        return flux_io_fail_memory(adding->error);
    return FLUX_OK;
}

/* FLUX_NONE: cannot be expressed in sends. */
static uint32_t collective_kind(uint64_t comm_type)
{
    switch (comm_type) {
    case FLUX_IO_CHAKRA_ALL_REDUCE:
        return FLUX_IO_ALL_REDUCE;
    case FLUX_IO_CHAKRA_ALL_GATHER:
        return FLUX_IO_ALL_GATHER;
    case FLUX_IO_CHAKRA_REDUCE_SCATTER:
    case FLUX_IO_CHAKRA_REDUCE_SCATTER_BLOCK:
        return FLUX_IO_REDUCE_SCATTER;
    case FLUX_IO_CHAKRA_ALL_TO_ALL:
        return FLUX_IO_ALL_TO_ALL;
    case FLUX_IO_CHAKRA_BARRIER:
        return FLUX_IO_BARRIER;
    case FLUX_IO_CHAKRA_BROADCAST:
        return FLUX_IO_BROADCAST;
    default:
        return FLUX_NONE;
    }
}

static int fail_collective(const struct adding *adding, uint64_t comm_type)
{
    if (comm_type == FLUX_IO_CHAKRA_REDUCE || comm_type == FLUX_IO_CHAKRA_GATHER || comm_type == FLUX_IO_CHAKRA_SCATTER)
        return fail_node(adding, FLUX_E_FORMAT, "is a %s, whose root the schema cannot name; it is not supported",
                         comm_type == FLUX_IO_CHAKRA_REDUCE   ? "reduce"
                         : comm_type == FLUX_IO_CHAKRA_GATHER ? "gather"
                                                              : "scatter");
    return fail_node(adding, FLUX_E_FORMAT, "has the comm_type %" PRIu64 "; 0 .. 9 are known", comm_type);
}

static int read_collective(const struct adding *adding, struct flux_io_node *to)
{
    uint64_t comm_type;
    int present;
    if (is_true(adding, FLUX_IO_CHAKRA_IS_CPU_OP) &&
        value_of(adding, FLUX_IO_CHAKRA_COMM_TYPE)->kind == FLUX_IO_CHAKRA_NONE) {
        adding->tally->host++; /* what PyTorch runs on the host around the collective itself */
        return FLUX_OK;
    }
    int rc = need_number(adding, FLUX_IO_CHAKRA_COMM_TYPE, &comm_type);
    if (rc)
        return rc;
    to->peer = collective_kind(comm_type);
    if (to->peer == FLUX_NONE)
        return fail_collective(adding, comm_type);
    if ((rc = get_size(adding, &to->amount, &present)) || (rc = read_group(adding, &to->key)))
        return rc;
    if (!present && to->peer != FLUX_IO_BARRIER && (to->peer != FLUX_IO_BROADCAST || adding->rules->broadcasts))
        return fail_node(adding, FLUX_E_FORMAT, "has no comm_size");
    adding->tally->collectives++;
    if (to->peer == FLUX_IO_BROADCAST && !adding->rules->broadcasts) {
        adding->tally->broadcasts++;
        to->amount = 0;
    }
    to->kind = FLUX_IO_COLLECTIVE;
    return FLUX_OK;
}

static int read_metadata(const struct adding *adding)
{
    static const char groups[] = "process_group:init";
    const struct flux_io_chakra_node *node = adding->node;
    if (strncmp(node->name, groups, sizeof groups - 1) != 0 || !node->inputs_length)
        return FLUX_OK;
    return flux_io_groups_declare(&adding->workload->groups, adding->reader->stream.path, node->offset, adding->rank,
                                  node->inputs, node->inputs_length, adding->error);
}

static int read_kind(const struct adding *adding, struct flux_io_node *to)
{
    switch (adding->node->type) {
    case FLUX_IO_CHAKRA_COMP:
        return read_compute(adding, to);
    case FLUX_IO_CHAKRA_MEM_LOAD:
    case FLUX_IO_CHAKRA_MEM_STORE:
        return read_memory(adding, to);
    case FLUX_IO_CHAKRA_SEND:
    case FLUX_IO_CHAKRA_RECV:
        return read_message(adding, to);
    case FLUX_IO_CHAKRA_COLL:
        return read_collective(adding, to);
    case FLUX_IO_CHAKRA_METADATA:
        return read_metadata(adding);
    case FLUX_IO_CHAKRA_INVALID:
        adding->tally->invalid++;
        return FLUX_OK;
    default:
        adding->tally->unknown++;
        adding->tally->unknown_type = adding->node->type;
        return FLUX_OK;
    }
}

int flux_io_chakra_node_add(struct flux_io_workload *workload, uint32_t rank, const struct flux_io_chakra_rules *rules,
                            const struct flux_io_chakra_reader *reader, struct flux_io_chakra_tally *tally,
                            struct flux_error *error)
{
    const struct flux_io_chakra_node *node = &reader->node;
    struct adding adding = {workload, rules, reader, node, tally, error, rank};
    struct flux_io_node to = {node->id, node->offset, 0, FLUX_NONE, 0, 0, 0, FLUX_IO_JOIN, 0};
    uint32_t length = node->name_length < NAME_KEPT ? node->name_length : NAME_KEPT;
    if (length && flux_io_strings_add(&workload->names, node->name, length, &to.name, NULL))
        return flux_io_fail_memory(error);
    int rc = read_kind(&adding, &to);
    if (rc || (rc = flux_io_rank_add(workload, rank, &to, error)))
        return rc;
    for (uint64_t i = 0; !rc && i < node->data_deps_count; i++)
        rc = flux_io_rank_wait(workload, rank, node->data_deps[i], 0, error);
    for (uint64_t i = 0; !rc && i < node->ctrl_deps_count; i++)
        rc = flux_io_rank_wait(workload, rank, node->ctrl_deps[i], 1, error);
    return rc;
}
