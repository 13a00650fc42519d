/* SPDX-License-Identifier: Apache-2.0
 *
 * option_table.h - every option of every subcommand, once: its name, its value, what it says on the help page.
 */
#ifndef FLUX_CLI_OPTION_TABLE_H
#define FLUX_CLI_OPTION_TABLE_H

#include "cli.h"

#include <stddef.h>

enum option_kind {
    FLAG,   /* uint32_t becomes 1 */
    CHOICE, /* uint32_t: the place of the word in `choices`, which lists them with bars between */
    MODE,   /* the same after "="; alone it is the last of them */
    PAIR,   /* KEY=VALUE, one more in `parameters` */
    FILES,  /* KEY=VALUE, one more in `collective_files` */
    COUNT,  /* uint32_t, min .. max */
    WHOLE,  /* uint64_t */
    TIME,   /* int64_t, ps */
    RATE,   /* uint64_t, bit/s */
    BYTES,  /* uint64_t */
    TEXT,   /* const char * */
    PART,   /* uint32_t, parts per million */
    SIZE,   /* uint64_t, bytes */
    RATIO,  /* two uint64_t, one after the other */
    FLOPS,  /* double */
    MEMORY, /* double */
};

struct option {
    const char *name;
    char letter; /* 0: none */
    enum option_kind kind;
    uint32_t group;
    const char *value; /* how the help page calls it; NULL for a FLAG */
    size_t member;
    uint32_t min; /* of a COUNT */
    uint32_t max;
    const char *help;
    const char *choices; /* of a CHOICE; NULL: they are `value` */
};

#define AT(member) offsetof(struct settings, member)

extern const struct option options[];
extern const size_t option_count;

#endif
