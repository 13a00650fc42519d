/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/packet_share.c - max-min fair shares by progressive filling (Bertsekas and Gallager, Data Networks, section
 * 6.5.2), of the sends that are connected with what changed.
 */
#include "simulate/packet.h"

void flux_packet_touch(struct flux_packet *packet, uint32_t port)
{
    if (packet->stamp[port] == packet->sharing + 1)
        return;
    packet->stamp[port] = packet->sharing + 1;
    packet->touched[packet->touched_count++] = port;
}

/* All ports that sends connect with those touched; how much each has to share, and among how many. */
static void connect(struct flux_packet *packet)
{
    for (uint32_t i = 0; i < packet->touched_count; i++) {
        uint32_t port = packet->touched[i], sends = 0;
        for (uint32_t link = packet->first[port]; link != FLUX_NONE; link = packet->link[link].next) {
            flux_packet_touch(packet, packet->port[link ^ 1]);
            sends++;
        }
        packet->sends[port] = sends;
        packet->room[port] = packet->capacity[port];
    }
    packet->sharing++;
}

/* Keeps the ports that still share, and notes those whose shares are smallest; returns that share. */
static uint64_t find_least(struct flux_packet *packet)
{
    uint64_t least = UINT64_MAX;
    uint32_t kept = 0;
    packet->least_count = 0;
    for (uint32_t i = 0; i < packet->touched_count; i++) {
        uint32_t port = packet->touched[i];
        if (packet->sends[port] == 0)
            continue;
        uint64_t share = packet->room[port] / packet->sends[port];
        packet->touched[kept++] = port;
        if (share < least) {
            least = share;
            packet->least_count = 0;
        }
        if (share == least)
            packet->least[packet->least_count++] = port;
    }
    packet->touched_count = kept;
    return least;
}

void flux_packet_share(struct flux_replay *replay, int64_t time)
{
    struct flux_packet *packet = replay->packet;
    connect(packet);
    while (packet->touched_count) {
        uint64_t share = find_least(packet);
        for (uint32_t i = 0; i < packet->least_count; i++)
            for (uint32_t link = packet->first[packet->least[i]]; link != FLUX_NONE; link = packet->link[link].next) {
                uint32_t v = link / 2, from = packet->port[link], to = packet->port[link ^ 1];
                if (packet->shared[v] == packet->sharing)
                    continue;
                packet->shared[v] = packet->sharing;
                packet->room[from] -= share;
                packet->room[to] -= share;
                packet->sends[from]--;
                packet->sends[to]--;
                if (packet->rate[v] != share)
                    flux_packet_set_rate(replay, v, share, time);
            }
    }
}
