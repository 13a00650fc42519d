/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/packet.c - the electrical alternative: packet switches with the same links, in one plane or in several.
 */
#include "compare/compare.h"

#include <inttypes.h>

#define PLANES_DEFAULT 4

int flux_compare_packet(struct flux_comparing *comparing)
{
    uint32_t scheduler = comparing->comparison->summary.scheduler;
    struct flux_packet_options options = FLUX_PACKET_OPTIONS_INIT;
    if (scheduler != FLUX_SCHEDULER_PACKET)
        options.planes = comparing->options.planes ? comparing->options.planes : PLANES_DEFAULT;
    if (scheduler == FLUX_SCHEDULER_MULTIPLANE)
        options.spread = FLUX_PACKET_HASH;
    if (scheduler == FLUX_SCHEDULER_MULTIPLANE_FAILED)
        options.failed = 1;
    options.seed = comparing->options.seed;
    int rc = flux_replay_new_packet(comparing->graph, comparing->fabric, &options, &comparing->comparison->replay,
                                    comparing->error);
    if (rc)
        return flux_compare_refuse_or_fail(comparing, rc);
    return options.planes == 1 ? FLUX_OK : flux_compare_note(comparing, "%" PRIu32 " planes", options.planes);
}
