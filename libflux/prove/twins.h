/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/twins.h - sends that nothing tells apart.
 */
#ifndef FLUX_PROVE_TWINS_H
#define FLUX_PROVE_TWINS_H

#include "model/problem.h"

/* 1 where exchanging u and v in a schedule gives another one: the same circuit, times, and neighbours. */
int flux_are_twins(const struct flux_problem *problem, uint32_t u, uint32_t v);

#endif
