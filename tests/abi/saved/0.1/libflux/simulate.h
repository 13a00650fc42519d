/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_SIMULATE_H
#define LIBFLUX_SIMULATE_H
#include <libflux/schedule.h>
FLUX_BEGIN_DECLS
#define FLUX_REPLAY_CLOCK 0
#define FLUX_REPLAY_ORDER 1
#define FLUX_PPM 1000000u
struct flux_replay;
FLUX_API int flux_replay_new(const struct flux_graph *graph, const struct flux_fabric *fabric,
                             const struct flux_slot *slots, uint64_t count, struct flux_replay **replay,
                             struct flux_error *error);
FLUX_API void flux_replay_free(struct flux_replay *replay);
struct flux_cycle_state {
    uint32_t switch_index;
    uint32_t circuits;
    int64_t duration;
};
FLUX_API int flux_replay_new_cycle(const struct flux_graph *graph, const struct flux_fabric *fabric,
                                   const struct flux_cycle_state *states, uint64_t state_count,
                                   const struct flux_circuit_name *circuits, uint64_t circuit_count,
                                   struct flux_replay **replay, struct flux_error *error);
#define FLUX_ROTOR_DIRECT 0
#define FLUX_ROTOR_VLB 1
#define FLUX_ROTOR_ALIGNED 0
#define FLUX_ROTOR_STAGGERED 1
struct flux_rotor_options {
    uint64_t size;
    uint32_t duty_ppm;
    uint32_t routing;
    uint32_t phase;
    uint32_t padding;
};
#define FLUX_ROTOR_OPTIONS_INIT { sizeof(struct flux_rotor_options), 900000, FLUX_ROTOR_DIRECT, FLUX_ROTOR_ALIGNED, 0 }
FLUX_API int flux_replay_new_rotor(const struct flux_graph *graph, const struct flux_fabric *fabric,
                                   const struct flux_rotor_options *options, struct flux_replay **replay,
                                   struct flux_error *error);
#define FLUX_PACKET_SPRAY 0
#define FLUX_PACKET_HASH 1
struct flux_packet_options {
    uint64_t size;
    uint32_t planes;
    uint32_t failed;
    uint32_t spread;
    uint32_t padding;
    uint64_t seed;
};
#define FLUX_PACKET_OPTIONS_INIT { sizeof(struct flux_packet_options), 1, 0, FLUX_PACKET_SPRAY, 0, 0 }
FLUX_API int flux_replay_new_packet(const struct flux_graph *graph, const struct flux_fabric *fabric,
                                    const struct flux_packet_options *options, struct flux_replay **replay,
                                    struct flux_error *error);
struct flux_replay_options {
    uint64_t size;
    uint32_t mode;
    uint32_t jitter_ppm;
    uint64_t seed;
    const uint32_t *factors_ppm;
    uint64_t factor_count;
    struct flux_cancel *cancel;
};
#define FLUX_REPLAY_OPTIONS_INIT { sizeof(struct flux_replay_options), 0, 0, 0, 0, 0, 0 }
FLUX_API int flux_replay_run(struct flux_replay *replay, const struct flux_replay_options *options,
                             struct flux_error *error);
struct flux_replay_summary {
    uint64_t size;
    int64_t iteration;
    int64_t planned;
    uint64_t late;
    int64_t latest;
    uint64_t missed;
    uint64_t stranded;
    uint64_t memory;
    uint64_t memory_of_gpu;
    uint64_t reconfigurations;
    int64_t waiting;
    uint32_t circuit_ppm;
    uint32_t port_ppm;
    uint64_t delivered;
    uint64_t forwarded;
};
#define FLUX_REPLAY_SUMMARY_INIT { sizeof(struct flux_replay_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
FLUX_API int flux_replay_summary(const struct flux_replay *replay, struct flux_replay_summary *summary);
struct flux_replay_gpu {
    uint64_t memory;
    int64_t computing;
    int64_t waiting;
};
FLUX_API const struct flux_time *flux_replay_times(const struct flux_replay *replay, uint64_t *count);
FLUX_API const int64_t *flux_replay_ready(const struct flux_replay *replay, uint64_t *count);
FLUX_API const struct flux_replay_gpu *flux_replay_gpus(const struct flux_replay *replay, uint64_t *count);
struct flux_replay_part {
    int64_t start;
    int64_t end;
    uint64_t bytes;
    uint32_t send;
    uint32_t switch_index;
    uint32_t src;
    uint32_t dst;
};
FLUX_API const struct flux_replay_part *flux_replay_parts(const struct flux_replay *replay, uint64_t *count);
struct flux_replay_held {
    int64_t time;
    uint64_t bytes;
    uint32_t gpu;
    uint32_t padding;
};
FLUX_API int flux_replay_memory(struct flux_replay *replay, const struct flux_replay_held **rows, uint64_t *count,
                                struct flux_error *error);
FLUX_END_DECLS
#endif
