/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/rotor.c - RotorNet (Mellette et al., SIGCOMM 2017) in its variants.
 */
#include "compare/compare.h"

int flux_compare_rotor(struct flux_comparing *comparing)
{
    uint32_t scheduler = comparing->comparison->summary.scheduler;
    struct flux_rotor_options options = FLUX_ROTOR_OPTIONS_INIT;
    options.duty_ppm = comparing->options.duty_ppm;
    if (scheduler == FLUX_SCHEDULER_ROTOR_VLB || scheduler == FLUX_SCHEDULER_ROTOR_VLB_STAGGERED)
        options.routing = FLUX_ROTOR_VLB;
    if (scheduler == FLUX_SCHEDULER_ROTOR_DIRECT_STAGGERED || scheduler == FLUX_SCHEDULER_ROTOR_VLB_STAGGERED)
        options.phase = FLUX_ROTOR_STAGGERED;
    int rc = flux_replay_new_rotor(comparing->graph, comparing->fabric, &options, &comparing->comparison->replay,
                                   comparing->error);
    return flux_compare_refuse_or_fail(comparing, rc);
}
