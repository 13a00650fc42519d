/* SPDX-License-Identifier: Apache-2.0 */
#include "io/yaml.h"

#include "io/fail.h"
#include "io/utf8.h"

#include <libflux/units.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Texts of errors are made here and then handed on with their place. */
#define TEXT_ROOM 480

int flux_io_yaml_fail_at(struct flux_io_yaml *yaml, int code, struct flux_io_place place, const char *format, ...)
{
    char text[TEXT_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return flux_io_fail_line(yaml->error, code, yaml->path, place.line, place.column, "%s", text);
}

int flux_io_yaml_fail(struct flux_io_yaml *yaml, const char *format, ...)
{
    char text[TEXT_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, flux_io_yaml_place(yaml), "%s", text);
}

static struct flux_io_place place_of(const yaml_mark_t *mark)
{
    struct flux_io_place place = {UINT32_MAX, UINT32_MAX};
    if (mark->line < UINT32_MAX)
        place.line = (uint32_t)mark->line + 1;
    if (mark->column < UINT32_MAX)
        place.column = (uint32_t)mark->column + 1;
    return place;
}

struct flux_io_place flux_io_yaml_place(const struct flux_io_yaml *yaml)
{
    return place_of(&yaml->event.start_mark);
}

/* ---- the input: bytes of the source, checked to be characters that YAML allows ---- */

static int is_break(uint32_t point)
{
    return point == '\n' || point == '\r' || point == 0x85 || point == 0x2028 || point == 0x2029;
}

static int is_allowed(uint32_t point)
{
    return (point >= 0x20 && point != 0x7f && point < 0x80) || point == '\t' || is_break(point) ||
           (point >= 0xa0 && point < 0xfffe) || point >= 0x10000;
}

/* Moves `next` over one character. CR LF is one line's end. */
static void advance(struct flux_io_yaml *yaml, uint32_t point)
{
    int joined = point == '\n' && yaml->after_return;
    yaml->after_return = point == '\r';
    if (joined)
        return;
    if (!is_break(point)) {
        yaml->next.column += yaml->next.column < UINT32_MAX;
        return;
    }
    yaml->next.line += yaml->next.line < UINT32_MAX;
    yaml->next.column = 1;
}

/* Checks the bytes from `checked` on. */
static int check_bytes(struct flux_io_yaml *yaml)
{
    while (yaml->checked < yaml->end) {
        const unsigned char *at = yaml->bytes + yaml->checked;
        size_t left = yaml->end - yaml->checked;
        if (*at >= 0x20 && *at < 0x7f) {
            yaml->next.column += yaml->next.column < UINT32_MAX;
            yaml->after_return = 0;
            yaml->checked++;
            continue;
        }
        size_t length = flux_io_utf8_length(at, left);
        if (length == 0 && left < 4 && *at >= 0xc2 && *at <= 0xf4 && !yaml->at_end)
            return FLUX_OK; /* perhaps its rest comes with the next bytes */
        if (length == 0)
            return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, yaml->next,
                                        "byte 0x%02x is not UTF-8; save the file in UTF-8", (unsigned)*at);
        uint32_t point = flux_io_utf8_point(at, length);
        if (!is_allowed(point))
            return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, yaml->next,
                                        "the character U+%04X is not allowed here; write it as \\u%04x in double "
                                        "quotes, or remove it",
                                        (unsigned)point, (unsigned)point);
        advance(yaml, point);
        yaml->checked += length;
    }
    return FLUX_OK;
}

static int refill(struct flux_io_yaml *yaml)
{
    size_t kept = yaml->end - yaml->begin;
    memmove(yaml->bytes, yaml->bytes + yaml->begin, kept);
    yaml->begin = yaml->checked = 0;
    yaml->end = kept;
    while (yaml->checked == 0 && !yaml->at_end) {
        size_t count;
        int rc = flux_io_source_read(yaml->source, yaml->bytes + yaml->end, sizeof yaml->bytes - yaml->end, &count,
                                     yaml->error);
        if (rc)
            return rc;
        yaml->at_end = count == 0;
        yaml->end += count;
        yaml->taken += count;
        if (yaml->taken > FLUX_IO_DOCUMENT_MAX)
            return flux_io_yaml_fail_at(yaml, FLUX_E_TOO_BIG, yaml->next, "a document holds at most %llu bytes",
                                        (unsigned long long)FLUX_IO_DOCUMENT_MAX);
        if (yaml->taken - yaml->taken_last > FLUX_IO_VALUE_MAX)
            return flux_io_yaml_fail_at(yaml, FLUX_E_TOO_BIG, yaml->next,
                                        "a value or comment of more than %llu bytes; is a quote not closed?",
                                        (unsigned long long)FLUX_IO_VALUE_MAX);
        rc = check_bytes(yaml);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

/* libyaml's input function: 1, or 0 with `failed` set. */
static int feed(void *user, unsigned char *buffer, size_t size, size_t *count)
{
    struct flux_io_yaml *yaml = user;
    *count = 0;
    if (yaml->begin == yaml->checked) {
        yaml->failed = refill(yaml);
        if (yaml->failed)
            return 0;
    }
    size_t part = yaml->checked - yaml->begin;
    if (part > size)
        part = size;
    memcpy(buffer, yaml->bytes + yaml->begin, part);
    yaml->begin += part;
    *count = part;
    return 1;
}

/* ---- events ---- */

static int parser_failed(struct flux_io_yaml *yaml)
{
    const yaml_parser_t *parser = &yaml->parser;
    const char *problem = parser->problem ? parser->problem : "it cannot be read";
    if (yaml->failed)
        return yaml->failed;
    if (parser->error == YAML_MEMORY_ERROR)
        return flux_io_fail_memory(yaml->error);
    if (parser->error == YAML_READER_ERROR)
        return flux_io_fail_offset(yaml->error, FLUX_E_FORMAT, yaml->path, parser->problem_offset, "not YAML: %s",
                                   problem);
    struct flux_io_place place = place_of(&parser->problem_mark);
    if (parser->context)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place,
                                    "not YAML: %s, %s that begins in line %llu; look for a missing bracket, quote, "
                                    "colon or indentation",
                                    problem, parser->context, (unsigned long long)parser->context_mark.line + 1);
    return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place,
                                "not YAML: %s; look for a missing bracket, quote, colon or indentation", problem);
}

/* Anchor and tag of an event that may have them. */
static void read_properties(const yaml_event_t *event, const yaml_char_t **anchor, const yaml_char_t **tag)
{
    *anchor = *tag = NULL;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        *anchor = event->data.scalar.anchor;
        *tag = event->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        *anchor = event->data.sequence_start.anchor;
        *tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        *anchor = event->data.mapping_start.anchor;
        *tag = event->data.mapping_start.tag;
        break;
    default:
        break;
    }
}

static int next(struct flux_io_yaml *yaml)
{
    const yaml_char_t *anchor;
    const yaml_char_t *tag;
    yaml_event_delete(&yaml->event);
    if (!yaml_parser_parse(&yaml->parser, &yaml->event))
        return parser_failed(yaml);
    yaml->taken_last = yaml->taken;
    if (yaml->event.type == YAML_ALIAS_EVENT)
        return flux_io_yaml_fail(yaml, "aliases (*name) are not allowed; write the value out");
    read_properties(&yaml->event, &anchor, &tag);
    if (anchor)
        return flux_io_yaml_fail(yaml, "anchors (&name) are not allowed; remove it");
    if (tag)
        return flux_io_yaml_fail(yaml, "tags (!type) are not allowed; remove it");
    return FLUX_OK;
}

int flux_io_yaml_open(struct flux_io_yaml *yaml, struct flux_io_source *source, struct flux_error *error)
{
    int rc;
    memset(yaml, 0, offsetof(struct flux_io_yaml, bytes));
    yaml->path = source->path;
    yaml->source = source;
    yaml->error = error;
    yaml->next.line = yaml->next.column = 1;
    if (source->head_size >= 3 && memcmp(source->head, "\xef\xbb\xbf", 3) == 0)
        source->head_given = 3; /* a byte order mark is no text */
    if (!yaml_parser_initialize(&yaml->parser))
        return flux_io_fail_memory(error);
    yaml_parser_set_encoding(&yaml->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input(&yaml->parser, feed, yaml);
    if ((rc = next(yaml)) || (rc = next(yaml))) /* start of stream and of document */
        return rc;
    if (yaml->event.type == YAML_STREAM_END_EVENT)
        return flux_io_yaml_fail(yaml, "there is no document in it");
    return next(yaml);
}

void flux_io_yaml_close(struct flux_io_yaml *yaml)
{
    yaml_event_delete(&yaml->event);
    yaml_parser_delete(&yaml->parser);
}

int flux_io_yaml_finish(struct flux_io_yaml *yaml)
{
    int rc;
    if ((rc = next(yaml)) || (rc = next(yaml))) /* end of document */
        return rc;
    if (yaml->event.type != YAML_STREAM_END_EVENT)
        return flux_io_yaml_fail(yaml, "a second document begins; one file holds one document");
    return FLUX_OK;
}

/* What the reader stands on, in words. */
static const char *kind(const struct flux_io_yaml *yaml)
{
    switch (yaml->event.type) {
    case YAML_MAPPING_START_EVENT:
        return "a mapping";
    case YAML_SEQUENCE_START_EVENT:
        return "a list";
    default:
        return yaml->event.type == YAML_SCALAR_EVENT && yaml->event.data.scalar.length == 0 ? "nothing"
                                                                                            : "a single value";
    }
}

int flux_io_yaml_map(struct flux_io_yaml *yaml, const char *what)
{
    if (yaml->event.type == YAML_MAPPING_START_EVENT)
        return FLUX_OK;
    return flux_io_yaml_fail(yaml, "%s must be a mapping (key: value), but %s is here", what, kind(yaml));
}

static int unknown_key(struct flux_io_yaml *yaml, const struct flux_io_keys *keys)
{
    char list[256];
    char quote[FLUX_IO_QUOTE];
    size_t used = 0;
    list[0] = '\0';
    for (uint32_t i = 0; i < keys->count && used < sizeof list; i++) {
        int length = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", keys->names[i]);
        used += length > 0 ? (size_t)length : 0;
    }
    return flux_io_yaml_fail(yaml, "unknown key '%s' in %s; the keys are %s",
                             flux_io_quote((const char *)yaml->event.data.scalar.value, quote, sizeof quote),
                             keys->what, list);
}

int flux_io_yaml_key(struct flux_io_yaml *yaml, struct flux_io_keys *keys, uint32_t *key)
{
    int rc = next(yaml);
    *key = FLUX_NONE;
    if (rc || yaml->event.type == YAML_MAPPING_END_EVENT)
        return rc;
    if (yaml->event.type != YAML_SCALAR_EVENT)
        return flux_io_yaml_fail(yaml, "a key of %s must be a word, but %s is here", keys->what, kind(yaml));
    const char *text = (const char *)yaml->event.data.scalar.value;
    size_t length = yaml->event.data.scalar.length;
    uint32_t index = 0;
    while (index < keys->count && (strlen(keys->names[index]) != length || memcmp(keys->names[index], text, length)))
        index++;
    if (index == keys->count)
        return unknown_key(yaml, keys);
    if (keys->seen[index].line)
        return flux_io_yaml_fail(yaml, "key '%s' of %s again, after line %u; remove one of them", keys->names[index],
                                 keys->what, (unsigned)keys->seen[index].line);
    keys->seen[index] = flux_io_yaml_place(yaml);
    *key = index;
    return next(yaml);
}

int flux_io_yaml_list(struct flux_io_yaml *yaml, const char *what)
{
    if (yaml->event.type == YAML_SEQUENCE_START_EVENT)
        return FLUX_OK;
    return flux_io_yaml_fail(yaml, "here must be %s, but %s is here", what, kind(yaml));
}

int flux_io_yaml_is_list(const struct flux_io_yaml *yaml)
{
    return yaml->event.type == YAML_SEQUENCE_START_EVENT;
}

int flux_io_yaml_item(struct flux_io_yaml *yaml, int *more)
{
    int rc = next(yaml);
    *more = rc == 0 && yaml->event.type != YAML_SEQUENCE_END_EVENT;
    return rc;
}

/* ---- scalars ---- */

int flux_io_yaml_text(struct flux_io_yaml *yaml, const char *what, const char **text, uint64_t *length)
{
    *text = "";
    *length = 0;
    if (yaml->event.type != YAML_SCALAR_EVENT)
        return flux_io_yaml_fail(yaml, "%s must be a single value, but %s is here", what, kind(yaml));
    *text = (const char *)yaml->event.data.scalar.value;
    *length = yaml->event.data.scalar.length;
    if (*length == 0)
        return flux_io_yaml_fail(yaml, "%s is empty", what);
    if (memchr(*text, 0, (size_t)*length))
        return flux_io_yaml_fail(yaml, "%s holds a zero character; remove it", what);
    return FLUX_OK;
}

static int not_whole(struct flux_io_yaml *yaml, const char *what, const char *text, uint32_t least, uint32_t most)
{
    char quote[FLUX_IO_QUOTE];
    return flux_io_yaml_fail(yaml, "%s must be a whole number from %u to %u without quotes, not '%s'", what,
                             (unsigned)least, (unsigned)most, flux_io_quote(text, quote, sizeof quote));
}

int flux_io_yaml_whole(struct flux_io_yaml *yaml, const char *what, uint32_t least, uint32_t most, uint32_t *number)
{
    const char *text;
    uint64_t length;
    uint64_t value = 0;
    int rc = flux_io_yaml_text(yaml, what, &text, &length);
    *number = 0;
    if (rc)
        return rc;
    /* Other readers take 010 for 8: leading zeros are refused. */
    int plain =
        yaml->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE && length <= 10 && !(text[0] == '0' && length > 1);
    for (uint64_t i = 0; plain && i < length; i++) {
        plain = text[i] >= '0' && text[i] <= '9';
        value = value * 10 + (uint64_t)(unsigned char)(text[i] - '0');
    }
    if (!plain || value < least || value > most)
        return not_whole(yaml, what, text, least, most);
    *number = (uint32_t)value;
    return FLUX_OK;
}

/* The text of a number with a unit, and afterwards the core's opinion of it. */
static int unit_failed(struct flux_io_yaml *yaml, const char *what, int code, const struct flux_error *fault)
{
    if (code != FLUX_E_ARGUMENT)
        return code == FLUX_E_MEMORY ? flux_io_fail_memory(yaml->error) : code;
    return flux_io_yaml_fail(yaml, "%s: %s", what, fault->text);
}

int flux_io_yaml_time(struct flux_io_yaml *yaml, const char *what, int64_t *time)
{
    struct flux_error fault;
    const char *text;
    uint64_t length;
    int rc = flux_io_yaml_text(yaml, what, &text, &length);
    *time = 0;
    if (rc)
        return rc;
    rc = flux_time_parse(text, time, &fault);
    return rc ? unit_failed(yaml, what, rc, &fault) : FLUX_OK;
}

/* A size or a rate, above 0. */
static int take_amount(struct flux_io_yaml *yaml, const char *what, const char *least,
                       int (*parse)(const char *, uint64_t *, struct flux_error *), uint64_t *amount)
{
    struct flux_error fault;
    const char *text;
    uint64_t length;
    int rc = flux_io_yaml_text(yaml, what, &text, &length);
    *amount = 0;
    if (rc)
        return rc;
    rc = parse(text, amount, &fault);
    if (rc)
        return unit_failed(yaml, what, rc, &fault);
    return *amount ? FLUX_OK : flux_io_yaml_fail(yaml, "%s must be at least %s", what, least);
}

int flux_io_yaml_bytes(struct flux_io_yaml *yaml, const char *what, uint64_t *bytes)
{
    return take_amount(yaml, what, "1B", flux_bytes_parse, bytes);
}

int flux_io_yaml_rate(struct flux_io_yaml *yaml, const char *what, uint64_t *rate)
{
    return take_amount(yaml, what, "1bps", flux_rate_parse, rate);
}

int flux_io_yaml_word(struct flux_io_yaml *yaml, const char *what, const char *const *words, uint32_t count,
                      uint32_t *index)
{
    const char *text;
    uint64_t length;
    char quote[FLUX_IO_QUOTE];
    char list[128];
    size_t used = 0;
    int rc = flux_io_yaml_text(yaml, what, &text, &length);
    if (rc)
        return rc;
    for (*index = 0; *index < count; ++*index)
        if (strcmp(words[*index], text) == 0)
            return FLUX_OK;
    *index = 0;
    list[0] = '\0';
    for (uint32_t i = 0; i < count && used < sizeof list; i++) {
        int part = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
        used += part > 0 ? (size_t)part : 0;
    }
    return flux_io_yaml_fail(yaml, "%s must be one of %s, not '%s'", what, list,
                             flux_io_quote(text, quote, sizeof quote));
}
