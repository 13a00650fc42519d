/* SPDX-License-Identifier: Apache-2.0
 *
 * test_bound.c - lower bounds and their certificates on cases worked out by hand. At the rate used here a byte takes a
 * picosecond.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <libflux/flux.h>
#include <stdlib.h>

#define RATE UINT64_C(8000000000000)

struct setting {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_certificate *certificate;
};

static struct setting begin(uint32_t gpus, uint32_t switches, uint32_t rule, int64_t delay)
{
    struct setting setting = {0};
    assert_int_equal(flux_graph_new(NULL, gpus, &setting.graph), 0);
    assert_int_equal(flux_fabric_new(NULL, gpus, switches, &setting.fabric), 0);
    assert_int_equal(flux_fabric_set_rule(setting.fabric, rule), 0);
    assert_int_equal(flux_fabric_set_rate(setting.fabric, FLUX_ALL_GPUS, FLUX_ALL_SWITCHES, RATE), 0);
    assert_int_equal(flux_fabric_set_delay(setting.fabric, FLUX_ALL_SWITCHES, delay), 0);
    return setting;
}

static void end(struct setting *setting)
{
    flux_certificate_free(setting->certificate);
    flux_graph_free(setting->graph);
    flux_fabric_free(setting->fabric);
}

static uint32_t add_send(struct setting *setting, uint32_t src, uint32_t dst, int64_t duration, int64_t release)
{
    uint32_t vertex;
    assert_int_equal(flux_graph_add_send(setting->graph, src, dst, (uint64_t)duration, &vertex), 0);
    assert_int_equal(flux_graph_set_release(setting->graph, vertex, release), 0);
    return vertex;
}

static uint32_t add_compute(struct setting *setting, uint32_t gpu, int64_t duration)
{
    uint32_t vertex;
    assert_int_equal(flux_graph_add_compute(setting->graph, gpu, duration, &vertex), 0);
    return vertex;
}

static void add_edge(struct setting *setting, uint32_t from, uint32_t to, int64_t lag)
{
    assert_int_equal(flux_graph_add_edge(setting->graph, from, to, lag), 0);
}

static void find(struct setting *setting)
{
    int64_t recomputed;
    flux_certificate_free(setting->certificate);
    assert_int_equal(flux_bound(setting->graph, setting->fabric, &setting->certificate, NULL), 0);
    assert_int_equal(flux_certificate_check(setting->graph, setting->fabric, setting->certificate, &recomputed, NULL),
                     0);
    assert_int_equal(recomputed, flux_certificate_bound(setting->certificate));
}

static void expect(const struct setting *setting, uint32_t kind, int64_t bound)
{
    assert_int_equal(flux_certificate_bound(setting->certificate), bound);
    assert_string_equal(flux_certificate_kind_name(flux_certificate_kind(setting->certificate)),
                        flux_certificate_kind_name(kind));
}

static void expect_port(const struct setting *setting, uint32_t gpu, uint32_t side, int64_t head, int64_t tail)
{
    assert_int_equal(flux_certificate_gpu(setting->certificate), gpu);
    assert_int_equal(flux_certificate_side(setting->certificate), side);
    assert_int_equal(flux_certificate_head(setting->certificate), head);
    assert_int_equal(flux_certificate_tail(setting->certificate), tail);
}

static void expect_vertices(const struct setting *setting, const uint32_t *expected, uint64_t expected_count)
{
    uint64_t count = 99;
    const uint32_t *vertices = flux_certificate_vertices(setting->certificate, &count);
    assert_int_equal(count, expected_count);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(vertices[i], expected[i]);
}

#define EXPECT_VERTICES(setting, ...)                                                                                  \
    expect_vertices(setting, (const uint32_t[]){__VA_ARGS__},                                                          \
                    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void longest_path(void **state)
{
    (void)state;
    struct setting s = begin(3, 1, FLUX_RULE_PAPER, 4);
    uint32_t a = add_send(&s, 0, 1, 10, 2);
    uint32_t folded = add_compute(&s, 1, 5);
    uint32_t b = add_send(&s, 1, 2, 7, 0);
    uint32_t last = add_compute(&s, 2, 3);
    add_edge(&s, a, folded, 1);
    add_edge(&s, folded, b, 0);
    add_edge(&s, b, last, 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_CRITICAL_PATH, 2 + 10 + 1 + 5 + 7 + 3);
    expect_port(&s, FLUX_NONE, FLUX_SIDE_BOTH, 0, 0);
    EXPECT_VERTICES(&s, a, b);
    end(&s);
}

/* Compute that joins two sends and starts two others is a vertex of the path. */
static void path_through_a_join(void **state)
{
    (void)state;
    struct setting s = begin(5, 2, FLUX_RULE_PAPER, 0);
    uint32_t late = add_send(&s, 3, 4, 6, 0), join = add_compute(&s, 4, 20), first = add_send(&s, 0, 4, 9, 0);
    uint32_t short_one = add_send(&s, 4, 1, 3, 0), long_one = add_send(&s, 4, 2, 5, 0);
    add_edge(&s, late, join, 0);
    add_edge(&s, first, join, 0);
    add_edge(&s, join, short_one, 0);
    add_edge(&s, join, long_one, 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_CRITICAL_PATH, 9 + 20 + 5);
    EXPECT_VERTICES(&s, first, join, long_one);
    end(&s);
}

static void compute_alone(void **state)
{
    (void)state;
    struct setting s = begin(2, 1, FLUX_RULE_PAPER, 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_CRITICAL_PATH, 0);
    expect_vertices(&s, NULL, 0);
    uint32_t a = add_compute(&s, 0, 30), b = add_compute(&s, 1, 12);
    add_edge(&s, a, b, 1);
    add_send(&s, 0, 1, 20, 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_CRITICAL_PATH, 43);
    expect_vertices(&s, NULL, 0);
    end(&s);
}

static struct setting three_out_one_in(uint32_t rule)
{
    struct setting s = begin(5, 2, rule, 10);
    for (uint32_t to = 1; to <= 3; to++)
        add_send(&s, 0, to, 100, 0);
    add_send(&s, 4, 0, 100, 0);
    find(&s);
    return s;
}

static void load_by_rule(void **state)
{
    (void)state;
    struct setting s = three_out_one_in(FLUX_RULE_PAPER);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 210);
    expect_port(&s, 0, FLUX_SIDE_BOTH, 0, 0);
    EXPECT_VERTICES(&s, 0, 1, 2, 3);
    end(&s);
    s = three_out_one_in(FLUX_RULE_DUPLEX);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 210);
    EXPECT_VERTICES(&s, 0, 1, 2, 3);
    end(&s);
    s = three_out_one_in(FLUX_RULE_SIMPLEX);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 155);
    expect_port(&s, 0, FLUX_SIDE_TRANSMIT, 0, 0);
    EXPECT_VERTICES(&s, 0, 1, 2);
    end(&s);
}

static void receivers_of_simplex(void **state)
{
    (void)state;
    struct setting s = begin(4, 1, FLUX_RULE_SIMPLEX, 10);
    for (uint32_t from = 1; from <= 3; from++)
        add_send(&s, from, 0, 100, 0);
    add_send(&s, 0, 1, 250, 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 320);
    expect_port(&s, 0, FLUX_SIDE_RECEIVE, 0, 0);
    EXPECT_VERTICES(&s, 0, 1, 2);
    end(&s);
}

/* Five sends of one pair, three one way and two the other: one after another (PAPER), with one change of circuit; both
 * ways at once (DUPLEX, SIMPLEX). */
static int64_t both_ways(uint32_t rule)
{
    struct setting s = begin(2, 1, rule, 7);
    for (uint32_t i = 0; i < 5; i++)
        add_send(&s, i % 2, 1 - i % 2, 10, 0);
    find(&s);
    int64_t bound = flux_certificate_bound(s.certificate);
    if (rule != FLUX_RULE_SIMPLEX)
        EXPECT_VERTICES(&s, 0, 1, 2, 3, 4);
    end(&s);
    return bound;
}

static void directions_of_a_pair(void **state)
{
    (void)state;
    assert_int_equal(both_ways(FLUX_RULE_PAPER), 57);
    assert_int_equal(both_ways(FLUX_RULE_DUPLEX), 30);
    assert_int_equal(both_ways(FLUX_RULE_SIMPLEX), 30);
}

/* The larger direction of each pair counts: 30 out to GPU 1, 40 in from GPU 2, one change. */
static void larger_directions(void **state)
{
    (void)state;
    struct setting s = begin(3, 1, FLUX_RULE_DUPLEX, 6);
    add_send(&s, 0, 1, 30, 0);
    add_send(&s, 1, 0, 10, 0);
    add_send(&s, 0, 2, 15, 0);
    add_send(&s, 2, 0, 40, 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 30 + 40 + 6);
    end(&s);
}

/* One link. All four: 0 + 160 + 2 changes * 5. The last three: 100 + 150 + 10. */
static void window_of_heads(void **state)
{
    (void)state;
    struct setting s = begin(4, 1, FLUX_RULE_PAPER, 5);
    add_send(&s, 0, 1, 10, 0);
    add_send(&s, 0, 1, 50, 100);
    add_send(&s, 0, 2, 50, 100);
    add_send(&s, 3, 0, 50, 103);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 260);
    expect_port(&s, 0, FLUX_SIDE_BOTH, 100, 0);
    EXPECT_VERTICES(&s, 1, 2, 3);
    end(&s);
}

/* The same in a mirror: compute at the receivers makes tails of 100. */
static void window_of_tails(void **state)
{
    (void)state;
    struct setting s = begin(4, 1, FLUX_RULE_PAPER, 5);
    for (uint32_t to = 1; to <= 3; to++) {
        uint32_t send = add_send(&s, 0, to, 50, 0);
        add_edge(&s, send, add_compute(&s, to, to == 3 ? 103 : 100), 0);
    }
    add_send(&s, 0, 1, 10, 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 260);
    expect_port(&s, 0, FLUX_SIDE_BOTH, 0, 100);
    EXPECT_VERTICES(&s, 0, 2, 4);
    end(&s);
}

/* A window inside of a GPU's sends: released at 50, and 70 to do after them. */
static void window_of_both(void **state)
{
    (void)state;
    struct setting s = begin(3, 2, FLUX_RULE_PAPER, 0);
    add_send(&s, 0, 1, 5, 0);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t send = add_send(&s, 0, 1 + i % 2, 20, 50);
        add_edge(&s, send, add_compute(&s, 0, 70), 0);
    }
    add_send(&s, 0, 1, 5, 60);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 50 + 40 + 70);
    expect_port(&s, 0, FLUX_SIDE_BOTH, 50, 70);
    EXPECT_VERTICES(&s, 1, 3, 5, 7);
    end(&s);
}

/* Two links cannot both start at 0: (90 + 0 + 20) / 2, where windows have 45 and 20 + 30. */
static void edges_of_a_port(void **state)
{
    (void)state;
    struct setting s = begin(2, 2, FLUX_RULE_PAPER, 3);
    add_send(&s, 0, 1, 30, 0);
    add_send(&s, 0, 1, 30, 20);
    add_send(&s, 0, 1, 30, 20);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_EDGES, 55);
    expect_port(&s, 0, FLUX_SIDE_BOTH, 0, 0);
    EXPECT_VERTICES(&s, 0, 1, 2);
    end(&s);
}

static void rounds_up(void **state)
{
    (void)state;
    struct setting s = begin(2, 3, FLUX_RULE_PAPER, 0);
    for (uint32_t i = 0; i < 4; i++)
        add_send(&s, 0, 1, 10, 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 14);
    end(&s);
}

/* Switch 0 has no way to GPU 1, so its two sends share one link, whoever else uses both. */
static void dead_port(void **state)
{
    (void)state;
    struct setting s = begin(3, 2, FLUX_RULE_PAPER, 1);
    add_send(&s, 0, 1, 40, 0);
    add_send(&s, 0, 2, 10, 0);
    add_send(&s, 0, 1, 40, 0);
    assert_int_equal(flux_fabric_set_dead(s.fabric, 1, 0, 1), 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 80);
    EXPECT_VERTICES(&s, 0, 2);
    end(&s);
}

/* Three circuits, each kept from one of three switches in such a way that two of them share two links. */
static void forbidden_circuits(void **state)
{
    (void)state;
    struct setting s = begin(4, 3, FLUX_RULE_PAPER, 8);
    add_send(&s, 0, 1, 60, 0);
    add_send(&s, 0, 2, 60, 0);
    add_send(&s, 0, 2, 61, 0);
    add_send(&s, 0, 3, 1, 0);
    add_send(&s, 0, 1, 60, 0);
    for (uint32_t to = 1; to <= 2; to++)
        assert_int_equal(flux_fabric_set_forbidden(s.fabric, 1, 0, to, 1), 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 121);
    EXPECT_VERTICES(&s, 0, 1, 2, 4);
    end(&s);
}

/* Half the rate on switch 0: the duration is that of switch 1. */
static void least_duration(void **state)
{
    (void)state;
    struct setting s = begin(2, 2, FLUX_RULE_PAPER, 0);
    for (uint32_t i = 0; i < 4; i++)
        add_send(&s, 0, 1, 100, 0);
    assert_int_equal(flux_fabric_set_rate(s.fabric, 1, 0, RATE / 2), 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 200);
    assert_int_equal(flux_fabric_set_dead(s.fabric, 1, 1, 1), 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 800);
    end(&s);
}

/* Four circuits on two links: two changes, each at least as long as on the faster switch. */
static void least_delay(void **state)
{
    (void)state;
    struct setting s = begin(5, 2, FLUX_RULE_PAPER, 30);
    for (uint32_t to = 1; to <= 4; to++)
        add_send(&s, 0, to, 10, 0);
    assert_int_equal(flux_fabric_set_delay(s.fabric, 1, 4), 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 24);
    assert_int_equal(flux_fabric_set_dead(s.fabric, 0, 1, 1), 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 40 + 3 * 30);
    end(&s);
}

/* The port of GPU 0 is taken at time 0 on the only switch. */
static void initial_circuit(void **state)
{
    (void)state;
    struct setting s = begin(3, 1, FLUX_RULE_PAPER, 9);
    add_send(&s, 0, 1, 10, 0);
    add_send(&s, 0, 1, 10, 0);
    assert_int_equal(flux_fabric_add_initial(s.fabric, 0, 2, 0), 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 29);
    expect_port(&s, 0, FLUX_SIDE_BOTH, 9, 0);
    assert_int_equal(flux_fabric_set_rule(s.fabric, FLUX_RULE_SIMPLEX),
                     0); /* its receiver is taken, which is no matter */
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 20);
    end(&s);
}

static void propagation(void **state)
{
    (void)state;
    struct setting s = begin(3, 2, FLUX_RULE_PAPER, 0);
    uint32_t a = add_send(&s, 0, 1, 10, 0), b = add_send(&s, 1, 2, 10, 0);
    add_edge(&s, a, b, 0);
    assert_int_equal(flux_fabric_set_propagation(s.fabric, 0, 1, 3), 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_CRITICAL_PATH, 23);
    uint32_t c = add_send(&s, 0, 2, 12, 0); /* waits at the sender, where no light has to arrive */
    add_edge(&s, a, c, 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_CRITICAL_PATH, 23);
    EXPECT_VERTICES(&s, a, b);
    end(&s);
}

/* Blocking switches and dwell forbid schedules, and leave the bound alone. */
static void stages(void **state)
{
    (void)state;
    struct setting s = begin(5, 2, FLUX_RULE_PAPER, 10);
    for (uint32_t to = 1; to <= 4; to++)
        add_send(&s, 0, to, 100, 0);
    assert_int_equal(flux_fabric_set_blocking(s.fabric, FLUX_ALL_SWITCHES, FLUX_BLOCKING_SWITCH), 0);
    assert_int_equal(flux_fabric_set_dwell(s.fabric, FLUX_ALL_SWITCHES, 1000), 0);
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, 210);
    end(&s);
}

/* 16 switches: load and thresholds, times the links, are beyond 64 bits. */
static void beyond_64_bits(void **state)
{
    (void)state;
    struct setting s = begin(2, 16, FLUX_RULE_PAPER, 0);
    int64_t late = INT64_C(1) << 61;
    for (uint32_t i = 0; i < 33; i++) {
        uint32_t send = add_send(&s, 0, 1, 1, late);
        assert_int_equal(flux_graph_set_duration(s.graph, send, INT64_C(1) << 55), 0);
    }
    find(&s);
    expect(&s, FLUX_CERTIFICATE_PORT_LOAD, late + (INT64_C(33) << 51));
    expect_port(&s, 0, FLUX_SIDE_BOTH, late, 0);
    end(&s);
}

static void names_and_null(void **state)
{
    (void)state;
    uint64_t count = 9;
    assert_string_equal(flux_certificate_kind_name(FLUX_CERTIFICATE_NONE), "none");
    assert_string_equal(flux_certificate_kind_name(FLUX_CERTIFICATE_CRITICAL_PATH), "critical-path");
    assert_string_equal(flux_certificate_kind_name(FLUX_CERTIFICATE_PORT_LOAD), "port-load");
    assert_string_equal(flux_certificate_kind_name(FLUX_CERTIFICATE_PORT_EDGES), "port-edges");
    assert_string_equal(flux_certificate_kind_name(FLUX_CERTIFICATE_SEARCH), "search");
    assert_string_equal(flux_certificate_kind_name(FLUX_CERTIFICATE_SOLVER), "solver");
    assert_string_equal(flux_certificate_kind_name(FLUX_CERTIFICATE_SUBSET), "subset");
    assert_string_equal(flux_certificate_kind_name(77), "unknown");
    flux_certificate_free(NULL);
    assert_int_equal(flux_certificate_kind(NULL), FLUX_CERTIFICATE_NONE);
    assert_int_equal(flux_certificate_bound(NULL), 0);
    assert_int_equal(flux_certificate_gpu(NULL), FLUX_NONE);
    assert_int_equal(flux_certificate_side(NULL), FLUX_SIDE_BOTH);
    assert_int_equal(flux_certificate_head(NULL), 0);
    assert_int_equal(flux_certificate_tail(NULL), 0);
    assert_null(flux_certificate_vertices(NULL, &count));
    assert_int_equal(count, 0);
}

static void wrong_calls(void **state)
{
    (void)state;
    struct setting s = begin(2, 1, FLUX_RULE_PAPER, 0);
    struct flux_fabric *other;
    struct flux_error error;
    struct flux_certificate *certificate = (struct flux_certificate *)&s;
    assert_int_equal(flux_bound(s.graph, s.fabric, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_bound(NULL, s.fabric, &certificate, &error), FLUX_E_ARGUMENT);
    assert_null(certificate);
    assert_int_equal(flux_bound(s.graph, NULL, &certificate, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_new(NULL, 3, 1, &other), 0);
    assert_int_equal(flux_bound(s.graph, other, &certificate, &error), FLUX_E_MISMATCH);
    assert_int_equal(error.code, FLUX_E_MISMATCH);
    assert_null(certificate);
    flux_fabric_free(other);
    uint32_t a = add_send(&s, 0, 1, 1, 0), b = add_send(&s, 0, 1, 1, 0);
    assert_int_equal(flux_fabric_set_dead(s.fabric, 0, 0, 1), 0);
    assert_int_equal(flux_bound(s.graph, s.fabric, &certificate, NULL), FLUX_E_INFEASIBLE);
    add_edge(&s, a, b, 0);
    add_edge(&s, b, a, 0);
    assert_int_equal(flux_bound(s.graph, s.fabric, &certificate, NULL), FLUX_E_CYCLE);
    assert_null(certificate);
    end(&s);
}

/* An allocator that gives out `left` blocks and counts those in use. */
struct meter {
    uint64_t left;
    int64_t blocks;
};

static void *meter_alloc(void *user, uint64_t size)
{
    struct meter *meter = user;
    if (meter->left == 0)
        return NULL;
    meter->left--;
    meter->blocks++;
    return malloc((size_t)size);
}

static void *meter_resize(void *user, void *block, uint64_t old_size, uint64_t new_size)
{
    struct meter *meter = user;
    (void)old_size;
    if (meter->left == 0)
        return NULL;
    meter->left--;
    return realloc(block, (size_t)new_size);
}

static void meter_release(void *user, void *block, uint64_t size)
{
    struct meter *meter = user;
    (void)size;
    meter->blocks--;
    free(block);
}

static void no_memory(void **state)
{
    (void)state;
    struct meter meter = {UINT64_MAX, 0};
    struct flux_env env = FLUX_ENV_INIT;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_certificate *certificate;
    env.alloc = meter_alloc;
    env.resize = meter_resize;
    env.release = meter_release;
    env.user = &meter;
    assert_int_equal(flux_graph_new(&env, 3, &graph), 0);
    assert_int_equal(flux_fabric_new(NULL, 3, 2, &fabric), 0);
    for (uint32_t i = 0; i < 3000; i++)
        assert_int_equal(flux_graph_add_send(graph, i % 3, (i + 1 + i / 3 % 2) % 3, 1000, NULL), 0);
    assert_int_equal(flux_fabric_set_dead(fabric, 1, 1, 1), 0);
    assert_int_equal(flux_fabric_set_rule(fabric, FLUX_RULE_DUPLEX), 0);
    int64_t before = meter.blocks;
    uint64_t blocks = 0;
    int rc = FLUX_E_MEMORY;
    for (; rc == FLUX_E_MEMORY; blocks++) {
        meter.left = blocks;
        rc = flux_bound(graph, fabric, &certificate, NULL);
        if (rc) {
            assert_int_equal(rc, FLUX_E_MEMORY);
            assert_null(certificate);
            assert_int_equal(meter.blocks, before);
        }
    }
    assert_int_equal(rc, 0);
    assert_true(blocks > 10);
    flux_certificate_free(certificate);
    assert_int_equal(meter.blocks, before);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longest_path),
        cmocka_unit_test(path_through_a_join),
        cmocka_unit_test(compute_alone),
        cmocka_unit_test(load_by_rule),
        cmocka_unit_test(receivers_of_simplex),
        cmocka_unit_test(directions_of_a_pair),
        cmocka_unit_test(larger_directions),
        cmocka_unit_test(window_of_heads),
        cmocka_unit_test(window_of_tails),
        cmocka_unit_test(window_of_both),
        cmocka_unit_test(edges_of_a_port),
        cmocka_unit_test(rounds_up),
        cmocka_unit_test(dead_port),
        cmocka_unit_test(forbidden_circuits),
        cmocka_unit_test(least_duration),
        cmocka_unit_test(least_delay),
        cmocka_unit_test(initial_circuit),
        cmocka_unit_test(propagation),
        cmocka_unit_test(stages),
        cmocka_unit_test(beyond_64_bits),
        cmocka_unit_test(names_and_null),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
