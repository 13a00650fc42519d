/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines and words of a matrix file, and decimals without locale or rounding on the way.
 */
#include "io/fail.h"
#include "io/matrix/matrix.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES (UINT64_C(1) << 20)
#define TEXT_ROOM 480

__extension__ typedef unsigned __int128 wide;

int flux_io_lines_fail(const struct flux_io_lines *lines, int code, uint64_t column, const char *format, ...)
{
    char text[TEXT_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return flux_io_fail_line(lines->error, code, lines->source->path, lines->line, column, "%s", text);
}

static int keep_byte(struct flux_io_lines *lines, char byte)
{
    if (lines->length + 2 > lines->capacity &&
        flux_io_grow(&lines->matrices->memory, &lines->text, &lines->capacity, lines->length + 2, 1))
        return flux_io_fail_memory(lines->error);
    if (byte)
        lines->text[lines->length++] = byte;
    lines->text[lines->length] = '\0';
    return FLUX_OK;
}

int flux_io_lines_next(struct flux_io_lines *lines, int *more)
{
    int rc, any = 0;
    lines->length = 0;
    lines->line++;
    *more = 1;
    if ((rc = keep_byte(lines, '\0')))
        return rc;
    for (;;) {
        if (lines->at == lines->filled) {
            lines->at = 0;
            if ((rc = flux_io_source_read(lines->source, lines->bytes, sizeof lines->bytes, &lines->filled,
                                          lines->error)))
                return rc;
            if (lines->filled == 0) {
                *more = any;
                return FLUX_OK;
            }
        }
        char byte = lines->bytes[lines->at++];
        int after_return = lines->after_return;
        lines->after_return = byte == '\r';
        if (byte == '\n' && after_return && !any)
            continue; /* the rest of CRLF */
        if (byte == '\n' || byte == '\r')
            return FLUX_OK;
        any = 1;
        if (byte == '\0')
            return flux_io_lines_fail(lines, FLUX_E_FORMAT, lines->length + 1, "a zero byte; this is no text");
        if (lines->length >= LINE_MAX_BYTES)
            return flux_io_lines_fail(lines, FLUX_E_TOO_BIG, 1, "a line of more than 1 MiB");
        if ((rc = keep_byte(lines, byte)))
            return rc;
        if (lines->line == 1 && lines->length == 3 && memcmp(lines->text, "\xef\xbb\xbf", 3) == 0)
            lines->length = 0;
    }
}

static int is_space(char c)
{
    return c == ' ' || c == '\t';
}

static const char *skip_space(const char *text)
{
    while (is_space(*text))
        text++;
    return text;
}

int flux_io_line_is_blank(const char *text)
{
    return *skip_space(text) == '\0';
}

int flux_io_line_is_comment(const char *text)
{
    text = skip_space(text);
    return *text == '#' || *text == '%';
}

int flux_io_line_is_rule(const char *text)
{
    text = skip_space(text);
    return strncmp(text, "---", 3) == 0 && flux_io_line_is_blank(text + 3);
}

/* ---- words ---- */

char flux_io_separator(const char *text)
{
    char found = ' ';
    int quoted = 0;
    for (; *text; text++) {
        quoted ^= *text == '"';
        if (*text == ';' && !quoted)
            return ';';
        if (*text == ',' && !quoted)
            found = ',';
    }
    return found;
}

int flux_io_next_word(char **rest, uint64_t *column, char separator, struct flux_io_word *word)
{
    char *text = *rest, *end;
    int quoted = 0;
    if (!text)
        return 0;
    while (is_space(*text)) {
        text++;
        ++*column;
    }
    if (separator == ' ' && !*text)
        return 0;
    for (end = text; *end && (quoted || (separator == ' ' ? !is_space(*end) : *end != separator)); end++)
        quoted ^= *end == '"';
    *word = (struct flux_io_word){text, (uint64_t)(end - text), *column};
    *rest = *end ? end + 1 : NULL;
    *column += (uint64_t)(end - text) + 1;
    *end = '\0';
    while (word->length && is_space(word->text[word->length - 1]))
        word->text[--word->length] = '\0';
    if (word->length >= 2 && word->text[0] == '"' && word->text[word->length - 1] == '"') {
        word->text++;
        word->text[word->length -= 2] = '\0';
    }
    return 1;
}

/* ---- decimals ---- */

static int same_word(const char *text, const char *word)
{
    for (; *word; text++, word++)
        if ((*text | 0x20) != *word)
            return 0;
    return *text == '\0';
}

static int is_not_finite(const char *text)
{
    text += *text == '+' || *text == '-';
    return same_word(text, "nan") || same_word(text, "inf") || same_word(text, "infinity");
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int flux_io_is_number(const char *text)
{
    if (is_not_finite(text))
        return 1;
    text += *text == '+' || *text == '-';
    text += *text == '.';
    return is_digit(*text);
}

struct decimal {
    uint64_t mantissa; /* the first 19 digits that count */
    int64_t exponent;  /* of ten */
    int negative;
};

/* [sign] digits [. digits] [e [sign] digits], all of it. */
static int read_decimal(const char *text, struct decimal *decimal)
{
    int digits = 0, point = 0, kept = 0;
    *decimal = (struct decimal){0, 0, *text == '-'};
    text += *text == '-' || *text == '+';
    for (; is_digit(*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = 1;
            continue;
        }
        digits = 1;
        decimal->exponent -= point;
        if (kept == 19) { /* too small a digit to count */
            decimal->exponent++;
            continue;
        }
        decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(*text - '0');
        kept += decimal->mantissa != 0;
    }
    if (!digits)
        return -1;
    if (*text == 'e' || *text == 'E' || *text == 'd' || *text == 'D') { /* Fortran writes d */
        int negative = text[1] == '-';
        int64_t exponent = 0;
        text += 1 + (text[1] == '-' || text[1] == '+');
        if (!is_digit(*text))
            return -1;
        for (; is_digit(*text); text++)
            exponent = exponent < 100000 ? exponent * 10 + (*text - '0') : exponent;
        decimal->exponent += negative ? -exponent : exponent;
    }
    return *text ? -1 : 0;
}

/* In units, to the nearest whole number, at least 1 where it is not 0. -1: too large. */
static int64_t scale(const struct decimal *decimal, uint64_t unit)
{
    wide value = (wide)decimal->mantissa * unit, below = 1; /* both below 2^64 and 2^42 */
    int64_t exponent = decimal->exponent;
    if (!decimal->mantissa)
        return 0;
    for (; exponent > 0; exponent--)
        if ((value *= 10) > (wide)FLUX_IO_MATRIX_VALUE_MAX * 2)
            return -1;
    for (; exponent < 0 && below <= value * 2; exponent++)
        below *= 10;
    value = exponent < 0 ? 0 : (value + below / 2) / below;
    return value > (wide)FLUX_IO_MATRIX_VALUE_MAX ? -1 : value ? (int64_t)value : 1;
}

int flux_io_value(const struct flux_io_lines *lines, const struct flux_io_word *word, int64_t *value)
{
    struct decimal decimal;
    char quoted[FLUX_IO_QUOTE];
    flux_io_quote(word->text, quoted, sizeof quoted);
    if (word->length == 0)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, word->column, "an entry is missing; write 0 for no traffic");
    if (is_not_finite(word->text))
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, word->column, "'%s' is no demand: entries are finite", quoted);
    if (read_decimal(word->text, &decimal)) {
        const char *comma = strchr(word->text, ',') ? "; decimals are written with a point" : "";
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, word->column, "'%s' is no number%s", quoted, comma);
    }
    if (decimal.negative && decimal.mantissa)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, word->column, "'%s' is negative; demands are 0 or more",
                                  quoted);
    *value = scale(&decimal, lines->matrices->unit);
    if (*value < 0)
        return flux_io_lines_fail(lines, FLUX_E_OVERFLOW, word->column, "'%s' is beyond 2^62 %s; give a smaller unit",
                                  quoted, lines->matrices->is_time ? "ps" : "bytes");
    return FLUX_OK;
}
