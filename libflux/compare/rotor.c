/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/rotor.c - RotorNet (Mellette et al., SIGCOMM 2017) in its variants.
 */
#include "compare/compare.h"

int flux_compare_rotor(struct flux_comparing *comparing)
{
    int rc = flux_replay_new_rotor(comparing->graph, comparing->fabric, comparing->options.duty_ppm,
                                   &comparing->comparison->replay, comparing->error);
    return flux_compare_refuse_or_fail(comparing, rc);
}
