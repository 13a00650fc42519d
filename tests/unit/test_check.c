/* SPDX-License-Identifier: Apache-2.0
 *
 * flux_check(): for every way to break a rule a schedule that breaks it by a little and one that just does not, and
 * whether the message names who is to blame and by how much.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/flux.h>
#include <string.h>

#define SLOTS_MAX 16u

struct bench {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_slot slots[SLOTS_MAX];
    uint32_t count;
    struct flux_error error;
};

/* Graph and fabric with `gpus` GPUs and two switches; a change takes 10 us. */
static void begin(struct bench *bench, uint32_t gpus, uint32_t rule)
{
    memset(bench, 0, sizeof *bench);
    assert_int_equal(flux_graph_new(NULL, gpus, &bench->graph), 0);
    assert_int_equal(flux_fabric_new(NULL, gpus, 2, &bench->fabric), 0);
    assert_int_equal(flux_fabric_set_delay(bench->fabric, FLUX_ALL_SWITCHES, 10 * FLUX_US), 0);
    assert_int_equal(flux_fabric_set_rule(bench->fabric, rule), 0);
}

static void end(struct bench *bench)
{
    flux_graph_free(bench->graph);
    flux_fabric_free(bench->fabric);
}

/* A send of 100 us with a label. */
static uint32_t add(struct bench *bench, uint32_t src, uint32_t dst, const char *label)
{
    uint32_t v;
    assert_int_equal(flux_graph_add_send(bench->graph, src, dst, 1, &v), 0);
    assert_int_equal(flux_graph_set_duration(bench->graph, v, 100 * FLUX_US), 0);
    assert_int_equal(flux_graph_set_label(bench->graph, v, label), 0);
    return v;
}

static struct flux_slot *put(struct bench *bench, uint32_t send, uint32_t k, int64_t start)
{
    struct flux_slot *slot = &bench->slots[bench->count++];
    assert_true(bench->count <= SLOTS_MAX);
    *slot = (struct flux_slot){send, k, start, start + 100 * FLUX_US};
    return slot;
}

/* Moves a slot so that it starts at another time and takes as long. */
static void move(struct flux_slot *slot, int64_t start)
{
    slot->end += start - slot->start;
    slot->start = start;
}

static void good(struct bench *bench, int64_t makespan)
{
    int64_t found = -1;
    int rc = flux_check(bench->graph, bench->fabric, bench->slots, bench->count, &found, &bench->error);
    if (rc)
        print_error("%s\n", bench->error.text);
    assert_int_equal(rc, 0);
    assert_int_equal(found, makespan);
}

/* The check fails with `code` and a message that has every text up to NULL in it. */
static void bad(struct bench *bench, int code, uint32_t vertex, ...)
{
    va_list texts;
    int64_t found = -1;
    int rc = flux_check(bench->graph, bench->fabric, bench->slots, bench->count, &found, &bench->error);
    assert_int_equal(rc, code);
    assert_int_equal(bench->error.code, code);
    assert_int_equal(bench->error.vertex, vertex);
    assert_int_equal(found, 0);
    va_start(texts, vertex);
    for (const char *text; (text = va_arg(texts, const char *)) != NULL;)
        if (!strstr(bench->error.text, text)) {
            print_error("no '%s' in: %s\n", text, bench->error.text);
            fail();
        }
    va_end(texts);
}

#define BAD(bench, vertex, ...) bad(bench, FLUX_E_MISMATCH, vertex, __VA_ARGS__, NULL)

static void slots_are_one_per_send(void **state)
{
    struct bench b;
    uint32_t c;
    (void)state;
    begin(&b, 3, FLUX_RULE_PAPER);
    uint32_t a = add(&b, 0, 1, "a"), z = add(&b, 1, 2, "z");
    flux_graph_add_compute(b.graph, 0, 5, &c);
    put(&b, z, 1, 0);
    BAD(&b, a, "send \"a\"", "no slot");
    put(&b, a, 0, 0);
    good(&b, 100 * FLUX_US);
    put(&b, z, 0, 500 * FLUX_US);
    BAD(&b, z, "slot 2", "send \"z\"", "has one already");
    b.slots[2].send = 77;
    BAD(&b, FLUX_NONE, "slot 2", "send 77", "3 vertices");
    b.slots[2].send = c;
    BAD(&b, c, "slot 2", "compute 2", "not a send");
    b.count = 2;
    b.slots[1].switch_index = 2;
    BAD(&b, a, "send \"a\"", "switch 2", "0 to 1");
    b.slots[1].switch_index = FLUX_NONE;
    BAD(&b, a, "send \"a\"", "switch 4294967295");
    end(&b);
}

static void switches_must_be_able(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 3, FLUX_RULE_PAPER);
    uint32_t a = add(&b, 0, 1, "a");
    put(&b, a, 1, 0);
    flux_fabric_set_dead(b.fabric, 1, 0, 1);
    flux_fabric_set_dead(b.fabric, 2, 1, 1);
    good(&b, 100 * FLUX_US);
    flux_fabric_set_dead(b.fabric, 1, 1, 1);
    BAD(&b, a, "send \"a\" (0 to 1)", "switch 1", "GPU 1 is dead");
    flux_fabric_set_dead(b.fabric, 1, 1, 0);
    flux_fabric_set_dead(b.fabric, 0, 1, 1);
    BAD(&b, a, "send \"a\"", "switch 1", "GPU 0 is dead");
    flux_fabric_set_dead(b.fabric, 0, 1, 0);
    flux_fabric_set_forbidden(b.fabric, 1, 1, 0, 1);
    flux_fabric_set_forbidden(b.fabric, 0, 0, 1, 1);
    good(&b, 100 * FLUX_US);
    flux_fabric_set_rule(b.fabric, FLUX_RULE_DUPLEX);
    BAD(&b, a, "send \"a\" (0 to 1)", "switch 1", "forbidden");
    flux_fabric_set_rule(b.fabric, FLUX_RULE_SIMPLEX);
    good(&b, 100 * FLUX_US);
    flux_fabric_set_forbidden(b.fabric, 1, 0, 1, 1);
    BAD(&b, a, "send \"a\"", "switch 1", "forbidden");
    end(&b);
}

static void sends_take_their_time(void **state)
{
    struct bench b;
    uint32_t bytes;
    (void)state;
    begin(&b, 3, FLUX_RULE_PAPER);
    uint32_t a = add(&b, 0, 1, "a");
    put(&b, a, 0, 7);
    b.slots[0].end++;
    BAD(&b, a, "send \"a\" ends", "1ps too late", "takes 100us on switch 0", "ends at 100.000007us");
    b.slots[0].end -= 3;
    BAD(&b, a, "2ps too early");
    b.slots[0].end = INT64_MIN;
    BAD(&b, a, "too early");
    b.slots[0].end = INT64_MAX;
    BAD(&b, a, "too late");
    move(put(&b, a, 0, 0), -1);
    b.slots[0] = b.slots[1];
    b.count = 1;
    BAD(&b, a, "send \"a\"", "-1ps", "before time 0");
    move(&b.slots[0], 0);
    good(&b, 100 * FLUX_US);

    /* 1,000 bytes at 100 Gbps on switch 0, at 10 Gbps on switch 1: the slower port decides. */
    flux_graph_add_send(b.graph, 1, 2, 1000, &bytes);
    flux_fabric_set_rate(b.fabric, FLUX_ALL_GPUS, 0, UINT64_C(100000000000));
    flux_fabric_set_rate(b.fabric, 2, 1, UINT64_C(10000000000));
    b.slots[b.count++] = (struct flux_slot){bytes, 1, 0, 800 * FLUX_NS};
    good(&b, 100 * FLUX_US);
    b.slots[1] = (struct flux_slot){bytes, 1, 0, 80 * FLUX_NS};
    BAD(&b, bytes, "send 1", "720ns too early", "800ns on switch 1");
    b.slots[0].switch_index = 1;
    b.slots[1].switch_index = 0;
    good(&b, 100 * FLUX_US);
    end(&b);
}

static void releases_hold(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 2, FLUX_RULE_PAPER);
    uint32_t a = add(&b, 0, 1, "a");
    flux_graph_set_release(b.graph, a, 3 * FLUX_US);
    put(&b, a, 0, 3 * FLUX_US);
    good(&b, 103 * FLUX_US);
    move(&b.slots[0], 2 * FLUX_US);
    BAD(&b, a, "send \"a\" starts at 2us", "1us before its release at 3us");
    end(&b);
}

static void edges_hold(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 4, FLUX_RULE_PAPER);
    uint32_t a = add(&b, 0, 1, "a"), z = add(&b, 2, 3, "z");
    flux_graph_add_edge(b.graph, a, z, 5 * FLUX_US);
    put(&b, a, 0, 0);
    put(&b, z, 0, 105 * FLUX_US);
    good(&b, 205 * FLUX_US);
    move(&b.slots[1], 105 * FLUX_US - 1);
    BAD(&b, z, "send \"z\" starts at 104.999999us", "1ps too early", "waits for send \"a\"", "ends at 100us",
        "5us of lag", "start at 105us");
    flux_graph_add_edge(b.graph, a, z, 6 * FLUX_US);
    move(&b.slots[1], 105 * FLUX_US);
    BAD(&b, z, "1us too early", "6us of lag");
    end(&b);
}

/* Light travels to whoever waits elsewhere than at the source. */
static void propagation_holds(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 4, FLUX_RULE_PAPER);
    uint32_t a = add(&b, 0, 1, "a"), away = add(&b, 1, 2, "away"), home = add(&b, 0, 3, "home");
    flux_graph_add_edge(b.graph, a, away, FLUX_NS);
    flux_graph_add_edge(b.graph, a, home, 0);
    flux_fabric_set_propagation(b.fabric, 0, 1, 50 * FLUX_US);
    put(&b, a, 0, 0);
    put(&b, home, 1, 100 * FLUX_US);
    put(&b, away, 0, 150 * FLUX_US + FLUX_NS);
    good(&b, 250 * FLUX_US + FLUX_NS);
    move(&b.slots[2], 150 * FLUX_US);
    BAD(&b, away, "send \"away\"", "send \"a\"", "1ns too early", "1ns of lag and 50us of propagation");
    move(&b.slots[2], 150 * FLUX_US + FLUX_NS);
    move(&b.slots[1], 100 * FLUX_US - 1);
    BAD(&b, home, "send \"home\"", "send \"a\"", "1ps too early");
    end(&b);
}

static void compute_runs_as_early_as_it_can(void **state)
{
    struct bench b;
    uint32_t first, join, last;
    (void)state;
    begin(&b, 4, FLUX_RULE_PAPER);
    uint32_t a = add(&b, 0, 1, "a"), z = add(&b, 2, 3, "z");
    flux_graph_add_compute(b.graph, 1, 20 * FLUX_US, &first);
    flux_graph_add_compute(b.graph, 2, 0, &join);
    flux_graph_add_compute(b.graph, 3, 300 * FLUX_US, &last);
    flux_graph_set_label(b.graph, first, "matmul");
    flux_graph_add_edge(b.graph, a, first, 0);
    flux_graph_add_edge(b.graph, first, join, 1 * FLUX_US);
    flux_graph_add_edge(b.graph, join, z, 0);
    flux_graph_add_edge(b.graph, z, last, 0);
    put(&b, a, 0, 0);
    put(&b, z, 0, 121 * FLUX_US);
    good(&b, 521 * FLUX_US);
    move(&b.slots[1], 120 * FLUX_US);
    BAD(&b, z, "send \"z\"", "compute 3", "follows send \"a\"", "1us too early", "start at 121us");
    flux_graph_set_release(b.graph, first, 130 * FLUX_US);
    move(&b.slots[1], 151 * FLUX_US);
    good(&b, 551 * FLUX_US);
    move(&b.slots[1], 150 * FLUX_US);
    BAD(&b, z, "1us too early");
    assert_null(strstr(b.error.text, "follows"));
    flux_graph_set_release(b.graph, last, 1000 * FLUX_US);
    move(&b.slots[1], 151 * FLUX_US);
    good(&b, 1300 * FLUX_US);
    end(&b);
}

static void users_of_one_circuit_follow_each_other(void **state)
{
    struct bench b;
    (void)state;
    for (uint32_t rule = FLUX_RULE_PAPER; rule <= FLUX_RULE_SIMPLEX; rule++) {
        begin(&b, 2, rule);
        uint32_t z = add(&b, 0, 1, "z"), a = add(&b, 0, 1, "a");
        put(&b, z, 0, 100 * FLUX_US);
        put(&b, a, 0, 0);
        good(&b, 200 * FLUX_US);
        move(&b.slots[0], 100 * FLUX_US - 1);
        BAD(&b, z, "send \"z\" (0 to 1)", "1ps too early", "send \"a\"", "GPU 0 on switch 0", "until 100us");
        b.slots[0].switch_index = 1;
        good(&b, 200 * FLUX_US - 1);
        end(&b);
    }
}

/* Another circuit at the source's or the destination's port: the delay must lie between. */
static void other_circuits_wait_for_the_change(void **state)
{
    static const uint32_t pair[][2] = {{0, 2}, {2, 1}, {1, 0}, {2, 0}, {1, 2}};
    static const char *const name[] = {"z\" (0 to 2)", "z\" (2 to 1)", "z\" (1 to 0)", "z\" (2 to 0)", "z\" (1 to 2)"};
    static const char *const port[] = {"port of GPU 0 ", "port of GPU 1 ", "GPU 1 ", "port of GPU 0 ",
                                       "port of GPU 1 "};
    struct bench b;
    (void)state;
    for (uint32_t rule = FLUX_RULE_PAPER; rule <= FLUX_RULE_SIMPLEX; rule++)
        for (uint32_t i = 0; i < 5; i++) {
            begin(&b, 3, rule);
            uint32_t a = add(&b, 0, 1, "a"), z = add(&b, pair[i][0], pair[i][1], "z");
            flux_fabric_set_delay(b.fabric, 1, 20 * FLUX_US);
            put(&b, a, 1, 0);
            put(&b, z, 1, 120 * FLUX_US);
            good(&b, 220 * FLUX_US);
            move(&b.slots[1], 120 * FLUX_US - 1);
            int compete = rule == FLUX_RULE_PAPER || i < 2 || (rule == FLUX_RULE_DUPLEX && i != 2);
            if (compete)
                BAD(&b, z, name[i], "1ps too early", "send \"a\" (0 to 1)", port[i], "on switch 1", "until 100us",
                    "takes 20us", "start at 120us");
            else
                good(&b, 220 * FLUX_US - 1);
            move(&b.slots[1], 0);
            if (compete)
                BAD(&b, z, "send \"a\"", "send \"z\"", "120us too early");
            else
                good(&b, 100 * FLUX_US);
            b.slots[1].switch_index = 0;
            good(&b, 100 * FLUX_US);
            end(&b);
        }
}

/* Both directions at once on one light path, then another circuit, which waits for the later of the two. */
static void duplex_has_two_directions(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 3, FLUX_RULE_DUPLEX);
    uint32_t there = add(&b, 0, 1, "there"), back = add(&b, 1, 0, "back"), next = add(&b, 1, 0, "next"),
             other = add(&b, 0, 2, "other");
    put(&b, there, 0, 0);
    put(&b, back, 0, 30 * FLUX_US);
    put(&b, next, 1, 0);
    put(&b, other, 0, 140 * FLUX_US);
    good(&b, 240 * FLUX_US);
    move(&b.slots[3], 139 * FLUX_US);
    BAD(&b, other, "send \"other\" (0 to 2)", "1us too early", "send \"back\" (1 to 0)", "until 130us");
    move(&b.slots[3], 300 * FLUX_US);
    b.slots[2].switch_index = 0;
    move(&b.slots[2], 129 * FLUX_US);
    BAD(&b, next, "send \"next\"", "send \"back\"", "1us too early");
    move(&b.slots[2], 130 * FLUX_US);
    good(&b, 400 * FLUX_US);
    end(&b);
}

static void simplex_has_two_ports(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 3, FLUX_RULE_SIMPLEX);
    uint32_t a = add(&b, 0, 1, "a"), ring = add(&b, 1, 2, "ring"), z = add(&b, 2, 1, "z");
    put(&b, a, 0, 0);
    put(&b, ring, 0, 0);
    put(&b, z, 0, 110 * FLUX_US);
    good(&b, 210 * FLUX_US);
    move(&b.slots[2], 105 * FLUX_US);
    BAD(&b, z, "send \"z\"", "send \"a\"", "receive port of GPU 1", "5us too early");
    end(&b);
}

/* Who comes third waits for whoever has a port last, and of two ports for the one that is free later. */
static void the_later_port_is_named(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 4, FLUX_RULE_PAPER);
    uint32_t a = add(&b, 0, 1, "a"), c = add(&b, 2, 3, "c"), z = add(&b, 1, 2, "z");
    put(&b, a, 0, 0);
    put(&b, c, 0, 20 * FLUX_US);
    put(&b, z, 0, 130 * FLUX_US);
    good(&b, 230 * FLUX_US);
    move(&b.slots[2], 105 * FLUX_US);
    BAD(&b, z, "send \"z\"", "send \"c\"", "GPU 2", "25us too early", "start at 130us");
    end(&b);
}

static void initial_circuits_hold(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 3, FLUX_RULE_PAPER);
    uint32_t a = add(&b, 0, 1, "a"), z = add(&b, 0, 2, "z");
    flux_fabric_add_initial(b.fabric, 0, 0, 2);
    put(&b, a, 0, 10 * FLUX_US);
    put(&b, z, 0, 120 * FLUX_US);
    good(&b, 220 * FLUX_US);
    move(&b.slots[0], 9 * FLUX_US);
    BAD(&b, a, "send \"a\" (0 to 1)", "1us too early", "initial circuit (0 to 2)", "GPU 0 on switch 0", "until 0ps",
        "start at 10us");
    b.slots[0].switch_index = 1; /* no initial circuit there */
    move(&b.slots[0], 0);
    move(&b.slots[1], 0); /* its own circuit is up */
    good(&b, 100 * FLUX_US);
    b.slots[0].switch_index = 0;
    move(&b.slots[0], 110 * FLUX_US);
    good(&b, 210 * FLUX_US);
    end(&b);
}

/* The reverse direction is the same light path under DUPLEX only; under SIMPLEX it has nothing to do with it. */
static void initial_circuits_obey_the_rule(void **state)
{
    static const int64_t first[] = {10 * FLUX_US, 0, 0};
    struct bench b;
    (void)state;
    for (uint32_t rule = FLUX_RULE_PAPER; rule <= FLUX_RULE_SIMPLEX; rule++) {
        begin(&b, 3, rule);
        uint32_t a = add(&b, 0, 1, "a");
        flux_fabric_add_initial(b.fabric, 0, 1, 0);
        put(&b, a, 0, first[rule]);
        good(&b, first[rule] + 100 * FLUX_US);
        if (first[rule]) {
            move(&b.slots[0], first[rule] - 1);
            BAD(&b, a, "send \"a\"", "1ps too early", "initial circuit (1 to 0)");
            move(&b.slots[0], first[rule]);
        }
        flux_fabric_add_initial(b.fabric, 1, 0, 1);
        flux_fabric_add_initial(b.fabric, 0, 0, 1);
        if (rule == FLUX_RULE_PAPER)
            BAD(&b, FLUX_NONE, "initial circuits 1 to 0 and 0 to 1 of switch 0 share a port");
        else
            good(&b, first[rule] + 100 * FLUX_US);
        flux_fabric_add_initial(b.fabric, 0, 1, 0);
        BAD(&b, FLUX_NONE, "initial circuits 1 to 0 and ", rule == FLUX_RULE_PAPER ? "0 to 1 of" : "1 to 0 of");
        end(&b);
    }
}

/* While "z" changes GPU 0's port, "busy" on other ports must rest when the switch stops as a whole. */
static void a_dark_switch_carries_nothing(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 5, FLUX_RULE_PAPER);
    uint32_t a = add(&b, 0, 1, "a"), z = add(&b, 0, 2, "z"), busy = add(&b, 3, 4, "busy");
    put(&b, a, 0, 0);
    put(&b, z, 0, 110 * FLUX_US);
    put(&b, busy, 0, 50 * FLUX_US);
    good(&b, 210 * FLUX_US);
    flux_fabric_set_blocking(b.fabric, 1, FLUX_BLOCKING_SWITCH);
    good(&b, 210 * FLUX_US);
    flux_fabric_set_blocking(b.fabric, 0, FLUX_BLOCKING_SWITCH);
    BAD(&b, z, "switch 0", "send \"z\"", "send \"busy\"", "dark for 10us", "between 100us and 110us", "0ps at most",
        "10us too short");
    move(&b.slots[1], 160 * FLUX_US - 1);
    BAD(&b, z, "send \"z\"", "send \"busy\"", "1ps too short");
    move(&b.slots[1], 160 * FLUX_US);
    good(&b, 260 * FLUX_US);
    flux_fabric_set_delay(b.fabric, 0, 0);
    move(&b.slots[1], 100 * FLUX_US);
    good(&b, 200 * FLUX_US); /* a change that takes no time stops nothing */
    end(&b);
}

/* The window is the time between the ends of other circuits at its ports and its start, idle anywhere inside. */
static void a_dark_moment_may_be_anywhere_in_the_window(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 5, FLUX_RULE_PAPER);
    flux_fabric_set_blocking(b.fabric, 0, FLUX_BLOCKING_SWITCH);
    uint32_t a = add(&b, 0, 1, "a"), z = add(&b, 0, 2, "z"), one = add(&b, 3, 4, "one"), two = add(&b, 3, 4, "two");
    put(&b, a, 0, 0);
    put(&b, one, 0, 50 * FLUX_US);
    put(&b, two, 0, 160 * FLUX_US);
    put(&b, z, 0, 170 * FLUX_US);
    good(&b, 270 * FLUX_US);
    move(&b.slots[2], 159 * FLUX_US);
    BAD(&b, z, "send \"z\"", "send \"one\"", "9us at most", "1us too short");
    move(&b.slots[3], 269 * FLUX_US);
    good(&b, 369 * FLUX_US);
    end(&b);
}

/* First circuits need no change, so nothing has to stop for them. */
static void first_circuits_stop_nothing(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 4, FLUX_RULE_PAPER);
    flux_fabric_set_blocking(b.fabric, 0, FLUX_BLOCKING_SWITCH);
    flux_fabric_set_dwell(b.fabric, 0, FLUX_S);
    uint32_t a = add(&b, 0, 1, "a"), z = add(&b, 2, 3, "z");
    put(&b, a, 0, 0);
    put(&b, z, 0, 50 * FLUX_US);
    good(&b, 150 * FLUX_US);
    flux_fabric_add_initial(b.fabric, 0, 2, 3);
    good(&b, 150 * FLUX_US);
    end(&b);
}

/* Two changes of one switch: together, or a dwell apart. */
static void changes_keep_the_dwell(void **state)
{
    struct bench b;
    (void)state;
    begin(&b, 6, FLUX_RULE_PAPER);
    uint32_t a = add(&b, 0, 1, "a"), c = add(&b, 0, 2, "c"), y = add(&b, 3, 4, "y"), z = add(&b, 3, 5, "z");
    flux_fabric_set_dwell(b.fabric, 0, 30 * FLUX_US);
    put(&b, a, 0, 0);
    put(&b, c, 0, 110 * FLUX_US); /* changes at 100 us */
    put(&b, y, 0, 20 * FLUX_US);
    put(&b, z, 0, 140 * FLUX_US); /* changes at 120 .. 130 us */
    good(&b, 240 * FLUX_US);
    move(&b.slots[3], 140 * FLUX_US - 1);
    BAD(&b, z, "switch 0", "send \"z\"", "send \"c\"", "dwell of 30us", "begin by 129.999999us", "begins at 130us",
        "1ps too late");
    flux_fabric_set_dwell(b.fabric, 0, 29 * FLUX_US);
    flux_fabric_set_dwell(b.fabric, 1, FLUX_S);
    good(&b, 240 * FLUX_US - 1);
    flux_fabric_set_dwell(b.fabric, 0, FLUX_S);
    move(&b.slots[1], 130 * FLUX_US); /* 100 .. 120 us: both at 120 */
    good(&b, 240 * FLUX_US - 1);
    move(&b.slots[1], 130 * FLUX_US - 1);
    BAD(&b, z, "send \"z\"", "send \"c\"", "dwell of 1s");
    flux_fabric_set_delay(b.fabric, 0, 0); /* begins count when a change takes no time, too */
    move(&b.slots[1], 120 * FLUX_US - 1);
    move(&b.slots[3], 120 * FLUX_US);
    BAD(&b, z, "send \"z\"", "send \"c\"", "dwell of 1s");
    move(&b.slots[1], 120 * FLUX_US);
    good(&b, 220 * FLUX_US);
    b.slots[2].switch_index = b.slots[3].switch_index = 1; /* each switch has its own changes */
    move(&b.slots[1], 100 * FLUX_US);
    move(&b.slots[3], 130 * FLUX_US);
    good(&b, 230 * FLUX_US);
    end(&b);
}

static void problems_are_found_first(void **state)
{
    struct bench b;
    struct flux_fabric *small;
    struct flux_error error;
    (void)state;
    begin(&b, 3, FLUX_RULE_PAPER);
    uint32_t a = add(&b, 0, 1, "a"), z = add(&b, 1, 2, "z");
    flux_graph_add_edge(b.graph, a, z, 0);
    put(&b, a, 9, -7);
    assert_int_equal(flux_fabric_new(NULL, 2, 1, &small), 0);
    assert_int_equal(flux_check(b.graph, small, b.slots, b.count, NULL, &error), FLUX_E_MISMATCH);
    assert_non_null(strstr(error.text, "3 GPUs and the fabric 2"));
    flux_fabric_free(small);
    flux_graph_add_edge(b.graph, z, a, 0);
    assert_int_equal(flux_check(b.graph, b.fabric, b.slots, b.count, NULL, &error), FLUX_E_CYCLE);
    assert_non_null(strstr(error.text, "a -> z"));
    assert_int_equal(flux_check(NULL, b.fabric, b.slots, b.count, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_check(b.graph, NULL, b.slots, b.count, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_check(b.graph, b.fabric, NULL, 1, NULL, NULL), FLUX_E_ARGUMENT);
    end(&b);
}

static void empty_graphs_have_an_empty_schedule(void **state)
{
    struct bench b;
    uint32_t c;
    (void)state;
    begin(&b, 2, FLUX_RULE_PAPER);
    assert_int_equal(flux_check(b.graph, b.fabric, NULL, 0, NULL, NULL), 0);
    good(&b, 0);
    flux_graph_add_compute(b.graph, 1, 7, &c);
    flux_graph_set_release(b.graph, c, 5);
    good(&b, 12);
    put(&b, 0, 0, 0);
    BAD(&b, c, "compute 0");
    end(&b);
}

static void times_beyond_the_limit_are_refused(void **state)
{
    struct bench b;
    uint32_t c, d;
    (void)state;
    begin(&b, 4, FLUX_RULE_PAPER);
    uint32_t a = add(&b, 0, 1, "a");
    put(&b, a, 0, FLUX_TIME_MAX - 100 * FLUX_US);
    good(&b, FLUX_TIME_MAX);
    move(&b.slots[0], FLUX_TIME_MAX - 100 * FLUX_US + 1);
    bad(&b, FLUX_E_OVERFLOW, a, "send \"a\"", NULL);
    b.slots[0] = (struct flux_slot){a, 0, INT64_MAX, INT64_MIN};
    bad(&b, FLUX_E_OVERFLOW, a, "send \"a\"", NULL);
    b.slots[0] = (struct flux_slot){a, 0, 0, 100 * FLUX_US};
    flux_graph_add_compute(b.graph, 1, FLUX_TIME_MAX, &c);
    good(&b, FLUX_TIME_MAX);
    flux_graph_add_edge(b.graph, a, c, 0);
    bad(&b, FLUX_E_OVERFLOW, c, "compute 1", NULL);
    flux_graph_set_duration(b.graph, c, 0);
    flux_graph_add_compute(b.graph, 1, 0, &d);
    flux_graph_add_edge(b.graph, c, d, FLUX_TIME_MAX);
    flux_fabric_set_propagation(b.fabric, 0, 1, FLUX_TIME_MAX);
    bad(&b, FLUX_E_OVERFLOW, c, "compute 1", NULL);
    end(&b);

    /* The largest delay and dwell there are. */
    begin(&b, 4, FLUX_RULE_PAPER);
    uint32_t first = add(&b, 0, 1, "first"), second = add(&b, 0, 2, "second");
    flux_fabric_set_delay(b.fabric, 0, FLUX_TIME_MAX);
    flux_fabric_set_dwell(b.fabric, 0, FLUX_TIME_MAX);
    flux_fabric_set_blocking(b.fabric, 0, FLUX_BLOCKING_SWITCH);
    put(&b, first, 0, FLUX_TIME_MAX - 100 * FLUX_US);
    put(&b, second, 0, FLUX_TIME_MAX - 100 * FLUX_US);
    BAD(&b, second, "send \"second\"", "send \"first\"", "too early");
    end(&b);
}

/* The first violation is the same for any order of the slots. */
static void the_order_of_slots_does_not_matter(void **state)
{
    struct bench b;
    struct flux_error first;
    (void)state;
    begin(&b, 8, FLUX_RULE_PAPER);
    for (uint32_t i = 0; i < 6; i++)
        put(&b, add(&b, i, i + 1, ""), 0, (int64_t)i * 5 * FLUX_US);
    assert_int_equal(flux_check(b.graph, b.fabric, b.slots, b.count, NULL, &first), FLUX_E_MISMATCH);
    assert_int_equal(first.vertex, 1);
    assert_non_null(strstr(first.text, "send 1 (1 to 2) starts at 5us"));
    assert_non_null(strstr(first.text, "send 0 (0 to 1)"));
    for (uint32_t turn = 0; turn < 6; turn++) {
        struct flux_slot slot = b.slots[0];
        memmove(&b.slots[0], &b.slots[1], sizeof b.slots[0] * 5);
        b.slots[5] = slot;
        assert_int_equal(flux_check(b.graph, b.fabric, b.slots, b.count, NULL, &b.error), FLUX_E_MISMATCH);
        assert_string_equal(b.error.text, first.text);
    }
    end(&b);
}

/* Both names and the amount stay in sight when labels are long, and a message is one line. */
static void long_labels_leave_room(void **state)
{
    struct bench b;
    char label[FLUX_LABEL_MAX + 1];
    (void)state;
    begin(&b, 3, FLUX_RULE_PAPER);
    for (uint32_t i = 0; i < 2; i++) {
        memset(label, i ? 'y' : 'x', sizeof label - 1);
        memcpy(label + 63, "\xc3\xa4\n", 3); /* a letter of two bytes at the cut */
        label[sizeof label - 1] = '\0';
        label[2] = '\n';
        put(&b, add(&b, 0, i + 1, label), 0, 0);
    }
    BAD(&b, 1, "send \"yy?yyy", "yyy...\"", "send \"xx?xxx", "xxx...\"", "110us too early", "start at 110us");
    assert_null(strchr(b.error.text, '\n'));
    assert_null(strchr(b.error.text, (char)0xc3));
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_one_per_send),
        cmocka_unit_test(switches_must_be_able),
        cmocka_unit_test(sends_take_their_time),
        cmocka_unit_test(releases_hold),
        cmocka_unit_test(edges_hold),
        cmocka_unit_test(propagation_holds),
        cmocka_unit_test(compute_runs_as_early_as_it_can),
        cmocka_unit_test(users_of_one_circuit_follow_each_other),
        cmocka_unit_test(other_circuits_wait_for_the_change),
        cmocka_unit_test(duplex_has_two_directions),
        cmocka_unit_test(simplex_has_two_ports),
        cmocka_unit_test(the_later_port_is_named),
        cmocka_unit_test(initial_circuits_hold),
        cmocka_unit_test(initial_circuits_obey_the_rule),
        cmocka_unit_test(a_dark_switch_carries_nothing),
        cmocka_unit_test(a_dark_moment_may_be_anywhere_in_the_window),
        cmocka_unit_test(first_circuits_stop_nothing),
        cmocka_unit_test(changes_keep_the_dwell),
        cmocka_unit_test(problems_are_found_first),
        cmocka_unit_test(empty_graphs_have_an_empty_schedule),
        cmocka_unit_test(times_beyond_the_limit_are_refused),
        cmocka_unit_test(the_order_of_slots_does_not_matter),
        cmocka_unit_test(long_labels_leave_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
