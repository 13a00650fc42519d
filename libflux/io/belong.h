/* SPDX-License-Identifier: Apache-2.0
 *
 * io/belong.h - do the objects that a writer was given belong together?
 */
#ifndef FLUX_IO_BELONG_H
#define FLUX_IO_BELONG_H

#include <libflux/schedule.h>

/* The schedule's rows name each send of the graph once, and switches of the fabric (may be NULL); its times cover the
 * graph's vertices. Nothing else is judged: a schedule was checked when it was made. Errors: MISMATCH. */
int flux_io_check_schedule(const struct flux_graph *graph, const struct flux_fabric *fabric,
                           const struct flux_schedule *schedule, struct flux_error *error);

#endif
