/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a schedule as comma-separated values: RFC 4180, with lines that end in LF as the tools of Unix want them.
 */
#include "io/belong.h"
#include "io/fail.h"
#include "io/names.h"
#include "io/output.h"

#include <libflux/io/write.h>

static void write_row(struct flux_io_output *out, const struct flux_graph *graph, const struct flux_io_names *names,
                      const struct flux_slot *slot)
{
    struct flux_send send;
    flux_graph_get_send(graph, slot->send, &send);
    flux_io_put_csv(out, flux_io_names_of(names, slot->send));
    flux_io_put_char(out, ',');
    flux_io_put_u64(out, send.src);
    flux_io_put_char(out, ',');
    flux_io_put_u64(out, send.dst);
    flux_io_put_char(out, ',');
    flux_io_put_u64(out, slot->switch_index);
    flux_io_put_char(out, ',');
    flux_io_put_i64(out, slot->start);
    flux_io_put_char(out, ',');
    flux_io_put_i64(out, slot->end);
    flux_io_put_char(out, '\n');
}

static int write_rows(const char *path, const struct flux_graph *graph, const struct flux_io_names *names,
                      const struct flux_schedule *schedule, struct flux_error *error)
{
    struct flux_io_output out;
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    int rc = flux_io_output_open(&out, path, error);
    if (rc)
        return rc;
    flux_io_put(&out, "send,src,dst,switch,start_ps,end_ps\n");
    for (uint64_t i = 0; i < count; i++)
        write_row(&out, graph, names, &slots[i]);
    return flux_io_output_close(&out, error);
}

int flux_write_csv(const char *path, const struct flux_graph *graph, const struct flux_schedule *schedule,
                   struct flux_error *error)
{
    struct flux_io_memory memory;
    struct flux_io_names names;
    if (!graph || !schedule)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_write_csv: graph or schedule is NULL");
    int rc = flux_io_check_schedule(graph, NULL, schedule, error);
    if (rc)
        return rc;
    flux_io_memory_init(&memory, NULL);
    if (flux_io_names_build(&names, &memory, graph))
        rc = flux_io_fail_memory(error);
    else
        rc = write_rows(path, graph, &names, schedule, error);
    flux_io_names_free(&names);
    return rc;
}
