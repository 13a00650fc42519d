/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedule object: circuit programs worked out by hand, for every circuit rule and for what changes the begins of
 * changes; and everything else that can be read from it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/flux.h>
#include <string.h>

#define SLOTS_MAX 16u

/* Times here are picoseconds, and so short that they can be followed by eye. */
struct bench {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_slot slots[SLOTS_MAX];
    uint32_t count;
    struct flux_schedule *schedule;
};

static void begin(struct bench *bench, uint32_t rule, int64_t delay)
{
    memset(bench, 0, sizeof *bench);
    assert_int_equal(flux_graph_new(NULL, 8, &bench->graph), 0);
    assert_int_equal(flux_fabric_new(NULL, 8, 2, &bench->fabric), 0);
    assert_int_equal(flux_fabric_set_delay(bench->fabric, FLUX_ALL_SWITCHES, delay), 0);
    assert_int_equal(flux_fabric_set_rule(bench->fabric, rule), 0);
}

static void end(struct bench *bench)
{
    flux_schedule_free(bench->schedule);
    flux_graph_free(bench->graph);
    flux_fabric_free(bench->fabric);
}

/* A send on switch k from `start` to `stop`. */
static uint32_t put(struct bench *bench, uint32_t k, uint32_t src, uint32_t dst, int64_t start, int64_t stop)
{
    uint32_t v;
    assert_true(bench->count < SLOTS_MAX);
    assert_int_equal(flux_graph_add_send(bench->graph, src, dst, 1, &v), 0);
    assert_int_equal(flux_graph_set_duration(bench->graph, v, stop - start), 0);
    bench->slots[bench->count++] = (struct flux_slot){v, k, start, stop};
    return v;
}

static void make(struct bench *bench)
{
    struct flux_error error;
    flux_schedule_free(bench->schedule);
    int rc =
        flux_schedule_from_slots(bench->graph, bench->fabric, bench->slots, bench->count, &bench->schedule, &error);
    if (rc)
        print_error("%s\n", error.text);
    assert_int_equal(rc, 0);
}

/* The program is these rows, of which `changes` replace another circuit. */
static void expect(struct bench *bench, const struct flux_circuit *rows, uint64_t count, uint64_t changes)
{
    uint64_t found;
    make(bench);
    const struct flux_circuit *circuits = flux_schedule_circuits(bench->schedule, &found);
    for (uint64_t i = 0; i < found && i < count; i++)
        if (memcmp(&circuits[i], &rows[i], sizeof rows[i]) != 0)
            fail_msg("row %u is switch %u, %u to %u, %u sends, changed %u, begin %d, up %d, down %d", (unsigned)i,
                     circuits[i].switch_index, circuits[i].src, circuits[i].dst, circuits[i].sends, circuits[i].changed,
                     (int)circuits[i].begin, (int)circuits[i].up, (int)circuits[i].down);
    assert_int_equal(found, count);
    assert_int_equal(flux_schedule_reconfigurations(bench->schedule), changes);
}

#define ROW(k, src, dst, sends, changed, begin, up, down)                                                              \
    {                                                                                                                  \
        k, src, dst, sends, changed, 0, begin, up, down                                                                \
    }
#define EXPECT(bench, changes, ...)                                                                                    \
    do {                                                                                                               \
        const struct flux_circuit rows_[] = {__VA_ARGS__};                                                             \
        expect(bench, rows_, sizeof rows_ / sizeof *rows_, changes);                                                   \
    } while (0)

/* Rows are by switch, then by when a circuit is up, then by source; the change begins when its ports are free. */
static void paper_program(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, FLUX_RULE_PAPER, 10);
    put(&b, 1, 4, 5, 0, 30);
    put(&b, 0, 2, 3, 7, 40);
    put(&b, 0, 0, 1, 0, 20);
    put(&b, 0, 0, 1, 25, 45);  /* the same circuit: the same row */
    put(&b, 0, 1, 0, 60, 70);  /* the other direction is another circuit here; it waits longer than it must */
    put(&b, 0, 0, 3, 90, 95);  /* takes two ports; the later one, of 1 to 0, is free at 70 */
    put(&b, 0, 2, 4, 99, 120); /* 2's port is free since 40 */
    EXPECT(&b, 3, ROW(0, 0, 1, 2, 0, 0, 0, 45), ROW(0, 2, 3, 1, 0, 0, 0, 40), ROW(0, 2, 4, 1, 1, 40, 50, 120),
           ROW(0, 1, 0, 1, 1, 45, 55, 70), ROW(0, 0, 3, 1, 1, 70, 80, 95), ROW(1, 4, 5, 1, 0, 0, 0, 30));
    end(&b);
}

/* A circuit that comes back after another one used a port of its has a second row; one whose ports nobody used goes on.
 */
static void rows_end_when_a_port_goes(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, FLUX_RULE_PAPER, 1);
    put(&b, 0, 0, 1, 0, 5);
    put(&b, 0, 1, 2, 6, 9); /* takes 1's port */
    put(&b, 0, 3, 4, 6, 9);
    put(&b, 0, 0, 1, 20, 25); /* 0's port saw nobody else, yet the circuit must be set up again */
    put(&b, 0, 3, 4, 26, 29);
    EXPECT(&b, 2, ROW(0, 0, 1, 1, 0, 0, 0, 5), ROW(0, 3, 4, 2, 0, 0, 0, 29), ROW(0, 1, 2, 1, 1, 5, 6, 9),
           ROW(0, 0, 1, 1, 1, 9, 10, 25));
    end(&b);
}

/* One row serves both directions, named by the first send; what follows waits for the later direction. */
static void duplex_program(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, FLUX_RULE_DUPLEX, 10);
    put(&b, 0, 1, 0, 3, 20);
    put(&b, 0, 0, 1, 5, 35);
    put(&b, 0, 1, 0, 21, 30);
    put(&b, 0, 0, 2, 50, 60);
    put(&b, 0, 3, 1, 45, 47);
    EXPECT(&b, 2, ROW(0, 1, 0, 3, 0, 0, 0, 35), ROW(0, 0, 2, 1, 1, 35, 45, 60), ROW(0, 3, 1, 1, 1, 35, 45, 47));
    end(&b);
}

/* 0 to 1 and 1 to 2 share no port; 3 to 1 replaces the first at 1's receive port only. */
static void simplex_program(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, FLUX_RULE_SIMPLEX, 10);
    put(&b, 0, 1, 2, 0, 100);
    put(&b, 0, 0, 1, 0, 20);
    put(&b, 0, 3, 1, 31, 40);
    put(&b, 0, 0, 4, 33, 44);
    put(&b, 0, 2, 1, 50, 51);
    EXPECT(&b, 3, ROW(0, 0, 1, 1, 0, 0, 0, 20), ROW(0, 1, 2, 1, 0, 0, 0, 100), ROW(0, 0, 4, 1, 1, 20, 30, 44),
           ROW(0, 3, 1, 1, 1, 20, 30, 40), ROW(0, 2, 1, 1, 1, 40, 50, 51));
    end(&b);
}

/* An initial circuit is up at 0 when it is used first, is replaced otherwise, and has no row when it serves nobody. */
static void initial_program(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, FLUX_RULE_PAPER, 10);
    flux_fabric_add_initial(b.fabric, 0, 0, 1);
    flux_fabric_add_initial(b.fabric, 0, 2, 3);
    flux_fabric_add_initial(b.fabric, 0, 6, 7);
    put(&b, 0, 0, 1, 4, 20);
    put(&b, 0, 2, 4, 15, 30); /* replaces 2 to 3 */
    put(&b, 0, 3, 5, 15, 30); /* so does this, at the other end */
    EXPECT(&b, 2, ROW(0, 0, 1, 1, 0, 0, 0, 20), ROW(0, 2, 4, 1, 1, 0, 10, 30), ROW(0, 3, 5, 1, 1, 0, 10, 30));
    end(&b);
}

static void initial_program_of_duplex(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, FLUX_RULE_DUPLEX, 10);
    flux_fabric_add_initial(b.fabric, 0, 0, 1);
    put(&b, 0, 1, 0, 4, 20);
    put(&b, 0, 0, 1, 4, 10);
    put(&b, 0, 0, 2, 30, 31);
    EXPECT(&b, 1, ROW(0, 1, 0, 2, 0, 0, 0, 20), ROW(0, 0, 2, 1, 1, 20, 30, 31));
    end(&b);
}

/* Without a delay a change takes no time and is one all the same. */
static void program_without_delay(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, FLUX_RULE_PAPER, 0);
    put(&b, 0, 0, 1, 0, 5);
    put(&b, 0, 0, 2, 5, 9);
    flux_fabric_set_blocking(b.fabric, 0, FLUX_BLOCKING_SWITCH);
    EXPECT(&b, 1, ROW(0, 0, 1, 1, 0, 0, 0, 5), ROW(0, 0, 2, 1, 1, 5, 5, 9));
    end(&b);
}

/* When the switch goes dark as a whole, a change waits until nobody is under way; others may use the same moment. */
static void blocking_program(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, FLUX_RULE_PAPER, 10);
    put(&b, 0, 0, 1, 0, 20);
    put(&b, 0, 2, 3, 5, 40);
    put(&b, 0, 0, 4, 55, 60); /* free at 20, dark from 40 */
    put(&b, 0, 2, 5, 52, 53); /* free at 40 */
    put(&b, 0, 6, 7, 90, 99); /* a first circuit */
    flux_fabric_set_blocking(b.fabric, 0, FLUX_BLOCKING_SWITCH);
    EXPECT(&b, 2, ROW(0, 0, 1, 1, 0, 0, 0, 20), ROW(0, 2, 3, 1, 0, 0, 0, 40), ROW(0, 6, 7, 1, 0, 0, 0, 99),
           ROW(0, 0, 4, 1, 1, 40, 50, 60), ROW(0, 2, 5, 1, 1, 40, 50, 53));
    end(&b);
}

/* Changes could begin in 20 .. 60, 30 .. 40 and 45 .. 80. */
static void dwell_program(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, FLUX_RULE_PAPER, 10);
    put(&b, 0, 0, 1, 0, 20);
    put(&b, 0, 2, 3, 0, 30);
    put(&b, 0, 4, 5, 0, 45);
    put(&b, 0, 0, 6, 70, 99);
    put(&b, 0, 2, 7, 50, 51);
    put(&b, 0, 4, 1, 90, 91);
    flux_fabric_set_dwell(b.fabric, 0, 10);
    EXPECT(&b, 3, ROW(0, 0, 1, 1, 0, 0, 0, 20), ROW(0, 2, 3, 1, 0, 0, 0, 30), ROW(0, 4, 5, 1, 0, 0, 0, 45),
           ROW(0, 0, 6, 1, 1, 20, 30, 99), ROW(0, 2, 7, 1, 1, 30, 40, 51), ROW(0, 4, 1, 1, 1, 45, 55, 91));
    flux_fabric_set_dwell(b.fabric, 0, 16); /* the third waits for the second, which cannot wait for the first */
    EXPECT(&b, 3, ROW(0, 0, 1, 1, 0, 0, 0, 20), ROW(0, 2, 3, 1, 0, 0, 0, 30), ROW(0, 4, 5, 1, 0, 0, 0, 45),
           ROW(0, 0, 6, 1, 1, 20, 30, 99), ROW(0, 2, 7, 1, 1, 36, 46, 51), ROW(0, 4, 1, 1, 1, 52, 62, 91));
    flux_fabric_set_dwell(b.fabric, 0, 30); /* the first two must go together */
    EXPECT(&b, 3, ROW(0, 0, 1, 1, 0, 0, 0, 20), ROW(0, 2, 3, 1, 0, 0, 0, 30), ROW(0, 4, 5, 1, 0, 0, 0, 45),
           ROW(0, 0, 6, 1, 1, 30, 40, 99), ROW(0, 2, 7, 1, 1, 30, 40, 51), ROW(0, 4, 1, 1, 1, 60, 70, 91));
    end(&b);
}

/* Both: dark moments that keep apart. */
static void blocking_and_dwell_program(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, FLUX_RULE_PAPER, 10);
    put(&b, 0, 0, 1, 0, 20);
    put(&b, 0, 2, 3, 0, 30);
    put(&b, 0, 6, 7, 50, 75); /* bars 41 .. 74 */
    put(&b, 0, 0, 4, 90, 91);
    put(&b, 0, 2, 5, 92, 93);
    flux_fabric_set_blocking(b.fabric, 0, FLUX_BLOCKING_SWITCH);
    flux_fabric_set_dwell(b.fabric, 0, 25);
    EXPECT(&b, 2, ROW(0, 0, 1, 1, 0, 0, 0, 20), ROW(0, 2, 3, 1, 0, 0, 0, 30), ROW(0, 6, 7, 1, 0, 0, 0, 75),
           ROW(0, 0, 4, 1, 1, 30, 40, 91), ROW(0, 2, 5, 1, 1, 30, 40, 93));
    end(&b);
}

static void everything_is_read_back(void **state)
{
    struct bench b;
    uint32_t join, tail;
    uint64_t count;
    int64_t bound;
    (void)state;
    begin(&b, FLUX_RULE_PAPER, 10);
    flux_graph_add_compute(b.graph, 1, 0, &join);
    uint32_t a = put(&b, 0, 0, 1, 0, 20), z = put(&b, 1, 1, 2, 27, 30);
    flux_graph_add_compute(b.graph, 2, 7, &tail);
    flux_graph_add_edge(b.graph, a, join, 5);
    flux_graph_add_edge(b.graph, join, z, 0);
    flux_graph_add_edge(b.graph, z, tail, 1);
    struct flux_slot swap = b.slots[0]; /* any order will do */
    b.slots[0] = b.slots[1];
    b.slots[1] = swap;
    make(&b);
    assert_int_equal(flux_schedule_makespan(b.schedule), 38);
    assert_int_equal(flux_schedule_bound(b.schedule), 36);
    assert_int_equal(flux_schedule_status(b.schedule), FLUX_FEASIBLE);
    const struct flux_slot *slots = flux_schedule_slots(b.schedule, &count);
    assert_int_equal(count, 2);
    assert_ptr_equal(flux_schedule_slots(b.schedule, NULL), slots);
    assert_memory_equal(&slots[0], &b.slots[1], sizeof *slots);
    assert_memory_equal(&slots[1], &b.slots[0], sizeof *slots);
    const struct flux_time *times = flux_schedule_times(b.schedule, &count);
    const struct flux_time right[] = {{25, 25}, {0, 20}, {27, 30}, {31, 38}};
    assert_int_equal(count, 4);
    assert_memory_equal(times, right, sizeof right);
    const struct flux_certificate *certificate = flux_schedule_certificate(b.schedule);
    assert_int_equal(flux_certificate_bound(certificate), 36);
    assert_int_equal(flux_certificate_check(b.graph, b.fabric, certificate, &bound, NULL), 0);
    assert_int_equal(bound, 36);
    for (uint32_t i = 0; i < 2; i++)
        if (b.slots[i].send == z) {
            b.slots[i].start -= 2;
            b.slots[i].end -= 2;
        }
    make(&b);
    assert_int_equal(flux_schedule_makespan(b.schedule), 36);
    assert_int_equal(flux_schedule_status(b.schedule), FLUX_OPTIMAL);
    end(&b);
}

static void statistics_are_sized(void **state)
{
    struct bench b;
    struct flux_statistics statistics = FLUX_STATISTICS_INIT;
    struct {
        struct flux_statistics ours;
        uint64_t theirs;
    } later = {FLUX_STATISTICS_INIT, 77};
    (void)state;
    begin(&b, FLUX_RULE_PAPER, 10);
    put(&b, 0, 0, 1, 0, 20);
    make(&b);
    assert_int_equal(flux_schedule_statistics(b.schedule, &statistics), 0);
    assert_int_equal(statistics.size, sizeof statistics);
    assert_int_equal(statistics.rule, FLUX_SEARCH_NONE);
    assert_int_equal(statistics.work, 0);
    assert_int_equal(statistics.construct_ns, 0);
    later.ours.size = sizeof later;
    assert_int_equal(flux_schedule_statistics(b.schedule, &later.ours), 0);
    assert_int_equal(later.ours.size, sizeof later);
    assert_int_equal(later.theirs, 77);
    statistics.size = 8;
    assert_int_equal(flux_schedule_statistics(b.schedule, &statistics), FLUX_E_ABI);
    assert_int_equal(flux_schedule_statistics(NULL, &statistics), FLUX_E_ARGUMENT);
    assert_int_equal(flux_schedule_statistics(b.schedule, NULL), FLUX_E_ARGUMENT);
    end(&b);
}

static void nothing_comes_of_nothing(void **state)
{
    struct bench b;
    uint64_t count = 9;
    (void)state;
    assert_int_equal(flux_schedule_status(NULL), 0);
    assert_int_equal(flux_schedule_makespan(NULL), 0);
    assert_int_equal(flux_schedule_bound(NULL), 0);
    assert_int_equal(flux_schedule_reconfigurations(NULL), 0);
    assert_null(flux_schedule_certificate(NULL));
    assert_null(flux_schedule_slots(NULL, &count));
    assert_int_equal(count, 0);
    assert_null(flux_schedule_circuits(NULL, NULL));
    assert_null(flux_schedule_times(NULL, NULL));
    flux_schedule_free(NULL);
    begin(&b, FLUX_RULE_PAPER, 10);
    make(&b); /* an empty graph has an empty schedule, and no one has a shorter one */
    assert_int_equal(flux_schedule_makespan(b.schedule), 0);
    assert_int_equal(flux_schedule_status(b.schedule), FLUX_OPTIMAL);
    assert_non_null(flux_schedule_slots(b.schedule, &count));
    assert_int_equal(count, 0);
    end(&b);
}

static void wrong_slots_make_no_schedule(void **state)
{
    struct bench b;
    struct flux_error wrong, error;
    (void)state;
    begin(&b, FLUX_RULE_PAPER, 10);
    put(&b, 0, 0, 1, 0, 20);
    put(&b, 0, 0, 2, 29, 40);
    b.schedule = (struct flux_schedule *)&b; /* must be overwritten */
    assert_int_equal(flux_schedule_from_slots(b.graph, b.fabric, b.slots, b.count, &b.schedule, &error),
                     FLUX_E_MISMATCH);
    assert_null(b.schedule);
    assert_int_equal(flux_check(b.graph, b.fabric, b.slots, b.count, NULL, &wrong), FLUX_E_MISMATCH);
    assert_string_equal(error.text, wrong.text);
    assert_int_equal(error.vertex, 1);
    assert_int_equal(flux_schedule_from_slots(b.graph, b.fabric, b.slots, b.count, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_schedule_from_slots(NULL, b.fabric, b.slots, b.count, &b.schedule, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_schedule_from_slots(b.graph, NULL, b.slots, b.count, &b.schedule, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_schedule_from_slots(b.graph, b.fabric, NULL, 2, &b.schedule, NULL), FLUX_E_ARGUMENT);
    end(&b);
}

/* Graph and fabric may go first. */
static void a_schedule_stands_alone(void **state)
{
    struct bench b;
    uint64_t count;
    (void)state;
    begin(&b, FLUX_RULE_PAPER, 10);
    put(&b, 0, 0, 1, 0, 20);
    put(&b, 0, 0, 2, 30, 40);
    make(&b);
    flux_graph_free(b.graph);
    flux_fabric_free(b.fabric);
    b.graph = NULL;
    b.fabric = NULL;
    assert_int_equal(flux_schedule_slots(b.schedule, &count)[1].start, 30);
    assert_int_equal(flux_schedule_circuits(b.schedule, &count)[1].up, 30);
    assert_int_equal(flux_schedule_times(b.schedule, &count)[1].end, 40);
    assert_int_equal(flux_certificate_bound(flux_schedule_certificate(b.schedule)), flux_schedule_bound(b.schedule));
    end(&b);
}

/* What flux_schedule() returns, read and given back, is the same schedule. */
static void slots_make_the_same_schedule_again(void **state)
{
    struct bench b;
    struct flux_schedule *first;
    uint64_t count, again;
    (void)state;
    begin(&b, FLUX_RULE_PAPER, 10);
    for (uint32_t i = 0; i < 12; i++)
        put(&b, 0, i % 5, 5 + i % 3, 0, 10 + i);
    for (uint32_t i = 0; i + 3 < 12; i++)
        flux_graph_add_edge(b.graph, i, i + 3, i);
    assert_int_equal(flux_schedule(b.graph, b.fabric, NULL, &first, NULL), 0);
    const struct flux_slot *slots = flux_schedule_slots(first, &count);
    assert_int_equal(count, 12);
    memcpy(b.slots, slots, sizeof *slots * count);
    make(&b);
    assert_int_equal(flux_schedule_makespan(b.schedule), flux_schedule_makespan(first));
    assert_int_equal(flux_schedule_bound(b.schedule), flux_schedule_bound(first));
    assert_int_equal(flux_schedule_reconfigurations(b.schedule), flux_schedule_reconfigurations(first));
    const struct flux_circuit *one = flux_schedule_circuits(first, &count);
    const struct flux_circuit *two = flux_schedule_circuits(b.schedule, &again);
    assert_int_equal(count, again);
    assert_memory_equal(one, two, sizeof *one * count);
    flux_schedule_free(first);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_program),
        cmocka_unit_test(rows_end_when_a_port_goes),
        cmocka_unit_test(duplex_program),
        cmocka_unit_test(simplex_program),
        cmocka_unit_test(initial_program),
        cmocka_unit_test(initial_program_of_duplex),
        cmocka_unit_test(program_without_delay),
        cmocka_unit_test(blocking_program),
        cmocka_unit_test(dwell_program),
        cmocka_unit_test(blocking_and_dwell_program),
        cmocka_unit_test(everything_is_read_back),
        cmocka_unit_test(statistics_are_sized),
        cmocka_unit_test(nothing_comes_of_nothing),
        cmocka_unit_test(wrong_slots_make_no_schedule),
        cmocka_unit_test(a_schedule_stands_alone),
        cmocka_unit_test(slots_make_the_same_schedule_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
