/* SPDX-License-Identifier: Apache-2.0 */
#include "io/generate/rank.h"

#include "io/fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NOTHING UINT64_MAX

static void fail(struct flux_io_generator *to, int rc)
{
    if (!to->failed)
        to->failed = rc;
}

static void wait_for(struct flux_io_generator *to, uint64_t id)
{
    if (!to->failed && id != NOTHING)
        fail(to, flux_io_rank_wait(to->workload, to->rank, id, 0, to->error));
}

/* A node without what it waits for. */
static uint64_t put(struct flux_io_generator *to, uint32_t kind, uint64_t amount, uint32_t peer, uint32_t key,
                    const char *name)
{
    struct flux_io_node node = {
        .id = to->next_id, .amount = amount, .name = FLUX_NONE, .peer = peer, .key = key, .kind = (uint8_t)kind};
    if (to->failed)
        return NOTHING;
    if (flux_io_strings_add(&to->workload->names, name, strlen(name), &node.name, NULL)) {
        fail(to, flux_io_fail_memory(to->error));
        return NOTHING;
    }
    fail(to, flux_io_rank_add(to->workload, to->rank, &node, to->error));
    return to->next_id++;
}

/* What the node added last waits for: the front, and the others that were named. */
static void wait_for_front(struct flux_io_generator *to)
{
    wait_for(to, to->front);
    for (uint32_t i = 0; i < to->also_count; i++)
        if (to->also[i] != to->front)
            wait_for(to, to->also[i]);
    to->also_count = 0;
}

static void name_of(const struct flux_io_generator *to, const char *what, char *name, size_t size)
{
    snprintf(name, size, "%s.%s", to->place, what);
}

void flux_io_generate_place(struct flux_io_generator *to, uint32_t layer)
{
    if (layer == FLUX_NONE)
        snprintf(to->place, sizeof to->place, "i%" PRIu32 ".m%" PRIu32, to->iteration, to->micro_batch);
    else
        snprintf(to->place, sizeof to->place, "i%" PRIu32 ".m%" PRIu32 ".L%" PRIu32, to->iteration, to->micro_batch,
                 layer);
}

void flux_io_generate_flush(struct flux_io_generator *to)
{
    if (!to->pending)
        return;
    if (to->pending > (uint64_t)FLUX_TIME_MAX) {
        fail(to, flux_io_fail(to->error, FLUX_E_OVERFLOW, "%s takes longer than 2^62 ps, which is 53 days",
                              to->pending_name));
        return;
    }
    uint64_t id = put(to, FLUX_IO_COMPUTE, to->pending, 0, 0, to->pending_name);
    if (to->compute != to->front)
        wait_for(to, to->compute);
    wait_for_front(to);
    to->compute = to->front = id;
    to->pending = 0;
}

void flux_io_generate_compute(struct flux_io_generator *to, const char *what, uint64_t time)
{
    if (!time)
        return;
    if (!to->pending)
        name_of(to, what, to->pending_name, sizeof to->pending_name);
    if (__builtin_add_overflow(to->pending, time, &to->pending))
        to->pending = UINT64_MAX;
}

void flux_io_generate_also(struct flux_io_generator *to, uint64_t id)
{
    flux_io_generate_flush(to);
    if (id == NOTHING || to->failed)
        return;
    if (to->also_count == FLUX_IO_ALSO)
        flux_io_generate_join(to, "join");
    to->also[to->also_count++] = id;
}

uint64_t flux_io_generate_collective(struct flux_io_generator *to, uint32_t kind, uint32_t group, uint64_t bytes,
                                     const char *what)
{
    char name[96];
    if (group == FLUX_NONE || !bytes)
        return NOTHING;
    flux_io_generate_flush(to);
    name_of(to, what, name, sizeof name);
    uint64_t id = put(to, FLUX_IO_COLLECTIVE, bytes, kind, group, name);
    wait_for_front(to);
    return id;
}

void flux_io_generate_wait_collective(struct flux_io_generator *to, uint32_t kind, uint32_t group, uint64_t bytes,
                                      const char *what)
{
    uint64_t id = flux_io_generate_collective(to, kind, group, bytes, what);
    if (id != NOTHING)
        to->front = id;
}

uint64_t flux_io_generate_send(struct flux_io_generator *to, uint32_t peer, uint32_t tag, uint64_t bytes,
                               const char *what)
{
    char name[96];
    flux_io_generate_flush(to);
    name_of(to, what, name, sizeof name);
    uint64_t id = put(to, FLUX_IO_SEND, bytes, peer, tag, name);
    wait_for(to, to->front);
    return id;
}

uint64_t flux_io_generate_receive(struct flux_io_generator *to, uint32_t peer, uint32_t tag, uint64_t bytes,
                                  const char *what)
{
    char name[96];
    name_of(to, what, name, sizeof name);
    return put(to, FLUX_IO_RECV, bytes, peer, tag, name);
}

void flux_io_generate_join(struct flux_io_generator *to, const char *what)
{
    char name[96];
    flux_io_generate_flush(to);
    if (!to->also_count)
        return;
    name_of(to, what, name, sizeof name);
    uint64_t id = put(to, FLUX_IO_JOIN, 0, 0, 0, name);
    wait_for_front(to);
    to->front = id;
}

uint64_t flux_io_generate_all(struct flux_io_generator *to, const uint64_t *ids, uint64_t count, const char *what)
{
    char name[96];
    flux_io_generate_flush(to);
    if (!count)
        return NOTHING;
    name_of(to, what, name, sizeof name);
    uint64_t id = put(to, FLUX_IO_JOIN, 0, 0, 0, name);
    for (uint64_t i = 0; i < count; i++)
        wait_for(to, ids[i]);
    return id;
}
