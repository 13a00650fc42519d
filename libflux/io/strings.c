/* SPDX-License-Identifier: Apache-2.0 */
#include "io/strings.h"

#include <string.h>

/* `index` is that of the string plus 1, 0: free. Part of the hash saves most looks at the text. */
struct flux_io_strings_place {
    uint32_t index;
    uint32_t hash;
};

static uint64_t rotate(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

static uint64_t sip_end(uint64_t v[4])
{
    v[2] ^= 0xff;
    sip_round(v);
    sip_round(v);
    sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static void sip_begin(uint64_t v[4], const uint64_t key[2])
{
    v[0] = key[0] ^ UINT64_C(0x736f6d6570736575);
    v[1] = key[1] ^ UINT64_C(0x646f72616e646f6d);
    v[2] = key[0] ^ UINT64_C(0x6c7967656e657261);
    v[3] = key[1] ^ UINT64_C(0x7465646279746573);
}

static uint64_t hash_text(const uint64_t key[2], const char *text, uint64_t length)
{
    uint64_t v[4];
    uint64_t word;
    sip_begin(v, key);
    for (uint64_t at = 0; at + 8 <= length; at += 8) {
        memcpy(&word, text + at, 8);
        sip_word(v, word);
    }
    word = 0;
    memcpy(&word, text + length / 8 * 8, (size_t)(length % 8));
    sip_word(v, word ^ length << 56);
    return sip_end(v);
}

static uint64_t hash_number(const uint64_t key[2], uint64_t number)
{
    uint64_t v[4];
    sip_begin(v, key);
    sip_word(v, number);
    return sip_end(v);
}

/* Where the table lies and what time it is: unknown to whoever wrote the file. */
static void choose_key(uint64_t key[2], const struct flux_io_memory *memory, const void *table)
{
    key[0] = (uint64_t)(uintptr_t)table * UINT64_C(0x9e3779b97f4a7c15);
    key[1] = memory->env.now_ns(memory->env.user) * UINT64_C(0xbf58476d1ce4e5b9);
}

void flux_io_strings_init(struct flux_io_strings *strings, const struct flux_io_memory *memory)
{
    memset(strings, 0, sizeof *strings);
    strings->memory = memory;
    choose_key(strings->key, memory, strings);
}

void flux_io_strings_free(struct flux_io_strings *strings)
{
    if (!strings->memory)
        return;
    flux_io_release(strings->memory, strings->text, strings->text_capacity, 1);
    flux_io_release(strings->memory, strings->begin, strings->begin_capacity, sizeof *strings->begin);
    flux_io_release(strings->memory, strings->places, strings->place_count, sizeof *strings->places);
    flux_io_strings_init(strings, strings->memory);
}

const char *flux_io_strings_text(const struct flux_io_strings *strings, uint32_t index, uint64_t *length)
{
    uint64_t end = index + 1 < strings->count ? strings->begin[index + 1] : strings->text_used;
    if (length)
        *length = end - strings->begin[index] - 1;
    return strings->text + strings->begin[index];
}

/* The place of the string, or the free one where it belongs. */
static uint64_t find_place(struct flux_io_strings *strings, const char *text, uint64_t length, uint64_t hash)
{
    uint64_t mask = strings->place_count - 1;
    uint64_t place = hash & mask;
    for (;; place = (place + 1) & mask) {
        strings->probes++;
        const struct flux_io_strings_place *at = &strings->places[place];
        if (!at->index)
            return place;
        if (at->hash != (uint32_t)(hash >> 32))
            continue;
        uint64_t other_length;
        const char *other = flux_io_strings_text(strings, at->index - 1, &other_length);
        if (other_length == length && memcmp(other, text, (size_t)length) == 0)
            return place;
    }
}

/* Twice the places. Only the hashes of the strings are looked at: all are distinct. */
static int grow_places(struct flux_io_strings *strings)
{
    uint64_t count = strings->place_count ? strings->place_count * 2 : 64;
    struct flux_io_strings_place *places = flux_io_alloc_zero(strings->memory, count, sizeof *places);
    if (!places)
        return FLUX_E_MEMORY;
    for (uint64_t i = 0; i < strings->count; i++) {
        uint64_t length;
        const char *text = flux_io_strings_text(strings, (uint32_t)i, &length);
        uint64_t hash = hash_text(strings->key, text, length);
        uint64_t place = hash & (count - 1);
        while (places[place].index)
            place = (place + 1) & (count - 1);
        places[place].index = (uint32_t)i + 1;
        places[place].hash = (uint32_t)(hash >> 32);
    }
    flux_io_release(strings->memory, strings->places, strings->place_count, sizeof *places);
    strings->places = places;
    strings->place_count = count;
    return FLUX_OK;
}

int flux_io_strings_add(struct flux_io_strings *strings, const char *text, uint64_t length, uint32_t *index, int *fresh)
{
    int rc;
    if (strings->count * 4 >= strings->place_count * 3 && (rc = grow_places(strings)))
        return rc;
    uint64_t hash = hash_text(strings->key, text, length);
    struct flux_io_strings_place *place = &strings->places[find_place(strings, text, length, hash)];
    if (fresh)
        *fresh = !place->index;
    if (place->index) {
        *index = place->index - 1;
        return FLUX_OK;
    }
    if (strings->count >= UINT32_MAX - 1)
        return FLUX_E_TOO_BIG;
    if ((rc = flux_io_grow(strings->memory, &strings->begin, &strings->begin_capacity, strings->count + 1,
                           sizeof *strings->begin)))
        return rc;
    if ((rc = flux_io_grow(strings->memory, &strings->text, &strings->text_capacity, strings->text_used + length + 1,
                           1)))
        return rc;
    memcpy(strings->text + strings->text_used, text, (size_t)length);
    strings->text[strings->text_used + length] = '\0';
    strings->begin[strings->count] = strings->text_used;
    strings->text_used += length + 1;
    *index = (uint32_t)strings->count++;
    place->index = *index + 1;
    place->hash = (uint32_t)(hash >> 32);
    return FLUX_OK;
}

uint32_t flux_io_strings_find(struct flux_io_strings *strings, const char *text, uint64_t length)
{
    if (!strings->count)
        return FLUX_NONE;
    uint64_t place = find_place(strings, text, length, hash_text(strings->key, text, length));
    return strings->places[place].index ? strings->places[place].index - 1 : FLUX_NONE;
}

void flux_io_numbers_init(struct flux_io_numbers *numbers, const struct flux_io_memory *memory)
{
    memset(numbers, 0, sizeof *numbers);
    numbers->memory = memory;
    choose_key(numbers->key, memory, numbers);
}

void flux_io_numbers_free(struct flux_io_numbers *numbers)
{
    if (!numbers->memory)
        return;
    flux_io_release(numbers->memory, numbers->number, numbers->number_capacity, sizeof *numbers->number);
    flux_io_release(numbers->memory, numbers->places, numbers->place_count, sizeof *numbers->places);
    flux_io_numbers_init(numbers, numbers->memory);
}

static uint64_t number_place(const struct flux_io_numbers *numbers, const uint32_t *places, uint64_t count,
                             uint64_t number)
{
    uint64_t place = hash_number(numbers->key, number) & (count - 1);
    while (places[place] && numbers->number[places[place] - 1] != number)
        place = (place + 1) & (count - 1);
    return place;
}

int flux_io_numbers_add(struct flux_io_numbers *numbers, uint64_t number, uint32_t *index, int *fresh)
{
    if (numbers->count * 4 >= numbers->place_count * 3) {
        uint64_t count = numbers->place_count ? numbers->place_count * 2 : 64;
        uint32_t *places = flux_io_alloc_zero(numbers->memory, count, sizeof *places);
        if (!places)
            return FLUX_E_MEMORY;
        for (uint64_t i = 0; i < numbers->count; i++)
            places[number_place(numbers, places, count, numbers->number[i])] = (uint32_t)i + 1;
        flux_io_release(numbers->memory, numbers->places, numbers->place_count, sizeof *places);
        numbers->places = places;
        numbers->place_count = count;
    }
    uint64_t place = number_place(numbers, numbers->places, numbers->place_count, number);
    if (fresh)
        *fresh = !numbers->places[place];
    if (numbers->places[place]) {
        *index = numbers->places[place] - 1;
        return FLUX_OK;
    }
    if (numbers->count >= UINT32_MAX - 1)
        return FLUX_E_TOO_BIG;
    int rc = flux_io_grow(numbers->memory, &numbers->number, &numbers->number_capacity, numbers->count + 1,
                          sizeof *numbers->number);
    if (rc)
        return rc;
    numbers->number[numbers->count] = number;
    *index = (uint32_t)numbers->count++;
    numbers->places[place] = *index + 1;
    return FLUX_OK;
}

uint32_t flux_io_numbers_find(const struct flux_io_numbers *numbers, uint64_t number)
{
    if (!numbers->count)
        return FLUX_NONE;
    uint64_t place = number_place(numbers, numbers->places, numbers->place_count, number);
    return numbers->places[place] ? numbers->places[place] - 1 : FLUX_NONE;
}
