/* SPDX-License-Identifier: Apache-2.0
 *
 * io/perfetto.h - inside of the Perfetto writer: events, and who writes which.
 *
 * Chrome trace event JSON ("Trace Event Format", Google, 2016), as ui.perfetto.dev and chrome://tracing read it. One
 * process per switch with a thread per side of a port, one per GPU with threads for its compute and its sends. Thread
 * numbers are unique in the file and beyond all process numbers: readers look a thread up by its number alone. Slices
 * of one thread never overlap. Times are microseconds with six decimals, written from integers.
 */
#ifndef FLUX_IO_PERFETTO_H
#define FLUX_IO_PERFETTO_H

#include "io/lanes.h"
#include "io/output.h"
#include "io/timeline.h"

/* A counter goes up or down at some time. */
struct flux_perfetto_change {
    int64_t time;
    uint64_t amount;
    uint32_t of; /* GPU or switch */
    uint32_t down;
};

struct flux_perfetto {
    struct flux_io_output *out;
    const struct flux_io_timeline *line;
    struct flux_io_lanes lanes;
    uint32_t *thread;  /* by vertex: where its slice is; 0: it has none */
    uint32_t *follows; /* by vertex with a slice: the next one on its lane, or FLUX_NONE; else as origin() needs it */
    uint32_t *last;    /* by lane: the last vertex so far, then the lane's thread */
    struct flux_perfetto_change *changes; /* of a counter; room for two per send */
    uint32_t next_thread;
    uint32_t arrows;
    uint64_t arrows_left_out;
    uint64_t events;
};

static inline uint32_t flux_perfetto_switch(uint32_t switch_index)
{
    return 1 + switch_index;
}

static inline uint32_t flux_perfetto_gpu(const struct flux_perfetto *writer, uint32_t gpu)
{
    return 1 + writer->line->switches + gpu;
}

/* Begins an event of kind `phase` up to its first own member; thread 0 is none. The caller closes the brace. */
void flux_perfetto_event(struct flux_perfetto *writer, char phase, uint32_t process, uint32_t thread);
/* `key` is written as it stands: a comma, the name in quotes, a colon. */
void flux_perfetto_number(struct flux_perfetto *writer, const char *key, uint64_t number);
void flux_perfetto_time(struct flux_perfetto *writer, const char *key, int64_t time);

/* A slice up to its name's value. `next` is the begin of the thread's next slice, FLUX_TIME_MAX where there is none. */
void flux_perfetto_slice(struct flux_perfetto *writer, uint32_t process, uint32_t thread, int64_t start, int64_t end,
                         int64_t next, const char *category);

/* "KIND NUMBER", sorted by process. */
void flux_perfetto_name_process(struct flux_perfetto *writer, uint32_t process, const char *kind, uint32_t number);
/* A new thread, sorted by age; returns its number. `name` is plain ASCII. */
uint32_t flux_perfetto_name_thread(struct flux_perfetto *writer, uint32_t process, const char *name);

/* What a counter shows from `time` on. */
void flux_perfetto_sample(struct flux_perfetto *writer, uint32_t process, const char *name, const char *unit,
                          int64_t time, uint64_t value);
/* Adds up the first `count` changes and writes a sample wherever the sum of one GPU or switch changes. */
void flux_perfetto_counter(struct flux_perfetto *writer, uint64_t count, uint32_t first_process, const char *name,
                           const char *unit);

/* NIC memory per GPU: bytes of sends that are ready, until they have gone. */
void flux_perfetto_memory(struct flux_perfetto *writer);
/* Transfers under way per switch. */
void flux_perfetto_circuits(struct flux_perfetto *writer);
/* The critical path, and each dependency that was the last thing a vertex waited for. After all slices. */
void flux_perfetto_arrows(struct flux_perfetto *writer);

#endif
