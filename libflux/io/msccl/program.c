/* SPDX-License-Identifier: Apache-2.0
 *
 * An MSCCL algorithm as the steps of a collective.
 *
 * Every step of a thread block is one or two operations: what it receives (or does locally), and what it sends. Sends
 * become steps. A receive or a local operation is only a point in time: it is left out where what comes after it can
 * wait for what it waits for without multiplying edges, which is nearly everywhere.
 */
#include "io/workload/program.h"
#include "io/fail.h"
#include "io/msccl/msccl.h"
#include "io/workload/dag.h"
#include "io/workload/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARENTS 3u /* at most: the step before, a named one, the message */

/* What an operation, once it is done, makes others wait for. */
struct wait {
    uint32_t head; /* into `links`; FLUX_NONE: nothing but the start */
    uint32_t tail;
    uint32_t starts; /* 1: the member's start, too */
};

struct link {
    uint32_t step; /* of the program */
    uint32_t next;
};

struct half {
    uint32_t src;
    uint32_t dst;
    uint32_t channel;
    uint32_t op;
};

struct making {
    struct flux_io_msccl msccl;
    const struct flux_io_memory *memory;
    struct flux_io_program *program;
    struct flux_error *error;
    uint32_t op_count; /* two per step; that of a step that only receives or only sends is the first */
    uint64_t *first;   /* op_count + 1: parents of an operation */
    uint32_t *parents;
    uint64_t *ids;
    uint32_t *order;
    uint32_t *message;  /* of a receiving operation the send that it gets; else FLUX_NONE */
    uint32_t *children; /* of an operation, on its own GPU */
    struct wait *waits; /* by operation */
    struct link *links;
    uint64_t link_count;
    uint64_t link_capacity;
    uint32_t *stamp; /* by step of the program: the last one that waits for it, and one more */
    uint64_t stamp_capacity;
    uint32_t *numbers; /* by member: steps so far */
    uint32_t *starts;  /* by member: those that start */
    uint32_t *ends;    /* by member: waits of its end */
};

static const struct flux_io_msccl_step *step_of(const struct making *making, uint32_t op)
{
    return &making->msccl.steps[op / 2];
}

static const struct flux_io_msccl_block *block_of(const struct making *making, uint32_t op)
{
    return &making->msccl.blocks[step_of(making, op)->block];
}

static int is_fused(const struct flux_io_msccl_step *step)
{
    return step->flags == (FLUX_IO_MSCCL_SENDS | FLUX_IO_MSCCL_RECEIVES);
}

static int is_send(const struct making *making, uint32_t op)
{
    const struct flux_io_msccl_step *step = step_of(making, op);
    return op & 1 ? is_fused(step) : step->flags == FLUX_IO_MSCCL_SENDS;
}

static int is_receive(const struct making *making, uint32_t op)
{
    return !(op & 1) && step_of(making, op)->flags & FLUX_IO_MSCCL_RECEIVES;
}

/* The operation at whose end a step is done. */
static uint32_t end_of(const struct making *making, uint32_t step)
{
    return 2 * step + (uint32_t)is_fused(&making->msccl.steps[step]);
}

/* ---- sends and receives ---- */

static int compare(const void *left, const void *right)
{
    const struct half *a = left;
    const struct half *b = right;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    if (a->channel != b->channel)
        return a->channel < b->channel ? -1 : 1;
    return a->op < b->op ? -1 : a->op > b->op;
}

static int fail_step(const struct making *making, uint32_t op, const char *what)
{
    const struct flux_io_msccl_step *step = step_of(making, op);
    return flux_io_fail_line(making->error, FLUX_E_FORMAT, making->msccl.path, step->line, step->column, "%s", what);
}

static int pair(struct making *making, const struct half *sends, uint64_t send_count, const struct half *receives,
                uint64_t receive_count)
{
    for (uint64_t i = 0; i < send_count || i < receive_count; i++) {
        struct half a = i < send_count ? sends[i] : (struct half){FLUX_NONE, 0, 0, 0};
        struct half b = i < receive_count ? receives[i] : (struct half){FLUX_NONE, 0, 0, 0};
        uint32_t ops[2] = {a.op, b.op};
        a.op = b.op = 0;
        int side = compare(&a, &b);
        if (side)
            return fail_step(making, ops[side > 0], side < 0 ? "this send has no receive" : "this receive has no send");
        if (step_of(making, ops[0])->count != step_of(making, ops[1])->count)
            return fail_step(making, ops[0], "this send and its receive have different numbers of chunks");
        making->message[ops[1]] = ops[0];
    }
    return FLUX_OK;
}

static int pair_all(struct making *making)
{
    uint64_t sends = 0;
    uint64_t receives = 0;
    struct half *halves = flux_io_alloc(making->memory, making->op_count, sizeof *halves);
    if (!halves)
        return flux_io_fail_memory(making->error);
    for (uint32_t op = 0; op < making->op_count; op++) {
        const struct flux_io_msccl_block *block = block_of(making, op);
        if (is_send(making, op))
            halves[sends++] = (struct half){block->gpu, block->send_to, block->channel, op};
        else if (is_receive(making, op)) /* from the other end */
            halves[making->op_count - ++receives] = (struct half){block->receive_from, block->gpu, block->channel, op};
    }
    qsort(halves, (size_t)sends, sizeof *halves, compare);
    qsort(halves + making->op_count - receives, (size_t)receives, sizeof *halves, compare);
    int rc = pair(making, halves, sends, halves + making->op_count - receives, receives);
    flux_io_release(making->memory, halves, making->op_count, sizeof *halves);
    return rc;
}

/* ---- what waits for what ---- */

static void put_parents(struct making *making)
{
    uint64_t used = 0;
    for (uint32_t op = 0; op < making->op_count; op++) {
        const struct flux_io_msccl_step *step = step_of(making, op);
        uint32_t index = op / 2;
        making->first[op] = used;
        making->ids[op] = op;
        if (op & 1) {
            if (is_fused(step))
                making->parents[used++] = op - 1;
            continue;
        }
        if (index > making->msccl.blocks[step->block].first)
            making->parents[used++] = end_of(making, index - 1);
        if (step->dep_block != FLUX_NONE)
            making->parents[used++] = end_of(making, step->dep_step);
        for (uint64_t e = making->first[op]; e < used; e++)
            making->children[making->parents[e]]++;
        if (making->message[op] != FLUX_NONE)
            making->parents[used++] = making->message[op];
    }
    making->first[making->op_count] = used;
    for (uint32_t op = 1; op < making->op_count; op += 2)
        making->children[op - 1] += (uint32_t)is_fused(step_of(making, op));
}

static char *name_op(const void *context, uint32_t vertex, char *room)
{
    const struct making *making = context;
    const struct flux_io_msccl_step *step = step_of(making, vertex);
    snprintf(room, FLUX_IO_NODE_TEXT, "gpu %" PRIu32 " line %" PRIu64 " (%s)", block_of(making, vertex)->gpu,
             step->line, flux_io_msccl_type(step->type));
    return room;
}

static int order(struct making *making)
{
    struct flux_io_dag dag = {making->op_count, 0, making->first, making->parents};
    char text[FLUX_IO_CYCLE_TEXT];
    uint32_t done;
    uint32_t length;
    if (flux_io_dag_order(making->memory, &dag, making->ids, sizeof *making->ids, making->order, &done))
        return flux_io_fail_memory(making->error);
    if (done == making->op_count)
        return FLUX_OK;
    uint32_t *cycle = flux_io_alloc(making->memory, making->op_count, sizeof *cycle);
    int rc = cycle ? flux_io_dag_cycle(making->memory, &dag, making->order, done, cycle, &length) : FLUX_E_MEMORY;
    if (rc)
        rc = flux_io_fail_memory(making->error);
    else
        rc = flux_io_fail_path(making->error, FLUX_E_CYCLE, making->msccl.path, "its steps wait for each other: %s",
                               flux_io_dag_cycle_text(cycle, length, name_op, making, text));
    flux_io_release(making->memory, cycle, making->op_count, sizeof *cycle);
    return rc;
}

/* ---- steps ---- */

static int append(struct making *making, struct wait *to, uint32_t step)
{
    if (flux_io_grow(making->memory, &making->links, &making->link_capacity, making->link_count + 1,
                     sizeof *making->links))
        return FLUX_E_MEMORY;
    making->links[making->link_count] = (struct link){step, FLUX_NONE};
    if (to->head == FLUX_NONE)
        to->head = (uint32_t)making->link_count;
    else
        making->links[to->tail].next = (uint32_t)making->link_count;
    to->tail = (uint32_t)making->link_count++;
    return FLUX_OK;
}

/* All that operation `op` waits for. Lists of those with one child move, others have at most one link. */
static int gather(struct making *making, uint32_t op, struct wait *all)
{
    uint32_t parent_count = 0;
    *all = (struct wait){FLUX_NONE, FLUX_NONE, 0};
    for (uint64_t e = making->first[op]; e < making->first[op + 1]; e++) {
        uint32_t parent = making->parents[e];
        const struct wait *from = &making->waits[parent];
        int local = parent != making->message[op];
        parent_count += (uint32_t)local;
        all->starts |= local ? from->starts : 0;
        if (from->head == FLUX_NONE)
            continue;
        if (!local || making->links[from->head].next == FLUX_NONE) {
            if (append(making, all, making->links[from->head].step))
                return FLUX_E_MEMORY;
        } else if (all->head == FLUX_NONE) {
            all->head = from->head;
            all->tail = from->tail;
        } else {
            making->links[all->tail].next = from->head;
            all->tail = from->tail;
        }
    }
    all->starts |= parent_count == 0;
    return FLUX_OK;
}

static int add_step(struct making *making, uint32_t op, uint32_t dst, const struct wait *all)
{
    struct flux_io_program *program = making->program;
    const struct flux_io_msccl_step *from = step_of(making, op);
    uint32_t src = block_of(making, op)->gpu;
    uint64_t index = program->size.steps;
    if (flux_io_grow(making->memory, &program->steps, &program->step_capacity, index + 1, sizeof *program->steps) ||
        flux_io_grow(making->memory, &program->carried, &program->carried_capacity, index + 1,
                     sizeof *program->carried) ||
        flux_io_grow(making->memory, &making->stamp, &making->stamp_capacity, index + 1, sizeof *making->stamp))
        return FLUX_E_MEMORY;
    program->steps[index] =
        (struct flux_io_step){0, src, dst, making->numbers[src]++, all->starts ? FLUX_IO_STEP_STARTS : 0};
    program->carried[index] = (struct flux_io_carried){from->offset, dst == FLUX_NONE ? 0 : from->count};
    making->stamp[index] = 0;
    making->starts[src] += all->starts;
    program->size.steps++;
    program->size.sends += dst != FLUX_NONE;
    program->chunks_sent += program->carried[index].count;
    for (uint32_t at = all->head; at != FLUX_NONE; at = making->links[at].next) {
        uint32_t before = making->links[at].step;
        if (making->stamp[before] == index + 1)
            continue;
        making->stamp[before] = (uint32_t)index + 1;
        if (flux_io_grow(making->memory, &program->after, &program->after_capacity, program->size.after + 1,
                         sizeof *program->after))
            return FLUX_E_MEMORY;
        program->after[program->size.after++] = (struct flux_io_after){before, (uint32_t)index};
    }
    making->waits[op] = (struct wait){FLUX_NONE, FLUX_NONE, 0};
    return append(making, &making->waits[op], (uint32_t)index);
}

/* Nothing of the member comes after these: its end waits for them. */
static void end_with(struct making *making, uint32_t member, const struct wait *all)
{
    for (uint32_t at = all->head; at != FLUX_NONE; at = making->links[at].next) {
        struct flux_io_step *step = &making->program->steps[making->links[at].step];
        uint32_t flag = step->dst == member ? FLUX_IO_STEP_ENDS_DST : FLUX_IO_STEP_ENDS_SRC;
        making->ends[member] += !(step->flags & flag);
        step->flags |= flag;
    }
}

static int add_op(struct making *making, uint32_t op)
{
    struct wait all;
    uint32_t member = block_of(making, op)->gpu;
    int rc = gather(making, op, &all);
    if (!rc && is_send(making, op))
        rc = add_step(making, op, block_of(making, op)->send_to, &all);
    else if (!rc && making->children[op] > 1 && all.head != FLUX_NONE &&
             (all.starts || making->links[all.head].next != FLUX_NONE))
        rc = add_step(making, op, FLUX_NONE, &all);
    else
        making->waits[op] = all;
    if (!rc && making->children[op] == 0)
        end_with(making, member, &making->waits[op]);
    return rc;
}

static int add_ops(struct making *making)
{
    struct flux_io_expansion_size *size = &making->program->size;
    for (uint32_t i = 0; i < making->op_count; i++) {
        uint32_t op = making->order[i];
        if ((op & 1) && !is_fused(step_of(making, op)))
            continue;
        if (add_op(making, op))
            return flux_io_fail_memory(making->error);
    }
    for (uint32_t m = 0; m < making->msccl.gpus; m++) {
        size->starts = making->starts[m] > size->starts ? making->starts[m] : size->starts;
        size->ends = making->ends[m] > size->ends ? making->ends[m] : size->ends;
    }
    return FLUX_OK;
}

/* ---- the whole ---- */

static int allocate(struct making *making)
{
    const struct flux_io_memory *memory = making->memory;
    uint32_t gpus = making->msccl.gpus;
    making->op_count = 2 * (uint32_t)making->msccl.step_count;
    making->first = flux_io_alloc(memory, (uint64_t)making->op_count + 1, sizeof *making->first);
    making->parents = flux_io_alloc(memory, (uint64_t)making->op_count * PARENTS, sizeof *making->parents);
    making->ids = flux_io_alloc(memory, making->op_count, sizeof *making->ids);
    making->order = flux_io_alloc(memory, making->op_count, sizeof *making->order);
    making->message = flux_io_alloc(memory, making->op_count, sizeof *making->message);
    making->children = flux_io_alloc_zero(memory, making->op_count, sizeof *making->children);
    making->waits = flux_io_alloc(memory, making->op_count, sizeof *making->waits);
    making->numbers = flux_io_alloc_zero(memory, gpus, sizeof *making->numbers);
    making->starts = flux_io_alloc_zero(memory, gpus, sizeof *making->starts);
    making->ends = flux_io_alloc_zero(memory, gpus, sizeof *making->ends);
    if (!making->first || !making->parents || !making->ids || !making->order || !making->message || !making->children ||
        !making->waits || !making->numbers || !making->starts || !making->ends)
        return flux_io_fail_memory(making->error);
    memset(making->message, 0xff, (size_t)making->op_count * sizeof *making->message);
    return FLUX_OK;
}

static void release(struct making *making)
{
    const struct flux_io_memory *memory = making->memory;
    uint32_t gpus = making->msccl.gpus;
    flux_io_release(memory, making->first, (uint64_t)making->op_count + 1, sizeof *making->first);
    flux_io_release(memory, making->parents, (uint64_t)making->op_count * PARENTS, sizeof *making->parents);
    flux_io_release(memory, making->ids, making->op_count, sizeof *making->ids);
    flux_io_release(memory, making->order, making->op_count, sizeof *making->order);
    flux_io_release(memory, making->message, making->op_count, sizeof *making->message);
    flux_io_release(memory, making->children, making->op_count, sizeof *making->children);
    flux_io_release(memory, making->waits, making->op_count, sizeof *making->waits);
    flux_io_release(memory, making->numbers, gpus, sizeof *making->numbers);
    flux_io_release(memory, making->starts, gpus, sizeof *making->starts);
    flux_io_release(memory, making->ends, gpus, sizeof *making->ends);
    flux_io_release(memory, making->links, making->link_capacity, sizeof *making->links);
    flux_io_release(memory, making->stamp, making->stamp_capacity, sizeof *making->stamp);
    flux_io_msccl_free(&making->msccl);
}

static int check_kind(const struct making *making, const char *kind, size_t length)
{
    static const char *const names[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"};
    const struct flux_io_msccl *msccl = &making->msccl;
    if (msccl->kind == FLUX_NONE)
        return flux_io_fail_path(making->error, FLUX_E_FORMAT, msccl->path,
                                 "is an algorithm for another collective than all-reduce, all-gather, reduce-scatter "
                                 "and all-to-all, and cannot replace one of these");
    if (length && (strlen(names[msccl->kind]) != length || memcmp(names[msccl->kind], kind, length) != 0))
        return flux_io_fail_path(making->error, FLUX_E_FORMAT, msccl->path,
                                 "is an algorithm for %s, and is given for another collective", names[msccl->kind]);
    if (msccl->gpus < 2)
        return flux_io_fail_path(making->error, FLUX_E_FORMAT, msccl->path, "is for one GPU");
    return FLUX_OK;
}

static int make(struct making *making, struct flux_io_source *source, const char *kind, size_t kind_length,
                uint64_t most)
{
    struct flux_io_program *program = making->program;
    if (most > FLUX_NONE / 4)
        most = FLUX_NONE / 4;
    int rc = flux_io_msccl_read(&making->msccl, making->memory, source, most, making->error);
    if (!rc)
        rc = check_kind(making, kind, kind_length);
    if (!rc)
        rc = allocate(making);
    if (!rc)
        rc = pair_all(making);
    if (rc)
        return rc;
    program->kind = making->msccl.kind;
    program->members = making->msccl.gpus;
    program->chunks = making->msccl.chunks;
    program->bytes_min = making->msccl.bytes_min;
    program->bytes_max = making->msccl.bytes_max ? making->msccl.bytes_max : UINT64_MAX;
    put_parents(making);
    rc = order(making);
    return rc ? rc : add_ops(making);
}

int flux_io_programs_read(struct flux_io_programs *programs, const struct flux_io_memory *memory, const char *name,
                          uint64_t most, struct flux_error *error)
{
    const char *equals = strchr(name, '=');
    const char *path = equals ? equals + 1 : name;
    struct flux_io_source source;
    struct making making;
    if (flux_io_grow(memory, &programs->program, &programs->capacity, programs->count + 1, sizeof *programs->program))
        return flux_io_fail_memory(error);
    memset(&making, 0, sizeof making);
    making.memory = memory;
    making.error = error;
    making.program = &programs->program[programs->count++];
    memset(making.program, 0, sizeof *making.program);
    int rc = flux_io_source_open(&source, memory, path, error);
    if (!rc && source.descriptor < 0)
        return flux_io_fail_path(error, FLUX_E_IO, path, "no such file; an algorithm is given as all-reduce=FILE");
    if (!rc) {
        rc = make(&making, &source, name, equals ? (size_t)(equals - name) : 0, most);
        release(&making);
        flux_io_source_close(&source);
    }
    return rc;
}
