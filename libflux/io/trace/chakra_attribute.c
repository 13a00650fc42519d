/* SPDX-License-Identifier: Apache-2.0 */
#include "io/trace/chakra_attribute.h"

#include <string.h>

#define NAME_FIELD 1u
#define DOC_FIELD 2u
#define BOOL_LIST_FIELD 28u
#define STRING_FIELD 29u
#define BYTES_FIELD 31u
#define VALUE_FIRST 3u
#define VALUE_LAST 32u

static const char *const names[FLUX_IO_CHAKRA_ATTRIBUTES] = {
    [FLUX_IO_CHAKRA_IS_CPU_OP] = "is_cpu_op",
    [FLUX_IO_CHAKRA_COMM_TYPE] = "comm_type",
    [FLUX_IO_CHAKRA_COMM_SIZE] = "comm_size",
    [FLUX_IO_CHAKRA_COMM_SRC] = "comm_src",
    [FLUX_IO_CHAKRA_COMM_DST] = "comm_dst",
    [FLUX_IO_CHAKRA_COMM_TAG] = "comm_tag",
    [FLUX_IO_CHAKRA_COMM_GROUP] = "comm_group",
    [FLUX_IO_CHAKRA_PG_NAME] = "pg_name",
    [FLUX_IO_CHAKRA_INVOLVED_DIM] = "involved_dim",
    [FLUX_IO_CHAKRA_NUM_OPS] = "num_ops",
    [FLUX_IO_CHAKRA_TENSOR_SIZE] = "tensor_size",
    [FLUX_IO_CHAKRA_MSG_CHUNK_CNT] = "msg_chunk_cnt",
    [FLUX_IO_CHAKRA_SCHEMA] = "schema",
};

/* How each kind of value is written, by field number: odd fields hold one value, even ones a list. */
enum form {
    FORM_SKIP,
    FORM_PLAIN,
    FORM_SIGNED,
    FORM_ZIGZAG,
    FORM_FIXED32,
    FORM_FIXED64,
    FORM_SFIXED32,
    FORM_SFIXED64,
    FORM_TEXT
};

static const struct {
    enum form form;
    pb_wire_type_t wire;
} kinds[VALUE_LAST + 1] = {
    [3] = {FORM_SKIP, PB_WT_64BIT},     [5] = {FORM_SKIP, PB_WT_32BIT},      [7] = {FORM_SIGNED, PB_WT_VARINT},
    [9] = {FORM_SIGNED, PB_WT_VARINT},  [11] = {FORM_PLAIN, PB_WT_VARINT},   [13] = {FORM_PLAIN, PB_WT_VARINT},
    [15] = {FORM_ZIGZAG, PB_WT_VARINT}, [17] = {FORM_ZIGZAG, PB_WT_VARINT},  [19] = {FORM_FIXED32, PB_WT_32BIT},
    [21] = {FORM_FIXED64, PB_WT_64BIT}, [23] = {FORM_SFIXED32, PB_WT_32BIT}, [25] = {FORM_SFIXED64, PB_WT_64BIT},
    [27] = {FORM_PLAIN, PB_WT_VARINT},  [29] = {FORM_TEXT, PB_WT_STRING},    [31] = {FORM_TEXT, PB_WT_STRING},
};

const char *flux_io_chakra_attribute_name(enum flux_io_chakra_attribute which)
{
    return names[which];
}

bool flux_io_chakra_text(pb_istream_t *stream, char *room, size_t size, uint64_t *length)
{
    pb_istream_t text;
    if (!pb_make_string_substream(stream, &text))
        return false;
    size_t keep = text.bytes_left < size ? text.bytes_left : size - 1;
    *length = text.bytes_left;
    if (!pb_read(&text, (pb_byte_t *)room, keep))
        return false;
    for (size_t i = 0; i < keep; i++)
        if (room[i] == '\0')
            room[i] = '?';
    room[keep] = '\0';
    return pb_close_string_substream(stream, &text);
}

static void set_signed(struct flux_io_chakra_value *value, int64_t number)
{
    value->negative = number < 0;
    value->magnitude = number < 0 ? (uint64_t)0 - (uint64_t)number : (uint64_t)number;
}

static bool read_integer(pb_istream_t *stream, enum form form, struct flux_io_chakra_value *value)
{
    int64_t number = 0;
    int32_t half = 0;
    uint32_t plain_half = 0;
    value->kind = FLUX_IO_CHAKRA_INTEGER;
    value->negative = 0;
    switch (form) {
    case FORM_PLAIN:
        return pb_decode_varint(stream, &value->magnitude);
    case FORM_FIXED64:
        return pb_decode_fixed64(stream, &value->magnitude);
    case FORM_FIXED32:
        if (!pb_decode_fixed32(stream, &plain_half))
            return false;
        value->magnitude = plain_half;
        return true;
    case FORM_SIGNED: {
        uint64_t bits;
        if (!pb_decode_varint(stream, &bits))
            return false;
        memcpy(&number, &bits, sizeof number);
        break;
    }
    case FORM_ZIGZAG:
        if (!pb_decode_svarint(stream, &number))
            return false;
        break;
    case FORM_SFIXED64:
        if (!pb_decode_fixed64(stream, &number))
            return false;
        break;
    default: /* FORM_SFIXED32 */
        if (!pb_decode_fixed32(stream, &half))
            return false;
        number = half;
        break;
    }
    set_signed(value, number);
    return true;
}

/* BoolList: field 1, packed or not. */
static bool read_bools(pb_istream_t *stream, struct flux_io_chakra_value *value)
{
    pb_istream_t list;
    pb_wire_type_t wire;
    uint32_t field;
    bool end = false;
    uint64_t bit;
    value->kind = FLUX_IO_CHAKRA_ALL_TRUE;
    if (!pb_make_string_substream(stream, &list))
        return false;
    while (pb_decode_tag(&list, &wire, &field, &end)) {
        if (field == 1 && wire == PB_WT_VARINT) {
            if (!pb_decode_varint(&list, &bit))
                return false;
            if (!bit)
                value->kind = FLUX_IO_CHAKRA_OTHER;
        } else if (field == 1 && wire == PB_WT_STRING) {
            pb_istream_t packed;
            if (!pb_make_string_substream(&list, &packed))
                return false;
            while (packed.bytes_left) {
                if (!pb_decode_varint(&packed, &bit))
                    return false;
                if (!bit)
                    value->kind = FLUX_IO_CHAKRA_OTHER;
            }
            if (!pb_close_string_substream(&list, &packed))
                return false;
        } else if (!pb_skip_field(&list, wire)) {
            return false;
        }
    }
    return end && pb_close_string_substream(stream, &list);
}

/* One value, whatever its kind. */
static bool read_value(pb_istream_t *stream, uint32_t field, pb_wire_type_t wire, struct flux_io_chakra_value *value,
                       char *text)
{
    value->kind = FLUX_IO_CHAKRA_OTHER;
    if (field == BOOL_LIST_FIELD)
        return read_bools(stream, value);
    if (field % 2 == 0 || kinds[field].form == FORM_SKIP)
        return pb_skip_field(stream, wire);
    if (kinds[field].form != FORM_TEXT)
        return read_integer(stream, kinds[field].form, value);
    value->kind = FLUX_IO_CHAKRA_TEXT;
    return flux_io_chakra_text(stream, text, FLUX_IO_CHAKRA_TEXT_MAX + 1, &value->magnitude);
}

const char *flux_io_chakra_attribute_read(pb_istream_t *stream, struct flux_io_chakra_value *value, char *text,
                                          int *old)
{
    struct flux_io_chakra_value found = {FLUX_IO_CHAKRA_NONE, 0, 0};
    char string[FLUX_IO_CHAKRA_TEXT_MAX + 1] = "";
    char name[32] = ""; /* longer than every known name: a cut one matches none */
    uint64_t length = 0;
    pb_wire_type_t wire;
    uint32_t field;
    bool end = false;
    while (pb_decode_tag(stream, &wire, &field, &end)) {
        bool good;
        if (field == NAME_FIELD) {
            if (wire != PB_WT_STRING)
                return "an attribute's name is no string";
            good = flux_io_chakra_text(stream, name, sizeof name, &length);
        } else if (field >= VALUE_FIRST && field <= VALUE_LAST) {
            if (wire != (field % 2 ? kinds[field].wire : PB_WT_STRING))
                return "an attribute's value has the wrong wire type";
            good = read_value(stream, field, wire, &found, string);
        } else {
            if (field == DOC_FIELD && wire == PB_WT_VARINT)
                *old = 1;
            good = field != 0 && pb_skip_field(stream, wire);
        }
        if (!good)
            return "an attribute is damaged";
    }
    if (!end)
        return "an attribute is damaged";
    for (int i = 0; i < FLUX_IO_CHAKRA_ATTRIBUTES; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        value[i] = found;
        if ((i == FLUX_IO_CHAKRA_PG_NAME || i == FLUX_IO_CHAKRA_SCHEMA) && found.kind == FLUX_IO_CHAKRA_TEXT)
            memcpy(text, string, sizeof string);
    }
    return NULL;
}
