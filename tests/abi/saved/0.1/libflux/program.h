/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_PROGRAM_H
#define LIBFLUX_PROGRAM_H
#include <libflux/schedule.h>
FLUX_BEGIN_DECLS
struct flux_program;
FLUX_API int flux_program_new(const struct flux_graph *graph, const struct flux_fabric *fabric,
                              const struct flux_schedule *schedule, struct flux_program **program,
                              struct flux_error *error);
FLUX_API void flux_program_free(struct flux_program *program);
#define FLUX_EVENT_END 0
#define FLUX_EVENT_DOWN 1
#define FLUX_EVENT_CHANGE 2
#define FLUX_EVENT_UP 3
#define FLUX_EVENT_START 4
#define FLUX_EVENT_COMPUTE 5
struct flux_event {
    int64_t time;
    int64_t duration;
    uint32_t kind;
    uint32_t item;
    uint32_t switch_index;
    uint32_t reserved;
};
FLUX_API const struct flux_circuit *flux_program_circuits(const struct flux_program *program, uint64_t *count);
FLUX_API uint32_t flux_program_circuit_of(const struct flux_program *program, uint32_t send);
FLUX_API int flux_program_step(struct flux_program *program, struct flux_event *event);
FLUX_API int flux_program_peek(const struct flux_program *program, struct flux_event *event);
FLUX_API int flux_program_seek(struct flux_program *program, int64_t time);
FLUX_API const uint32_t *flux_program_up(const struct flux_program *program, uint32_t switch_index, uint32_t *count);
FLUX_API int64_t flux_program_next_change(const struct flux_program *program, uint32_t switch_index);
FLUX_API void flux_program_restart(struct flux_program *program);
FLUX_API int flux_program_take(struct flux_program *program, struct flux_event *action);
FLUX_API int flux_program_done(struct flux_program *program, uint32_t kind, uint32_t item, int64_t time);
FLUX_API uint64_t flux_program_left(const struct flux_program *program);
FLUX_END_DECLS
#endif
