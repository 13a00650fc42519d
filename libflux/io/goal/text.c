/* SPDX-License-Identifier: Apache-2.0
 *
 * GOAL as text: docs/formats.md says what is read.
 */
#include "io/text.h"
#include "io/fail.h"
#include "io/goal/goal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WORD 256u /* the longest word, with an end */
#define PS_PER_NS 1000u

enum kind { WORD_TOKEN, COLON, OPEN, CLOSE, LINE_END, FILE_END, OTHER };

struct token {
    enum kind kind;
    uint32_t length;
    uint64_t line;
    uint64_t column;
    char word[WORD];
};

/* Which operation of the rank being read has the label with some index in workload->names. */
struct label {
    uint32_t rank; /* and one more; 0: none yet */
    uint32_t op;
    uint64_t line;
};

struct parse {
    struct flux_io_goal goal;
    struct flux_io_text text;
    struct label *labels;
    uint64_t label_capacity;
    uint32_t rank;
    uint32_t has_token; /* 1: `token` was looked at and not taken */
    struct token token;
};

int flux_io_goal_text_recognise(const struct flux_io_source *source)
{
    char head[FLUX_IO_HEAD + 1];
    memcpy(head, source->head, source->head_size);
    head[source->head_size] = '\0';
    const char *at = memcmp(head, "\xef\xbb\xbf", 3) == 0 ? head + 3 : head;
    for (;;) { /* comments and empty lines may come first */
        at += strspn(at, " \t\r\n");
        if (at[0] == '/' && at[1] == '/')
            at += strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*' && strstr(at + 2, "*/"))
            at = strstr(at + 2, "*/") + 2;
        else
            break;
    }
    return strncmp(at, "num_ranks", 9) == 0 && (at[9] == ' ' || at[9] == '\t');
}

/* ---- words ---- */

static int fail_at(struct parse *parse, const struct token *token, const char *what)
{
    char quote[FLUX_IO_QUOTE];
    if (token->kind == FILE_END)
        return flux_io_text_fail(&parse->text, token->line, token->column, "the file ends; %s", what);
    if (token->kind == LINE_END)
        return flux_io_text_fail(&parse->text, token->line, token->column, "the line ends; %s", what);
    return flux_io_text_fail(&parse->text, token->line, token->column, "%s, not '%s'", what,
                             flux_io_quote(token->word, quote, sizeof quote));
}

static int is_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '+';
}

/* Takes a comment whose slash is taken already. 1 where it was one. */
static int skip_comment(struct parse *parse)
{
    struct flux_io_text *text = &parse->text;
    int c = flux_io_text_peek(text);
    if (c == '/') {
        while (c != '\n' && c != FLUX_IO_TEXT_END) {
            flux_io_text_take(text);
            c = flux_io_text_peek(text);
        }
        return 1;
    }
    if (c != '*')
        return 0;
    flux_io_text_take(text);
    for (int before = 0;; before = c) {
        c = flux_io_text_peek(text);
        if (c == FLUX_IO_TEXT_END)
            return 0;
        flux_io_text_take(text);
        if (before == '*' && c == '/')
            return 1;
    }
}

static int read_word(struct parse *parse, struct token *token)
{
    int c;
    while (is_word(c = flux_io_text_peek(&parse->text))) {
        if (token->length == WORD - 1) {
            token->word[token->length] = '\0';
            return flux_io_text_fail(&parse->text, token->line, token->column, "a word of more than %u characters",
                                     WORD - 1);
        }
        token->word[token->length++] = (char)c;
        flux_io_text_take(&parse->text);
    }
    token->word[token->length] = '\0';
    token->kind = WORD_TOKEN;
    return FLUX_OK;
}

/* The next token into parse->token. */
static int next(struct parse *parse)
{
    struct flux_io_text *text = &parse->text;
    struct token *token = &parse->token;
    if (parse->has_token) {
        parse->has_token = 0;
        return FLUX_OK;
    }
    for (;;) {
        int c = flux_io_text_peek(text);
        token->line = text->line;
        token->column = text->column;
        token->length = 0;
        if (is_word(c))
            return read_word(parse, token);
        if (c == FLUX_IO_TEXT_END) {
            token->kind = FILE_END;
            return text->failed;
        }
        flux_io_text_take(text);
        if (c == ' ' || c == '\t' || (c == '/' && skip_comment(parse)))
            continue;
        token->word[0] = (char)c;
        token->word[1] = '\0';
        token->kind = c == ':' ? COLON : c == '{' ? OPEN : c == '}' ? CLOSE : c == '\n' ? LINE_END : OTHER;
        if (c == '/')
            return flux_io_text_fail(text, token->line, token->column, "a '/' that begins no whole comment");
        return FLUX_OK;
    }
}

/* The next token that is no line end. */
static int next_line(struct parse *parse)
{
    int rc;
    do
        rc = next(parse);
    while (!rc && parse->token.kind == LINE_END);
    return rc;
}

static int expect_word(struct parse *parse, const char *what)
{
    int rc = next(parse);
    if (!rc && parse->token.kind != WORD_TOKEN)
        rc = fail_at(parse, &parse->token, what);
    return rc;
}

static int expect_this(struct parse *parse, const char *word)
{
    char what[48];
    snprintf(what, sizeof what, "'%s' belongs here", word);
    int rc = expect_word(parse, what);
    if (!rc && strcmp(parse->token.word, word) != 0)
        rc = fail_at(parse, &parse->token, what);
    return rc;
}

/* A whole number; `what` names it in texts. With `any`, -1 becomes FLUX_IO_GOAL_ANY. */
static int read_number(struct parse *parse, const char *what, uint64_t most, int any, uint64_t *number)
{
    char quote[FLUX_IO_QUOTE];
    char text[48];
    const char *wrong;
    snprintf(text, sizeof text, "%s belongs here", what);
    int rc = expect_word(parse, text);
    if (rc)
        return rc;
    if (any && strcmp(parse->token.word, "-1") == 0) {
        *number = FLUX_IO_GOAL_ANY;
        return FLUX_OK;
    }
    wrong = flux_io_text_whole(parse->token.word, number);
    if (!wrong && *number > most)
        return flux_io_text_fail(&parse->text, parse->token.line, parse->token.column,
                                 "%s %" PRIu64 " is more than %" PRIu64, what, *number, most);
    if (wrong)
        return flux_io_text_fail(&parse->text, parse->token.line, parse->token.column, "%s '%s' %s", what,
                                 flux_io_quote(parse->token.word, quote, sizeof quote), wrong);
    return FLUX_OK;
}

/* "4096b". */
static int read_size(struct parse *parse, uint64_t *bytes)
{
    char quote[FLUX_IO_QUOTE];
    struct token *token = &parse->token;
    int rc = expect_word(parse, "a size such as 4096b belongs here");
    if (rc)
        return rc;
    flux_io_quote(token->word, quote, sizeof quote);
    if (token->length < 2 || token->word[token->length - 1] != 'b')
        return flux_io_text_fail(&parse->text, token->line, token->column,
                                 "a size is a whole number with b behind it, such as 4096b, not '%s'", quote);
    token->word[token->length - 1] = '\0';
    const char *wrong = flux_io_text_whole(token->word, bytes);
    if (!wrong && *bytes == FLUX_IO_SIZE_UNKNOWN)
        wrong = "is too large";
    if (wrong)
        return flux_io_text_fail(&parse->text, token->line, token->column, "the size '%s' %s", quote, wrong);
    return FLUX_OK;
}

/* ---- statements ---- */

static int end_statement(struct parse *parse)
{
    int rc = next(parse);
    if (rc || parse->token.kind == LINE_END)
        return rc;
    if (parse->token.kind == CLOSE || parse->token.kind == FILE_END) {
        parse->has_token = 1;
        return FLUX_OK;
    }
    return fail_at(parse, &parse->token, "the statement is over here");
}

/* tag, cpu and nic, each at most once. */
static int read_options(struct parse *parse, struct flux_io_node *op)
{
    uint64_t number;
    unsigned seen = 0;
    for (;;) {
        int rc = next(parse);
        if (rc)
            return rc;
        const char *word = parse->token.kind == WORD_TOKEN ? parse->token.word : "";
        int is_message = op->kind != FLUX_IO_COMPUTE;
        unsigned which = strcmp(word, "tag") == 0 && is_message   ? 1
                         : strcmp(word, "cpu") == 0               ? 2
                         : strcmp(word, "nic") == 0 && is_message ? 4
                                                                  : 0;
        if (!which || (seen & which)) {
            parse->has_token = 1;
            return end_statement(parse);
        }
        seen |= which;
        if (which == 1) {
            rc = read_number(parse, "the tag", UINT32_MAX, 1, &number);
            if (!rc && number == FLUX_IO_GOAL_ANY)
                return flux_io_text_fail(&parse->text, parse->token.line, parse->token.column,
                                         "any tag: which message is meant is only known when the program runs, so no "
                                         "schedule can be made before; name the tag");
            op->key = (uint32_t)number;
        } else if (which == 2) {
            rc = read_number(parse, "the cpu", FLUX_IO_GOAL_CPUS - 1, 0, &number);
            if (!rc && op->kind == FLUX_IO_COMPUTE)
                op->stream = (uint16_t)(number + 1);
        } else {
            rc = read_number(parse, "the nic", FLUX_IO_GOAL_NICS - 1, 0, &number);
            op->nic = rc ? 0 : (uint8_t)number;
        }
        if (rc)
            return rc;
    }
}

static int read_message(struct parse *parse, struct flux_io_node *op, int is_send)
{
    uint64_t peer;
    op->kind = is_send ? FLUX_IO_SEND : FLUX_IO_RECV;
    int rc = read_size(parse, &op->amount);
    if (!rc)
        rc = expect_this(parse, is_send ? "to" : "from");
    if (!rc)
        rc = read_number(parse, "the rank", UINT32_MAX - 1, !is_send, &peer);
    if (!rc && peer == FLUX_IO_GOAL_ANY)
        return flux_io_text_fail(&parse->text, parse->token.line, parse->token.column,
                                 "a receive from any rank: which message is meant is only known when the program "
                                 "runs, so no schedule can be made before; name the rank");
    if (rc)
        return rc;
    op->peer = (uint32_t)peer;
    return read_options(parse, op);
}

static int read_calculation(struct parse *parse, struct flux_io_node *op)
{
    uint64_t ns;
    op->kind = FLUX_IO_COMPUTE;
    op->stream = 1;
    int rc = read_number(parse, "the time in ns", UINT64_MAX, 0, &ns);
    if (rc)
        return rc;
    op->amount = ns > UINT64_MAX / PS_PER_NS ? UINT64_MAX : ns * PS_PER_NS;
    return read_options(parse, op);
}

/* An operation, whose first word is `first`. */
static int read_op(struct parse *parse, const struct token *first, struct flux_io_node *op)
{
    static const char *const others[] = {"put", "get", "append", "coll"};
    if (strcmp(first->word, "send") == 0)
        return read_message(parse, op, 1);
    if (strcmp(first->word, "recv") == 0)
        return read_message(parse, op, 0);
    if (strcmp(first->word, "calc") == 0)
        return read_calculation(parse, op);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(first->word, others[i]) == 0)
            return flux_io_text_fail(&parse->text, first->line, first->column,
                                     "'%s' is not supported; one-sided operations and collectives must be spelled out "
                                     "in send, recv and calc",
                                     others[i]);
    return fail_at(parse, first, "send, recv, calc, or a label with its colon belongs here");
}

/* The operation of a label of this rank into `*op`. */
static int find_label(struct parse *parse, const struct token *token, uint32_t *op)
{
    char quote[FLUX_IO_QUOTE];
    uint32_t index = flux_io_strings_find(&parse->goal.workload.names, token->word, token->length);
    if (index == FLUX_NONE || parse->labels[index].rank != parse->rank + 1)
        return flux_io_text_fail(&parse->text, token->line, token->column,
                                 "no operation of rank %" PRIu32 " above has the label '%s'", parse->rank,
                                 flux_io_quote(token->word, quote, sizeof quote));
    *op = parse->labels[index].op;
    return FLUX_OK;
}

static int put_label(struct parse *parse, const struct token *token, uint32_t *name)
{
    char quote[FLUX_IO_QUOTE];
    struct flux_io_workload *workload = &parse->goal.workload;
    int fresh;
    if (flux_io_strings_add(&workload->names, token->word, token->length, name, &fresh) ||
        flux_io_grow(workload->memory, &parse->labels, &parse->label_capacity, workload->names.count,
                     sizeof *parse->labels))
        return flux_io_fail_memory(parse->text.error);
    struct label *label = &parse->labels[*name];
    if (!fresh && label->rank == parse->rank + 1)
        return flux_io_text_fail(&parse->text, token->line, token->column,
                                 "the label '%s' is that of line %" PRIu64 " already",
                                 flux_io_quote(token->word, quote, sizeof quote), label->line);
    *label = (struct label){parse->rank + 1, (uint32_t)parse->goal.block.op_count, token->line};
    return FLUX_OK;
}

/* "l2 requires l1". */
static int read_dependency(struct parse *parse, const struct token *child, uint32_t start)
{
    uint32_t ops[2];
    int rc = find_label(parse, child, &ops[0]);
    if (!rc)
        rc = expect_word(parse, "a label belongs here");
    if (!rc)
        rc = find_label(parse, &parse->token, &ops[1]);
    if (!rc)
        rc = flux_io_goal_edge(&parse->goal, ops[0], ops[1], start);
    return rc ? rc : end_statement(parse);
}

/* One statement, whose first word is parse->token. */
static int read_statement(struct parse *parse)
{
    struct flux_io_node op = {0, FLUX_IO_LINE(parse->token.line, parse->token.column), 0, FLUX_NONE, 0, 0, 0, 0, 0};
    struct token first = parse->token;
    int rc = next(parse);
    if (rc)
        return rc;
    if (parse->token.kind == WORD_TOKEN && strcmp(parse->token.word, "requires") == 0)
        return read_dependency(parse, &first, 0);
    if (parse->token.kind == WORD_TOKEN && strcmp(parse->token.word, "irequires") == 0)
        return read_dependency(parse, &first, 1);
    if (parse->token.kind == COLON) {
        if ((rc = put_label(parse, &first, &op.name)) ||
            (rc = expect_word(parse, "an operation belongs behind a label")))
            return rc;
        first = parse->token;
    } else {
        parse->has_token = 1;
    }
    rc = read_op(parse, &first, &op);
    return rc ? rc : flux_io_goal_op(&parse->goal, &op);
}

/* A block, whose "rank" is taken. */
static int read_rank(struct parse *parse)
{
    uint64_t rank;
    int rc = read_number(parse, "the rank", UINT32_MAX - 1, 0, &rank);
    const struct token at = parse->token;
    if (rc)
        return rc;
    if (rank >= parse->goal.workload.rank_count)
        return flux_io_text_fail(&parse->text, at.line, at.column, "rank %" PRIu64 ", and num_ranks says 0 .. %" PRIu32,
                                 rank, parse->goal.workload.rank_count - 1);
    if (parse->goal.workload.ranks[rank])
        return flux_io_text_fail(&parse->text, at.line, at.column, "rank %" PRIu64 " has a block already", rank);
    parse->rank = (uint32_t)rank;
    rc = next_line(parse);
    if (!rc && parse->token.kind != OPEN)
        rc = fail_at(parse, &parse->token, "'{' belongs behind the rank");
    while (!rc && !(rc = next_line(parse)) && parse->token.kind != CLOSE)
        rc = parse->token.kind == WORD_TOKEN
                 ? read_statement(parse)
                 : fail_at(parse, &parse->token, "a statement, or '}' at the end of the rank, belongs here");
    return rc ? rc : flux_io_goal_rank(&parse->goal, (uint32_t)rank);
}

static int read_head(struct parse *parse)
{
    uint64_t ranks;
    int rc = next_line(parse);
    if (!rc && (parse->token.kind != WORD_TOKEN || strcmp(parse->token.word, "num_ranks") != 0))
        rc = fail_at(parse, &parse->token, "num_ranks belongs here");
    if (!rc)
        rc = read_number(parse, "the number of ranks", UINT32_MAX, 0, &ranks);
    if (!rc && ranks == 0)
        rc = flux_io_text_fail(&parse->text, parse->token.line, parse->token.column, "num_ranks is 0");
    if (!rc)
        rc = flux_io_goal_ranks(&parse->goal, ranks);
    parse->goal.workload.lines = 1;
    return rc;
}

static int read_file(struct parse *parse)
{
    int disorder = 0;
    int rc = read_head(parse);
    for (uint32_t expected = 0; !rc && !(rc = next_line(parse)) && parse->token.kind != FILE_END; expected++) {
        if (parse->token.kind != WORD_TOKEN || strcmp(parse->token.word, "rank") != 0)
            return fail_at(parse, &parse->token, "'rank' and its number belong here");
        rc = read_rank(parse);
        if (rc || disorder || parse->rank == expected)
            continue;
        disorder = 1; /* one warning is enough */
        rc = flux_io_warn(parse->goal.import, parse->goal.source->path, parse->text.error,
                          "rank %" PRIu32 " stands where rank %" PRIu32
                          " belongs; LogGOPSim wants ranks in ascending order",
                          parse->rank, expected);
    }
    return rc ? rc : flux_io_goal_finish(&parse->goal);
}

int flux_io_goal_text_read(struct flux_import *import, struct flux_io_source *source,
                           const struct flux_import_options *options, struct flux_error *error)
{
    struct parse *parse = flux_io_alloc_zero(&import->memory, 1, sizeof *parse);
    if (!parse)
        return flux_io_fail_memory(error);
    int rc = flux_io_goal_begin(&parse->goal, import, source, options, error);
    flux_io_text_init(&parse->text, source, error);
    if (!rc)
        rc = read_file(parse);
    flux_io_release(&import->memory, parse->labels, parse->label_capacity, sizeof *parse->labels);
    flux_io_goal_end(&parse->goal);
    flux_io_release(&import->memory, parse, 1, sizeof *parse);
    return rc;
}
