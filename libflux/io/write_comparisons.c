/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes comparisons of schedulers as comma-separated values: RFC 4180, with lines that end in LF.
 */
#include "io/fail.h"
#include "io/output.h"

#include <libflux/io/write.h>

static void put_number(struct flux_io_output *out, int applies, uint64_t number)
{
    if (applies)
        flux_io_put_u64(out, number);
    flux_io_put_char(out, ',');
}

static int write_row(struct flux_io_output *out, const struct flux_compared *row)
{
    struct flux_comparison_summary summary = FLUX_COMPARISON_SUMMARY_INIT;
    if (flux_comparison_summary(row->comparison, &summary))
        return FLUX_E_ARGUMENT;
    int applies = summary.applies != 0;
    flux_io_put(out, flux_scheduler_name(summary.scheduler));
    flux_io_put_char(out, ',');
    flux_io_put_i64(out, row->delay);
    flux_io_put_char(out, ',');
    put_number(out, applies, (uint64_t)summary.iteration);
    put_number(out, applies, summary.memory);
    put_number(out, applies, summary.reconfigurations);
    put_number(out, 1, (uint64_t)(row->bound > summary.bound ? row->bound : summary.bound));
    put_number(out, applies, (uint64_t)summary.best);
    put_number(out, applies, summary.memory_of_all);
    put_number(out, applies, summary.waiting);
    put_number(out, applies, summary.waiting_mean);
    put_number(out, applies, summary.repeats);
    put_number(out, applies, summary.constructions);
    flux_io_put_csv(out, flux_comparison_note(row->comparison));
    flux_io_put_char(out, '\n');
    return FLUX_OK;
}

int flux_write_comparisons(const char *path, const struct flux_compared *rows, uint64_t count, struct flux_error *error)
{
    struct flux_io_output out;
    if (!rows && count)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_write_comparisons: rows is NULL");
    int rc = flux_io_output_open(&out, path, error);
    if (rc)
        return rc;
    flux_io_put(&out, "scheduler,delay_ps,iteration_ps,nic_memory_bytes,reconfigurations,bound_ps,best_ps,"
                      "nic_memory_of_all_bytes,nic_waiting_bytes,nic_waiting_mean_bytes,repeats,constructions,note\n");
    for (uint64_t i = 0; i < count; i++)
        if (write_row(&out, &rows[i])) {
            flux_io_output_abandon(&out);
            return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_write_comparisons: a comparison is NULL");
        }
    return flux_io_output_close(&out, error);
}
