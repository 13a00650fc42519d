/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the last run of a replay as comma-separated values: its sends, and NIC memory over time.
 */
#include "io/fail.h"
#include "io/names.h"
#include "io/output.h"

#include <libflux/io/write.h>

/* A time that there is not stays empty. */
static void put_time(struct flux_io_output *out, int64_t time)
{
    flux_io_put_char(out, ',');
    if (time >= 0)
        flux_io_put_i64(out, time);
}

static void write_send(struct flux_io_output *out, const char *name, const struct flux_send *send, int64_t ready,
                       const struct flux_time *time)
{
    flux_io_put_csv(out, name);
    flux_io_put_char(out, ',');
    flux_io_put_u64(out, send->src);
    flux_io_put_char(out, ',');
    flux_io_put_u64(out, send->dst);
    flux_io_put_char(out, ',');
    flux_io_put_u64(out, send->bytes);
    put_time(out, ready);
    put_time(out, time->start);
    put_time(out, time->end);
    put_time(out, time->end >= 0 ? time->end - ready : -1);
    flux_io_put_char(out, '\n');
}

static int write_sends(const char *path, const struct flux_graph *graph, const struct flux_io_names *names,
                       const struct flux_replay *replay, struct flux_error *error)
{
    const struct flux_time *times = flux_replay_times(replay, NULL);
    const int64_t *ready = flux_replay_ready(replay, NULL);
    struct flux_io_output out;
    struct flux_send send;
    int rc = flux_io_output_open(&out, path, error);
    if (rc)
        return rc;
    flux_io_put(&out, "send,src,dst,bytes,ready_ps,start_ps,end_ps,delay_ps\n");
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++)
        if (flux_graph_get_send(graph, v, &send) == FLUX_OK)
            write_send(&out, flux_io_names_of(names, v), &send, ready[v], &times[v]);
    return flux_io_output_close(&out, error);
}

int flux_write_replay(const char *path, const struct flux_graph *graph, const struct flux_replay *replay,
                      struct flux_error *error)
{
    struct flux_io_memory memory;
    struct flux_io_names names;
    uint64_t vertices = 0;
    int rc;
    if (!graph || !flux_replay_times(replay, &vertices))
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_write_replay: the graph is NULL, or the replay did not run");
    if (vertices != flux_graph_vertices(graph))
        return flux_io_fail(error, FLUX_E_MISMATCH, "the replay is of another graph: it has %llu vertices, not %u",
                            (unsigned long long)vertices, flux_graph_vertices(graph));
    flux_io_memory_init(&memory, NULL);
    if (flux_io_names_build(&names, &memory, graph))
        rc = flux_io_fail_memory(error);
    else
        rc = write_sends(path, graph, &names, replay, error);
    flux_io_names_free(&names);
    return rc;
}

int flux_write_replay_memory(const char *path, struct flux_replay *replay, struct flux_error *error)
{
    const struct flux_replay_held *rows;
    uint64_t count;
    struct flux_io_output out;
    int rc = flux_replay_memory(replay, &rows, &count, error);
    if (!rc)
        rc = flux_io_output_open(&out, path, error);
    if (rc)
        return rc;
    flux_io_put(&out, "time_ps,gpu,bytes\n");
    for (uint64_t i = 0; i < count; i++) {
        flux_io_put_i64(&out, rows[i].time);
        flux_io_put_char(&out, ',');
        flux_io_put_u64(&out, rows[i].gpu);
        flux_io_put_char(&out, ',');
        flux_io_put_u64(&out, rows[i].bytes);
        flux_io_put_char(&out, '\n');
    }
    return flux_io_output_close(&out, error);
}
