/* SPDX-License-Identifier: Apache-2.0
 *
 * What the problem keeps, folds and refuses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/problem.h"

#include <string.h>

struct built {
    struct flux_memory memory;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_problem *problem;
    struct flux_error error;
};

static void begin(struct built *built, uint32_t gpus, uint32_t switches)
{
    memset(built, 0, sizeof *built);
    assert_int_equal(flux_memory_init(&built->memory, NULL), 0);
    assert_int_equal(flux_graph_new(NULL, gpus, &built->graph), 0);
    assert_int_equal(flux_fabric_new(NULL, gpus, switches, &built->fabric), 0);
}

static int build(struct built *built)
{
    return flux_problem_build(built->graph, built->fabric, &built->memory, &built->problem, &built->error);
}

static void end(struct built *built)
{
    flux_problem_free(built->problem);
    flux_graph_free(built->graph);
    flux_fabric_free(built->fabric);
}

static uint32_t send(struct built *built, uint32_t src, uint32_t dst, int64_t duration)
{
    struct flux_send row = {src, dst, 0, duration, 0};
    uint32_t v;
    assert_int_equal(flux_graph_add_sends(built->graph, &row, 1, sizeof row, &v, NULL), 0);
    return v;
}

static uint32_t compute(struct built *built, uint32_t gpu, int64_t duration)
{
    uint32_t v;
    assert_int_equal(flux_graph_add_compute(built->graph, gpu, duration, &v), 0);
    return v;
}

static void edge(struct built *built, uint32_t from, uint32_t to, int64_t lag)
{
    assert_int_equal(flux_graph_add_edge(built->graph, from, to, lag), 0);
}

static void a_chain_becomes_lag_release_and_rest(void **state)
{
    struct built b;
    (void)state;
    begin(&b, 3, 1);
    uint32_t before = compute(&b, 0, 7), x = send(&b, 0, 1, 10), c1 = compute(&b, 1, 5), c2 = compute(&b, 1, 6);
    uint32_t y = send(&b, 1, 2, 20), after = compute(&b, 2, 9), alone = compute(&b, 0, 500);
    assert_int_equal(flux_graph_set_release(b.graph, alone, 100), 0);
    edge(&b, before, x, 1);
    edge(&b, x, c1, 2);
    edge(&b, c1, c2, 0);
    edge(&b, c2, y, 3);
    edge(&b, y, after, 4);
    assert_int_equal(build(&b), 0);
    assert_int_equal(b.problem->nodes, 2);
    assert_int_equal(b.problem->arcs, 1);
    assert_int_equal(b.problem->release[0], 8);
    assert_int_equal(b.problem->in[0].lag, 2 + 5 + 6 + 3);
    assert_int_equal(b.problem->rest[1], 4 + 9);
    assert_int_equal(b.problem->rest[0], 0);
    assert_int_equal(b.problem->floor, 600);
    assert_int_equal(b.problem->head[1], 8 + 10 + 16);
    assert_int_equal(b.problem->tail[0], 16 + 20 + 13);
    end(&b);
}

static void a_join_of_many_stays(void **state)
{
    struct built b;
    (void)state;
    begin(&b, 8, 1);
    uint32_t join = compute(&b, 0, 11);
    for (uint32_t i = 0; i < 3; i++)
        edge(&b, send(&b, i, i + 1, 10), join, i);
    for (uint32_t i = 0; i < 4; i++)
        edge(&b, join, send(&b, i, 7, 10), 100);
    assert_int_equal(build(&b), 0);
    assert_int_equal(b.problem->nodes, 8);
    assert_int_equal(b.problem->arcs, 7);
    assert_int_equal(b.problem->sends, 7);
    end(&b);
}

static void one_in_or_one_out_is_folded(void **state)
{
    struct built b;
    (void)state;
    begin(&b, 8, 1);
    uint32_t fan_out = compute(&b, 0, 11), fan_in = compute(&b, 0, 13), last = send(&b, 6, 7, 1);
    edge(&b, send(&b, 0, 1, 10), fan_out, 1);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t middle = send(&b, i, i + 1, 10);
        edge(&b, fan_out, middle, i);
        edge(&b, middle, fan_in, 0);
    }
    edge(&b, fan_in, last, 5);
    assert_int_equal(build(&b), 0);
    assert_int_equal(b.problem->nodes, 6);
    assert_int_equal(b.problem->arcs, 8);
    uint32_t node = b.problem->nodes - 1;
    assert_int_equal(b.problem->vertex[node], last);
    assert_int_equal(b.problem->head[node], 10 + 1 + 11 + 3 + 10 + 13 + 5);
    end(&b);
}

static void parallel_edges_keep_the_longest_lag(void **state)
{
    struct built b;
    (void)state;
    begin(&b, 3, 1);
    uint32_t x = send(&b, 0, 1, 10), y = send(&b, 1, 2, 10);
    edge(&b, x, y, 3);
    edge(&b, x, y, 9);
    edge(&b, x, y, 4);
    assert_int_equal(build(&b), 0);
    assert_int_equal(b.problem->arcs, 1);
    assert_int_equal(b.problem->in[0].lag, 9);
    assert_int_equal(b.problem->out[0].lag, 9);
    end(&b);
}

static void propagation_holds_back_all_but_the_sender(void **state)
{
    struct built b;
    (void)state;
    begin(&b, 3, 1);
    assert_int_equal(flux_fabric_set_propagation(b.fabric, FLUX_ALL_GPUS, FLUX_ALL_GPUS, 5), 0);
    assert_int_equal(flux_fabric_set_propagation(b.fabric, 0, 1, 50), 0);
    uint32_t x = send(&b, 0, 1, 10), same = send(&b, 0, 2, 1), other = send(&b, 1, 2, 1), c = compute(&b, 1, 7);
    edge(&b, x, same, 0);
    edge(&b, x, other, 0);
    edge(&b, x, c, 0);
    assert_int_equal(build(&b), 0);
    for (uint32_t node = 0; node < b.problem->nodes; node++) {
        uint32_t v = b.problem->vertex[node];
        if (v == same)
            assert_int_equal(b.problem->head[node], 10);
        if (v == other)
            assert_int_equal(b.problem->head[node], 60);
        if (v == x)
            assert_int_equal(b.problem->rest[node], 57);
    }
    end(&b);
}

static void rates_and_dead_ports_make_times_by_switch(void **state)
{
    struct built b;
    uint32_t v;
    (void)state;
    begin(&b, 3, 3);
    assert_int_equal(flux_fabric_set_rate(b.fabric, FLUX_ALL_GPUS, FLUX_ALL_SWITCHES, 8000000000000u), 0);
    assert_int_equal(flux_fabric_set_rate(b.fabric, 1, 0, 4000000000000u), 0);
    assert_int_equal(flux_fabric_set_dead(b.fabric, 0, 2, 1), 0);
    assert_int_equal(flux_graph_add_send(b.graph, 0, 1, 100, &v), 0);
    assert_int_equal(build(&b), 0);
    assert_int_equal(flux_problem_duration(b.problem, 0, 0), 200);
    assert_int_equal(flux_problem_duration(b.problem, 0, 1), 100);
    assert_int_equal(flux_problem_duration(b.problem, 0, 2), -1);
    assert_int_equal(b.problem->duration[0], 100);
    end(&b);
}

static void initial_circuits_raise_releases(void **state)
{
    struct built b;
    (void)state;
    begin(&b, 4, 2);
    assert_int_equal(flux_fabric_set_delay(b.fabric, 0, 30), 0);
    assert_int_equal(flux_fabric_set_delay(b.fabric, 1, 20), 0);
    assert_int_equal(flux_fabric_add_initial(b.fabric, 0, 0, 1), 0);
    assert_int_equal(flux_fabric_add_initial(b.fabric, 1, 1, 2), 0);
    send(&b, 0, 1, 5); /* up on switch 0 */
    send(&b, 1, 3, 5); /* waits on both */
    send(&b, 0, 3, 5); /* free on switch 1 */
    assert_int_equal(build(&b), 0);
    assert_int_equal(b.problem->head[0], 0);
    assert_int_equal(b.problem->head[1], 20);
    assert_int_equal(b.problem->head[2], 0);
    end(&b);
}

static void what_is_refused(void **state)
{
    struct built b;
    (void)state;
    begin(&b, 4, 2);
    assert_int_equal(flux_fabric_add_initial(b.fabric, 1, 0, 1), 0);
    assert_int_equal(flux_fabric_add_initial(b.fabric, 1, 1, 2), 0);
    send(&b, 0, 1, 5);
    assert_int_equal(build(&b), FLUX_E_MISMATCH);
    assert_non_null(strstr(b.error.text, "(0, 1) and (1, 2) of switch 1"));
    assert_int_equal(flux_fabric_set_rule(b.fabric, FLUX_RULE_SIMPLEX), 0);
    assert_int_equal(build(&b), 0);
    end(&b);

    begin(&b, 4, 2);
    uint32_t lost = send(&b, 2, 3, 5);
    assert_int_equal(flux_graph_set_label(b.graph, lost, "gradient"), 0);
    assert_int_equal(flux_fabric_set_dead(b.fabric, 3, 0, 1), 0);
    assert_int_equal(flux_fabric_set_forbidden(b.fabric, 1, 2, 3, 1), 0);
    assert_int_equal(build(&b), FLUX_E_INFEASIBLE);
    assert_int_equal(b.error.vertex, lost);
    assert_non_null(strstr(b.error.text, "gradient"));
    end(&b);

    begin(&b, 2, 1);
    send(&b, 0, 1, FLUX_TIME_MAX / 2 + 1);
    send(&b, 0, 1, FLUX_TIME_MAX / 2 + 1);
    assert_int_equal(build(&b), FLUX_E_OVERFLOW);
    end(&b);

    begin(&b, 3, 1);
    uint32_t x = send(&b, 0, 1, 1), y = send(&b, 1, 2, 1), z = compute(&b, 2, 0);
    edge(&b, x, y, 0);
    edge(&b, y, z, 0);
    edge(&b, z, x, 0);
    assert_int_equal(flux_graph_set_label(b.graph, y, "middle"), 0);
    assert_int_equal(build(&b), FLUX_E_CYCLE);
    assert_non_null(strstr(b.error.text, "vertex 0 -> middle -> vertex 2 -> vertex 0"));
    end(&b);
}

static void duplex_circuits_have_no_direction(void **state)
{
    struct built b;
    (void)state;
    begin(&b, 3, 1);
    send(&b, 0, 1, 1);
    send(&b, 1, 0, 1);
    send(&b, 0, 2, 1);
    assert_int_equal(build(&b), 0);
    assert_int_equal(b.problem->circuits, 3);
    flux_problem_free(b.problem);
    assert_int_equal(flux_fabric_set_rule(b.fabric, FLUX_RULE_DUPLEX), 0);
    assert_int_equal(build(&b), 0);
    assert_int_equal(b.problem->circuits, 2);
    assert_int_equal(b.problem->touch_first[1] - b.problem->touch_first[0], 3);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_becomes_lag_release_and_rest),
        cmocka_unit_test(a_join_of_many_stays),
        cmocka_unit_test(one_in_or_one_out_is_folded),
        cmocka_unit_test(parallel_edges_keep_the_longest_lag),
        cmocka_unit_test(propagation_holds_back_all_but_the_sender),
        cmocka_unit_test(rates_and_dead_ports_make_times_by_switch),
        cmocka_unit_test(initial_circuits_raise_releases),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(duplex_circuits_have_no_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
