/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/sunflow.c - Sunflow (Huang, Sun and Ng, CoNEXT 2016): a circuit is held from its setup to the end of its
 * flow, only its own ports are dark while it is set up, and a flow starts as soon as both its ports are free.
 *
 * Its flows are sends, which here become ready one after the other, and its coflows are collectives. Coflows go in the
 * order in which they became ready, and in one the longest sends first. A circuit is set up when its send is ready and
 * not before; where it is still up from the last send of that pair, it costs nothing. Sends are not cut: what comes out
 * is a schedule.
 */
#include "compare/phase.h"

#include <inttypes.h>
#include <string.h>

/* What one GPU's port on one switch has; under SIMPLEX there is one for each direction. */
struct port {
    uint64_t circuit;  /* NO_CIRCUIT: none yet */
    int64_t up;        /* when it is */
    uint32_t sends[2]; /* under way; the second is of the other direction under DUPLEX */
};

#define NO_CIRCUIT UINT64_MAX

struct sunflow {
    struct flux_course course;
    uint32_t gpus;
    uint32_t switches;
    uint32_t rule;
    struct port *port;    /* by switch, then end of a circuit */
    uint32_t *collective; /* by vertex */
    int64_t *arrival;     /* by collective: when its first send became ready; -1: not yet */
    int64_t *length;      /* by vertex */
    uint32_t *waiting;    /* sends, in the order in which they are tried */
    uint32_t waiting_count;
};

static struct port *port_of(const struct sunflow *sunflow, uint32_t k, uint32_t end)
{
    return &sunflow->port[(uint64_t)k * 2 * sunflow->gpus + end];
}

/* The ports of a circuit, its name, and which way it goes. */
struct way {
    uint32_t end[2];
    uint32_t direction;
    uint64_t circuit;
};

static struct way way_of(const struct sunflow *sunflow, uint32_t src, uint32_t dst)
{
    struct way way = {{src, sunflow->rule == FLUX_RULE_SIMPLEX ? sunflow->gpus + dst : dst}, 0, 0};
    int back = sunflow->rule == FLUX_RULE_DUPLEX && src > dst;
    way.direction = (uint32_t)back;
    way.circuit = back ? (uint64_t)dst << 32 | src : (uint64_t)src << 32 | dst;
    return way;
}

/* Is the port idle, or does it have this circuit with nothing under way in this direction? */
static int is_free(const struct port *port, const struct way *way)
{
    if (port->circuit == way->circuit)
        return port->sends[way->direction] == 0;
    return port->sends[0] == 0 && port->sends[1] == 0;
}

/* When a circuit is up on switch k, if it is set up at `time`; -1 where its ports are not free. */
static int64_t up_at(const struct sunflow *sunflow, uint32_t k, const struct way *way, int64_t time)
{
    int64_t up = time;
    for (int i = 0; i < 2; i++) {
        const struct port *port = port_of(sunflow, k, way->end[i]);
        int64_t delay = flux_fabric_delay(sunflow->course.comparing->fabric, k);
        if (!is_free(port, way))
            return -1;
        if (port->circuit == way->circuit)
            up = port->up > up ? port->up : up;
        else if (port->circuit != NO_CIRCUIT)
            up = flux_compare_add(time, delay) > up ? flux_compare_add(time, delay) : up;
    }
    return up;
}

/* Starts send v if both its ports are free on some switch: where it is up first. 1 where it started. */
static int try_send(struct sunflow *sunflow, uint32_t v, int64_t time, int *rc)
{
    struct flux_course *course = &sunflow->course;
    uint32_t src = course->precedence.at[v], dst = course->precedence.to[v], best = FLUX_NONE;
    struct way way = way_of(sunflow, src, dst);
    int64_t best_up = 0;
    for (uint32_t k = 0; k < sunflow->switches; k++) {
        int64_t up = flux_compare_possible(course->comparing->fabric, k, src, dst) ? up_at(sunflow, k, &way, time) : -1;
        if (up >= 0 && (best == FLUX_NONE || up < best_up)) {
            best = k;
            best_up = up;
        }
    }
    if (best == FLUX_NONE)
        return 0;
    *rc = flux_course_start(course, v, best, best_up);
    for (int i = 0; i < 2; i++) {
        struct port *port = port_of(sunflow, best, way.end[i]);
        port->circuit = way.circuit;
        port->up = best_up;
        port->sends[way.direction]++;
    }
    if (!*rc)
        flux_replay_push(&course->events, course->slot[v].end, v);
    return 1;
}

/* Everybody that waits, in order. */
static int try_all(struct sunflow *sunflow, int64_t time)
{
    uint32_t kept = 0;
    int rc = FLUX_OK;
    for (uint32_t i = 0; i < sunflow->waiting_count; i++) {
        uint32_t v = sunflow->waiting[i];
        if (rc || !try_send(sunflow, v, time, &rc))
            sunflow->waiting[kept++] = v;
    }
    sunflow->waiting_count = kept;
    return rc;
}

static int before(const struct sunflow *sunflow, uint32_t a, uint32_t b)
{
    uint32_t of_a = sunflow->collective[a], of_b = sunflow->collective[b];
    if (sunflow->arrival[of_a] != sunflow->arrival[of_b])
        return sunflow->arrival[of_a] < sunflow->arrival[of_b];
    if (of_a != of_b)
        return of_a < of_b;
    if (sunflow->length[a] != sunflow->length[b])
        return sunflow->length[a] > sunflow->length[b];
    return a < b;
}

static void arrive(struct sunflow *sunflow, uint32_t v, int64_t time)
{
    uint32_t i = sunflow->waiting_count++, of = sunflow->collective[v];
    if (sunflow->arrival[of] < 0)
        sunflow->arrival[of] = time;
    for (; i > 0 && before(sunflow, v, sunflow->waiting[i - 1]); i--)
        sunflow->waiting[i] = sunflow->waiting[i - 1];
    sunflow->waiting[i] = v;
}

static int end_send(struct sunflow *sunflow, uint32_t v)
{
    struct flux_course *course = &sunflow->course;
    struct way way = way_of(sunflow, course->precedence.at[v], course->precedence.to[v]);
    for (int i = 0; i < 2; i++)
        port_of(sunflow, course->slot[v].switch_index, way.end[i])->sends[way.direction]--;
    return flux_course_end(course, v);
}

static void set_initial(struct sunflow *sunflow)
{
    uint64_t count = 0;
    const struct flux_circuit_name *row = flux_fabric_initial(sunflow->course.comparing->fabric, &count);
    for (uint64_t i = 0; i < count; i++) {
        struct way way = way_of(sunflow, row[i].src, row[i].dst);
        for (int j = 0; j < 2; j++)
            port_of(sunflow, row[i].switch_index, way.end[j])->circuit = way.circuit;
    }
}

static int run(struct sunflow *sunflow)
{
    struct flux_course *course = &sunflow->course;
    set_initial(sunflow);
    int rc = flux_course_begin(course);
    while (!rc && course->events.heap_count) {
        struct flux_replay_event event = flux_replay_pop(&course->events);
        if (event.rank < course->first_rank)
            rc = end_send(sunflow, (uint32_t)event.rank);
        else
            arrive(sunflow, (uint32_t)(event.rank - course->first_rank), event.time);
        if (!rc && (!course->events.heap_count || course->events.heap[0].time > event.time))
            rc = try_all(sunflow, event.time);
    }
    return rc;
}

static int make_arrays(struct sunflow *sunflow, struct flux_arena *arena)
{
    const struct flux_precedence *precedence = &sunflow->course.precedence;
    const struct flux_comparing *comparing = sunflow->course.comparing;
    uint64_t n = precedence->vertices, ports = UINT64_C(2) * sunflow->gpus * sunflow->switches;
    sunflow->port = flux_arena_zero(arena, ports, sizeof *sunflow->port);
    sunflow->arrival = flux_arena_alloc(arena, n, sizeof *sunflow->arrival);
    sunflow->length = flux_arena_alloc(arena, n, sizeof *sunflow->length);
    sunflow->waiting = flux_arena_alloc(arena, flux_graph_sends(comparing->graph), sizeof *sunflow->waiting);
    if (!sunflow->port || !sunflow->arrival || !sunflow->length || !sunflow->waiting ||
        flux_collectives_find(precedence, arena, &sunflow->collective))
        return FLUX_E_MEMORY;
    for (uint64_t p = 0; p < ports; p++)
        sunflow->port[p].circuit = NO_CIRCUIT;
    for (uint32_t v = 0; v < n; v++) {
        struct flux_send send;
        sunflow->arrival[v] = -1;
        if (flux_graph_get_send(comparing->graph, v, &send) == FLUX_OK)
            sunflow->length[v] = flux_compare_duration(comparing, &send);
    }
    return FLUX_OK;
}

int flux_compare_sunflow(struct flux_comparing *comparing)
{
    const struct flux_fabric *fabric = comparing->fabric;
    struct sunflow sunflow = {.gpus = flux_fabric_gpus(fabric), .switches = flux_fabric_switches(fabric)};
    struct flux_schedule *schedule = NULL;
    for (uint32_t k = 0; k < sunflow.switches; k++)
        if (flux_fabric_dwell(fabric, k) ||
            (flux_fabric_blocking(fabric, k) == FLUX_BLOCKING_SWITCH && flux_fabric_delay(fabric, k)))
            return flux_compare_refuse(comparing,
                                       "it changes one circuit at a time, and switch %" PRIu32
                                       " stops as a whole, or has a least time between changes",
                                       k);
    sunflow.rule = flux_fabric_rule(fabric);
    int rc = flux_course_make(&sunflow.course, comparing, flux_graph_vertices(comparing->graph));
    if (!rc)
        rc = make_arrays(&sunflow, comparing->arena);
    if (!rc)
        rc = run(&sunflow);
    if (!rc)
        rc = flux_course_schedule(&sunflow.course, &schedule);
    return rc ? flux_compare_refuse_or_fail(comparing, rc) : flux_compare_keep(comparing, schedule);
}
