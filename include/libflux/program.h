/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/program.h - a schedule run step by step, for simulators and controllers with a loop of their own. Stable.
 *
 *     struct flux_program *program;
 *     flux_program_new(graph, fabric, schedule, &program, &error);
 *
 * Two ways to go through it, side by side; both can begin again, neither asks for memory:
 *
 *   by the clock   What the plan says, in order of time: which circuits change, come up and go down, which sends
 *                  start and end. flux_program_step() and flux_program_seek() move the clock, forwards or back.
 *   in order       What may happen now that so much has happened: the caller takes actions (change a circuit, start a
 *                  send, start a compute), does them in its own time, and says when each is done; it is then told what
 *                  may follow. Switches keep the planned order and wait, as FLUX_REPLAY_ORDER does
 *                  (<libflux/simulate.h>): whatever the times, no rule of the fabric is broken.
 *
 * Circuits are rows of flux_program_circuits(), by their index. One thread at a time.
 */
#ifndef LIBFLUX_PROGRAM_H
#define LIBFLUX_PROGRAM_H

#include <libflux/schedule.h>

FLUX_BEGIN_DECLS

struct flux_program;

/* Checks the schedule against graph and fabric, as flux_check() does; all three may be freed before the program. Memory
 * comes from the graph's environment, all of it here. O(V log V + E).
 * Errors: as flux_check(), TOO_BIG. Since 0.1. */
FLUX_API int flux_program_new(const struct flux_graph *graph, const struct flux_fabric *fabric,
                              const struct flux_schedule *schedule, struct flux_program **program,
                              struct flux_error *error);
FLUX_API void flux_program_free(struct flux_program *program); /* NULL is fine */

/* What happens at a time, or may from that time on. Kinds are numbered in the order in which they come at one time. */
#define FLUX_EVENT_END 0     /* a send ends */
#define FLUX_EVENT_DOWN 1    /* a circuit goes down: one that replaces it begins to change */
#define FLUX_EVENT_CHANGE 2  /* the ports of a circuit begin to change to it */
#define FLUX_EVENT_UP 3      /* a circuit is up */
#define FLUX_EVENT_START 4   /* a send starts */
#define FLUX_EVENT_COMPUTE 5 /* a compute starts; in order only */

/* Frozen. */
struct flux_event {
    int64_t time;
    int64_t duration;      /* as planned: of CHANGE the delay, of START and COMPUTE until the end; otherwise 0 */
    uint32_t kind;         /* FLUX_EVENT_* */
    uint32_t item;         /* the vertex; of DOWN, CHANGE and UP the row of the circuit */
    uint32_t switch_index; /* FLUX_NONE for a compute */
    uint32_t reserved;     /* 0 */
};

/* The rows of flux_schedule_circuits(), and which of them carries a send (FLUX_NONE for compute and out of range). They
 * live as long as the program. `count` may be NULL. Since 0.1. */
FLUX_API const struct flux_circuit *flux_program_circuits(const struct flux_program *program, uint64_t *count);
FLUX_API uint32_t flux_program_circuit_of(const struct flux_program *program, uint32_t send);

/* ---- by the clock ---- */

/* The next event, and the clock moves to it: 1, or 0 where nothing more comes. `event` may be NULL. O(1). A new program's
 * clock stands before all events. Since 0.1. */
FLUX_API int flux_program_step(struct flux_program *program, struct flux_event *event);
/* The same without moving: 1 or 0. */
FLUX_API int flux_program_peek(const struct flux_program *program, struct flux_event *event);

/* Moves the clock, forwards or back, behind the last event at `time` or before; -1 is before all events. O(1) for each
 * event between. Errors: ARGUMENT. Since 0.1. */
FLUX_API int flux_program_seek(struct flux_program *program, int64_t time);

/* Circuits that are up on a switch as the clock stands, in no particular order: rows, until the clock moves. A circuit
 * that serves nothing more stays up until its ports change. An initial circuit that no send uses has no row, and is not
 * told. O(1). Since 0.1. */
FLUX_API const uint32_t *flux_program_up(const struct flux_program *program, uint32_t switch_index, uint32_t *count);

/* When the next DOWN, CHANGE or UP comes on that switch or, with FLUX_ALL_SWITCHES, on any; INT64_MAX where none does.
 * O(1). Since 0.1. */
FLUX_API int64_t flux_program_next_change(const struct flux_program *program, uint32_t switch_index);

/* ---- in order ---- */

/* Forgets what was taken and done: the iteration begins anew. A new program stands there. O(V + E). Since 0.1. */
FLUX_API void flux_program_restart(struct flux_program *program);

/* The next action that nothing done so far holds back: 1, or 0 where everything possible was taken. Its kind is CHANGE,
 * START or COMPUTE; it may begin at `time` (lags, releases and dwell are in it) or later, a change of a switch with a
 * dwell at `time` exactly. Actions come in no order of time. O(1). Since 0.1. */
FLUX_API int flux_program_take(struct flux_program *program, struct flux_event *action);

/* An action that was taken is done: a change is up, a send has ended, a compute has ended, at `time`, which is no earlier
 * than the action's. O(1) amortised, and O(1) for every edge that leaves the vertex. Times beyond FLUX_TIME_MAX read
 * FLUX_TIME_MAX.
 * Errors: ARGUMENT (an action that was not taken, or is done; a time before it). Since 0.1. */
FLUX_API int flux_program_done(struct flux_program *program, uint32_t kind, uint32_t item, int64_t time);

/* Actions that are not done yet, taken or not; 0: the iteration is over. */
FLUX_API uint64_t flux_program_left(const struct flux_program *program);

FLUX_END_DECLS
#endif
