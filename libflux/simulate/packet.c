/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/packet.c - a packet fabric with the links of a fabric of circuits, read.
 */
#include "simulate/packet.h"

#include "base/abi.h"
#include "base/fail.h"
#include "base/random.h"

#include <inttypes.h>

#define OPTIONS_LEAST FLUX_ABI_LEAST(struct flux_packet_options, seed)

static void *get(struct flux_replay *replay, uint64_t count, uint64_t size)
{
    return flux_arena_zero(&replay->audit.arena, count, size);
}

static int make_arrays(struct flux_replay *replay, const struct flux_packet_options *options)
{
    uint64_t n = replay->plan.vertices;
    struct flux_packet *packet = replay->packet = get(replay, 1, sizeof *packet);
    if (!packet)
        return FLUX_E_MEMORY;
    packet->planes = options->spread == FLUX_PACKET_HASH ? options->planes - options->failed : 1;
    packet->ports = 2 * replay->plan.gpus * packet->planes;
    uint64_t ports = packet->ports;
    packet->capacity = get(replay, ports, sizeof *packet->capacity);
    packet->port = get(replay, 2 * n, sizeof *packet->port);
    packet->work = get(replay, n, sizeof *packet->work);
    packet->first = get(replay, ports, sizeof *packet->first);
    packet->sends = get(replay, ports, sizeof *packet->sends);
    packet->room = get(replay, ports, sizeof *packet->room);
    packet->stamp = get(replay, ports, sizeof *packet->stamp);
    packet->link = get(replay, 2 * n, sizeof *packet->link);
    packet->rate = get(replay, n, sizeof *packet->rate);
    packet->share = get(replay, n, sizeof *packet->share);
    packet->shared = get(replay, n, sizeof *packet->shared);
    packet->rest = get(replay, n, sizeof *packet->rest);
    packet->since = get(replay, n, sizeof *packet->since);
    packet->finish = get(replay, n, sizeof *packet->finish);
    packet->heap = get(replay, n, sizeof *packet->heap);
    packet->place = get(replay, n, sizeof *packet->place);
    packet->touched = get(replay, ports, sizeof *packet->touched);
    packet->least = get(replay, ports, sizeof *packet->least);
    return packet->capacity && packet->port && packet->work && packet->first && packet->sends && packet->room &&
                   packet->stamp && packet->link && packet->rate && packet->share && packet->shared && packet->rest &&
                   packet->since && packet->finish && packet->heap && packet->place && packet->touched && packet->least
               ? FLUX_OK
               : FLUX_E_MEMORY;
}

/* What a GPU's links carry together. */
static void read_capacities(struct flux_packet *packet, const struct flux_fabric *fabric,
                            const struct flux_packet_options *options)
{
    uint32_t gpus = flux_fabric_gpus(fabric), living = options->planes - options->failed;
    for (uint32_t g = 0; g < gpus; g++) {
        flux_wide all = 0;
        for (uint32_t k = 0; k < flux_fabric_switches(fabric); k++)
            all += flux_fabric_dead(fabric, g, k) ? 0 : flux_fabric_rate(fabric, g, k);
        all = all * (options->spread == FLUX_PACKET_HASH ? 1 : living) / options->planes;
        uint64_t rate = all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
        for (uint32_t p = 0; p < packet->planes; p++)
            packet->capacity[(uint64_t)g * packet->planes + p] =
                packet->capacity[((uint64_t)gpus + g) * packet->planes + p] = rate;
    }
}

/* Bits times 10^12, at least 1. What takes a time of its own on a circuit, at the rate of the fastest one. */
static flux_wide work_of(const struct flux_replay *replay, const struct flux_fabric *fabric, uint32_t v)
{
    uint32_t src = replay->audit.precedence.at[v], dst = replay->audit.precedence.to[v];
    int64_t time = replay->plan.explicit_time[v];
    uint64_t most = 0;
    if (time == 0 && replay->plan.bytes[v])
        return (flux_wide)replay->plan.bytes[v] * 8 * INT64_C(1000000000000);
    for (uint32_t k = 0; k < flux_fabric_switches(fabric); k++) {
        uint64_t rate = flux_fabric_rate(fabric, src, k), other = flux_fabric_rate(fabric, dst, k);
        rate = rate < other ? rate : other;
        if (!flux_fabric_dead(fabric, src, k) && !flux_fabric_dead(fabric, dst, k) && rate > most)
            most = rate;
    }
    return time && most ? (flux_wide)time * most : 1;
}

static int read_sends(struct flux_replay *replay, const struct flux_graph *graph, const struct flux_fabric *fabric,
                      uint64_t seed, struct flux_error *error)
{
    struct flux_packet *packet = replay->packet;
    const struct flux_precedence *precedence = &replay->audit.precedence;
    char name[FLUX_PRECEDENCE_NAME];
    for (uint32_t i = 0; i < replay->plan.vertices; i++) {
        uint32_t v = precedence->order[i];
        replay->plan.rank[v] = i;
        if (precedence->to[v] == FLUX_NONE)
            continue;
        struct flux_random random = {seed};
        random.state = flux_random_next(&random) ^ v;
        uint32_t plane = flux_random_below(&random, packet->planes);
        packet->port[2 * (uint64_t)v] = precedence->at[v] * packet->planes + plane;
        packet->port[2 * (uint64_t)v + 1] = (replay->plan.gpus + precedence->to[v]) * packet->planes + plane;
        packet->work[v] = work_of(replay, fabric, v);
        if (!packet->capacity[packet->port[2 * (uint64_t)v]] || !packet->capacity[packet->port[2 * (uint64_t)v + 1]])
            return flux_fail_vertex(error, FLUX_E_INFEASIBLE, v,
                                    "%s, %" PRIu32 " to %" PRIu32
                                    ", is at a GPU whose ports have no rate on the packet fabric",
                                    flux_precedence_name(graph, v, name), precedence->at[v], precedence->to[v]);
    }
    return FLUX_OK;
}

static int read_options(const struct flux_packet_options *given, struct flux_packet_options *options,
                        struct flux_error *error)
{
    *options = (struct flux_packet_options)FLUX_PACKET_OPTIONS_INIT;
    int rc = given ? flux_abi_import(options, sizeof *options, given, OPTIONS_LEAST, "packet_options", error) : 0;
    if (rc)
        return rc;
    if (options->planes == 0 || options->failed >= options->planes)
        return flux_fail(error, FLUX_E_ARGUMENT, "%" PRIu32 " of %" PRIu32 " planes failed: none is left",
                         options->failed, options->planes);
    if (options->spread > FLUX_PACKET_HASH)
        return flux_fail(error, FLUX_E_ARGUMENT, "spread is %" PRIu32 ", not FLUX_PACKET_SPRAY or FLUX_PACKET_HASH",
                         options->spread);
    return FLUX_OK;
}

static int make_packet(struct flux_replay *replay, const struct flux_graph *graph, const struct flux_fabric *fabric,
                       const struct flux_packet_options *options, struct flux_error *error)
{
    if ((uint64_t)2 * replay->plan.gpus * options->planes >= FLUX_NONE || replay->plan.vertices >= FLUX_NONE / 2)
        return flux_fail(error, FLUX_E_TOO_BIG, "2^31 vertices, or 2^32 ports of GPUs on all planes");
    if (make_arrays(replay, options))
        return flux_fail_memory(error);
    read_capacities(replay->packet, fabric, options);
    int rc = read_sends(replay, graph, fabric, options->seed, error);
    if (!rc && flux_replay_make_room(replay))
        rc = flux_fail_memory(error);
    return rc;
}

int flux_replay_new_packet(const struct flux_graph *graph, const struct flux_fabric *fabric,
                           const struct flux_packet_options *options, struct flux_replay **replay,
                           struct flux_error *error)
{
    struct flux_packet_options given;
    struct flux_replay *fresh;
    if (replay)
        *replay = NULL;
    if (!graph || !fabric || !replay)
        return flux_fail(error, FLUX_E_ARGUMENT, "graph, fabric or the place for the replay are NULL");
    int rc = read_options(options, &given, error);
    if (!rc)
        rc = flux_replay_open(graph, fabric, &fresh, error);
    if (rc)
        return rc;
    rc = make_packet(fresh, graph, fabric, &given, error);
    if (rc) {
        flux_replay_free(fresh);
        return rc;
    }
    *replay = fresh;
    return FLUX_OK;
}
