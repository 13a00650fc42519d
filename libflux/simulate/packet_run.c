/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/packet_run.c - a run on a packet fabric: at one time sends end first, then others become ready, then all
 * that this concerns share anew.
 */
#include "base/fail.h"
#include "simulate/packet.h"

#include <string.h>

#define LOOK 64 /* times at which something happens between two looks at whether to stop */

static int before(const struct flux_replay *replay, uint32_t a, uint32_t b)
{
    const int64_t *finish = replay->packet->finish;
    return finish[a] != finish[b] ? finish[a] < finish[b] : replay->plan.rank[a] < replay->plan.rank[b];
}

static void put(struct flux_packet *packet, uint32_t at, uint32_t v)
{
    packet->heap[at] = v;
    packet->place[v] = at;
}

/* Send v goes where it belongs in the heap, from place `at` on. */
static void settle_place(struct flux_replay *replay, uint32_t at, uint32_t v)
{
    struct flux_packet *packet = replay->packet;
    uint32_t child;
    for (; at > 0 && before(replay, v, packet->heap[(at - 1) / 2]); at = (at - 1) / 2)
        put(packet, at, packet->heap[(at - 1) / 2]);
    for (; (child = 2 * at + 1) < packet->heap_count; at = child) {
        if (child + 1 < packet->heap_count && before(replay, packet->heap[child + 1], packet->heap[child]))
            child++;
        if (!before(replay, packet->heap[child], v))
            break;
        put(packet, at, packet->heap[child]);
    }
    put(packet, at, v);
}

void flux_packet_set_rate(struct flux_replay *replay, uint32_t v, uint64_t rate, int64_t time)
{
    struct flux_packet *packet = replay->packet;
    packet->rest[v] -= (flux_wide)packet->rate[v] * (time - packet->since[v]);
    packet->since[v] = time;
    packet->rate[v] = rate;
    flux_wide need = rate ? flux_ceil_div(packet->rest[v], rate) : FLUX_TIME_MAX;
    packet->finish[v] = need > FLUX_TIME_MAX - time ? INT64_MAX : time + (int64_t)need;
    settle_place(replay, packet->place[v], v);
}

static void join(struct flux_packet *packet, uint32_t link)
{
    uint32_t port = packet->port[link], next = packet->first[port];
    packet->link[link] = (struct flux_packet_link){FLUX_NONE, next};
    if (next != FLUX_NONE)
        packet->link[next].before = link;
    packet->first[port] = link;
    flux_packet_touch(packet, port);
}

static void leave(struct flux_packet *packet, uint32_t link)
{
    uint32_t next = packet->link[link].next, last = packet->link[link].before;
    if (next != FLUX_NONE)
        packet->link[next].before = last;
    if (last != FLUX_NONE)
        packet->link[last].next = next;
    else
        packet->first[packet->port[link]] = next;
    flux_packet_touch(packet, packet->port[link]);
}

static void start(struct flux_replay *replay, struct flux_replay_result *result, uint32_t v, int64_t time)
{
    struct flux_packet *packet = replay->packet;
    result->times[v].start = time;
    packet->rest[v] = packet->work[v];
    packet->since[v] = time;
    packet->rate[v] = 0;
    packet->finish[v] = INT64_MAX;
    settle_place(replay, packet->heap_count++, v);
    join(packet, 2 * v);
    join(packet, 2 * v + 1);
}

/* The first of the heap has ended. */
static int finish(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error)
{
    struct flux_packet *packet = replay->packet;
    uint32_t v = packet->heap[0];
    if (packet->finish[v] == INT64_MAX)
        return flux_replay_fail_overflow(v, error);
    result->times[v].end = packet->finish[v];
    leave(packet, 2 * v);
    leave(packet, 2 * v + 1);
    if (--packet->heap_count)
        settle_place(replay, 0, packet->heap[packet->heap_count]);
    int rc = flux_replay_tell(replay, result, v, error);
    return rc ? rc : flux_replay_settle(replay, result, error);
}

/* Everything that happens at the next time at which something does. */
static int advance(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error)
{
    struct flux_packet *packet = replay->packet;
    struct flux_replay_room *room = &replay->room;
    int64_t ends = packet->heap_count ? packet->finish[packet->heap[0]] : INT64_MAX;
    int64_t time = room->heap_count && room->heap[0].time < ends ? room->heap[0].time : ends;
    int rc = FLUX_OK;
    do
        if (packet->heap_count && packet->finish[packet->heap[0]] == time)
            rc = finish(replay, result, error);
        else
            start(replay, result, replay->audit.precedence.order[flux_replay_pop(room).rank], time);
    while (!rc && ((packet->heap_count && packet->finish[packet->heap[0]] == time) ||
                   (room->heap_count && room->heap[0].time == time)));
    if (!rc)
        flux_packet_share(replay, time);
    return rc;
}

int flux_packet_run(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error)
{
    struct flux_packet *packet = replay->packet;
    uint64_t times = 0;
    for (uint32_t port = 0; port < packet->ports; port++)
        packet->first[port] = FLUX_NONE;
    memset(packet->stamp, 0, packet->ports * sizeof *packet->stamp);
    memset(packet->shared, 0, replay->plan.vertices * sizeof *packet->shared);
    packet->heap_count = packet->touched_count = packet->sharing = 0;
    flux_replay_begin(replay);
    int rc = flux_replay_settle(replay, result, error);
    while (!rc && (packet->heap_count || replay->room.heap_count)) {
        rc = advance(replay, result, error);
        if (!rc && ++times % LOOK == 0 && flux_cancel_requested(replay->cancel))
            rc = flux_fail(error, FLUX_E_CANCELLED, "cancelled before every send had ended");
    }
    return rc;
}

uint32_t flux_packet_use(const struct flux_replay *replay, int64_t iteration)
{
    const struct flux_packet *packet = replay->packet;
    double all = 0, used = 0;
    for (uint32_t port = 0; port < packet->ports; port++)
        all += (double)packet->capacity[port];
    for (uint32_t v = 0; v < replay->plan.vertices; v++)
        used += 2 * (double)packet->work[v];
    double share = iteration > 0 ? used / (all * (double)iteration) : 0;
    return share < 1 ? (uint32_t)(share * FLUX_PPM) : FLUX_PPM;
}
