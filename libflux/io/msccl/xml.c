/* SPDX-License-Identifier: Apache-2.0 */
#include "io/fail.h"
#include "io/msccl/msccl.h"
#include "io/text.h"
#include "io/workload/workload.h"

#include <expat.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define AHEAD_MAX (1 << 20) /* bytes of one tag: more are no algorithm */

enum { ALGO, GPU, BLOCK, STEP, LEVELS };

static const char *const elements[LEVELS] = {"algo", "gpu", "tb", "step"};

static const struct {
    const char *name;
    uint8_t flags;
} types[] = {{"s", FLUX_IO_MSCCL_SENDS},
             {"r", FLUX_IO_MSCCL_RECEIVES},
             {"rrc", FLUX_IO_MSCCL_RECEIVES},
             {"rcs", FLUX_IO_MSCCL_RECEIVES | FLUX_IO_MSCCL_SENDS},
             {"rrs", FLUX_IO_MSCCL_RECEIVES | FLUX_IO_MSCCL_SENDS},
             {"rrcs", FLUX_IO_MSCCL_RECEIVES | FLUX_IO_MSCCL_SENDS},
             {"cpy", 0},
             {"re", 0},
             {"nop", 0}};

#define TYPES (sizeof types / sizeof types[0])

static const struct {
    const char *name;
    uint32_t kind;
} collectives[] = {{"allreduce", FLUX_IO_ALL_REDUCE},
                   {"allgather", FLUX_IO_ALL_GATHER},
                   {"reducescatter", FLUX_IO_REDUCE_SCATTER},
                   {"reduce_scatter", FLUX_IO_REDUCE_SCATTER},
                   {"alltoall", FLUX_IO_ALL_TO_ALL}};

#define COLLECTIVES (sizeof collectives / sizeof collectives[0])

struct parse {
    struct flux_io_msccl *msccl;
    struct flux_error *error;
    XML_Parser parser;
    uint64_t most;
    int rc;
    uint32_t depth;
    struct flux_io_numbers block_ids; /* gpu and id; the index is that of the block */
};

const char *flux_io_msccl_type(uint32_t type)
{
    return types[type].name;
}

static void fail(struct parse *parse, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void fail(struct parse *parse, int code, const char *format, ...)
{
    struct flux_error what;
    va_list arguments;
    if (parse->rc)
        return;
    va_start(arguments, format);
    vsnprintf(what.text, sizeof what.text, format, arguments);
    va_end(arguments);
    parse->rc = flux_io_fail_line(parse->error, code, parse->msccl->path, XML_GetCurrentLineNumber(parse->parser),
                                  XML_GetCurrentColumnNumber(parse->parser) + 1, "%s", what.text);
    XML_StopParser(parse->parser, XML_FALSE);
}

static void fail_memory(struct parse *parse)
{
    if (!parse->rc)
        parse->rc = flux_io_fail_memory(parse->error);
    XML_StopParser(parse->parser, XML_FALSE);
}

/* ---- attributes: expat refuses one that is there twice ---- */

static const char *find(const char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static const char *need(struct parse *parse, const char **attributes, const char *name)
{
    const char *text = find(attributes, name);
    if (!text)
        fail(parse, FLUX_E_FORMAT, "%s has no %s", elements[parse->depth], name);
    return text ? text : "0";
}

static uint64_t number_of(struct parse *parse, const char *name, const char *text, uint64_t most)
{
    char quote[FLUX_IO_QUOTE];
    uint64_t number = 0;
    const char *wrong = flux_io_text_whole(text, &number);
    if (!wrong && number > most)
        fail(parse, FLUX_E_FORMAT, "%s %" PRIu64 " is more than %" PRIu64, name, number, most);
    if (wrong)
        fail(parse, FLUX_E_FORMAT, "%s '%s' %s", name, flux_io_quote(text, quote, sizeof quote), wrong);
    return number;
}

static uint32_t need_number(struct parse *parse, const char **attributes, const char *name, uint32_t most)
{
    return (uint32_t)number_of(parse, name, need(parse, attributes, name), most);
}

/* FLUX_NONE where it is -1 or not there. */
static uint32_t find_number(struct parse *parse, const char **attributes, const char *name, uint32_t most)
{
    const char *text = find(attributes, name);
    return !text || strcmp(text, "-1") == 0 ? FLUX_NONE : (uint32_t)number_of(parse, name, text, most);
}

/* ---- elements ---- */

static void read_algorithm(struct parse *parse, const char **attributes)
{
    struct flux_io_msccl *msccl = parse->msccl;
    const char *collective = need(parse, attributes, "coll");
    const char *bytes;
    flux_io_quote(find(attributes, "name") ? find(attributes, "name") : "", msccl->name, sizeof msccl->name);
    msccl->kind = FLUX_NONE;
    for (size_t i = 0; i < COLLECTIVES; i++)
        if (strcmp(collective, collectives[i].name) == 0)
            msccl->kind = collectives[i].kind;
    msccl->gpus = need_number(parse, attributes, "ngpus", FLUX_GPUS_MAX);
    msccl->chunks = need_number(parse, attributes, "nchunksperloop", 1u << 30);
    if (!msccl->gpus || !msccl->chunks)
        fail(parse, FLUX_E_FORMAT, "%s is 0", msccl->gpus ? "nchunksperloop" : "ngpus");
    if ((bytes = find(attributes, "minBytes")))
        msccl->bytes_min = number_of(parse, "minBytes", bytes, UINT64_MAX);
    if ((bytes = find(attributes, "maxBytes")))
        msccl->bytes_max = number_of(parse, "maxBytes", bytes, UINT64_MAX);
}

static void read_gpu(struct parse *parse, const char **attributes)
{
    struct flux_io_msccl *msccl = parse->msccl;
    uint32_t id = need_number(parse, attributes, "id", msccl->gpus - 1);
    if (!parse->rc && id != msccl->gpu_count)
        fail(parse, FLUX_E_FORMAT, "gpu %" PRIu32 " stands where gpu %" PRIu32 " belongs", id, msccl->gpu_count);
    msccl->gpu_count++;
}

static uint32_t read_peer(struct parse *parse, const char **attributes, const char *name)
{
    uint32_t peer = find_number(parse, attributes, name, parse->msccl->gpus - 1);
    if (peer == parse->msccl->gpu_count - 1)
        fail(parse, FLUX_E_FORMAT, "the %s of a thread block is its own GPU", name);
    return peer;
}

static void read_block(struct parse *parse, const char **attributes)
{
    struct flux_io_msccl *msccl = parse->msccl;
    uint32_t index;
    int fresh;
    uint32_t id = need_number(parse, attributes, "id", FLUX_NONE - 1);
    struct flux_io_msccl_block block = {msccl->gpu_count - 1,
                                        read_peer(parse, attributes, "send"),
                                        read_peer(parse, attributes, "recv"),
                                        find_number(parse, attributes, "chan", FLUX_NONE - 1),
                                        (uint32_t)msccl->step_count,
                                        0};
    if (block.channel == FLUX_NONE)
        block.channel = 0;
    if (parse->rc)
        return;
    if (flux_io_numbers_add(&parse->block_ids, (uint64_t)block.gpu << 32 | id, &index, &fresh) ||
        flux_io_grow(msccl->memory, &msccl->blocks, &msccl->block_capacity, msccl->block_count + 1,
                     sizeof *msccl->blocks)) {
        fail_memory(parse);
        return;
    }
    if (!fresh) {
        fail(parse, FLUX_E_FORMAT, "gpu %" PRIu32 " has a thread block %" PRIu32 " already", block.gpu, id);
        return;
    }
    msccl->blocks[msccl->block_count++] = block;
}

static void read_type(struct parse *parse, const char **attributes, struct flux_io_msccl_step *step)
{
    char quote[FLUX_IO_QUOTE];
    const char *type = need(parse, attributes, "type");
    const struct flux_io_msccl_block *block = &parse->msccl->blocks[parse->msccl->block_count - 1];
    for (size_t i = 0; i < TYPES; i++) {
        if (strcmp(type, types[i].name) != 0)
            continue;
        step->type = (uint8_t)i;
        step->flags = types[i].flags;
        if (step->flags & FLUX_IO_MSCCL_SENDS && block->send_to == FLUX_NONE)
            fail(parse, FLUX_E_FORMAT, "the step sends and its thread block has no GPU to send to");
        if (step->flags & FLUX_IO_MSCCL_RECEIVES && block->receive_from == FLUX_NONE)
            fail(parse, FLUX_E_FORMAT, "the step receives and its thread block has no GPU to receive from");
        return;
    }
    fail(parse, FLUX_E_FORMAT, "a step of type '%s'; s, r, rrc, rcs, rrs, rrcs, cpy, re and nop are known",
         flux_io_quote(type, quote, sizeof quote));
}

static void read_step(struct parse *parse, const char **attributes)
{
    struct flux_io_msccl *msccl = parse->msccl;
    struct flux_io_msccl_block *block = &msccl->blocks[msccl->block_count - 1];
    struct flux_io_msccl_step step = {XML_GetCurrentLineNumber(parse->parser),
                                      (uint32_t)XML_GetCurrentColumnNumber(parse->parser) + 1,
                                      (uint32_t)msccl->block_count - 1,
                                      0,
                                      0,
                                      FLUX_NONE,
                                      FLUX_NONE,
                                      0,
                                      0,
                                      {0, 0}};
    uint32_t number = need_number(parse, attributes, "s", FLUX_NONE - 1);
    read_type(parse, attributes, &step);
    if (step.flags) {
        step.count = need_number(parse, attributes, "cnt", 1u << 30);
        step.offset =
            need_number(parse, attributes, step.flags & FLUX_IO_MSCCL_RECEIVES ? "dstoff" : "srcoff", 1u << 30);
        if (!step.count)
            fail(parse, FLUX_E_FORMAT, "the step moves no chunk: cnt is 0");
    }
    step.dep_block = find_number(parse, attributes, "depid", FLUX_NONE - 1);
    step.dep_step = find_number(parse, attributes, "deps", FLUX_NONE - 1);
    if ((step.dep_block == FLUX_NONE) != (step.dep_step == FLUX_NONE))
        fail(parse, FLUX_E_FORMAT, "depid and deps go together: both, or both -1");
    if (!parse->rc && number != block->count)
        fail(parse, FLUX_E_FORMAT, "step %" PRIu32 " stands where step %" PRIu32 " belongs", number, block->count);
    if (!parse->rc && (msccl->step_count >= parse->most || msccl->step_count >= FLUX_NONE - 1))
        fail(parse, FLUX_E_TOO_BIG, "more than %" PRIu64 " steps, which is the limit", msccl->step_count);
    if (parse->rc)
        return;
    if (flux_io_grow(msccl->memory, &msccl->steps, &msccl->step_capacity, msccl->step_count + 1,
                     sizeof *msccl->steps)) {
        fail_memory(parse);
        return;
    }
    msccl->steps[msccl->step_count++] = step;
    block->count++;
}

static void on_start(void *context, const char *name, const char **attributes)
{
    static void (*const readers[LEVELS])(struct parse *, const char **) = {read_algorithm, read_gpu, read_block,
                                                                           read_step};
    struct parse *parse = context;
    char quote[FLUX_IO_QUOTE];
    if (parse->rc)
        return;
    if (parse->depth == LEVELS || strcmp(name, elements[parse->depth]) != 0) {
        fail(parse, FLUX_E_FORMAT, "the element '%s' where %s belongs; is this an MSCCL algorithm?",
             flux_io_quote(name, quote, sizeof quote),
             parse->depth == LEVELS ? "the end of a step" : elements[parse->depth]);
        return;
    }
    readers[parse->depth](parse, attributes);
    parse->depth++;
}

static void on_end(void *context, const char *name)
{
    struct parse *parse = context;
    (void)name;
    parse->depth--;
}

/* Entities are defined there; what they may grow to is not for us to try. */
static void on_doctype(void *context, const char *name, const char *system, const char *public, int has_internal)
{
    (void)name;
    (void)system;
    (void)public;
    (void)has_internal;
    fail(context, FLUX_E_FORMAT, "a document type declaration, which no algorithm needs; remove it");
}

/* ---- the file ---- */

/* Turns names of thread blocks and steps into indices. */
static int resolve(struct parse *parse)
{
    struct flux_io_msccl *msccl = parse->msccl;
    if (msccl->gpu_count != msccl->gpus)
        return flux_io_fail_path(parse->error, FLUX_E_FORMAT, msccl->path,
                                 "ngpus is %" PRIu32 " and there are %" PRIu32, msccl->gpus, msccl->gpu_count);
    for (uint64_t i = 0; i < msccl->step_count; i++) {
        struct flux_io_msccl_step *step = &msccl->steps[i];
        uint32_t gpu = msccl->blocks[step->block].gpu;
        if (step->dep_block == FLUX_NONE)
            continue;
        uint32_t block = flux_io_numbers_find(&parse->block_ids, (uint64_t)gpu << 32 | step->dep_block);
        if (block == FLUX_NONE || step->dep_step >= msccl->blocks[block].count)
            return flux_io_fail_line(parse->error, FLUX_E_FORMAT, msccl->path, step->line, step->column,
                                     "waits for step %" PRIu32 " of thread block %" PRIu32
                                     " of its GPU, which is not there",
                                     step->dep_step, step->dep_block);
        step->dep_step = msccl->blocks[block].first + step->dep_step;
    }
    return FLUX_OK;
}

static int fail_xml(struct parse *parse)
{
    enum XML_Error number = XML_GetErrorCode(parse->parser);
    if (parse->rc)
        return parse->rc;
    if (number == XML_ERROR_NO_MEMORY)
        return flux_io_fail_memory(parse->error);
    return flux_io_fail_line(
        parse->error, FLUX_E_FORMAT, parse->msccl->path, XML_GetCurrentLineNumber(parse->parser),
        XML_GetCurrentColumnNumber(parse->parser) + 1, "%s%s", XML_ErrorString(number),
        number == XML_ERROR_NO_ELEMENTS || number == XML_ERROR_UNCLOSED_TOKEN ? "; the file is cut off" : "");
}

static int feed(struct parse *parse, struct flux_io_source *source)
{
    uint64_t fed = 0;
    for (;;) {
        size_t count;
        void *room = XML_GetBuffer(parse->parser, 65536);
        if (!room)
            return flux_io_fail_memory(parse->error);
        int rc = flux_io_source_read(source, room, 65536, &count, parse->error);
        if (rc)
            return rc;
        if (XML_ParseBuffer(parse->parser, (int)count, count == 0) != XML_STATUS_OK)
            return fail_xml(parse);
        if (count == 0)
            return FLUX_OK;
        fed += count;
        if (fed > (uint64_t)XML_GetCurrentByteIndex(parse->parser) + AHEAD_MAX) {
            fail(parse, FLUX_E_TOO_BIG, "a tag or comment of more than %d bytes", AHEAD_MAX);
            return parse->rc;
        }
    }
}

int flux_io_msccl_read(struct flux_io_msccl *msccl, const struct flux_io_memory *memory, struct flux_io_source *source,
                       uint64_t most, struct flux_error *error)
{
    struct parse parse;
    memset(msccl, 0, sizeof *msccl);
    memset(&parse, 0, sizeof parse);
    msccl->memory = memory;
    msccl->path = source->path;
    parse.msccl = msccl;
    parse.error = error;
    parse.most = most;
    parse.parser = XML_ParserCreate(NULL);
    if (!parse.parser)
        return flux_io_fail_memory(error);
    flux_io_numbers_init(&parse.block_ids, memory);
    XML_SetUserData(parse.parser, &parse);
    XML_SetElementHandler(parse.parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(parse.parser, on_doctype);
    int rc = feed(&parse, source);
    if (!rc)
        rc = resolve(&parse);
    flux_io_numbers_free(&parse.block_ids);
    XML_ParserFree(parse.parser);
    return rc;
}

void flux_io_msccl_free(struct flux_io_msccl *msccl)
{
    if (!msccl->memory)
        return;
    flux_io_release(msccl->memory, msccl->blocks, msccl->block_capacity, sizeof *msccl->blocks);
    flux_io_release(msccl->memory, msccl->steps, msccl->step_capacity, sizeof *msccl->steps);
}
