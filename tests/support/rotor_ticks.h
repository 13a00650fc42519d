/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/rotor_ticks.h - a slow rotor: RotorLB as its rule is written, going from picosecond to picosecond, for
 * sends with a duration. Through the public interface only; it shares no code with the library's.
 */
#ifndef TESTS_ROTOR_TICKS_H
#define TESTS_ROTOR_TICKS_H

#include "ticks.h"

#define ROTOR_PARTS_MAX 20000

/* Some of a send, in a queue, or carried. */
struct rotor_part {
    uint32_t send;
    uint32_t next;
    int64_t amount;
    int64_t usable;
};

struct rotor_queue {
    uint32_t first;
    uint32_t last;
};

struct rotor_circuit {
    uint32_t src;
    uint32_t dst;
    struct rotor_queue given;
    uint32_t carrying; /* a part; FLUX_NONE */
    int64_t until;     /* then it has been carried */
};

struct rotor_switch {
    uint32_t matching;
    uint32_t up;
    uint32_t circuits;
    uint32_t padding;
    int64_t delay;
    int64_t slot;
    int64_t change; /* when it goes down, or comes up */
    struct rotor_circuit circuit[RANDOM_GPUS_MAX];
};

struct rotor_ticks {
    struct ticks ticks;
    uint32_t matchings;
    int64_t at;
    struct rotor_switch by_switch[RANDOM_SWITCHES_MAX];
    struct rotor_queue own[RANDOM_GPUS_MAX][RANDOM_GPUS_MAX];    /* ready, not given */
    struct rotor_queue stored[RANDOM_GPUS_MAX][RANDOM_GPUS_MAX]; /* by where, and for whom */
    int64_t promised[RANDOM_GPUS_MAX][RANDOM_GPUS_MAX];          /* not stored yet */
    struct rotor_part part[ROTOR_PARTS_MAX];
    uint32_t parts;
    uint64_t forwarded; /* picoseconds of sends that were stored on the way */
};

/* After problem, graph and fabric of `ticks` were set: all of a run. `times` and `ready` of `ticks` are the result.
 * Delays are above 0. 0, or -1 where it takes too long. */
int rotor_ticks_run(struct rotor_ticks *rotor, uint32_t duty_ppm, int staggered);

#endif
