/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/compare.h - inside of a comparison: one scheduler at work on one graph and fabric.
 */
#ifndef FLUX_COMPARE_COMPARE_H
#define FLUX_COMPARE_COMPARE_H

#include "base/memory.h"

#include <libflux/compare.h>

struct flux_comparison {
    struct flux_memory memory;
    struct flux_schedule *schedule;
    struct flux_replay *replay;
    struct flux_comparison_summary summary;
    char note[sizeof((struct flux_error *)0)->text];
};

struct flux_comparing {
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    struct flux_compare_options options; /* duty_ppm is never 0 here */
    struct flux_arena *arena;            /* scratch */
    struct flux_comparison *comparison;
    struct flux_error *error; /* never NULL */
};

/* A scheduler. Puts a replay into the comparison, run already or not, and a schedule where it has one; or says why it
 * does not apply. Errors: those of flux_compare(). */
typedef int flux_compare_function(struct flux_comparing *comparing);

flux_compare_function flux_compare_flux;
flux_compare_function flux_compare_random;
flux_compare_function flux_compare_phase;
flux_compare_function flux_compare_static;
flux_compare_function flux_compare_rotor;
flux_compare_function flux_compare_periodic;
flux_compare_function flux_compare_sunflow;
flux_compare_function flux_compare_packet;

/* The function of a scheduler; NULL for an unknown number. */
flux_compare_function *flux_compare_find(uint32_t scheduler);

/* Writes the note. Returns 0. */
int flux_compare_note(struct flux_comparing *comparing, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The scheduler does not apply, for this reason. Returns 0. */
int flux_compare_refuse(struct flux_comparing *comparing, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A replay could not be made or run: that the cycle does not suit graph and fabric means that the scheduler does not
 * apply; anything else is an error. Returns 0 or `rc`. */
int flux_compare_refuse_or_fail(struct flux_comparing *comparing, int rc);

/* Runs a replay, by the clock and as planned, until it is done or cancelled. Errors: as flux_replay_run(). */
int flux_compare_replay(struct flux_comparing *comparing, struct flux_replay *replay);

/* Keeps a schedule and its replay, as planned. The schedule is the comparison's from then on, whatever is returned. */
int flux_compare_keep(struct flux_comparing *comparing, struct flux_schedule *schedule);

/* Bytes that are ready and of which nothing was sent yet: peak and mean into the summary, whose iteration is known.
 * Errors: MEMORY. */
int flux_compare_waiting(struct flux_comparing *comparing);

/* How long send `v` takes on the fastest switch that can carry it; -1 where none can. */
int64_t flux_compare_duration(const struct flux_comparing *comparing, const struct flux_send *send);
/* Their sum; FLUX_TIME_MAX where it is more. */
static inline int64_t flux_compare_add(int64_t a, int64_t b)
{
    return b > FLUX_TIME_MAX - a ? FLUX_TIME_MAX : a + b;
}
/* Can switch k set up the circuit from src to dst? */
int flux_compare_possible(const struct flux_fabric *fabric, uint32_t k, uint32_t src, uint32_t dst);

#endif
