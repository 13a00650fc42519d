/* SPDX-License-Identifier: Apache-2.0
 *
 * Every target with its seeds (seeds.txt): whole, cut at every byte, and with changes drawn from a fixed seed. Targets
 * end the program where something is wrong; so what a test says is which seeds are taken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/change_bytes.h"
#include "../support/files.h"
#include "../support/random_problem.h"
#include "target.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUTS_MOST 2000u /* of a seed; of a longer one every n-th */
#define ROUNDS 400u     /* of a seed, together with all others of its target at most ROUNDS_MOST */
#define ROUNDS_MOST 3000u
#define SEED_MOST 20000u /* longer ones are only read whole, and cut off there for changes */
#define GROWTH 64u

static const struct fuzz_target *target;
static uint64_t tried, taken;

static int feed(const void *bytes, size_t size)
{
    /* A copy that ends where the bytes end, for AddressSanitizer. */
    unsigned char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    int result = target->run(copy, size);
    free(copy);
    tried++;
    taken += result == 1;
    return result;
}

static void cut(const char *bytes, size_t size)
{
    size_t step = size / CUTS_MOST + 1;
    if (random_problem_count(100) < 100)
        step *= 4;
    for (size_t at = 0; at < size; at += step)
        feed(bytes, at);
}

/* Numbers that are hard on readers, and words of formats. */
static const char *const words[] = {"9223372036854775807",
                                    "18446744073709551615",
                                    "-1",
                                    "0",
                                    "1e308",
                                    "[[[[",
                                    "4611686018427387905",
                                    "\xff\xfe",
                                    "\n\n",
                                    "{{",
                                    "0x",
                                    "\""};

#define WORDS (sizeof words / sizeof words[0])

static size_t change(struct flux_random *random, unsigned char *bytes, size_t size, size_t room)
{
    const char *word = words[flux_random_below(random, WORDS)];
    size_t at = flux_random_below(random, (uint32_t)size), length = strlen(word);
    if (flux_random_below(random, 6) || size + length > room)
        return change_bytes(random, bytes, size, room);
    memmove(bytes + at + length, bytes + at, size - at);
    memcpy(bytes + at, word, length);
    return size + length;
}

static void mutate(const char *bytes, size_t size, uint32_t rounds, uint32_t seed)
{
    struct flux_random random = {seed};
    unsigned char *copy = malloc(size + GROWTH);
    assert_non_null(copy);
    for (uint32_t round = 0; size && round < rounds; round++) {
        size_t now = size;
        memcpy(copy, bytes, size);
        for (uint32_t left = 1 + flux_random_below(&random, 4); left; left--)
            now = change(&random, copy, now, size + GROWTH);
        feed(copy, now);
    }
    free(copy);
}

static void add_files(glob_t *found, const char *pattern)
{
    int rc = glob(pattern, found->gl_pathc ? GLOB_APPEND : 0, NULL, found);
    assert_true(rc == 0 || rc == GLOB_NOMATCH);
}

static void list_seeds(glob_t *found)
{
    char *text = files_read("tests/fuzz/seeds.txt", NULL), pattern[FILES_PATH];
    assert_non_null(text);
    memset(found, 0, sizeof *found);
    snprintf(pattern, sizeof pattern, "tests/fuzz/seeds/%s/*", target->name);
    add_files(found, pattern);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        size_t length = strlen(target->name);
        if (strncmp(line, target->name, length) == 0 && line[length] == ' ')
            add_files(found, line + length + 1);
    }
    free(text);
}

static void seeds_and_what_becomes_of_them(void **state)
{
    glob_t found;
    uint64_t whole = 0;
    target = *state;
    tried = taken = 0;
    list_seeds(&found);
    assert_true(found.gl_pathc > 0);
    uint32_t rounds = random_problem_count(ROUNDS_MOST) / (uint32_t)found.gl_pathc;
    rounds = rounds < ROUNDS ? rounds + 1 : ROUNDS;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t size;
        char *bytes = files_read(found.gl_pathv[i], &size);
        assert_non_null(bytes);
        int result = feed(bytes, size);
        if (result < 0)
            fail_msg("%s is no seed of %s", found.gl_pathv[i], target->name);
        whole += result == 1;
        if (size <= SEED_MOST)
            cut(bytes, size);
        mutate(bytes, size < SEED_MOST ? size : SEED_MOST, rounds, 271828 + (uint32_t)i);
        free(bytes);
    }
    print_message("%s: %llu of %zu seeds are taken, %llu of %llu inputs\n", target->name, (unsigned long long)whole,
                  (size_t)found.gl_pathc, (unsigned long long)taken, (unsigned long long)tried);
    assert_true(whole > 0 || strcmp(target->name, "aicb") == 0); /* which is told what it lacks, always */
    globfree(&found);
}

int main(void)
{
    struct CMUnitTest tests[32];
    size_t count = 0;
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++) {
        struct CMUnitTest test = {t->name, seeds_and_what_becomes_of_them, NULL, NULL, (void *)(uintptr_t)t};
        tests[count++] = test;
    }
    return _cmocka_run_group_tests("seeds", tests, count, NULL, NULL);
}
