/* SPDX-License-Identifier: Apache-2.0 */
#include "io/perfetto.h"

void flux_perfetto_event(struct flux_perfetto *writer, char phase, uint32_t process, uint32_t thread)
{
    flux_io_put(writer->out, writer->events++ ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    flux_io_put_char(writer->out, phase);
    flux_io_put(writer->out, "\",\"pid\":");
    flux_io_put_u64(writer->out, process);
    if (thread) {
        flux_io_put(writer->out, ",\"tid\":");
        flux_io_put_u64(writer->out, thread);
    }
}

void flux_perfetto_number(struct flux_perfetto *writer, const char *key, uint64_t number)
{
    flux_io_put(writer->out, key);
    flux_io_put_u64(writer->out, number);
    if (number > INT64_MAX) /* readers take such a number only where it looks like a real one */
        flux_io_put(writer->out, ".0");
}

void flux_perfetto_time(struct flux_perfetto *writer, const char *key, int64_t time)
{
    flux_io_put(writer->out, key);
    flux_io_put_fixed(writer->out, time, 6);
}

void flux_perfetto_name_process(struct flux_perfetto *writer, uint32_t process, const char *kind, uint32_t number)
{
    flux_perfetto_event(writer, 'M', process, 0);
    flux_io_put_format(writer->out, ",\"name\":\"process_name\",\"args\":{\"name\":\"%s %u\"}}", kind, number);
    flux_perfetto_event(writer, 'M', process, 0);
    flux_io_put_format(writer->out, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}", process);
}

uint32_t flux_perfetto_name_thread(struct flux_perfetto *writer, uint32_t process, const char *name)
{
    uint32_t thread = writer->next_thread++;
    flux_perfetto_event(writer, 'M', process, thread);
    flux_io_put_format(writer->out, ",\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}", name);
    flux_perfetto_event(writer, 'M', process, thread);
    flux_io_put_format(writer->out, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}", thread);
    return thread;
}

/* Nanoseconds, rounded: a tie goes down or up as `up` says. */
static int64_t round_ns(int64_t time, int up)
{
    return (time + (up ? 500 : 499)) / 1000;
}

/* How long a slice is written to be. Perfetto keeps whole nanoseconds and rounds begin and length each for itself, so
 * that a slice could reach into the next one of its thread and be drawn as its child. Where that would happen the
 * length is cut by less than two nanoseconds; the exact end stands in the slice of the sending GPU. */
static int64_t written_length(int64_t start, int64_t end, int64_t next)
{
    int64_t room = round_ns(next, 0) - round_ns(start, 1);
    if (round_ns(end - start, 1) <= room)
        return end - start;
    int64_t whole = (end - start) / 1000;
    if (whole > room)
        whole = room > 0 ? room : 0;
    return whole * 1000;
}

void flux_perfetto_slice(struct flux_perfetto *writer, uint32_t process, uint32_t thread, int64_t start, int64_t end,
                         int64_t next, const char *category)
{
    flux_perfetto_event(writer, 'X', process, thread);
    flux_perfetto_time(writer, ",\"ts\":", start);
    flux_perfetto_time(writer, ",\"dur\":", written_length(start, end, next));
    flux_io_put(writer->out, ",\"cat\":\"");
    flux_io_put(writer->out, category);
    flux_io_put(writer->out, "\",\"name\":");
}
