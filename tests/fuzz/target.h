/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz/target.h - what is fed with bytes that nobody vouches for: each reader, and the calls of the interface.
 *
 * A target takes any bytes and ends the program where something is wrong: an error without a sentence or with a code
 * that bytes cannot cause, a graph that is not sound, a block that is not given back, memory out of proportion.
 * main.c feeds them by libFuzzer, test_seeds.c by seeds and what becomes of them.
 */
#ifndef TESTS_FUZZ_TARGET_H
#define TESTS_FUZZ_TARGET_H

#include <libflux/env.h>
#include <libflux/error.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_target {
    const char *name;
    /* 1: the bytes were taken, 0: refused, -1: they are nothing for this target. */
    int (*run)(const unsigned char *bytes, size_t size);
};

/* The last has no name. */
extern const struct fuzz_target fuzz_targets[];
const struct fuzz_target *fuzz_target_find(const char *name); /* NULL: there is none */

/* Says why and aborts. */
void fuzz_wrong(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Ends the program where an error of a file is not one that a file may have. */
void fuzz_judge_error(int rc, const struct flux_error *error, const char *path);

/* An env that counts, and has `budget` bytes; fuzz_memory_end() ends the program where a block lives. */
struct fuzz_memory {
    struct flux_env env;
    uint64_t live;
    uint64_t most; /* at one time */
    uint64_t budget;
};
void fuzz_memory_begin(struct fuzz_memory *memory, uint64_t budget);
void fuzz_memory_end(const struct fuzz_memory *memory);

/* A file with these bytes, until the next call; its path. */
const char *fuzz_file(const unsigned char *bytes, size_t size);

int fuzz_interface(const unsigned char *bytes, size_t size);
int fuzz_native(const unsigned char *bytes, size_t size);
int fuzz_chakra(const unsigned char *bytes, size_t size);
int fuzz_chakra_json(const unsigned char *bytes, size_t size);
int fuzz_goal(const unsigned char *bytes, size_t size);
int fuzz_goal_binary(const unsigned char *bytes, size_t size);
int fuzz_simai(const unsigned char *bytes, size_t size);
int fuzz_aicb(const unsigned char *bytes, size_t size);
int fuzz_msccl(const unsigned char *bytes, size_t size);
int fuzz_matrix(const unsigned char *bytes, size_t size);
int fuzz_market(const unsigned char *bytes, size_t size);
int fuzz_matrices(const unsigned char *bytes, size_t size);
int fuzz_rules(const unsigned char *bytes, size_t size);
int fuzz_algorithm(const unsigned char *bytes, size_t size);
int fuzz_models(const unsigned char *bytes, size_t size);
int fuzz_times(const unsigned char *bytes, size_t size);
int fuzz_groups(const unsigned char *bytes, size_t size);
int fuzz_gzip(const unsigned char *bytes, size_t size);

#endif
