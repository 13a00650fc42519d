/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/simulate.h - what a schedule does when compute is not as planned: replays of it on its workload. Stable.
 *
 *     struct flux_replay *replay;
 *     struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
 *     options.mode = FLUX_REPLAY_ORDER;
 *     options.jitter_ppm = 50000;
 *     flux_replay_new(graph, fabric, slots, count, &replay, &error);
 *     for (options.seed = 0; options.seed < 1000; options.seed++) {
 *         flux_replay_run(replay, &options, &error);
 *         flux_replay_summary(replay, &summary);
 *     }
 *     flux_replay_free(replay);
 *
 * Two ways to drive the switches:
 *
 *   CLOCK  Circuits change at the planned times, whatever happens. A send starts as planned, or when it is ready, if
 *          that is later and its circuit is up and idle then: of the late ones on a circuit the first to be ready goes
 *          first. A send that cannot end before its circuit is taken down is *missed*: it is never sent, and what waits
 *          for it never runs. A circuit is taken down as late as the next one on its ports allows; where the switch
 *          blocks as a whole or has a dwell, at the begins that flux_schedule_circuits() tells, and nothing is under
 *          way while a switch that blocks changes.
 *   ORDER  Every switch keeps its circuits and sends in the planned order at each port, and waits for each of them.
 *          Nothing is ever missed. Where a switch blocks as a whole or has a dwell, changes that were planned together
 *          stay together, all changes stay in their order, and on one that blocks each send stays on its side of every
 *          change: no later than needed for that order, though another one could be faster.
 *
 * With compute as planned, CLOCK gives the planned times, and in ORDER nothing is later than planned. Whatever the
 * compute, the starts of a run that missed nothing are a schedule for the compute times it had. Lags of edges,
 * releases, sends and delays are always as planned.
 */
#ifndef LIBFLUX_SIMULATE_H
#define LIBFLUX_SIMULATE_H

#include <libflux/schedule.h>

FLUX_BEGIN_DECLS

#define FLUX_REPLAY_CLOCK 0
#define FLUX_REPLAY_ORDER 1

#define FLUX_PPM 1000000u /* a factor of 1 in parts per million */

/* A schedule, read and checked once, and the results of its last run. One thread at a time. */
struct flux_replay;

/* Reads a schedule: `slots`, one per send in any order, as from flux_schedule_slots(), and checks it as flux_check()
 * does. Graph, fabric and slots may be freed before the replay; memory comes from the graph's environment. `error` may
 * be NULL.
 * Errors: as flux_check(). Since 0.1. */
FLUX_API int flux_replay_new(const struct flux_graph *graph, const struct flux_fabric *fabric,
                             const struct flux_slot *slots, uint64_t count, struct flux_replay **replay,
                             struct flux_error *error);
FLUX_API void flux_replay_free(struct flux_replay *replay); /* NULL is fine */

/* One state of a switch in a cycle: `circuits` circuits are up for `duration` (at least 1); then the switch takes its
 * delay to change to its next state, with nothing up, and after its last to its first. A switch with one state keeps
 * it. Frozen. */
struct flux_cycle_state {
    uint32_t switch_index;
    uint32_t circuits;
    int64_t duration;
};

/* A replay of a fixed cycle of switch states instead of a schedule: RotorNet and the like, which know nothing of the
 * workload. `circuits` are those of the first state, then of the second, and so on. Every switch begins with the
 * first of its states at time 0, whatever initial circuits the fabric has; a switch without states does nothing.
 *
 * A send goes straight from its source to its destination when a circuit of that pair is up and idle (of several the
 * fastest, then that of the first switch); sends of one pair go in the order in which they became ready. At the end
 * of a slot a send is cut, and what is left of it goes on first on the pair's next circuit; what is left is rounded
 * up where rates differ. A run is by the clock: mode is FLUX_REPLAY_CLOCK. `planned`, `late`, `latest` and `missed`
 * of the summary are 0, circuit_ppm is of the time in which circuits are up until the last send has ended, and
 * reconfigurations are the circuits set up until then that were not in the state before. A run takes time for each
 * slot until then: a slot much shorter than the iteration costs.
 *
 * Errors: ARGUMENT (a state that cannot be: what is out of range, a dead port, a forbidden circuit, circuits that
 * compete; changes that are nearer than the switch's dwell), CYCLE, MISMATCH (other numbers of GPUs), INFEASIBLE (a
 * send whose circuit is never up, named), OVERFLOW, TOO_BIG, MEMORY. Since 0.1. */
FLUX_API int flux_replay_new_cycle(const struct flux_graph *graph, const struct flux_fabric *fabric,
                                   const struct flux_cycle_state *states, uint64_t state_count,
                                   const struct flux_circuit_name *circuits, uint64_t circuit_count,
                                   struct flux_replay **replay, struct flux_error *error);

#define FLUX_ROTOR_DIRECT 0
#define FLUX_ROTOR_VLB 1
#define FLUX_ROTOR_ALIGNED 0
#define FLUX_ROTOR_STAGGERED 1

/* How RotorNet turns and routes. Grows at the end: start from FLUX_ROTOR_OPTIONS_INIT. */
struct flux_rotor_options {
    uint64_t size;
    uint32_t duty_ppm; /* above 0 and below FLUX_PPM; 900000 in the paper */
    uint32_t routing;  /* FLUX_ROTOR_DIRECT or FLUX_ROTOR_VLB */
    uint32_t phase;    /* FLUX_ROTOR_ALIGNED or FLUX_ROTOR_STAGGERED */
    uint32_t padding;
};

#define FLUX_ROTOR_OPTIONS_INIT { sizeof(struct flux_rotor_options), 900000, FLUX_ROTOR_DIRECT, FLUX_ROTOR_ALIGNED, 0 }

/* The cycle of RotorNet (Mellette et al., SIGCOMM 2017): matchings in turn, so that every pair of GPUs meets, matching
 * m on switch m modulo their number (more switches than matchings repeat them). Under SIMPLEX n - 1 matchings of n
 * circuits, under DUPLEX n - 1 of n / 2 pairs, under PAPER 2 (n - 1) of n / 2 circuits, one way and then the other. A
 * slot and the change after it take delay / (1 - duty) together. All switches change at the same times, or, STAGGERED,
 * the first slot of switch k of s is longer by k / s of that.
 *
 * DIRECT: as any other cycle. VLB: a part of a send may go to a third GPU, be stored there, and go on from it in a
 * later slot, by RotorLB (section 4.2 there). When the circuit from i to j comes up, it is given, as long as its slot
 * lasts: first what i stores for j; then what i itself has for j; then what i has for others. Of the last, i offers
 * equal shares of the time that is left (what one queue does not need goes to the others), and j takes of what is for d
 * no more than a slot less what it stores for d and what it has for d itself, and nothing where its circuit to d, once
 * up, stays. A send that becomes ready while its circuit is up and has nothing to do goes straight. Nothing is cut:
 * what is given fits in the slot, and is stored or there when all of it has been carried. Circuits that come up
 * together are given what is for their ends first, and then offers, one after the other.
 *
 * `options` may be NULL.
 * Errors: as flux_replay_new_cycle(); ABI; ARGUMENT also for a duty out of range, an odd number of GPUs, and a delay
 * too short for slots. Since 0.1. */
FLUX_API int flux_replay_new_rotor(const struct flux_graph *graph, const struct flux_fabric *fabric,
                                   const struct flux_rotor_options *options, struct flux_replay **replay,
                                   struct flux_error *error);

#define FLUX_PACKET_SPRAY 0
#define FLUX_PACKET_HASH 1

/* A packet fabric, of one plane or several. Grows at the end: start from FLUX_PACKET_OPTIONS_INIT. */
struct flux_packet_options {
    uint64_t size;
    uint32_t planes; /* at least 1; each has 1 / planes of every GPU's rate, rounded down */
    uint32_t failed; /* so many of them carry nothing; fewer than all */
    uint32_t spread; /* FLUX_PACKET_SPRAY: every send uses all planes; FLUX_PACKET_HASH: each goes over one of them */
    uint32_t padding;
    uint64_t seed; /* of the choice for each send, which depends on seed and number of the vertex only */
};

#define FLUX_PACKET_OPTIONS_INIT { sizeof(struct flux_packet_options), 1, 0, FLUX_PACKET_SPRAY, 0, 0 }

/* A replay on packet switches with the same links instead of the circuit switches: a GPU sends with the rates of its
 * living ports together, and hears with as much, at the same time; between GPUs nothing is ever full. A send starts
 * when it is ready. Sends share as fluids, max-min fairly: whenever one starts or ends, the GPU ports whose rate
 * divided by their sends is least give each of theirs that much; what remains is divided in the same way. Shares are
 * rounded down to whole bit/s, ends up to whole ps. A send with its own duration is as much as the fastest circuit of
 * its pair would carry in that time. Delays, dwell, forbidden circuits and rules of circuits do not matter, propagation
 * does.
 *
 * This is no bound: fair shares ignore what is urgent. A run is by the clock: mode is FLUX_REPLAY_CLOCK. `planned`,
 * `late`, `latest`, `missed`, `reconfigurations` and `circuit_ppm` of the summary are 0, port_ppm counts both
 * directions. `options` may be NULL. Errors: ARGUMENT (options out of range), ABI, CYCLE, MISMATCH (other numbers of
 * GPUs), INFEASIBLE (a send at a GPU all of whose ports are dead, named), TOO_BIG, MEMORY. Since 0.1. */
FLUX_API int flux_replay_new_packet(const struct flux_graph *graph, const struct flux_fabric *fabric,
                                    const struct flux_packet_options *options, struct flux_replay **replay,
                                    struct flux_error *error);

/* One run. All zero: by the clock, with compute as planned. Grows at the end: start from FLUX_REPLAY_OPTIONS_INIT. */
struct flux_replay_options {
    uint64_t size;
    uint32_t mode;       /* FLUX_REPLAY_CLOCK or FLUX_REPLAY_ORDER */
    uint32_t jitter_ppm; /* 0 .. FLUX_PPM. Each compute takes 1 - jitter .. 1 + jitter of its time, drawn evenly */
    uint64_t seed;       /* of the draw, which depends on seed and number of the vertex only */
    const uint32_t *factors_ppm; /* by GPU, or NULL: its computes take so much of their time; FLUX_PPM is as planned */
    uint64_t factor_count;       /* number of GPUs, or 0 without factors */
    struct flux_cancel *cancel;  /* stops a run without a schedule, which may be long; NULL: nothing does */
};

#define FLUX_REPLAY_OPTIONS_INIT { sizeof(struct flux_replay_options), 0, 0, 0, 0, 0, 0 }

/* Runs the schedule; `options` and `error` may be NULL. A compute takes its planned time by its GPU's factor by its
 * jitter, rounded to the nearest ps. The same result for the same options on every machine. A schedule: O(V log V + E),
 * and asks for no memory; a cycle asks for some for the parts of its sends. A call that fails leaves the results of the
 * run before it. Errors: ARGUMENT, ABI, OVERFLOW (times add up beyond FLUX_TIME_MAX), MEMORY, CANCELLED. Since 0.1. */
FLUX_API int flux_replay_run(struct flux_replay *replay, const struct flux_replay_options *options,
                             struct flux_error *error);

/* Figures of the last run. The caller sets `size`; no more than that is written. Grows at the end. */
struct flux_replay_summary {
    uint64_t size;
    int64_t iteration;         /* end of the last vertex that ran */
    int64_t planned;           /* the schedule's makespan */
    uint64_t late;             /* sends that started later than planned */
    int64_t latest;            /* by how much at most */
    uint64_t missed;           /* sends that lost their circuit; 0 in ORDER */
    uint64_t stranded;         /* vertices that never ran, the missed among them; 0: the iteration was done */
    uint64_t memory;           /* peak over time of the bytes at all GPUs together that were ready and not yet sent */
    uint64_t memory_of_gpu;    /* the largest peak of a single GPU */
    uint64_t reconfigurations; /* as planned: neither mode adds or leaves out any */
    int64_t waiting;           /* mean over the GPUs of the time in which none of its computes runs, rounded down */
    uint32_t circuit_ppm; /* how much of the time from the first start to the last end on a circuit (one stay on its two
                             ports; each direction by itself under DUPLEX) sends are under way on it, all together */
    uint32_t port_ppm;    /* how much of all ports' time up to `iteration` sends are under way; both directions of a
                             port count under DUPLEX and SIMPLEX */
    uint64_t delivered;   /* bytes that arrived where they were sent to */
    uint64_t forwarded;   /* bytes that were stored at a third GPU on the way; each of them was carried twice */
};

#define FLUX_REPLAY_SUMMARY_INIT { sizeof(struct flux_replay_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Errors: ARGUMENT (also before the first run), ABI. Since 0.1. */
FLUX_API int flux_replay_summary(const struct flux_replay *replay, struct flux_replay_summary *summary);

/* What one GPU saw. Bytes count from when a send is ready (all that it waits for was there, and its release) until the
 * end of what carries them without a cut: the send, or in a cycle one of its parts; or until the end of the run where
 * it was missed. What is stored on the way counts where it is. A send without bytes counts none. Sums beyond 2^64 - 1
 * read UINT64_MAX. Frozen. */
struct flux_replay_gpu {
    uint64_t memory;   /* peak over time */
    int64_t computing; /* time in which at least one of its computes runs */
    int64_t waiting;   /* the rest of the iteration */
};

/* By vertex, by vertex, and by GPU; they live until the next run. A vertex that never ran has start and end -1, and
 * one of which something that it waits for never ran is ready at -1. NULL and 0 before the first run. `count` may be
 * NULL. Since 0.1. */
FLUX_API const struct flux_time *flux_replay_times(const struct flux_replay *replay, uint64_t *count);
FLUX_API const int64_t *flux_replay_ready(const struct flux_replay *replay, uint64_t *count);
FLUX_API const struct flux_replay_gpu *flux_replay_gpus(const struct flux_replay *replay, uint64_t *count);

/* In a cycle: what a circuit carried of one send without a cut. Without forwarding src and dst are those of the send.
 * Frozen. */
struct flux_replay_part {
    int64_t start;
    int64_t end;
    uint64_t bytes; /* those of the parts that arrive add up to the send's */
    uint32_t send;
    uint32_t switch_index;
    uint32_t src;
    uint32_t dst;
};

/* In the order in which they ended; they live until the next run. No rows where there is no cycle: there every send is
 * carried at once. NULL and 0 before the first run. `count` may be NULL. Since 0.1. */
FLUX_API const struct flux_replay_part *flux_replay_parts(const struct flux_replay *replay, uint64_t *count);

/* From `time` on `bytes` wait at the GPU: see struct flux_replay_gpu. Frozen. */
struct flux_replay_held {
    int64_t time;
    uint64_t bytes;
    uint32_t gpu;
    uint32_t padding;
};

/* NIC memory over time: a row for each change, in the order of time; of several for one GPU at one time the last
 * counts. Before its first row a GPU holds nothing. The rows live until the next run. `error` may be NULL. Errors:
 * ARGUMENT (NULL, before the first run), MEMORY. Since 0.1. */
FLUX_API int flux_replay_memory(struct flux_replay *replay, const struct flux_replay_held **rows, uint64_t *count,
                                struct flux_error *error);

FLUX_END_DECLS
#endif
