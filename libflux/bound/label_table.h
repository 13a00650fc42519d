/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/label_table.h - states after the same number of starts, as labels; of two with the same queues and circuits,
 * one that is nowhere later makes the other useless.
 */
#ifndef FLUX_BOUND_LABEL_TABLE_H
#define FLUX_BOUND_LABEL_TABLE_H

#include "bound/label_state.h"

#define FLUX_NO_LABEL UINT32_MAX

struct flux_label {
    int64_t start; /* of its last send */
    int64_t end;
    int64_t least;
    uint32_t next; /* of the same queues and circuits */
    uint32_t parent;
    uint32_t unlike;
    uint16_t position; /* of its last send */
    uint8_t dead;      /* found useless after it was put in */
    uint8_t flips;     /* mirrors it went through after that */
    int64_t time[];    /* free by port, ready by queue, then the words of the key */
};

struct flux_label_table {
    const struct flux_memory *memory;
    uint32_t ports;
    uint32_t queues;
    uint32_t key_words;
    uint64_t stride;
    unsigned char *labels;
    uint64_t capacity; /* bytes */
    uint32_t count;
    uint32_t most;   /* labels at most */
    uint32_t *first; /* label of each key; a power of two places */
    uint64_t places;
    uint64_t keys;
    uint64_t compared; /* labels looked at so far */
};

/* Errors: MEMORY. Free with flux_label_table_free(). */
int flux_label_table_make(const struct flux_queues *queues, const struct flux_memory *memory, uint32_t most,
                          struct flux_label_table *table);
void flux_label_table_free(struct flux_label_table *table);
void flux_label_table_clear(struct flux_label_table *table);

static inline struct flux_label *flux_label_at(const struct flux_label_table *table, uint32_t index)
{
    return (struct flux_label *)(void *)(table->labels + table->stride * index);
}

/* The state of a label. */
void flux_label_unpack(const struct flux_label_table *table, const struct flux_label *label,
                       struct flux_label_state *state);

#define FLUX_LABEL_KEY_WORDS (FLUX_QUEUES_MAX / 4 + 1)

/* Where a state belongs in a table. */
struct flux_label_place {
    uint64_t key[FLUX_LABEL_KEY_WORDS];
    int64_t times[FLUX_QUEUES_LINKS + FLUX_QUEUES_MAX];
    uint64_t place;
    uint32_t equal; /* a label with the same times, to be replaced; or FLUX_NO_LABEL */
    uint32_t padding;
};

/* Is there a label that makes the state useless? If not, `place` is good for the next insertion. */
int flux_label_is_useless(struct flux_label_table *table, const struct flux_label_state *state,
                          struct flux_label_place *place);

#define FLUX_LABEL_TABLE_FULL 1

/* Puts the state in its place. FLUX_LABEL_TABLE_FULL; errors: MEMORY. */
int flux_label_insert(struct flux_label_table *table, const struct flux_label_state *state,
                      const struct flux_label_place *place, uint32_t parent, uint32_t position);

#endif
