/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the mixed-integer program of a workload as a file that solvers read.
 */
#include "io/output.h"

#include <libflux/io/write.h>

/* Ends the writing as soon as the file takes no more. */
static int put_piece(void *user, const char *text, uint64_t length)
{
    struct flux_io_output *out = user;
    flux_io_put_bytes(out, text, (size_t)length);
    return out->failed;
}

int flux_write_model(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                     uint32_t formulation, uint32_t format, struct flux_formulation_summary *summary,
                     struct flux_error *error)
{
    struct flux_io_output out;
    int rc = flux_io_output_open(&out, path, error);
    if (rc)
        return rc;
    rc = flux_formulation_write(graph, fabric, formulation, format, put_piece, &out, summary, error);
    if (rc && !out.failed) {
        flux_io_output_abandon(&out);
        return rc;
    }
    return flux_io_output_close(&out, error); /* tells what the system said where the file failed */
}
