/* SPDX-License-Identifier: Apache-2.0
 *
 * An MSCCL algorithm as a workload of its own: GPU = rank, its steps are the rank's nodes.
 */
#include "io/fail.h"
#include "io/msccl/msccl.h"
#include "io/workload/graph.h"

#include <inttypes.h>
#include <string.h>

#define BYTES_DEFAULT (UINT64_C(1) << 20)

struct making {
    struct flux_import *import;
    struct flux_error *error;
    struct flux_io_msccl msccl;
    struct flux_io_workload workload;
    uint64_t chunk;     /* bytes */
    uint32_t names[16]; /* of the types of steps, in workload.names, and one more; 0: not there yet */
};

/* The node that a step's end is: ids are twice the step's number, and one more for what a receiving step sends on. */
static uint64_t end_of(const struct making *making, uint32_t step)
{
    unsigned both = FLUX_IO_MSCCL_SENDS | FLUX_IO_MSCCL_RECEIVES;
    return 2 * (uint64_t)step + ((making->msccl.steps[step].flags & both) == both);
}

static int set_chunk(struct making *making, const struct flux_import_options *options)
{
    uint64_t bytes = options->collective_bytes ? options->collective_bytes : BYTES_DEFAULT;
    uint32_t chunks = making->msccl.chunks;
    making->chunk = bytes / chunks + (bytes % chunks != 0);
    for (uint64_t i = 0; i < making->msccl.step_count; i++) {
        uint64_t product;
        if (__builtin_mul_overflow(making->chunk, (uint64_t)making->msccl.steps[i].count, &product) ||
            product == FLUX_IO_SIZE_UNKNOWN)
            return flux_io_fail_path(making->error, FLUX_E_OVERFLOW, making->msccl.path,
                                     "a step of %" PRIu32 " chunks of %" PRIu64 " bytes is beyond 64 bits",
                                     making->msccl.steps[i].count, making->chunk);
    }
    int rc = FLUX_OK;
    if (!options->collective_bytes)
        rc = flux_io_note(making->import, making->error,
                          "an algorithm has no size: a buffer of 1 MiB is taken; --collective-size says otherwise");
    if (!rc && bytes % chunks)
        rc = flux_io_note(making->import, making->error,
                          "%" PRIu64 " bytes are no multiple of %" PRIu32 " chunks: a chunk has %" PRIu64 " bytes",
                          bytes, chunks, making->chunk);
    return rc;
}

static int add_node(struct making *making, uint32_t step, uint64_t id, uint8_t kind, uint32_t peer)
{
    const struct flux_io_msccl_step *at = &making->msccl.steps[step];
    const struct flux_io_msccl_block *block = &making->msccl.blocks[at->block];
    const char *type = flux_io_msccl_type(at->type);
    struct flux_io_node node = {
        id, FLUX_IO_LINE(at->line, at->column), making->chunk * at->count, FLUX_NONE, peer, block->channel, 0, kind, 0};
    if (kind == FLUX_IO_JOIN)
        node.amount = node.peer = node.key = 0;
    if (!making->names[at->type]) {
        if (flux_io_strings_add(&making->workload.names, type, strlen(type), &node.name, NULL))
            return flux_io_fail_memory(making->error);
        making->names[at->type] = node.name + 1;
    }
    node.name = making->names[at->type] - 1;
    return flux_io_rank_add(&making->workload, block->gpu, &node, making->error);
}

static int add_step(struct making *making, uint32_t step)
{
    const struct flux_io_msccl_step *at = &making->msccl.steps[step];
    const struct flux_io_msccl_block *block = &making->msccl.blocks[at->block];
    unsigned receives = at->flags & FLUX_IO_MSCCL_RECEIVES;
    unsigned sends = at->flags & FLUX_IO_MSCCL_SENDS;
    int rc = add_node(making, step, 2 * (uint64_t)step,
                      receives ? FLUX_IO_RECV
                      : sends  ? FLUX_IO_SEND
                               : FLUX_IO_JOIN,
                      receives ? block->receive_from : block->send_to);
    if (!rc && step > block->first)
        rc = flux_io_rank_wait(&making->workload, block->gpu, end_of(making, step - 1), 0, making->error);
    if (!rc && at->dep_block != FLUX_NONE)
        rc = flux_io_rank_wait(&making->workload, block->gpu, end_of(making, at->dep_step), 0, making->error);
    if (rc || !receives || !sends)
        return rc;
    rc = add_node(making, step, 2 * (uint64_t)step + 1, FLUX_IO_SEND, block->send_to);
    return rc ? rc : flux_io_rank_wait(&making->workload, block->gpu, 2 * (uint64_t)step, 0, making->error);
}

static int make(struct making *making, const struct flux_io_expand_options *expand)
{
    struct flux_io_workload *workload = &making->workload;
    const struct flux_io_msccl *msccl = &making->msccl;
    int rc = flux_io_workload_init(workload, msccl->memory, making->import, msccl->path, msccl->gpus, making->error);
    workload->lines = 1;
    for (uint32_t i = 0; !rc && i < msccl->step_count; i++)
        rc = add_step(making, i);
    for (uint32_t r = 0; !rc && r < msccl->gpus; r++)
        rc = flux_io_rank_seal(workload, r, FLUX_DEPS_DATA, FLUX_MISSING_ERROR, making->error);
    if (!rc)
        rc = flux_io_workload_match(workload, making->error);
    making->import->counts[FLUX_IO_COUNT_RANKS] = msccl->gpus;
    making->import->counts[FLUX_IO_COUNT_NODES] = msccl->step_count;
    return rc ? rc : flux_io_workload_graph(workload, expand, making->error);
}

int flux_io_msccl_recognise(const struct flux_io_source *source)
{
    return flux_io_source_begins(source, "<");
}

int flux_io_msccl_import(struct flux_import *import, struct flux_io_source *source,
                         const struct flux_import_options *options, struct flux_error *error)
{
    struct flux_io_expand_options expand;
    struct making making;
    memset(&making, 0, sizeof making);
    making.import = import;
    making.error = error;
    making.workload.memory = &import->memory;
    int rc = flux_io_expand_options_init(&expand, options, error);
    if (!rc)
        rc = flux_io_msccl_read(&making.msccl, &import->memory, source, expand.vertices_max, error);
    if (!rc && options->ranks && options->ranks != making.msccl.gpus)
        rc = flux_io_fail_path(error, FLUX_E_FORMAT, source->path,
                               "is for %" PRIu32 " GPUs and %" PRIu32 " ranks are asked for", making.msccl.gpus,
                               options->ranks);
    if (!rc)
        rc = set_chunk(&making, options);
    if (!rc)
        rc = make(&making, &expand);
    flux_io_workload_free(&making.workload);
    flux_io_msccl_free(&making.msccl);
    return rc;
}
