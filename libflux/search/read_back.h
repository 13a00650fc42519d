/* SPDX-License-Identifier: Apache-2.0
 *
 * search/read_back.h - a schedule of everything from the best sequence at one GPU.
 */
#ifndef FLUX_SEARCH_READ_BACK_H
#define FLUX_SEARCH_READ_BACK_H

#include "bound/port_sequence.h"
#include "search/plan.h"

/* In training every GPU of a group does the same at the same time: sends that are alike (head, tail and duration) take
 * the start that the sequence has for one of them as their priority, others are as late as the one of their duration
 * before them. `plan` is a construction in that order. Errors: MEMORY. */
int flux_read_back(const struct flux_problem *problem, const struct flux_port_sequence *sequence,
                   struct flux_plan *plan);

#endif
