/* SPDX-License-Identifier: Apache-2.0
 *
 * GOAL as LogGOPSim's txt2bin writes it: little endian, packed.
 *
 *   0   u64 magic, u32 ranks, u8 highest cpu, u8 highest nic
 *   14  per rank u64 begin, u64 end of its block, counted from byte 8
 *   block: u32 operations, u32 roots, u32 roots[], operations of 39 bytes, and a pool of u32 up to its end
 *   operation: u32 dependencies, u8 type, u32 peer, u64 bytes or ns, u32 tag, u8 cpu, u8 nic,
 *              u32 count and u32 first place in the pool of those that wait for its end, then of those for its start
 *
 * Edges lead forwards there, from an operation to those that wait for it.
 */
#include "io/fail.h"
#include "io/goal/goal.h"

#include <inttypes.h>
#include <string.h>

#define MAGIC 4223u
#define MAGIC_USED 2342u /* the simulator writes it over a file that it has changed */
#define HEAD 14u
#define BASE 8u
#define TABLE_ROW 16u
#define OPERATION 39u
#define BYTES_MAX (UINT64_C(16) << 30)
#define PS_PER_NS 1000u

struct binary {
    struct flux_io_goal goal;
    unsigned char *bytes;
    uint64_t size;
    uint64_t capacity;
    uint32_t rank;
    /* Of the rank being read. */
    uint64_t ops; /* where they begin */
    uint64_t pool;
    uint64_t pool_count;
    uint64_t pool_left; /* each place of it belongs to one list */
    uint32_t op_count;
    uint32_t reserved;
};

static uint64_t get(const struct binary *binary, uint64_t at, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)binary->bytes[at + i] << (8 * i);
    return value;
}

int flux_io_goal_binary_recognise(const struct flux_io_source *source)
{
    static const unsigned char magic[2][8] = {{MAGIC & 0xff, MAGIC >> 8}, {MAGIC_USED & 0xff, MAGIC_USED >> 8}};
    return source->head_size >= 8 && (memcmp(source->head, magic[0], 8) == 0 || memcmp(source->head, magic[1], 8) == 0);
}

static int fail_at(const struct binary *binary, uint64_t at, const char *what)
{
    return flux_io_fail_offset(binary->goal.error, FLUX_E_FORMAT, binary->goal.source->path, at, "rank %" PRIu32 ": %s",
                               binary->rank, what);
}

/* The operations that wait for operation `parent`: `count` of them from `first` in the pool on. */
static int read_waiting(struct binary *binary, uint32_t parent, uint64_t at, uint32_t start, uint32_t *waits)
{
    uint64_t count = get(binary, at, 4);
    uint64_t first = get(binary, at + 4, 4);
    if (count > binary->pool_count || first > binary->pool_count - count)
        return fail_at(binary, at, "an operation's dependents lie outside the block");
    if (count > binary->pool_left)
        return fail_at(binary, at, "two operations share their lists of dependents");
    binary->pool_left -= count;
    for (uint64_t i = first; i < first + count; i++) {
        uint64_t child = get(binary, binary->pool + 4 * i, 4);
        if (child >= binary->op_count)
            return fail_at(binary, binary->pool + 4 * i, "a dependent is no operation of the rank");
        waits[child]++;
        int rc = flux_io_goal_edge(&binary->goal, (uint32_t)child, parent, start);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

static int read_op(struct binary *binary, uint32_t index, uint32_t *waits)
{
    static const uint8_t kinds[] = {FLUX_IO_SEND, FLUX_IO_RECV, FLUX_IO_COMPUTE};
    uint64_t at = binary->ops + (uint64_t)index * OPERATION;
    uint64_t type = get(binary, at + 4, 1);
    struct flux_io_node op = {0, at, get(binary, at + 9, 8), FLUX_NONE, 0, 0, 0, 0, 0};
    if (type < 1 || type > 3)
        return fail_at(binary, at + 4, "an operation of a type that is not 1 (send), 2 (recv) or 3 (calc)");
    op.kind = kinds[type - 1];
    if (op.kind == FLUX_IO_COMPUTE) {
        op.amount = op.amount > UINT64_MAX / PS_PER_NS ? UINT64_MAX : op.amount * PS_PER_NS;
        op.stream = (uint16_t)(get(binary, at + 21, 1) + 1);
    } else {
        op.peer = (uint32_t)get(binary, at + 5, 4);
        op.key = (uint32_t)get(binary, at + 17, 4);
        op.nic = (uint8_t)get(binary, at + 22, 1);
        if (op.peer == FLUX_IO_GOAL_ANY || op.key == FLUX_IO_GOAL_ANY)
            return fail_at(binary, at,
                           "a message of any rank or tag: which is meant is only known when the program "
                           "runs, so no schedule can be made before");
        if (op.amount == FLUX_IO_SIZE_UNKNOWN)
            return fail_at(binary, at + 9, "a message of 2^64 - 1 bytes");
    }
    int rc = flux_io_goal_op(&binary->goal, &op);
    if (!rc)
        rc = read_waiting(binary, index, at + 23, 0, waits);
    return rc ? rc : read_waiting(binary, index, at + 31, 1, waits);
}

static int read_ops(struct binary *binary, uint32_t *waits)
{
    int rc = FLUX_OK;
    for (uint32_t i = 0; !rc && i < binary->op_count; i++)
        rc = read_op(binary, i, waits);
    for (uint32_t i = 0; !rc && i < binary->op_count; i++)
        if (get(binary, binary->ops + (uint64_t)i * OPERATION, 4) != waits[i])
            return fail_at(binary, binary->ops + (uint64_t)i * OPERATION,
                           "an operation waits for another number of operations than those that name it");
    return rc;
}

/* Where the parts of a block lie. The pool has no number of its own: it is what the block has left. */
static int find_parts(struct binary *binary, uint64_t begin, uint64_t end)
{
    uint64_t ops = get(binary, begin, 4);
    uint64_t roots = get(binary, begin + 4, 4);
    uint64_t need = 8 + 4 * roots + OPERATION * ops; /* below 2^38 */
    if (need > end - begin)
        return fail_at(binary, begin, "its operations do not fit in its block");
    binary->op_count = (uint32_t)ops;
    binary->ops = begin + 8 + 4 * roots;
    binary->pool = begin + need;
    binary->pool_count = binary->pool_left = (end - binary->pool) / 4;
    return FLUX_OK;
}

/* `*spent` is the sum of the blocks so far: blocks that overlap would make a small file stand for a large one. */
static int read_rank(struct binary *binary, uint32_t rank, uint64_t *spent)
{
    const struct flux_io_memory *memory = &binary->goal.import->memory;
    uint64_t row = HEAD + (uint64_t)rank * TABLE_ROW;
    uint64_t begin = get(binary, row, 8);
    uint64_t end = get(binary, row + 8, 8);
    uint64_t room = binary->size - BASE;
    binary->rank = rank;
    if (begin > end || end > room || end - begin < 8)
        return fail_at(binary, row, "its block does not lie within the file; is the file cut off?");
    if (end - begin > room - *spent)
        return fail_at(binary, row, "its block overlaps another one");
    *spent += end - begin;
    int rc = find_parts(binary, BASE + begin, BASE + end);
    if (rc)
        return rc;
    uint32_t *waits = flux_io_alloc_zero(memory, binary->op_count, sizeof *waits);
    if (!waits)
        return flux_io_fail_memory(binary->goal.error);
    rc = read_ops(binary, waits);
    flux_io_release(memory, waits, binary->op_count, sizeof *waits);
    return rc ? rc : flux_io_goal_rank(&binary->goal, rank);
}

static int read_file(struct binary *binary)
{
    struct flux_io_goal *goal = &binary->goal;
    const char *path = goal->source->path;
    uint64_t spent = 0;
    int rc =
        flux_io_source_read_all(goal->source, BYTES_MAX, &binary->bytes, &binary->size, &binary->capacity, goal->error);
    if (rc)
        return rc;
    if (get(binary, 0, 8) == MAGIC_USED)
        return flux_io_fail_offset(goal->error, FLUX_E_FORMAT, path, 0,
                                   "LogGOPSim has run this file and changed it; make it anew with txt2bin");
    if (binary->size < HEAD)
        return flux_io_fail_offset(goal->error, FLUX_E_FORMAT, path, binary->size,
                                   "the file ends inside its head; it is cut off");
    uint64_t ranks = get(binary, 8, 4);
    if (ranks == 0 || (binary->size - HEAD) / TABLE_ROW < ranks)
        return flux_io_fail_offset(goal->error, FLUX_E_FORMAT, path, 8,
                                   "the table of %" PRIu64 " ranks does not fit in the file; it is cut off, or no GOAL "
                                   "file",
                                   ranks);
    rc = flux_io_goal_ranks(goal, ranks);
    for (uint32_t r = 0; !rc && r < ranks; r++)
        rc = read_rank(binary, r, &spent);
    return rc ? rc : flux_io_goal_finish(goal);
}

int flux_io_goal_binary_read(struct flux_import *import, struct flux_io_source *source,
                             const struct flux_import_options *options, struct flux_error *error)
{
    struct binary binary;
    memset(&binary, 0, sizeof binary);
    int rc = flux_io_goal_begin(&binary.goal, import, source, options, error);
    if (!rc)
        rc = read_file(&binary);
    flux_io_release(&import->memory, binary.bytes, binary.capacity, 1);
    flux_io_goal_end(&binary.goal);
    return rc;
}
