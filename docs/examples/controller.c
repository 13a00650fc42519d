/* SPDX-License-Identifier: Apache-2.0
 *
 * controller.c: what a controller of switches does with a schedule: wait, set circuits, wait. When an iteration is
 * cancelled on its way, the next one is planned from the circuits that are up then.
 */
#include <libflux/flux.h>
#include <stdio.h>

#define GPUS 4
#define SWITCHES 2

static struct flux_graph *build(void)
{
    static const uint32_t pairs[][2] = {{0, 1}, {2, 3}, {1, 2}, {3, 0}, {0, 2}, {1, 3}};
    struct flux_graph *graph;
    uint32_t send;
    flux_graph_new(NULL, GPUS, &graph);
    for (uint32_t i = 0; i < 6; i++) {
        flux_graph_add_send(graph, pairs[i][0], pairs[i][1], 32 << 20, &send);
        if (i >= 2)
            flux_graph_add_edge(graph, send - 2, send, 100 * FLUX_US);
    }
    return graph;
}

static int plan(const struct flux_graph *graph, const struct flux_fabric *fabric, struct flux_program **program)
{
    struct flux_schedule *schedule;
    struct flux_error error;
    char text[FLUX_UNITS_TEXT];
    if (flux_schedule(graph, fabric, NULL, &schedule, &error) ||
        flux_program_new(graph, fabric, schedule, program, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("an iteration of %s\n", flux_time_format(flux_schedule_makespan(schedule), text, sizeof text));
    flux_schedule_free(schedule);
    return 0;
}

/* All circuits of one switch that are set at the same time, in one message to it. Gives the event that comes after. */
static int set_together(struct flux_program *program, struct flux_event *event)
{
    const struct flux_circuit *circuits = flux_program_circuits(program, NULL);
    uint32_t k = event->switch_index, kind = event->kind;
    int64_t time = event->time;
    char text[FLUX_UNITS_TEXT];
    printf("  %s %s: switch %u", kind == FLUX_EVENT_CHANGE ? "at" : "before", flux_time_format(time, text, sizeof text),
           k);
    do
        printf(" %u->%u", circuits[event->item].src, circuits[event->item].dst);
    while (flux_program_step(program, event) && event->time == time && event->kind == kind && event->switch_index == k);
    printf("\n");
    return event->time > time || event->kind != kind || event->switch_index != k;
}

/* Walks the plan until `until`; a real controller sleeps until each time and talks to the switch. */
static void walk(struct flux_program *program, int64_t until)
{
    const struct flux_circuit *circuits = flux_program_circuits(program, NULL);
    struct flux_event event;
    int more = flux_program_step(program, &event);
    while (more && event.time <= until) {
        int first = event.kind == FLUX_EVENT_UP && !circuits[event.item].changed; /* set before the iteration */
        if (event.kind == FLUX_EVENT_CHANGE || first)
            more = set_together(program, &event);
        else
            more = flux_program_step(program, &event);
    }
    flux_program_seek(program, until);
}

/* The circuits that are up as the program stands become those with which the next iteration begins. */
static void keep_what_is_up(const struct flux_program *program, struct flux_fabric *fabric)
{
    const struct flux_circuit *circuits = flux_program_circuits(program, NULL);
    for (uint32_t k = 0; k < SWITCHES; k++) {
        uint32_t count;
        const uint32_t *up = flux_program_up(program, k, &count);
        for (uint32_t i = 0; i < count; i++) {
            printf("  up on switch %u: %u->%u\n", k, circuits[up[i]].src, circuits[up[i]].dst);
            flux_fabric_add_initial(fabric, k, circuits[up[i]].src, circuits[up[i]].dst);
        }
    }
}

static struct flux_fabric *make_fabric(void)
{
    struct flux_fabric *fabric;
    flux_fabric_new(NULL, GPUS, SWITCHES, &fabric);
    flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 20 * FLUX_US);
    return fabric;
}

int main(void)
{
    struct flux_graph *graph = build();
    struct flux_fabric *fabric = make_fabric();
    struct flux_program *program;
    char text[FLUX_UNITS_TEXT];
    int64_t cancelled = 900 * FLUX_US;

    if (plan(graph, fabric, &program))
        return 1;
    walk(program, INT64_MAX - 1);

    /* The same again, but a GPU fails on the way: nothing more is set, and the next iteration begins from here. */
    flux_program_seek(program, -1);
    printf("once more, cancelled at %s\n", flux_time_format(cancelled, text, sizeof text));
    walk(program, cancelled);
    flux_fabric_free(fabric);
    fabric = make_fabric();
    keep_what_is_up(program, fabric);
    flux_program_free(program);
    if (plan(graph, fabric, &program))
        return 1;
    walk(program, INT64_MAX - 1);
    flux_program_free(program);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return 0;
}
