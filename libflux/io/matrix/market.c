/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix Market files (Boisvert, Pozo and Remington, NISTIR 5935, 1996), several one after another.
 */
#include "io/fail.h"
#include "io/matrix/matrix.h"

#include <string.h>

#define BANNER "%%matrixmarket"

struct market {
    struct flux_io_lines *lines;
    uint64_t begin; /* line of the banner */
    int coordinate;
    int symmetric;
    uint64_t ports;
    uint64_t entries; /* that the size line announces */
    uint64_t read;
    uint64_t row; /* of an array: where the next entry goes */
    uint64_t column;
};

static int equals(const char *text, const char *lower)
{
    for (; *text && *lower; text++, lower++) {
        char c = *text >= 'A' && *text <= 'Z' ? (char)(*text + 32) : *text;
        if (c != *lower)
            return 0;
    }
    return *text == *lower;
}

int flux_io_is_market(const char *text)
{
    char begin[sizeof BANNER];
    size_t length = strlen(text);
    if (length < sizeof BANNER - 1)
        return 0;
    memcpy(begin, text, sizeof BANNER - 1);
    begin[sizeof BANNER - 1] = '\0';
    return equals(begin, BANNER);
}

/* The next word; an empty one at the line's end where there is none. */
static void next_word(const struct flux_io_lines *lines, char **rest, uint64_t *column, struct flux_io_word *word)
{
    if (!flux_io_next_word(rest, column, ' ', word))
        *word = (struct flux_io_word){lines->text + lines->length, 0, lines->length + 1};
}

/* %%MatrixMarket matrix coordinate|array real|integer general|symmetric */
static int read_banner(struct market *market)
{
    struct flux_io_lines *lines = market->lines;
    struct flux_io_word word;
    char *rest = lines->text;
    char quoted[FLUX_IO_QUOTE];
    uint64_t column = 1;
    market->begin = lines->line;
    next_word(lines, &rest, &column, &word);
    next_word(lines, &rest, &column, &word);
    flux_io_quote(word.text, quoted, sizeof quoted);
    if (!equals(word.text, "matrix"))
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, word.column, "'%s' is no matrix", quoted);
    next_word(lines, &rest, &column, &word);
    flux_io_quote(word.text, quoted, sizeof quoted);
    market->coordinate = equals(word.text, "coordinate");
    if (!market->coordinate && !equals(word.text, "array"))
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, word.column, "'%s' is neither coordinate nor array", quoted);
    next_word(lines, &rest, &column, &word);
    flux_io_quote(word.text, quoted, sizeof quoted);
    if (!equals(word.text, "real") && !equals(word.text, "double") && !equals(word.text, "integer"))
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, word.column, "a demand is real or integer, not '%s'", quoted);
    next_word(lines, &rest, &column, &word);
    flux_io_quote(word.text, quoted, sizeof quoted);
    market->symmetric = equals(word.text, "symmetric");
    if (!market->symmetric && !equals(word.text, "general"))
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, word.column, "a demand is general or symmetric, not '%s'",
                                  quoted);
    return FLUX_OK;
}

static int read_whole(const struct flux_io_lines *lines, const struct flux_io_word *word, const char *what,
                      uint64_t least, uint64_t most, uint64_t *number)
{
    char quoted[FLUX_IO_QUOTE];
    uint64_t value = 0;
    const char *at = word->text;
    for (; *at >= '0' && *at <= '9' && value <= most; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    if (*at || !word->length || value < least || value > most)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, word->column, "'%s' is no %s from %llu to %llu",
                                  flux_io_quote(word->text, quoted, sizeof quoted), what, (unsigned long long)least,
                                  (unsigned long long)most);
    *number = value;
    return FLUX_OK;
}

static int nothing_more(const struct flux_io_lines *lines, char **rest, uint64_t *column)
{
    struct flux_io_word word;
    char quoted[FLUX_IO_QUOTE];
    if (!flux_io_next_word(rest, column, ' ', &word))
        return FLUX_OK;
    return flux_io_lines_fail(lines, FLUX_E_FORMAT, word.column, "'%s' is one word too many",
                              flux_io_quote(word.text, quoted, sizeof quoted));
}

static int read_size(struct market *market)
{
    struct flux_io_lines *lines = market->lines;
    struct flux_io_word word;
    char *rest = lines->text;
    uint64_t column = 1, columns, all;
    int rc;
    next_word(lines, &rest, &column, &word);
    if ((rc = read_whole(lines, &word, "number of rows", 0, UINT64_C(1) << 56, &market->ports)))
        return rc;
    next_word(lines, &rest, &column, &word);
    if ((rc = read_whole(lines, &word, "number of columns", 0, UINT64_C(1) << 56, &columns)))
        return rc;
    if (columns != market->ports)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, word.column,
                                  "%llu rows and %llu columns; a demand has one of each for every port",
                                  (unsigned long long)market->ports, (unsigned long long)columns);
    if ((rc = flux_io_matrix_begin(lines, columns)))
        return rc;
    all = market->symmetric ? columns * (columns + 1) / 2 : columns * columns;
    market->entries = all;
    if (market->coordinate) {
        next_word(lines, &rest, &column, &word);
        if ((rc = read_whole(lines, &word, "number of entries", 0, all, &market->entries)))
            return rc;
    }
    return nothing_more(lines, &rest, &column);
}

static int add(struct market *market, uint64_t row, uint64_t column, int64_t value, uint64_t place)
{
    int rc = flux_io_matrix_add(market->lines, row, column, value, place);
    if (!rc && market->symmetric && row != column)
        rc = flux_io_matrix_add(market->lines, column, row, value, place);
    return rc;
}

static int read_entry(struct market *market)
{
    struct flux_io_lines *lines = market->lines;
    struct flux_io_word word;
    char *rest = lines->text;
    uint64_t place = 1, row = market->row + 1, column = market->column + 1;
    int64_t value;
    int rc = FLUX_OK;
    if (market->read == market->entries)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, 1, "an entry beyond the %llu of the matrix in line %llu",
                                  (unsigned long long)market->entries, (unsigned long long)market->begin);
    if (market->coordinate) {
        next_word(lines, &rest, &place, &word);
        if ((rc = read_whole(lines, &word, "row", 1, market->ports, &row)))
            return rc;
        next_word(lines, &rest, &place, &word);
        if ((rc = read_whole(lines, &word, "column", 1, market->ports, &column)))
            return rc;
        if (market->symmetric && row < column)
            return flux_io_lines_fail(lines, FLUX_E_FORMAT, word.column,
                                      "an entry above the diagonal of a symmetric matrix; those below it are given");
    }
    next_word(lines, &rest, &place, &word);
    if ((rc = flux_io_value(lines, &word, &value)) ||
        (value && (rc = add(market, row - 1, column - 1, value, word.column))))
        return rc;
    market->read++;
    if (!market->coordinate && ++market->row == market->ports) { /* by columns */
        market->column++;
        market->row = market->symmetric ? market->column : 0;
    }
    return nothing_more(lines, &rest, &place);
}

static int end_matrix(struct market *market, int sized)
{
    struct flux_io_lines *lines = market->lines;
    if (!sized)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, 1,
                                  "the matrix that begins in line %llu has no size; it is cut off",
                                  (unsigned long long)market->begin);
    if (market->read < market->entries)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, 1, "the matrix ends after %llu of %llu entries; it is cut off",
                                  (unsigned long long)market->read, (unsigned long long)market->entries);
    return flux_io_matrix_end(lines, market->begin);
}

/* From its banner to the next banner or the end. */
static int read_matrix(struct flux_io_lines *lines, int *more)
{
    struct market market = {.lines = lines};
    int rc = read_banner(&market), sized = 0;
    while (!rc && !(rc = flux_io_lines_next(lines, more)) && *more && !flux_io_is_market(lines->text)) {
        if (flux_io_line_is_blank(lines->text) || flux_io_line_is_rule(lines->text))
            continue;
        if (flux_io_line_is_comment(lines->text)) {
            rc = flux_io_lines_comment(lines);
        } else if (!sized) {
            rc = read_size(&market);
            sized = 1;
        } else {
            rc = read_entry(&market);
        }
    }
    return rc ? rc : end_matrix(&market, sized);
}

int flux_io_market_read(struct flux_io_lines *lines)
{
    int rc = FLUX_OK, more = 1;
    while (!rc && more)
        rc = read_matrix(lines, &more);
    return rc;
}
