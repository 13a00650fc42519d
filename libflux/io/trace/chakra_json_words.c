/* SPDX-License-Identifier: Apache-2.0 */
#include "io/trace/chakra_json_words.h"

#include "io/trace/chakra_attribute.h"

#include <string.h>

const char *flux_io_chakra_camel_case(const char *name, char room[FLUX_IO_CHAKRA_WORD])
{
    size_t used = 0;
    for (; *name && used + 1 < FLUX_IO_CHAKRA_WORD; name++) {
        if (*name == '_' && name[1] >= 'a' && name[1] <= 'z')
            room[used++] = (char)(*++name - 'a' + 'A');
        else
            room[used++] = *name;
    }
    room[used] = '\0';
    return room;
}

int flux_io_chakra_is_value(const char *name)
{
    static const char *const bases[] = {"double",   "float",    "int32",  "int64",   "uint32",
                                        "uint64",   "sint32",   "sint64", "fixed32", "fixed64",
                                        "sfixed32", "sfixed64", "bool",   "string",  "bytes"};
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        size_t length = strlen(bases[i]);
        if (strncmp(name, bases[i], length) == 0 &&
            (strcmp(name + length, "Val") == 0 || strcmp(name + length, "List") == 0))
            return 1;
    }
    return 0;
}

uint32_t flux_io_chakra_type_of(const char *name)
{
    static const char *const names[] = {"INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
                                        "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return UINT32_MAX;
}

uint32_t flux_io_chakra_attribute_of(const char *name)
{
    uint32_t which = 0;
    while (which < FLUX_IO_CHAKRA_ATTRIBUTES &&
           strcmp(name, flux_io_chakra_attribute_name((enum flux_io_chakra_attribute)which)) != 0)
        which++;
    return which;
}
