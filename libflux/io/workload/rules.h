/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/rules.h - which algorithm a collective gets: what a file of rules says of its kind, size and members, and
 * else what the options say.
 */
#ifndef FLUX_IO_WORKLOAD_RULES_H
#define FLUX_IO_WORKLOAD_RULES_H

#include "io/memory.h"

#include <libflux/error.h>

#define FLUX_IO_NOT_GIVEN UINT32_MAX

/* The first rule that fits a collective decides. What it does not give is left to the options. */
struct flux_io_rule {
    uint64_t bytes_min; /* of what one member brings */
    uint64_t bytes_max;
    uint32_t members_min;
    uint32_t members_max;
    uint32_t kind;      /* FLUX_IO_ALL_REDUCE ..; NOT_GIVEN: any */
    uint32_t algorithm; /* FLUX_ALGORITHM_* */
    uint32_t chunks;
    uint32_t node;
};

struct flux_io_rules {
    struct flux_io_rule *rule;
    uint64_t count;
    uint64_t capacity;
};

/* `node` is the options' GPUs per node, for hierarchical where a rule gives none. Errors: FORMAT, IO, MEMORY. */
int flux_io_rules_read(struct flux_io_rules *rules, const struct flux_io_memory *memory, const char *path,
                       uint32_t node, struct flux_error *error);
void flux_io_rules_free(struct flux_io_rules *rules, const struct flux_io_memory *memory);

/* The rule for a collective, or NULL. `rules` may be NULL. */
const struct flux_io_rule *flux_io_rules_find(const struct flux_io_rules *rules, uint32_t kind, uint64_t bytes,
                                              uint32_t members);

/* "halving-doubling"; NULL beyond the last. */
const char *flux_io_algorithm_name(uint32_t algorithm);

#endif
