/* SPDX-License-Identifier: Apache-2.0
 *
 * event_loop.c [PERCENT]: a simulator's loop that runs a schedule. Its own clock, its own timing: here compute takes
 * PERCENT more than planned. The program says what may happen next; the loop says what has happened.
 */
#include <libflux/flux.h>
#include <stdio.h>
#include <stdlib.h>

#define GPUS 8
#define ROUNDS 6

/* Two rings of four GPUs, all rounds of an all-reduce, and compute of 300 us before each round. */
static struct flux_graph *build(void)
{
    struct flux_graph *graph;
    uint32_t before[GPUS], sends[GPUS], compute;
    flux_graph_new(NULL, GPUS, &graph);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t gpu = 0; gpu < GPUS; gpu++) {
            uint32_t next = round % 2 ? (gpu + 4) % 8 : gpu / 4 * 4 + (gpu + 1) % 4;
            flux_graph_add_compute(graph, gpu, 300 * FLUX_US, &compute);
            for (uint32_t other = 0; round && other < GPUS; other++)
                if (other / 4 == gpu / 4)
                    flux_graph_add_edge(graph, before[other], compute, 0);
            flux_graph_add_send(graph, gpu, next, 16 << 20, &sends[gpu]);
            flux_graph_add_edge(graph, compute, sends[gpu], 0);
        }
        for (uint32_t gpu = 0; gpu < GPUS; gpu++)
            before[gpu] = sends[gpu];
    }
    return graph;
}

/* ---- the simulator: events in a heap, the earliest first ---- */

struct simulator {
    int64_t now;
    struct pending {
        int64_t end;
        struct flux_event action;
    } heap[4096];
    uint32_t count;
};

static void push(struct simulator *simulator, struct pending pending)
{
    uint32_t at = simulator->count++;
    for (; at > 0 && simulator->heap[(at - 1) / 2].end > pending.end; at = (at - 1) / 2)
        simulator->heap[at] = simulator->heap[(at - 1) / 2];
    simulator->heap[at] = pending;
}

static struct pending pop(struct simulator *simulator)
{
    struct pending first = simulator->heap[0], last = simulator->heap[--simulator->count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < simulator->count; child = 2 * at + 1) {
        if (child + 1 < simulator->count && simulator->heap[child + 1].end < simulator->heap[child].end)
            child++;
        if (simulator->heap[child].end >= last.end)
            break;
        simulator->heap[at] = simulator->heap[child];
        at = child;
    }
    simulator->heap[at] = last;
    return first;
}

/* Everything that may begin by now gets its end. A packet simulator would start its flow here instead. */
static void begin_what_may(struct simulator *simulator, struct flux_program *program, int64_t percent)
{
    struct flux_event action;
    while (flux_program_take(program, &action)) {
        int64_t duration = action.duration;
        if (action.kind == FLUX_EVENT_COMPUTE)
            duration += duration / 100 * percent;
        push(simulator, (struct pending){action.time + duration, action});
    }
}

static int64_t run(struct flux_program *program, int64_t percent)
{
    static struct simulator simulator;
    flux_program_restart(program);
    simulator.now = 0;
    begin_what_may(&simulator, program, percent);
    while (simulator.count > 0) {
        struct pending next = pop(&simulator);
        simulator.now = next.end;
        flux_program_done(program, next.action.kind, next.action.item, next.end);
        begin_what_may(&simulator, program, percent);
    }
    return flux_program_left(program) ? -1 : simulator.now;
}

int main(int argc, char **argv)
{
    struct flux_graph *graph = build();
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_program *program;
    struct flux_error error;
    char planned[FLUX_UNITS_TEXT], took[FLUX_UNITS_TEXT];
    long percent = argc > 1 ? strtol(argv[1], NULL, 10) : 10;

    flux_fabric_new(NULL, GPUS, 2, &fabric);
    flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 25 * FLUX_US);
    if (flux_schedule(graph, fabric, NULL, &schedule, &error) ||
        flux_program_new(graph, fabric, schedule, &program, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    flux_time_format(flux_schedule_makespan(schedule), planned, sizeof planned);
    printf("planned             %s\n", planned);
    printf("compute as planned  %s\n", flux_time_format(run(program, 0), took, sizeof took));
    printf("%ld %% more compute   %s\n", percent, flux_time_format(run(program, percent), took, sizeof took));
    flux_program_free(program);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return 0;
}
