/* SPDX-License-Identifier: Apache-2.0 */
#include "bound/label_table.h"

#include <libflux/error.h>
#include <string.h>

#define COUNTS_PER_WORD 4u
#define PLACES_LEAST 1024u

int flux_label_table_make(const struct flux_queues *queues, const struct flux_memory *memory, uint32_t most,
                          struct flux_label_table *table)
{
    memset(table, 0, sizeof *table);
    table->memory = memory;
    table->most = most;
    table->ports = queues->links;
    table->queues = queues->count;
    table->key_words = (queues->count + COUNTS_PER_WORD - 1) / COUNTS_PER_WORD + 1;
    table->stride = sizeof(struct flux_label) + (table->ports + table->queues + table->key_words) * sizeof(int64_t);
    table->places = PLACES_LEAST;
    table->first = flux_alloc(memory, table->places, sizeof *table->first);
    if (!table->first)
        return FLUX_E_MEMORY;
    flux_label_table_clear(table);
    return FLUX_OK;
}

void flux_label_table_free(struct flux_label_table *table)
{
    if (!table->memory)
        return;
    flux_release(table->memory, table->labels, table->capacity, 1);
    flux_release(table->memory, table->first, table->places, sizeof *table->first);
}

void flux_label_table_clear(struct flux_label_table *table)
{
    table->count = 0;
    table->keys = 0;
    memset(table->first, 0xff, (size_t)table->places * sizeof *table->first);
}

/* ---- keys ---- */

static uint64_t *key_of(const struct flux_label_table *table, struct flux_label *label)
{
    return (uint64_t *)(void *)(label->time + table->ports + table->queues);
}

static void make_key(const struct flux_label_table *table, const struct flux_label_state *state, uint64_t *key)
{
    memset(key, 0, table->key_words * sizeof *key);
    for (uint32_t q = 0; q < table->queues; q++)
        key[q / COUNTS_PER_WORD] |= (uint64_t)state->done[q] << q % COUNTS_PER_WORD * 16;
    for (uint32_t x = 0; x < table->ports; x++)
        key[table->key_words - 1] |= (uint64_t)state->up[x] << x * 8;
}

static uint64_t hash(const struct flux_label_table *table, const uint64_t *key)
{
    uint64_t sum = 0;
    for (uint32_t w = 0; w < table->key_words; w++) {
        sum = (sum ^ key[w]) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

static uint64_t place_of(const struct flux_label_table *table, const uint64_t *key)
{
    uint64_t place = hash(table, key) & (table->places - 1);
    while (table->first[place] != FLUX_NO_LABEL) {
        struct flux_label *label = flux_label_at(table, table->first[place]);
        if (memcmp(key_of(table, label), key, table->key_words * sizeof *key) == 0)
            break;
        place = (place + 1) & (table->places - 1);
    }
    return place;
}

static int widen(struct flux_label_table *table)
{
    uint64_t old_places = table->places;
    uint32_t *old = table->first, *fresh = flux_alloc(table->memory, old_places * 2, sizeof *fresh);
    if (!fresh)
        return FLUX_E_MEMORY;
    memset(fresh, 0xff, (size_t)old_places * 2 * sizeof *fresh);
    table->first = fresh;
    table->places = old_places * 2;
    for (uint64_t i = 0; i < old_places; i++)
        if (old[i] != FLUX_NO_LABEL)
            fresh[place_of(table, key_of(table, flux_label_at(table, old[i])))] = old[i];
    flux_release(table->memory, old, old_places, sizeof *old);
    return FLUX_OK;
}

/* ---- labels ---- */

void flux_label_unpack(const struct flux_label_table *table, const struct flux_label *label,
                       struct flux_label_state *state)
{
    const uint64_t *key = (const uint64_t *)(const void *)(label->time + table->ports + table->queues);
    state->start = label->start;
    state->end = label->end;
    state->least = label->least;
    state->unlike = label->unlike;
    for (uint32_t q = 0; q < table->queues; q++)
        state->done[q] = (uint32_t)(key[q / COUNTS_PER_WORD] >> q % COUNTS_PER_WORD * 16 & 0xffff);
    for (uint32_t x = 0; x < table->ports; x++)
        state->up[x] = (uint8_t)(key[table->key_words - 1] >> x * 8);
    memcpy(state->free, label->time, table->ports * sizeof *state->free);
    memcpy(state->ready, label->time + table->ports, table->queues * sizeof *state->ready);
}

/* Everything but its place in the list of its key. */
static void write(const struct flux_label_table *table, const struct flux_label_state *state, uint32_t parent,
                  uint32_t position, const uint64_t *key, struct flux_label *label)
{
    label->start = state->start;
    label->end = state->end;
    label->least = state->least;
    label->parent = parent;
    label->unlike = state->unlike;
    label->position = (uint16_t)position;
    label->dead = 0;
    label->flips = (uint8_t)state->flips;
    memcpy(label->time, state->free, table->ports * sizeof *state->free);
    memcpy(label->time + table->ports, state->ready, table->queues * sizeof *state->ready);
    memcpy(key_of(table, label), key, table->key_words * sizeof *key);
}

/* Bit 0: `a` is nowhere later than `b`; bit 1: nor `b` than `a`. */
static unsigned compare(const int64_t *a, const int64_t *b, uint32_t count)
{
    unsigned order = 3;
    for (uint32_t i = 0; i < count && order; i++)
        order &= (a[i] <= b[i] ? 1u : 0u) | (a[i] >= b[i] ? 2u : 0u);
    return order;
}

static int is_better(const struct flux_label_state *state, const struct flux_label *label)
{
    return state->end < label->end || (state->end == label->end && state->unlike < label->unlike);
}

/* Adds a label to the list of its key. */
static int add(struct flux_label_table *table, const struct flux_label_state *state,
               const struct flux_label_place *place, uint32_t parent, uint32_t position)
{
    uint32_t *first = &table->first[place->place];
    if (table->count >= table->most)
        return FLUX_LABEL_TABLE_FULL;
    int rc =
        flux_grow(table->memory, &table->labels, &table->capacity, (table->count + UINT64_C(1)) * table->stride, 1);
    if (rc)
        return rc;
    struct flux_label *label = flux_label_at(table, table->count);
    label->next = *first;
    table->keys += label->next == FLUX_NO_LABEL;
    *first = table->count++;
    write(table, state, parent, position, place->key, label);
    return table->keys * 2 > table->places ? widen(table) : FLUX_OK;
}

int flux_label_is_useless(struct flux_label_table *table, const struct flux_label_state *state,
                          struct flux_label_place *place)
{
    uint32_t count = table->ports + table->queues;
    make_key(table, state, place->key);
    memcpy(place->times, state->free, table->ports * sizeof *place->times);
    memcpy(place->times + table->ports, state->ready, table->queues * sizeof *place->times);
    place->place = place_of(table, place->key);
    place->equal = FLUX_NO_LABEL;
    for (uint32_t index = table->first[place->place]; index != FLUX_NO_LABEL;) {
        const struct flux_label *other = flux_label_at(table, index);
        unsigned order = compare(other->time, place->times, count);
        table->compared++;
        if (order & 1u) {
            if (order == 3 && is_better(state, other))
                place->equal = index;
            return place->equal == FLUX_NO_LABEL;
        }
        index = other->next;
    }
    return 0;
}

int flux_label_insert(struct flux_label_table *table, const struct flux_label_state *state,
                      const struct flux_label_place *place, uint32_t parent, uint32_t position)
{
    uint32_t count = table->ports + table->queues, reuse = place->equal;
    for (uint32_t *link = &table->first[place->place]; place->equal == FLUX_NO_LABEL && *link != FLUX_NO_LABEL;) {
        struct flux_label *other = flux_label_at(table, *link);
        if (compare(other->time, place->times, count) == 2) {
            if (reuse != FLUX_NO_LABEL) {
                other->dead = 1;
                *link = other->next;
                continue;
            }
            reuse = *link;
        }
        link = &other->next;
    }
    if (reuse == FLUX_NO_LABEL)
        return add(table, state, place, parent, position);
    write(table, state, parent, position, place->key, flux_label_at(table, reuse));
    return FLUX_OK;
}
