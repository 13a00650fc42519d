/* SPDX-License-Identifier: Apache-2.0
 *
 * support/read_back.h - does a graph that was written and read again say the same? For cmocka tests.
 */
#ifndef FLUX_TESTS_READ_BACK_H
#define FLUX_TESTS_READ_BACK_H

#include <libflux/flux.h>

/* The same sends with the same bytes, whatever their order and their own times. */
void read_back_same_sends(const struct flux_graph *graph, const struct flux_graph *back);

/* The planned slots are a schedule of what was read, with the same makespan, or one up to `later` longer. Its labels
 * are "rSRC/NODE/ID" with the id of the send that was written. */
void read_back_same_schedule(const struct flux_graph *graph, const struct flux_fabric *fabric,
                             const struct flux_schedule *schedule, const struct flux_graph *back, int64_t later);

/* The file is refused with this code, and a sentence with this phrase. */
void read_back_refused(const char *path, int code, const char *phrase);

/* The bound. */
int64_t read_back_path(const struct flux_graph *graph, const struct flux_fabric *fabric);

#endif
