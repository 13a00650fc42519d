/* SPDX-License-Identifier: Apache-2.0 */
#include "io/trace/chakra_plain.h"

#include "io/trace/chakra_json_words.h"

#include <string.h>

#define DIGITS_MAX 18 /* always within 64 bits, signed and unsigned */

/* What is left of the object. Every function below is 1, or 0 where the rest is not plain. */
struct plain {
    struct flux_io_chakra_reader *reader;
    const char *at;
    const char *end;
    int out_of_memory;
};

/* A string between its quotes. */
struct word {
    const char *text;
    uint64_t length;
};

static void skip_space(struct plain *plain)
{
    while (plain->at < plain->end &&
           (*plain->at == ' ' || *plain->at == '\n' || *plain->at == '\r' || *plain->at == '\t'))
        plain->at++;
}

/* White space and this byte. */
static int take(struct plain *plain, char byte)
{
    skip_space(plain);
    if (plain->at == plain->end || *plain->at != byte)
        return 0;
    plain->at++;
    return 1;
}

static int take_word(struct plain *plain, struct word *word)
{
    if (!take(plain, '"'))
        return 0;
    word->text = plain->at;
    while (plain->at < plain->end && *plain->at != '"') {
        if (*plain->at < ' ' || *plain->at > '~' || *plain->at == '\\')
            return 0;
        plain->at++;
    }
    word->length = (uint64_t)(plain->at - word->text);
    return take(plain, '"');
}

/* A copy with an end, for what is as long as a name of the schema; else "". */
static const char *name_of(const struct word *word, char room[FLUX_IO_CHAKRA_WORD])
{
    size_t length = word->length < FLUX_IO_CHAKRA_WORD ? (size_t)word->length : 0;
    memcpy(room, word->text, length);
    room[length] = '\0';
    return room;
}

/* A key and its colon, in camel case. */
static int take_key(struct plain *plain, char room[FLUX_IO_CHAKRA_WORD])
{
    char given[FLUX_IO_CHAKRA_WORD];
    struct word key;
    if (!take_word(plain, &key) || !take(plain, ':'))
        return 0;
    flux_io_chakra_camel_case(name_of(&key, given), room);
    return *room != '\0';
}

/* Digits, in quotes or not, perhaps with a sign. */
static int take_number(struct plain *plain, uint32_t *negative, uint64_t *magnitude)
{
    int quoted = take(plain, '"');
    *negative = (uint32_t)(plain->at < plain->end && *plain->at == '-');
    plain->at += *negative;
    const char *first = plain->at;
    for (*magnitude = 0; plain->at < plain->end && *plain->at >= '0' && *plain->at <= '9'; plain->at++) {
        if (plain->at - first == DIGITS_MAX)
            return 0;
        *magnitude = *magnitude * 10 + (uint64_t)(*plain->at - '0');
    }
    if (plain->at == first || (*first == '0' && (*negative || plain->at - first > 1)))
        return 0;
    if (quoted)
        return plain->at < plain->end && *plain->at++ == '"';
    /* ".5" or "e3" may follow, and that is another number. */
    return plain->at < plain->end && *plain->at != '.' && *plain->at != 'e' && *plain->at != 'E';
}

static int take_whole(struct plain *plain, uint64_t *number)
{
    uint32_t negative;
    return take_number(plain, &negative, number) && !negative;
}

static int take_text(struct plain *plain, char *room, size_t size, uint64_t *length)
{
    struct word word;
    if (!take_word(plain, &word))
        return 0;
    size_t keep = word.length < size ? (size_t)word.length : size - 1;
    memcpy(room, word.text, keep);
    room[keep] = '\0';
    *length = word.length;
    return 1;
}

static int take_type(struct plain *plain, uint32_t *type)
{
    char room[FLUX_IO_CHAKRA_WORD];
    struct word word;
    if (!take_word(plain, &word))
        return 0;
    *type = flux_io_chakra_type_of(name_of(&word, room));
    return *type != UINT32_MAX;
}

static int take_deps(struct plain *plain, uint64_t **ids, uint64_t *capacity, uint64_t *count)
{
    *count = 0;
    if (!take(plain, '['))
        return 0;
    if (take(plain, ']'))
        return 1;
    do {
        uint64_t id;
        if (!take_whole(plain, &id))
            return 0;
        if (flux_io_grow(plain->reader->memory, ids, capacity, *count + 1, sizeof **ids)) {
            plain->out_of_memory = 1;
            return 0;
        }
        (*ids)[(*count)++] = id;
    } while (take(plain, ','));
    return take(plain, ']');
}

/* true or false */
static int take_bool(struct plain *plain, int *value)
{
    static const char *const words[] = {"false", "true"};
    skip_space(plain);
    for (*value = 0; *value < 2; ++*value) {
        size_t length = strlen(words[*value]);
        if ((size_t)(plain->end - plain->at) > length && memcmp(plain->at, words[*value], length) == 0) {
            plain->at += length;
            return 1;
        }
    }
    return 0;
}

/* {"values": [true, ..]} */
static int take_bools(struct plain *plain, int *all)
{
    char key[FLUX_IO_CHAKRA_WORD];
    int value;
    *all = 1;
    if (!take(plain, '{') || !take_key(plain, key) || strcmp(key, "values") != 0 || !take(plain, '['))
        return 0;
    if (!take(plain, ']')) {
        do {
            if (!take_bool(plain, &value))
                return 0;
            *all &= value;
        } while (take(plain, ','));
        if (!take(plain, ']'))
            return 0;
    }
    return take(plain, '}');
}

/* The value of an attribute that is called `kind`; what is kept goes to `to`, and a text to `room`. */
static int take_value(struct plain *plain, const char *kind, struct flux_io_chakra_value *to, char *room, size_t size)
{
    int boolean;
    if (strcmp(kind, "boolList") == 0) {
        to->kind = FLUX_IO_CHAKRA_ALL_TRUE;
        if (!take_bools(plain, &boolean))
            return 0;
        if (!boolean)
            to->kind = FLUX_IO_CHAKRA_OTHER;
        return 1;
    }
    if (strcmp(kind, "stringVal") == 0 || strcmp(kind, "bytesVal") == 0) {
        to->kind = FLUX_IO_CHAKRA_TEXT;
        return take_text(plain, room, size, &to->magnitude);
    }
    if (strstr(kind, "List") || strcmp(kind, "doubleVal") == 0 || strcmp(kind, "floatVal") == 0)
        return 0;
    to->kind = FLUX_IO_CHAKRA_INTEGER;
    if (take_bool(plain, &boolean)) {
        to->negative = 0;
        to->magnitude = (uint64_t)boolean;
        return 1;
    }
    return take_number(plain, &to->negative, &to->magnitude);
}

/* {"name": .., "int64Val": ..}, or a name alone. */
static int take_attribute(struct plain *plain)
{
    struct flux_io_chakra_node *node = &plain->reader->node;
    struct flux_io_chakra_value unknown = {0, 0, 0};
    char key[FLUX_IO_CHAKRA_WORD], name[FLUX_IO_CHAKRA_WORD], text[FLUX_IO_CHAKRA_TEXT_MAX + 1];
    struct word word;
    if (!take(plain, '{') || !take_key(plain, key) || strcmp(key, "name") != 0 || !take_word(plain, &word))
        return 0;
    if (take(plain, '}'))
        return 1;
    if (!take(plain, ',') || !take_key(plain, key) || !flux_io_chakra_is_value(key))
        return 0;
    uint32_t which = flux_io_chakra_attribute_of(name_of(&word, name));
    return take_value(plain, key, which < FLUX_IO_CHAKRA_ATTRIBUTES ? &node->value[which] : &unknown,
                      which == FLUX_IO_CHAKRA_PG_NAME ? node->group : text, sizeof text) &&
           take(plain, '}');
}

static int take_attributes(struct plain *plain)
{
    if (!take(plain, '['))
        return 0;
    if (take(plain, ']'))
        return 1;
    do {
        if (!take_attribute(plain))
            return 0;
    } while (take(plain, ','));
    return take(plain, ']');
}

/* {"values": "[]", "shapes": .., "types": ..}: nothing that is kept, but of metadata nodes. */
static int take_texts(struct plain *plain)
{
    static const char *const names[] = {"values", "shapes", "types"};
    char key[FLUX_IO_CHAKRA_WORD];
    struct word word;
    uint32_t taken = 0;
    if (!take(plain, '{'))
        return 0;
    do {
        uint32_t i = 0;
        if (!take_key(plain, key) || !take_word(plain, &word))
            return 0;
        while (i < 3 && strcmp(key, names[i]) != 0)
            i++;
        if (i == 3 || taken >> i & 1)
            return 0;
        taken |= 1u << i;
    } while (take(plain, ','));
    return take(plain, '}');
}

/* Members of a node. */
enum member { ID, NAME, TYPE, CTRL_DEPS, DATA_DEPS, START_TIME, DURATION, ATTR, INPUTS, OUTPUTS, MEMBERS };

static int take_member(struct plain *plain, enum member member)
{
    struct flux_io_chakra_reader *reader = plain->reader;
    struct flux_io_chakra_node *node = &reader->node;
    uint64_t length;
    switch (member) {
    case ID:
        return take_whole(plain, &node->id);
    case NAME:
        if (!take_text(plain, node->name, sizeof node->name, &length) || length > UINT32_MAX)
            return 0;
        node->name_length = (uint32_t)length;
        return 1;
    case TYPE:
        return take_type(plain, &node->type);
    case CTRL_DEPS:
        return take_deps(plain, &reader->ctrl, &reader->ctrl_capacity, &node->ctrl_deps_count);
    case DATA_DEPS:
        return take_deps(plain, &reader->data, &reader->data_capacity, &node->data_deps_count);
    case START_TIME:
        return take_whole(plain, &length);
    case DURATION:
        return take_whole(plain, &node->duration_us);
    case ATTR:
        return take_attributes(plain);
    case INPUTS:
    case OUTPUTS:
        return take_texts(plain);
    case MEMBERS:
        break;
    }
    return 0;
}

static int take_node(struct plain *plain)
{
    static const char *const names[] = {
        "id", "name", "type", "ctrlDeps", "dataDeps", "startTimeMicros", "durationMicros", "attr", "inputs", "outputs"};
    char key[FLUX_IO_CHAKRA_WORD];
    uint32_t taken = 0;
    if (!take(plain, '{'))
        return 0;
    if (take(plain, '}'))
        return plain->at == plain->end;
    do {
        uint32_t member = 0;
        if (!take_key(plain, key))
            return 0;
        while (member < MEMBERS && strcmp(key, names[member]) != 0)
            member++;
        if (member == MEMBERS || taken >> member & 1 || !take_member(plain, (enum member)member))
            return 0;
        taken |= 1u << member;
    } while (take(plain, ','));
    if (taken >> INPUTS & 1 && plain->reader->node.type == FLUX_IO_CHAKRA_METADATA)
        return 0;
    return take(plain, '}') && plain->at == plain->end;
}

int flux_io_chakra_plain(struct flux_io_chakra_reader *reader, const char *text, uint64_t size)
{
    struct plain plain = {reader, text, text + size, 0};
    struct flux_io_chakra_node *node = &reader->node;
    uint64_t offset = node->offset;
    if (take_node(&plain))
        return 1;
    memset(node, 0, offsetof(struct flux_io_chakra_node, name));
    node->name[0] = node->group[0] = '\0';
    node->offset = offset;
    return plain.out_of_memory ? FLUX_E_MEMORY : 0;
}
