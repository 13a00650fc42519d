/* SPDX-License-Identifier: Apache-2.0
 *
 * flux_certificate_check() on certificates written by hand: the right ones, with their numbers worked out on paper, and
 * the many that claim more than they can show.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bound/bound.h"

#include "../support/random_problem.h"

#include <libflux/flux.h>
#include <string.h>

#define VERTICES_MAX 16u

/* Durations in picoseconds. */
struct bench {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_certificate certificate;
    uint32_t vertices[VERTICES_MAX];
};

static void begin(struct bench *bench, uint32_t switches, uint32_t rule, int64_t delay)
{
    memset(bench, 0, sizeof *bench);
    assert_int_equal(flux_graph_new(NULL, 6, &bench->graph), 0);
    assert_int_equal(flux_fabric_new(NULL, 6, switches, &bench->fabric), 0);
    assert_int_equal(flux_fabric_set_delay(bench->fabric, FLUX_ALL_SWITCHES, delay), 0);
    assert_int_equal(flux_fabric_set_rule(bench->fabric, rule), 0);
    bench->certificate.vertices = bench->vertices;
}

static void end(struct bench *bench)
{
    flux_graph_free(bench->graph);
    flux_fabric_free(bench->fabric);
}

static uint32_t add(struct bench *bench, uint32_t src, uint32_t dst, int64_t duration, int64_t release)
{
    uint32_t v;
    assert_int_equal(flux_graph_add_send(bench->graph, src, dst, 1, &v), 0);
    assert_int_equal(flux_graph_set_duration(bench->graph, v, duration), 0);
    assert_int_equal(flux_graph_set_release(bench->graph, v, release), 0);
    return v;
}

/* Claims vertices 0 .. count - 1. */
static void claim(struct bench *bench, uint32_t kind, uint32_t gpu, uint32_t side, uint32_t count)
{
    bench->certificate.kind = kind;
    bench->certificate.gpu = gpu;
    bench->certificate.side = side;
    bench->certificate.vertex_count = count;
    for (uint32_t i = 0; i < count; i++)
        bench->vertices[i] = i;
}

/* The number is this one: it may be claimed, and 1 ps more may not. */
static void comes_to(struct bench *bench, int64_t number)
{
    struct flux_error error;
    int64_t found = -1;
    bench->certificate.bound = number;
    int rc = flux_certificate_check(bench->graph, bench->fabric, &bench->certificate, &found, &error);
    if (rc)
        print_error("%s\n", error.text);
    assert_int_equal(rc, 0);
    assert_int_equal(found, number);
    bench->certificate.bound = number + 1;
    assert_int_equal(flux_certificate_check(bench->graph, bench->fabric, &bench->certificate, &found, &error),
                     FLUX_E_MISMATCH);
    assert_int_equal(found, 0);
    assert_non_null(strstr(error.text, "1 ps less"));
    bench->certificate.bound = 0;
    assert_int_equal(flux_certificate_check(bench->graph, bench->fabric, &bench->certificate, NULL, NULL), 0);
}

static void fails(struct bench *bench, int code, const char *text)
{
    struct flux_error error;
    int64_t found = -1;
    assert_int_equal(flux_certificate_check(bench->graph, bench->fabric, &bench->certificate, &found, &error), code);
    assert_int_equal(found, 0);
    if (!strstr(error.text, text))
        fail_msg("no '%s' in: %s", text, error.text);
}

static void paths_count_everything(void **state)
{
    struct bench b;
    uint32_t join, last;
    (void)state;
    begin(&b, 2, FLUX_RULE_PAPER, 10);
    uint32_t a = add(&b, 0, 1, 100, 7), z = add(&b, 2, 3, 50, 0);
    flux_graph_add_compute(b.graph, 1, 30, &join);
    flux_graph_add_compute(b.graph, 3, 4, &last);
    flux_graph_add_edge(b.graph, a, join, 1);
    flux_graph_add_edge(b.graph, join, z, 2);
    flux_graph_add_edge(b.graph, z, last, 3);
    claim(&b, FLUX_CERTIFICATE_CRITICAL_PATH, FLUX_NONE, FLUX_SIDE_BOTH, 0);
    comes_to(&b, 7 + 100 + 1 + 30 + 2 + 50 + 3 + 4);
    flux_fabric_set_propagation(b.fabric, 0, 1, 20); /* join is at 1, not at 0 */
    comes_to(&b, 197 + 20);
    flux_fabric_set_propagation(b.fabric, 2, 3, 6); /* last is at 3, not at 2 */
    comes_to(&b, 197 + 26);
    flux_graph_set_release(b.graph, last, 500);
    comes_to(&b, 504);
    flux_graph_add_compute(b.graph, 0, 600, NULL);
    comes_to(&b, 600);
    end(&b);
}

/* With bytes the fastest switch that can carry the send counts. */
static void durations_are_the_least(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 3, FLUX_RULE_PAPER, 10);
    flux_graph_add_send(b.graph, 0, 1, 1000, NULL);
    flux_fabric_set_rate(b.fabric, FLUX_ALL_GPUS, 0, UINT64_C(8000000000000)); /* 1 byte a picosecond */
    flux_fabric_set_rate(b.fabric, 0, 1, UINT64_C(4000000000000));
    flux_fabric_set_rate(b.fabric, 1, 1, UINT64_C(3000000000000)); /* the slower end */
    flux_fabric_set_rate(b.fabric, 1, 2, UINT64_C(1000000000000));
    claim(&b, FLUX_CERTIFICATE_CRITICAL_PATH, FLUX_NONE, FLUX_SIDE_BOTH, 0);
    comes_to(&b, 1000);
    flux_fabric_set_dead(b.fabric, 1, 0, 1);
    comes_to(&b, 2667);
    flux_fabric_set_forbidden(b.fabric, 1, 0, 1, 1);
    comes_to(&b, 10000); /* switch 2, at the 800 Gbps of its source */
    flux_fabric_set_dead(b.fabric, 0, 2, 1);
    fails(&b, FLUX_E_MISMATCH, "no switch can carry send 0");
    end(&b);
}

/* A send waits for initial circuits only where each of its switches has one in its way. */
static void initial_circuits_raise_heads(void **state)
{
    static const int64_t raised[] = {20, 0, 0};
    struct bench b;
    (void)state;
    for (uint32_t rule = FLUX_RULE_PAPER; rule <= FLUX_RULE_SIMPLEX; rule++) {
        begin(&b, 2, rule, 20);
        flux_fabric_set_delay(b.fabric, 1, 30);
        add(&b, 0, 1, 100, 0);
        claim(&b, FLUX_CERTIFICATE_CRITICAL_PATH, FLUX_NONE, FLUX_SIDE_BOTH, 0);
        flux_fabric_add_initial(b.fabric, 0, 0, 2);
        comes_to(&b, 100);
        flux_fabric_add_initial(b.fabric, 1, 3, 1);
        comes_to(&b, 120); /* the shorter of the waits */
        flux_fabric_set_dead(b.fabric, 1, 0, 1);
        comes_to(&b, 130);
        end(&b);

        begin(&b, 1, rule, 20); /* the other direction, and its own circuit */
        add(&b, 0, 1, 100, 0);
        claim(&b, FLUX_CERTIFICATE_CRITICAL_PATH, FLUX_NONE, FLUX_SIDE_BOTH, 0);
        flux_fabric_add_initial(b.fabric, 0, 1, 0);
        comes_to(&b, 100 + raised[rule]);
        end(&b);

        begin(&b, 1, rule, 20);
        add(&b, 0, 1, 100, 0);
        claim(&b, FLUX_CERTIFICATE_CRITICAL_PATH, FLUX_NONE, FLUX_SIDE_BOTH, 0);
        flux_fabric_add_initial(b.fabric, 0, 0, 1);
        comes_to(&b, 100);
        end(&b);
    }
}

/* Four sends of 100 at GPU 0 over two switches: the example of docs/certificates.md. */
static void loads_count_setups(void **state)
{
    struct bench b;
    (void)state;
    for (uint32_t rule = FLUX_RULE_PAPER; rule <= FLUX_RULE_SIMPLEX; rule++) {
        begin(&b, 2, rule, 10);
        add(&b, 0, 1, 100, 0);
        add(&b, 0, 2, 100, 0);
        add(&b, 0, 3, 100, 0);
        add(&b, 4, 0, 100, 0);
        if (rule == FLUX_RULE_SIMPLEX) {
            claim(&b, FLUX_CERTIFICATE_PORT_LOAD, 0, FLUX_SIDE_TRANSMIT, 3);
            comes_to(&b, 155);
            claim(&b, FLUX_CERTIFICATE_PORT_LOAD, 0, FLUX_SIDE_TRANSMIT, 4);
            fails(&b, FLUX_E_MISMATCH, "vertex 3 is not a send of GPU 0");
            claim(&b, FLUX_CERTIFICATE_PORT_LOAD, 0, FLUX_SIDE_RECEIVE, 1);
            fails(&b, FLUX_E_MISMATCH, "vertex 0 is not a send of GPU 0");
            b.vertices[0] = 3;
            comes_to(&b, 50);
            claim(&b, FLUX_CERTIFICATE_PORT_LOAD, 0, FLUX_SIDE_BOTH, 3);
            fails(&b, FLUX_E_MISMATCH, "side 0 of GPU 0");
        } else {
            claim(&b, FLUX_CERTIFICATE_PORT_LOAD, 0, FLUX_SIDE_BOTH, 4);
            comes_to(&b, 210);
            flux_fabric_set_delay(b.fabric, 1, 7); /* the least delay counts */
            comes_to(&b, 207);
            claim(&b, FLUX_CERTIFICATE_PORT_LOAD, 0, FLUX_SIDE_BOTH, 3);
            comes_to(&b, 154); /* 307 / 2 rounded up */
            claim(&b, FLUX_CERTIFICATE_PORT_LOAD, 0, FLUX_SIDE_TRANSMIT, 3);
            fails(&b, FLUX_E_MISMATCH, "side 1 of GPU 0");
        }
        end(&b);
    }
}

/* Both directions of a pair: apart under PAPER, side by side under DUPLEX. */
static void directions_count_by_rule(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 1, FLUX_RULE_PAPER, 10);
    add(&b, 0, 1, 100, 0);
    add(&b, 1, 0, 60, 0);
    add(&b, 1, 0, 50, 0);
    add(&b, 2, 0, 30, 0);
    claim(&b, FLUX_CERTIFICATE_PORT_LOAD, 0, FLUX_SIDE_BOTH, 4);
    comes_to(&b, 240 + 20);
    flux_fabric_set_rule(b.fabric, FLUX_RULE_DUPLEX);
    comes_to(&b, 110 + 30 + 10);
    b.certificate.gpu = 1;
    fails(&b, FLUX_E_MISMATCH, "vertex 3 is not a send of GPU 1");
    end(&b);
}

/* A sequence counts one direction of a pair where both may be under way at once. */
static void sequences_go_one_way(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 1, FLUX_RULE_DUPLEX, 10);
    add(&b, 0, 1, 100, 0);
    add(&b, 2, 0, 30, 0);
    add(&b, 0, 1, 60, 0);
    add(&b, 1, 0, 90, 0);
    claim(&b, FLUX_CERTIFICATE_PORT_SEQUENCE, 0, FLUX_SIDE_BOTH, 3);
    b.certificate.bound = 100 + 60 + 10 + 30;
    assert_int_equal(flux_certificate_check(b.graph, b.fabric, &b.certificate, NULL, NULL), 0);
    b.certificate.bound++;
    fails(&b, FLUX_E_MISMATCH, "can end before its bound");
    claim(&b, FLUX_CERTIFICATE_PORT_SEQUENCE, 0, FLUX_SIDE_BOTH, 4);
    b.certificate.bound = 1;
    fails(&b, FLUX_E_MISMATCH, "vertex 3 and the other direction of its pair are both counted");
    flux_fabric_set_rule(b.fabric, FLUX_RULE_PAPER);
    b.certificate.bound = 280 + 20;
    assert_int_equal(flux_certificate_check(b.graph, b.fabric, &b.certificate, NULL, NULL), 0);
    end(&b);
}

static void windows_are_checked(void **state)
{
    struct bench b;
    uint32_t rest;
    (void)state;
    begin(&b, 1, FLUX_RULE_PAPER, 10);
    uint32_t a = add(&b, 0, 1, 100, 5), z = add(&b, 0, 2, 100, 6);
    flux_graph_add_compute(b.graph, 3, 40, &rest);
    flux_graph_add_edge(b.graph, a, rest, 0);
    flux_graph_add_edge(b.graph, z, rest, 1);
    claim(&b, FLUX_CERTIFICATE_PORT_LOAD, 0, FLUX_SIDE_BOTH, 2);
    b.certificate.head = 5;
    b.certificate.tail = 40;
    comes_to(&b, 5 + 40 + 210);
    b.certificate.head = 6;
    fails(&b, FLUX_E_MISMATCH, "vertex 0 is not a send of GPU 0 and of the certificate's side and window");
    b.certificate.head = 5;
    b.certificate.tail = 41;
    fails(&b, FLUX_E_MISMATCH, "vertex 0 is not a send");
    b.vertices[0] = z;
    b.certificate.vertex_count = 1;
    comes_to(&b, 5 + 41 + 100);
    b.certificate.vertex_count = 2;
    fails(&b, FLUX_E_MISMATCH, "counts vertex 1 twice");
    b.vertices[1] = rest;
    fails(&b, FLUX_E_MISMATCH, "vertex 2 is not a send");
    b.vertices[1] = 77;
    fails(&b, FLUX_E_MISMATCH, "vertex 77 is not a send");
    b.certificate.vertex_count = 0;
    fails(&b, FLUX_E_MISMATCH, "no sends");
    end(&b);
}

/* Only switches that can carry at least one of the sends count. */
static void dead_links_do_not_count(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 3, FLUX_RULE_PAPER, 10);
    add(&b, 0, 1, 100, 0);
    add(&b, 0, 2, 100, 0);
    flux_fabric_set_delay(b.fabric, 2, 1);
    claim(&b, FLUX_CERTIFICATE_PORT_LOAD, 0, FLUX_SIDE_BOTH, 2);
    comes_to(&b, 67);
    flux_fabric_set_dead(b.fabric, 1, 2, 1); /* 0 to 2 still can */
    comes_to(&b, 67);
    flux_fabric_set_forbidden(b.fabric, 2, 0, 2, 1);
    comes_to(&b, 100);
    flux_fabric_set_dead(b.fabric, 0, 1, 1);
    comes_to(&b, 210);
    end(&b);
}

static void edges_count_first_and_last(void **state)
{
    struct bench b;
    uint32_t rest;
    (void)state;
    begin(&b, 2, FLUX_RULE_PAPER, 10);
    uint32_t a = add(&b, 0, 1, 100, 5);
    add(&b, 0, 2, 100, 9);
    add(&b, 0, 3, 100, 7);
    flux_graph_add_compute(b.graph, 4, 40, &rest);
    flux_graph_add_edge(b.graph, a, rest, 0);
    claim(&b, FLUX_CERTIFICATE_PORT_EDGES, 0, FLUX_SIDE_BOTH, 3);
    comes_to(&b, (300 + 10 + 5 + 7 + 0 + 0) / 2);
    flux_graph_add_edge(b.graph, 1, rest, 8);
    comes_to(&b, (300 + 10 + 5 + 7 + 0 + 40) / 2);
    b.certificate.vertex_count = 2;
    comes_to(&b, (200 + 5 + 9 + 40 + 48) / 2);
    b.certificate.vertex_count = 1;
    fails(&b, FLUX_E_MISMATCH, "1 sends say nothing about the first and last on 2 links");
    end(&b);
}

static void other_kinds_are_believed_no_more_than_they_say(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 2, FLUX_RULE_PAPER, 10);
    uint32_t a = add(&b, 0, 1, 100, 0), z = add(&b, 2, 3, 100, 0);
    claim(&b, FLUX_CERTIFICATE_SOLVER, FLUX_NONE, FLUX_SIDE_BOTH, 0);
    fails(&b, FLUX_E_MISMATCH, "cannot be recomputed");
    claim(&b, FLUX_CERTIFICATE_SUBSET, FLUX_NONE, FLUX_SIDE_BOTH, 0);
    b.certificate.vertex_count = 1;
    fails(&b, FLUX_E_MISMATCH, "takes a search");
    b.certificate.vertices[0] = 99;
    fails(&b, FLUX_E_MISMATCH, "is no send");
    claim(&b, 55, FLUX_NONE, FLUX_SIDE_BOTH, 0);
    fails(&b, FLUX_E_MISMATCH, "cannot be recomputed");
    claim(&b, FLUX_CERTIFICATE_NONE, FLUX_NONE, FLUX_SIDE_BOTH, 0);
    comes_to(&b, 0);
    claim(&b, FLUX_CERTIFICATE_CRITICAL_PATH, FLUX_NONE, FLUX_SIDE_BOTH, 0);
    flux_graph_add_edge(b.graph, a, z, FLUX_TIME_MAX);
    fails(&b, FLUX_E_OVERFLOW, "2^62 ps");
    flux_graph_add_edge(b.graph, z, a, 0);
    fails(&b, FLUX_E_CYCLE, "cycle");
    assert_int_equal(flux_certificate_check(NULL, b.fabric, &b.certificate, NULL, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_certificate_check(b.graph, NULL, &b.certificate, NULL, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_certificate_check(b.graph, b.fabric, NULL, NULL, NULL), FLUX_E_ARGUMENT);
    flux_fabric_free(b.fabric);
    assert_int_equal(flux_fabric_new(NULL, 7, 1, &b.fabric), 0);
    fails(&b, FLUX_E_MISMATCH, "6 GPUs and the fabric 7");
    end(&b);
}

/* Whatever flux_bound() finds comes to its number exactly, and to no more. */
static void found_bounds_come_to_their_number(void **state)
{
    uint32_t count = random_problem_count(6000), kinds[4] = {0};
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {i % 3, i % 4 ? (i * 0x9e3779b9u) >> 24 & RANDOM_ALL : 0, 1, 8, 0, 0};
        struct random_problem problem;
        struct flux_graph *graph;
        struct flux_fabric *fabric;
        struct flux_certificate *certificate;
        struct flux_error error;
        int64_t found;
        random_problem(&problem, 800000 + i, &options);
        assert_int_equal(random_problem_build(&problem, NULL, &graph, &fabric), 0);
        assert_int_equal(flux_bound(graph, fabric, &certificate, NULL), 0);
        if (flux_certificate_check(graph, fabric, certificate, &found, &error)) {
            random_problem_print(&problem);
            fail_msg("%s", error.text);
        }
        assert_int_equal(found, flux_certificate_bound(certificate));
        kinds[flux_certificate_kind(certificate)]++;
        certificate->bound++;
        assert_int_equal(flux_certificate_check(graph, fabric, certificate, NULL, NULL), FLUX_E_MISMATCH);
        flux_certificate_free(certificate);
        flux_graph_free(graph);
        flux_fabric_free(fabric);
    }
    for (uint32_t kind = FLUX_CERTIFICATE_CRITICAL_PATH; kind <= FLUX_CERTIFICATE_PORT_EDGES; kind++)
        assert_true(kinds[kind] > 0);
}

/* The example of docs/certificates.md: two groups of four sends and compute between. */
static void lifts_count_what_comes_before(void **state)
{
    struct flux_lift lift = {4, 0, FLUX_SIDE_BOTH, FLUX_LIFT_HEAD, 0, 0};
    struct flux_lift back = {4, 5, FLUX_SIDE_BOTH, FLUX_LIFT_TAIL, 0, 0};
    struct bench b;
    uint32_t c;
    (void)state;
    begin(&b, 2, FLUX_RULE_PAPER, 10);
    for (uint32_t g = 1; g <= 3; g++)
        add(&b, 0, g, 100, 0);
    add(&b, 4, 0, 100, 0);
    flux_graph_add_compute(b.graph, 5, 1000, &c);
    assert_int_equal(c, 4);
    for (uint32_t g = 1; g <= 3; g++)
        add(&b, 5, g, 100, 0);
    add(&b, 4, 5, 100, 0);
    for (uint32_t v = 0; v < 4; v++) {
        flux_graph_add_edge(b.graph, v, c, 0);
        flux_graph_add_edge(b.graph, c, v + 5, 0);
    }
    claim(&b, FLUX_CERTIFICATE_LIFTED_LOAD, 5, FLUX_SIDE_BOTH, 4);
    for (uint32_t i = 0; i < 4; i++)
        b.vertices[i] = 5 + i;
    b.certificate.head = 1210;
    fails(&b, FLUX_E_MISMATCH, "certificate's side and window"); /* without the lift they may start at 1,100 */
    b.certificate.lifts = &lift;
    b.certificate.lift_count = 1;
    comes_to(&b, 1420);
    lift.edge = 1; /* no send is that late: nothing is lifted */
    fails(&b, FLUX_E_MISMATCH, "certificate's side and window");
    lift.edge = 0;
    lift.lag = 1;
    fails(&b, FLUX_E_MISMATCH, "certificate's side and window");
    lift.lag = 0;
    lift.side = FLUX_SIDE_TRANSMIT;
    fails(&b, FLUX_E_MISMATCH, "lift 0 names");
    lift.side = FLUX_SIDE_BOTH;
    lift.vertex = 99;
    fails(&b, FLUX_E_MISMATCH, "lift 0 names");
    lift.vertex = 4;
    lift.end = 2;
    fails(&b, FLUX_E_MISMATCH, "lift 0 names");
    lift.end = FLUX_LIFT_HEAD;
    claim(&b, FLUX_CERTIFICATE_LIFTED_PATH, FLUX_NONE, FLUX_SIDE_BOTH, 0);
    comes_to(&b, 210 + 1000 + 100);
    b.certificate.lifts = &back; /* the same seen from the end */
    comes_to(&b, 100 + 1000 + 210);
    claim(&b, FLUX_CERTIFICATE_LIFTED_LOAD, 0, FLUX_SIDE_BOTH, 4);
    b.certificate.head = 0;
    b.certificate.tail = 1210;
    comes_to(&b, 1420);
    end(&b);
}

/* What is made from a certificate's parts is that certificate; parts that cannot be are refused. */
static void from_parts(void **state)
{
    uint32_t vertices[2] = {4, 7};
    struct flux_lift lift = {7, 1, FLUX_SIDE_BOTH, FLUX_LIFT_TAIL, 5, 6};
    struct flux_certificate_parts parts = FLUX_CERTIFICATE_PARTS_INIT;
    struct flux_certificate *made;
    uint64_t count;
    (void)state;
    parts.kind = FLUX_CERTIFICATE_LIFTED_EDGES;
    parts.gpu = 1;
    parts.bound = 9;
    parts.head = 2;
    parts.tail = 3;
    parts.vertices = vertices;
    parts.vertex_count = 2;
    parts.lifts = &lift;
    parts.lift_count = 1;
    assert_int_equal(flux_certificate_new(NULL, &parts, &made, NULL), 0);
    vertices[0] = lift.vertex = 0; /* they were copied */
    assert_int_equal(flux_certificate_vertices(made, &count)[0], 4);
    assert_int_equal(count, 2);
    assert_int_equal(flux_certificate_lifts(made, &count)->vertex, 7);
    assert_int_equal(
        flux_certificate_bound(made) * 100 + flux_certificate_head(made) * 10 + flux_certificate_tail(made), 923);
    flux_certificate_free(made);
    parts.vertices = NULL;
    assert_int_equal(flux_certificate_new(NULL, &parts, &made, NULL), FLUX_E_ARGUMENT);
    parts.vertex_count = 0;
    parts.tail = -1;
    assert_int_equal(flux_certificate_new(NULL, &parts, &made, NULL), FLUX_E_ARGUMENT);
    parts.tail = 0;
    parts.side = 3;
    assert_int_equal(flux_certificate_new(NULL, &parts, &made, NULL), FLUX_E_ARGUMENT);
    assert_null(made);
    parts.side = 0;
    assert_int_equal(flux_certificate_new(NULL, NULL, &made, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_certificate_new(NULL, &parts, NULL, NULL), FLUX_E_ARGUMENT);
    parts.size = 3;
    assert_int_equal(flux_certificate_new(NULL, &parts, &made, NULL), FLUX_E_ABI);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_count_everything),
        cmocka_unit_test(lifts_count_what_comes_before),
        cmocka_unit_test(durations_are_the_least),
        cmocka_unit_test(initial_circuits_raise_heads),
        cmocka_unit_test(loads_count_setups),
        cmocka_unit_test(directions_count_by_rule),
        cmocka_unit_test(sequences_go_one_way),
        cmocka_unit_test(windows_are_checked),
        cmocka_unit_test(dead_links_do_not_count),
        cmocka_unit_test(edges_count_first_and_last),
        cmocka_unit_test(other_kinds_are_believed_no_more_than_they_say),
        cmocka_unit_test(found_bounds_come_to_their_number),
        cmocka_unit_test(from_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
