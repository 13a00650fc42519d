/* SPDX-License-Identifier: Apache-2.0 */
#include "io/emit.h"

#include <libflux/units.h>
#include <string.h>

#define WIDTH 110 /* columns after which a flow list goes on in the next line */

void flux_io_emit_begin(struct flux_io_emit *emit, struct flux_io_output *out, int json)
{
    memset(emit, 0, sizeof *emit);
    emit->out = out;
    emit->json = json;
    emit->line_begin = out->written;
    if (json)
        flux_io_put_char(out, '{');
}

void flux_io_emit_end(struct flux_io_emit *emit)
{
    flux_io_put(emit->out, emit->json ? "\n}\n" : "\n");
}

static void new_line(struct flux_io_emit *emit, uint32_t indent)
{
    flux_io_put_char(emit->out, '\n');
    emit->line_begin = emit->out->written;
    for (uint32_t i = 0; i < indent + (emit->json ? 1 : 0); i++)
        flux_io_put(emit->out, "  ");
}

static int in_flow(const struct flux_io_emit *emit)
{
    return emit->level > emit->blocks;
}

/* What stands before an entry of the level that is open. */
static void begin_entry(struct flux_io_emit *emit)
{
    uint32_t before = emit->count[emit->level]++;
    if (in_flow(emit)) {
        if (before)
            flux_io_put_char(emit->out, ',');
        if (before && emit->out->written - emit->line_begin > WIDTH)
            new_line(emit, emit->blocks + 1);
        else if (before)
            flux_io_put_char(emit->out, ' ');
        return;
    }
    if (before && emit->json)
        flux_io_put_char(emit->out, ',');
    if (emit->json || before || emit->level) /* YAML begins without an empty line */
        new_line(emit, emit->blocks);
}

static void put_word(struct flux_io_emit *emit, const char *word)
{
    if (emit->json)
        flux_io_put_char(emit->out, '"');
    flux_io_put(emit->out, word);
    if (emit->json)
        flux_io_put_char(emit->out, '"');
}

void flux_io_emit_key(struct flux_io_emit *emit, const char *key)
{
    begin_entry(emit);
    put_word(emit, key);
    flux_io_put_char(emit->out, ':');
    emit->after_key = !emit->json && !in_flow(emit);
    if (!emit->after_key)
        flux_io_put_char(emit->out, ' ');
}

void flux_io_emit_item(struct flux_io_emit *emit)
{
    begin_entry(emit);
    if (!emit->json && !in_flow(emit))
        flux_io_put(emit->out, "- ");
}

/* After the colon of a block key a scalar or flow value needs a space; a block begins in a new line. */
static void begin_value(struct flux_io_emit *emit)
{
    if (emit->after_key)
        flux_io_put_char(emit->out, ' ');
    emit->after_key = 0;
}

static void open_level(struct flux_io_emit *emit, int block)
{
    emit->level++;
    emit->blocks += (uint32_t)block;
    emit->count[emit->level] = 0;
}

void flux_io_emit_open_block(struct flux_io_emit *emit)
{
    emit->after_key = 0;
    if (emit->json)
        flux_io_put_char(emit->out, '{');
    open_level(emit, 1);
}

static void close_block(struct flux_io_emit *emit, const char *empty, char bracket)
{
    uint32_t entries = emit->count[emit->level];
    emit->level--;
    emit->blocks--;
    if (emit->json) {
        if (entries)
            new_line(emit, emit->blocks);
        flux_io_put_char(emit->out, bracket);
    } else if (!entries) {
        flux_io_put(emit->out, empty);
    }
}

void flux_io_emit_close_block(struct flux_io_emit *emit)
{
    close_block(emit, " {}", '}');
}

void flux_io_emit_open_list(struct flux_io_emit *emit)
{
    emit->after_key = 0;
    if (emit->json)
        flux_io_put_char(emit->out, '[');
    open_level(emit, 1);
}

void flux_io_emit_close_list(struct flux_io_emit *emit)
{
    close_block(emit, " []", ']');
}

void flux_io_emit_open_flow(struct flux_io_emit *emit, char bracket)
{
    begin_value(emit);
    flux_io_put_char(emit->out, bracket);
    open_level(emit, 0);
}

void flux_io_emit_close_flow(struct flux_io_emit *emit, char bracket)
{
    emit->level--;
    flux_io_put_char(emit->out, bracket);
}

void flux_io_emit_whole(struct flux_io_emit *emit, uint64_t number)
{
    begin_value(emit);
    flux_io_put_u64(emit->out, number);
}

void flux_io_emit_word(struct flux_io_emit *emit, const char *word)
{
    begin_value(emit);
    put_word(emit, word);
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Words that some reader of YAML takes for a truth value or for nothing. */
static int is_reserved(const char *name)
{
    static const char *const reserved[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        size_t at = 0;
        while (reserved[i][at] && (name[at] | 0x20) == reserved[i][at])
            at++;
        if (!reserved[i][at] && !name[at])
            return 1;
    }
    return 0;
}

/* Text that every reader of YAML takes for a string, also in flow style. */
static int is_plain(const char *name)
{
    if (!is_letter(name[0]) || is_reserved(name))
        return 0;
    for (const char *at = name; *at; at++)
        if (!is_letter(*at) && !(*at >= '0' && *at <= '9') && *at != '.' && *at != '-' && *at != '/')
            return 0;
    return 1;
}

void flux_io_emit_name(struct flux_io_emit *emit, const char *name)
{
    begin_value(emit);
    if (!emit->json && is_plain(name))
        flux_io_put(emit->out, name);
    else
        flux_io_put_json(emit->out, name);
}

void flux_io_emit_time(struct flux_io_emit *emit, int64_t time)
{
    char text[FLUX_UNITS_TEXT];
    flux_io_emit_word(emit, flux_time_format(time, text, sizeof text));
}

void flux_io_emit_bytes(struct flux_io_emit *emit, uint64_t bytes)
{
    char text[FLUX_UNITS_TEXT];
    flux_io_emit_word(emit, flux_bytes_format(bytes, text, sizeof text));
}

void flux_io_emit_rate(struct flux_io_emit *emit, uint64_t rate)
{
    char text[FLUX_UNITS_TEXT];
    flux_io_emit_word(emit, flux_rate_format(rate, text, sizeof text));
}
