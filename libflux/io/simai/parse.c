/* SPDX-License-Identifier: Apache-2.0 */
#include "io/fail.h"
#include "io/simai/simai.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WORD 256u
#define COLUMNS 12u

static const char *const policies[] = {"HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_TRANSFORMER", "MICRO"};

/* Those of ASTRA-sim 1.0 that say otherwise who works with whom. */
static const char *const others[] = {"DATA",
                                     "MODEL",
                                     "HYBRID_DATA_MODEL",
                                     "HYBRID_MODEL_DATA",
                                     "HYBRID_CUSTOMIZED",
                                     "HYBRID_DLRM",
                                     "HYBRID_DLRM_ENHANCED",
                                     "DISTRIBUTED_INFERENCE",
                                     "TRANSFORMER"};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

struct parse {
    struct flux_io_simai *simai;
    struct flux_io_text text;
    uint64_t line; /* of the last word */
    uint64_t column;
    uint32_t length;
    uint32_t columns; /* words of this line so far */
    char word[WORD];
    uint64_t *checkpoints; /* layer numbers, and behind them those that recompute */
    uint64_t checkpoint_count;
    uint64_t checkpoint_capacity;
    uint64_t initiate_from;
};

static int is_one_of(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return 1;
    return 0;
}

int flux_io_simai_recognise(const struct flux_io_source *source)
{
    char word[40];
    uint32_t length = 0;
    while (length < source->head_size && length < sizeof word - 1 && source->head[length] &&
           !strchr(" \t\r\n", source->head[length])) {
        word[length] = (char)source->head[length];
        length++;
    }
    word[length] = '\0';
    return is_one_of(word, policies, COUNT(policies)) || is_one_of(word, others, COUNT(others));
}

/* The next word of this line into parse->word. 1, or 0 at the line's end, which is not taken; or an error. */
static int next_word(struct parse *parse)
{
    struct flux_io_text *text = &parse->text;
    int c;
    while ((c = flux_io_text_peek(text)) == ' ' || c == '\t')
        flux_io_text_take(text);
    parse->line = text->line;
    parse->column = text->column;
    parse->length = 0;
    for (; c != ' ' && c != '\t' && c != '\n' && c != FLUX_IO_TEXT_END; c = flux_io_text_peek(text)) {
        if (parse->length == WORD - 1)
            return flux_io_text_fail(text, parse->line, parse->column, "a word of more than %u characters", WORD - 1);
        parse->word[parse->length++] = (char)c;
        flux_io_text_take(text);
    }
    parse->word[parse->length] = '\0';
    parse->columns += parse->length != 0;
    return text->failed ? text->failed : parse->length != 0;
}

static int fail_word(struct parse *parse, const char *what)
{
    char quote[FLUX_IO_QUOTE];
    return flux_io_text_fail(&parse->text, parse->line, parse->column, "%s, not '%s'", what,
                             flux_io_quote(parse->word, quote, sizeof quote));
}

/* Ends the line, on which no further word may stand. 1, or 0 where the file ends here; or an error. */
static int end_line(struct parse *parse)
{
    int rc = next_word(parse);
    if (rc < 0)
        return rc;
    if (rc > 0)
        return fail_word(parse, "the line ends here");
    if (flux_io_text_peek(&parse->text) == FLUX_IO_TEXT_END)
        return parse->text.failed;
    flux_io_text_take(&parse->text);
    parse->columns = 0;
    return 1;
}

static int read_number(struct parse *parse, const char *what, uint64_t *number)
{
    char quote[FLUX_IO_QUOTE];
    int rc = next_word(parse);
    if (rc < 0)
        return rc;
    if (rc == 0)
        return flux_io_text_fail(&parse->text, parse->line, parse->column, "the line ends; %s belongs here", what);
    const char *wrong = flux_io_text_whole(parse->word, number);
    if (wrong)
        return flux_io_text_fail(&parse->text, parse->line, parse->column, "%s '%s' %s", what,
                                 flux_io_quote(parse->word, quote, sizeof quote), wrong);
    return FLUX_OK;
}

/* ---- the first line ---- */

/* "checkpoints: 2 5 9": a number of layers and the layers. */
static int read_layers(struct parse *parse, const char *what)
{
    const struct flux_io_memory *memory = &parse->simai->import->memory;
    uint64_t count, layer;
    int rc = read_number(parse, what, &count);
    for (uint64_t i = 0; !rc && i < count; i++) {
        rc = read_number(parse, what, &layer);
        if (!rc && flux_io_grow(memory, &parse->checkpoints, &parse->checkpoint_capacity, parse->checkpoint_count + 1,
                                sizeof *parse->checkpoints))
            rc = flux_io_fail_memory(parse->text.error);
        if (!rc)
            parse->checkpoints[parse->checkpoint_count++] = layer;
    }
    return rc;
}

static int read_degree(struct parse *parse, const char *what, uint64_t *degree)
{
    int rc = read_number(parse, what, degree);
    if (!rc && (*degree == 0 || *degree > FLUX_GPUS_MAX))
        rc = fail_word(parse, "a number from 1 to 1048576 belongs here");
    return rc;
}

/* The bytes that pipeline stages pass on, which the rows do not use: they may have a fraction. */
static int read_stage_bytes(struct parse *parse)
{
    int rc = next_word(parse);
    if (rc == 0)
        rc = flux_io_text_fail(&parse->text, parse->line, parse->column, "the line ends; bytes belong here");
    if (rc > 0 && parse->word[strspn(parse->word, "0123456789.")])
        rc = fail_word(parse, "a number of bytes belongs here");
    return rc < 0 ? rc : FLUX_OK;
}

/* The value of the key in parse->word. */
static int read_value(struct parse *parse)
{
    struct flux_io_simai *simai = parse->simai;
    char quote[FLUX_IO_QUOTE];
    uint64_t ignored;
    if (parse->word[parse->length - 1] == ':')
        parse->word[--parse->length] = '\0';
    if (strcmp(parse->word, "model_parallel_NPU_group") == 0)
        return read_degree(parse, "model_parallel_NPU_group", &simai->tensor);
    if (strcmp(parse->word, "ep") == 0 || strcmp(parse->word, "expert_parallel_npu_group") == 0)
        return read_degree(parse, "ep", &simai->expert);
    if (strcmp(parse->word, "pp") == 0)
        return read_degree(parse, "pp", &simai->stages);
    if (strcmp(parse->word, "all_gpus") == 0)
        return read_degree(parse, "all_gpus", &simai->gpus);
    if (strcmp(parse->word, "vpp") == 0 || strcmp(parse->word, "ga") == 0)
        return read_number(parse, "vpp or ga", &ignored);
    if (strcmp(parse->word, "pp_comm") == 0)
        return read_stage_bytes(parse);
    if (strcmp(parse->word, "checkpoints") == 0)
        return read_layers(parse, "checkpoints");
    if (strcmp(parse->word, "checkpoint_initiates") == 0) {
        parse->initiate_from = parse->checkpoint_count;
        return read_layers(parse, "checkpoint_initiates");
    }
    return flux_io_warn(simai->import, simai->source->path, simai->error, "the key '%s' is not known and left out",
                        flux_io_quote(parse->word, quote, sizeof quote));
}

static int read_policy(struct parse *parse)
{
    int rc = next_word(parse);
    if (rc < 0)
        return rc;
    if (is_one_of(parse->word, others, COUNT(others)))
        return flux_io_text_fail(&parse->text, parse->line, parse->column,
                                 "the policy %s is not supported; these are: %s, %s, %s", parse->word, policies[0],
                                 policies[1], policies[2]);
    parse->simai->micro = strcmp(parse->word, policies[2]) == 0;
    while ((rc = next_word(parse)) > 0 && !(rc = read_value(parse)))
        ;
    if (rc < 0)
        return rc;
    rc = end_line(parse);
    if (rc == 0)
        rc = flux_io_text_fail(&parse->text, parse->text.line, parse->text.column,
                               "the file ends; the number of layers belongs on the second line");
    return rc < 0 ? rc : FLUX_OK;
}

/* ---- layers ---- */

static int read_collective(struct parse *parse, struct flux_io_simai_work *work, uint32_t group)
{
    static const struct {
        const char *name;
        uint32_t kind;
    } kinds[] = {{"NONE", FLUX_NONE},
                 {"BROADCAST", FLUX_IO_BROADCAST},
                 {"ALLREDUCE", FLUX_IO_ALL_REDUCE},
                 {"ALLGATHER", FLUX_IO_ALL_GATHER},
                 {"REDUCESCATTER", FLUX_IO_REDUCE_SCATTER},
                 {"ALLTOALL", FLUX_IO_ALL_TO_ALL}};
    char name[WORD];
    int rc = next_word(parse);
    if (rc <= 0)
        return rc;
    memcpy(name, parse->word, parse->length + 1);
    char *suffix = strchr(name, '_');
    work->group = group;
    if (suffix && strcmp(suffix, "_EP") == 0)
        work->group = FLUX_IO_SIMAI_EP;
    else if (suffix && strcmp(suffix, "_DP_EP") == 0)
        work->group = FLUX_IO_SIMAI_DP_EP;
    else if (suffix)
        return fail_word(parse, "a collective with _EP, _DP_EP or nothing behind it belongs here");
    if (suffix)
        *suffix = '\0';
    if (strcmp(name, "ALLREDUCEALLTOALL") == 0)
        return fail_word(parse,
                         "ALLREDUCEALLTOALL does not say how its bytes are shared between the two; write one row "
                         "for each");
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (strcmp(name, kinds[i].name) != 0)
            continue;
        work->kind = kinds[i].kind;
        return 1;
    }
    return fail_word(
        parse, "NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, with _EP or _DP_EP behind it, belongs here");
}

static int read_work(struct parse *parse, struct flux_io_simai_work *work, uint32_t group)
{
    static const char *const what[2] = {"a compute time", "a size in bytes"};
    int rc = read_number(parse, what[0], &work->compute);
    if (!rc)
        rc = read_collective(parse, work, group);
    if (rc < 0)
        return rc;
    if (rc == 0)
        return read_number(parse, what[1], &work->bytes); /* says that the line ends */
    rc = read_number(parse, what[1], &work->bytes);
    if (rc)
        return rc;
    if (work->kind == FLUX_IO_BROADCAST && work->bytes)
        parse->simai->broadcasts++;
    if (work->kind == FLUX_NONE || work->kind == FLUX_IO_BROADCAST)
        work->bytes = 0;
    return FLUX_OK;
}

/* Where a row has another number of columns, that is what is wrong with it. */
static int fail_columns(struct parse *parse, uint64_t line)
{
    int rc;
    while ((rc = next_word(parse)) > 0)
        ;
    if (rc < 0)
        return rc;
    return flux_io_text_fail(&parse->text, line, 1, "a layer has %u columns, and this line has %" PRIu32, COLUMNS,
                             parse->columns);
}

/* A row, whose first word is taken. */
static int read_layer(struct parse *parse)
{
    struct flux_io_simai *simai = parse->simai;
    const struct flux_io_memory *memory = &simai->import->memory;
    struct flux_io_simai_layer layer;
    memset(&layer, 0, sizeof layer);
    layer.line = parse->line;
    if (flux_io_strings_add(&simai->names, parse->word, parse->length, &layer.name, NULL))
        return flux_io_fail_memory(simai->error);
    int rc = next_word(parse); /* what it depends on: always the layer before */
    for (uint32_t part = 0; rc >= 0 && part < FLUX_IO_SIMAI_PARTS; part++) {
        rc = read_work(parse, &layer.work[part], part == FLUX_IO_SIMAI_WEIGHT ? FLUX_IO_SIMAI_DP : FLUX_IO_SIMAI_TP);
    }
    if (rc >= 0)
        rc = read_number(parse, "an update time", &layer.update);
    if (rc < 0 && parse->length == 0 && !parse->text.failed)
        return fail_columns(parse, layer.line);
    if (rc >= 0 && (rc = next_word(parse)) > 0)
        return fail_columns(parse, layer.line);
    if (rc < 0)
        return rc;
    if (flux_io_grow(memory, &simai->layers, &simai->layer_capacity, simai->layer_count + 1, sizeof *simai->layers))
        return flux_io_fail_memory(simai->error);
    simai->layers[simai->layer_count++] = layer;
    return FLUX_OK;
}

static int read_rows(struct parse *parse)
{
    struct flux_io_simai *simai = parse->simai;
    uint64_t declared;
    int rc = read_number(parse, "the number of layers", &declared);
    if (!rc)
        rc = end_line(parse);
    while (rc > 0) {
        if ((rc = next_word(parse)) > 0)
            rc = read_layer(parse);
        if (rc >= 0)
            rc = end_line(parse);
    }
    if (rc)
        return rc;
    if (!simai->layer_count)
        return flux_io_text_fail(&parse->text, parse->text.line, 1, "there is no layer");
    if (declared == simai->layer_count)
        return FLUX_OK;
    return flux_io_warn(simai->import, simai->source->path, simai->error,
                        "line 2 declares %" PRIu64 " layers and %" PRIu64 " are there; these are taken", declared,
                        simai->layer_count);
}

static int mark_checkpoints(struct parse *parse)
{
    struct flux_io_simai *simai = parse->simai;
    for (uint64_t i = 0; i < parse->checkpoint_count; i++) {
        uint64_t layer = parse->checkpoints[i];
        if (layer >= simai->layer_count)
            return flux_io_text_fail(&parse->text, 1, 1, "a checkpoint at layer %" PRIu64 ", and there are %" PRIu64,
                                     layer, simai->layer_count);
        if (i < parse->initiate_from)
            simai->layers[layer].is_checkpoint = 1;
        else
            simai->layers[layer].recomputes = 1;
    }
    return FLUX_OK;
}

int flux_io_simai_parse(struct flux_io_simai *simai)
{
    const struct flux_io_memory *memory = &simai->import->memory;
    struct parse *parse = flux_io_alloc_zero(memory, 1, sizeof *parse);
    if (!parse)
        return flux_io_fail_memory(simai->error);
    parse->simai = simai;
    parse->initiate_from = UINT64_MAX;
    flux_io_text_init(&parse->text, simai->source, simai->error);
    int rc = read_policy(parse);
    if (!rc)
        rc = read_rows(parse);
    if (!rc)
        rc = mark_checkpoints(parse);
    flux_io_release(memory, parse->checkpoints, parse->checkpoint_capacity, sizeof *parse->checkpoints);
    flux_io_release(memory, parse, 1, sizeof *parse);
    return rc;
}
