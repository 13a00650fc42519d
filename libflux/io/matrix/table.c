/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrices as tables: a row a line, with commas, semicolons or spaces between the entries. A first row with a word that
 * is no number names the columns; below one, each row may begin with a name, too. A blank line or "---" ends a matrix.
 */
#include "io/fail.h"
#include "io/matrix/matrix.h"

struct table {
    struct flux_io_lines *lines;
    char separator;       /* 0: not known yet */
    uint64_t begin;       /* line of the first row; 0: between matrices */
    uint64_t header;      /* its words; 0: none */
    uint64_t header_line; /* of them */
    int header_corner;    /* its first word is empty */
    int names;            /* rows begin with a name */
    uint64_t columns;
    uint64_t rows;
};

/* Words of the line; `*all_numbers` where each of them looks like one. The line is left as it is. */
static uint64_t count_words(const struct table *table, int *all_numbers, int *corner)
{
    const char *text = table->lines->text;
    uint64_t count = 0;
    int quoted = 0;
    char word[16];
    *all_numbers = 1;
    *corner = 0;
    while (text) {
        size_t used = 0;
        while (*text == ' ' || *text == '\t')
            text++;
        if (table->separator == ' ' && !*text)
            break;
        for (; *text; text++) {
            quoted ^= *text == '"';
            int ends = table->separator == ' ' ? *text == ' ' || *text == '\t' : *text == table->separator;
            if (ends && !quoted)
                break;
            if (*text != '"' && used + 1 < sizeof word)
                word[used++] = *text;
        }
        while (used && (word[used - 1] == ' ' || word[used - 1] == '\t'))
            used--;
        word[used] = '\0';
        *corner |= count == 0 && used == 0;
        /* An entry left out is an error of its own, but an empty first word is the corner of a header. */
        *all_numbers &= (count && !used) || flux_io_is_number(word);
        count++;
        text = *text ? text + 1 : NULL;
    }
    return count;
}

static int read_header(struct table *table, uint64_t words, int corner)
{
    table->header = words;
    table->header_line = table->lines->line;
    table->header_corner = corner;
    return FLUX_OK;
}

/* The first row of entries says how many columns there are. */
static int begin_matrix(struct table *table, uint64_t words, int all_numbers)
{
    struct flux_io_lines *lines = table->lines;
    table->begin = lines->line;
    table->rows = 0;
    table->names = table->header && (table->header_corner || !all_numbers || words == table->header + 1);
    table->columns = words - (uint64_t)table->names;
    uint64_t named = table->header - (uint64_t)(table->header && table->names && table->header == words);
    if (table->header && named != table->columns)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, 1, "%llu entries here, but %llu names of columns in line %llu",
                                  (unsigned long long)table->columns, (unsigned long long)named,
                                  (unsigned long long)table->header_line);
    if (table->columns < 2)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, 1, "one entry in a row; a matrix has at least 2 ports");
    return flux_io_matrix_begin(lines, table->columns);
}

static int read_row(struct table *table)
{
    struct flux_io_lines *lines = table->lines;
    struct flux_io_word word;
    char *rest = lines->text;
    uint64_t column = 1, at = 0, row = table->rows++;
    if (row == table->columns)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, 1,
                                  "row %llu of a matrix with %llu columns; it must be square, and a blank line comes "
                                  "before the next one",
                                  (unsigned long long)row + 1, (unsigned long long)table->columns);
    if (table->names)
        flux_io_next_word(&rest, &column, table->separator, &word);
    while (flux_io_next_word(&rest, &column, table->separator, &word)) {
        int64_t value;
        if (at == table->columns)
            return flux_io_lines_fail(lines, FLUX_E_FORMAT, word.column,
                                      "more than %llu entries; the rows must be of one length",
                                      (unsigned long long)table->columns);
        int rc = flux_io_value(lines, &word, &value);
        if (!rc && value)
            rc = flux_io_matrix_add(lines, row, at, value, word.column);
        if (rc)
            return rc;
        at++;
    }
    if (at < table->columns)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, lines->length + 1, "%llu entries, the first row has %llu",
                                  (unsigned long long)at, (unsigned long long)table->columns);
    return FLUX_OK;
}

static int end_matrix(struct table *table)
{
    struct flux_io_lines *lines = table->lines;
    if (table->header && !table->begin)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, 1, "no entries after the names in line %llu",
                                  (unsigned long long)table->header_line);
    if (!table->begin)
        return FLUX_OK;
    if (table->rows < table->columns)
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, 1,
                                  "the matrix ends after %llu of %llu rows; it is cut off, or not square",
                                  (unsigned long long)table->rows, (unsigned long long)table->columns);
    int rc = flux_io_matrix_end(lines, table->begin);
    table->begin = table->header = 0;
    return rc;
}

static int read_line(struct table *table)
{
    struct flux_io_lines *lines = table->lines;
    int all_numbers, corner, rc = FLUX_OK;
    if (flux_io_is_market(lines->text))
        return flux_io_lines_fail(lines, FLUX_E_FORMAT, 1, "a Matrix Market banner below a table; use one format");
    if (flux_io_line_is_blank(lines->text) || flux_io_line_is_rule(lines->text))
        return end_matrix(table);
    if (flux_io_line_is_comment(lines->text))
        return flux_io_lines_comment(lines);
    if (!table->separator)
        table->separator = flux_io_separator(lines->text);
    if (!table->begin) {
        uint64_t words = count_words(table, &all_numbers, &corner);
        if (!table->header && !all_numbers)
            return read_header(table, words, corner);
        rc = begin_matrix(table, words, all_numbers);
    }
    return rc ? rc : read_row(table);
}

int flux_io_table_read(struct flux_io_lines *lines, int more)
{
    struct table table = {.lines = lines};
    int rc = FLUX_OK;
    while (!rc && more)
        if (!(rc = read_line(&table)))
            rc = flux_io_lines_next(lines, &more);
    return rc ? rc : end_matrix(&table);
}
