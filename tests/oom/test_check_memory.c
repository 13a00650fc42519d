/* SPDX-License-Identifier: Apache-2.0
 *
 * Checking with memory that runs out at every place where some is asked for: an error that says so, nothing kept, and
 * the same call works when there is memory again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/flux.h>
#include <stdlib.h>
#include <string.h>

/* An allocator that fails once `left` blocks were given, and counts what is out. */
struct purse {
    uint64_t left;
    uint64_t given;
    int64_t blocks;
    int64_t bytes;
};

static void *give(void *user, uint64_t size)
{
    struct purse *purse = user;
    if (purse->left == 0)
        return NULL;
    purse->left--;
    purse->given++;
    purse->blocks++;
    purse->bytes += (int64_t)size;
    return malloc(size);
}

static void *resize(void *user, void *block, uint64_t old_size, uint64_t new_size)
{
    struct purse *purse = user;
    if (purse->left == 0)
        return NULL;
    purse->left--;
    purse->given++;
    purse->bytes += (int64_t)new_size - (int64_t)old_size;
    return realloc(block, new_size);
}

static void take(void *user, void *block, uint64_t size)
{
    struct purse *purse = user;
    purse->blocks--;
    purse->bytes -= (int64_t)size;
    free(block);
}

#define ROUNDS 1500u /* enough for every array to have a block of its own */
#define SENDS (3 * ROUNDS)

struct bench {
    struct purse purse;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_slot slots[SENDS];
    struct flux_certificate *certificate;
};

/* GPU 0 sends in turn to three others, all the changes on a switch that goes dark and has a dwell. */
static void begin(struct bench *bench)
{
    struct flux_env env = FLUX_ENV_INIT;
    memset(bench, 0, sizeof *bench);
    bench->purse.left = UINT64_MAX;
    env.alloc = give;
    env.resize = resize;
    env.release = take;
    env.user = &bench->purse;
    assert_int_equal(flux_graph_new(&env, 4, &bench->graph), 0);
    assert_int_equal(flux_fabric_new(&env, 4, 1, &bench->fabric), 0);
    flux_fabric_set_delay(bench->fabric, 0, 10);
    flux_fabric_set_dwell(bench->fabric, 0, 20);
    flux_fabric_set_blocking(bench->fabric, 0, FLUX_BLOCKING_SWITCH);
    flux_fabric_add_initial(bench->fabric, 0, 0, 2);
    for (uint32_t i = 0; i < SENDS; i++) {
        int64_t start = 10 + 30 * (int64_t)i;
        flux_graph_add_send(bench->graph, 0, 1 + i % 3, 1, NULL);
        flux_graph_set_duration(bench->graph, i, 20);
        if (i > 0)
            flux_graph_add_edge(bench->graph, i - 1, i, 0);
        bench->slots[i] = (struct flux_slot){i, 0, start, start + 20};
    }
    assert_int_equal(flux_bound(bench->graph, bench->fabric, &bench->certificate, NULL), 0);
}

static void end(struct bench *bench)
{
    flux_certificate_free(bench->certificate);
    flux_graph_free(bench->graph);
    flux_fabric_free(bench->fabric);
    assert_int_equal(bench->purse.blocks, 0);
    assert_int_equal(bench->purse.bytes, 0);
}

static int check(struct bench *bench, struct flux_error *error)
{
    int64_t makespan = -1;
    int rc = flux_check(bench->graph, bench->fabric, bench->slots, SENDS, &makespan, error);
    assert_int_equal(makespan, rc ? 0 : 30 * (int64_t)SENDS);
    return rc;
}

static int make(struct bench *bench, struct flux_error *error)
{
    struct flux_schedule *schedule;
    int rc = flux_schedule_from_slots(bench->graph, bench->fabric, bench->slots, SENDS, &schedule, error);
    assert_true((rc == 0) == (schedule != NULL));
    assert_int_equal(flux_schedule_reconfigurations(schedule), rc ? 0 : SENDS);
    flux_schedule_free(schedule);
    return rc;
}

static int check_certificate(struct bench *bench, struct flux_error *error)
{
    int64_t bound = -1;
    int rc = flux_certificate_check(bench->graph, bench->fabric, bench->certificate, &bound, error);
    assert_int_equal(bound, rc ? 0 : flux_certificate_bound(bench->certificate));
    return rc;
}

/* A replay of a schedule asks for all its memory when it is made. */
static int replay(struct bench *bench, struct flux_error *error)
{
    struct flux_replay *made;
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    int rc = flux_replay_new(bench->graph, bench->fabric, bench->slots, SENDS, &made, error);
    assert_true((rc == 0) == (made != NULL));
    uint64_t given = bench->purse.given;
    for (options.mode = FLUX_REPLAY_CLOCK; made && options.mode <= FLUX_REPLAY_ORDER; options.mode++)
        assert_int_equal(flux_replay_run(made, &options, NULL), 0);
    assert_int_equal(bench->purse.given, given);
    flux_replay_free(made);
    return rc;
}

/* A cycle in which GPU 0 sends to each of the others. */
static int replay_cycle(struct bench *bench, struct flux_error *error)
{
    static const struct flux_cycle_state states[] = {{0, 1, 20}, {0, 1, 20}, {0, 1, 20}};
    static const struct flux_circuit_name circuits[] = {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}};
    struct flux_replay *made;
    int rc = flux_replay_new_cycle(bench->graph, bench->fabric, states, 3, circuits, 3, &made, error);
    assert_true((rc == 0) == (made != NULL));
    if (made)
        rc = flux_replay_run(made, NULL, error);
    assert_true((flux_replay_times(made, NULL) != NULL) == (rc == 0));
    flux_replay_free(made);
    return rc;
}

/* The same over third GPUs. */
static int replay_rotor(struct bench *bench, struct flux_error *error)
{
    struct flux_replay *made;
    struct flux_rotor_options options = FLUX_ROTOR_OPTIONS_INIT;
    options.routing = FLUX_ROTOR_VLB;
    assert_int_equal(flux_fabric_set_delay(bench->fabric, FLUX_ALL_SWITCHES, 3), 0);
    int rc = flux_replay_new_rotor(bench->graph, bench->fabric, &options, &made, error);
    assert_int_equal(flux_fabric_set_delay(bench->fabric, FLUX_ALL_SWITCHES, 10), 0);
    assert_true((rc == 0) == (made != NULL));
    if (made)
        rc = flux_replay_run(made, NULL, error);
    assert_true((flux_replay_times(made, NULL) != NULL) == (rc == 0));
    flux_replay_free(made);
    return rc;
}

static int replay_packet(struct bench *bench, struct flux_error *error)
{
    struct flux_replay *made;
    int rc = flux_replay_new_packet(bench->graph, bench->fabric, NULL, &made, error);
    assert_true((rc == 0) == (made != NULL));
    uint64_t given = bench->purse.given;
    if (made)
        assert_int_equal(flux_replay_run(made, NULL, NULL), 0);
    assert_int_equal(bench->purse.given, given);
    flux_replay_free(made);
    return rc;
}

/* So does a program, which then goes through all of it and asks for nothing. */
static int run_program(struct bench *bench, struct flux_error *error)
{
    struct flux_schedule *schedule;
    struct flux_program *made;
    struct flux_event event;
    int rc = flux_schedule_from_slots(bench->graph, bench->fabric, bench->slots, SENDS, &schedule, error);
    if (rc)
        return rc;
    rc = flux_program_new(bench->graph, bench->fabric, schedule, &made, error);
    flux_schedule_free(schedule);
    assert_true((rc == 0) == (made != NULL));
    uint64_t given = bench->purse.given;
    while (flux_program_step(made, NULL))
        ;
    while (flux_program_take(made, &event))
        assert_int_equal(flux_program_done(made, event.kind, event.item, event.time + event.duration), 0);
    assert_int_equal(flux_program_left(made), 0);
    assert_int_equal(bench->purse.given, given);
    flux_program_free(made);
    return rc;
}

/* With no block, with one, with two ... until the call goes through. */
static void starve(int (*call)(struct bench *, struct flux_error *))
{
    struct bench b;
    uint64_t enough = 0;
    begin(&b);
    int64_t blocks = b.purse.blocks, bytes = b.purse.bytes;
    for (;; enough++) {
        struct flux_error error;
        memset(&error, 0, sizeof error);
        b.purse.left = enough;
        int rc = call(&b, &error);
        assert_int_equal(b.purse.blocks, blocks);
        assert_int_equal(b.purse.bytes, bytes);
        if (rc == FLUX_OK)
            break;
        assert_int_equal(rc, FLUX_E_MEMORY);
        assert_int_equal(error.code, FLUX_E_MEMORY);
        assert_non_null(strstr(error.text, "memory"));
    }
    assert_true(enough >= 8);
    b.purse.left = UINT64_MAX;
    assert_int_equal(call(&b, NULL), FLUX_OK);
    end(&b);
}

static void checks_fail_cleanly(void **state)
{
    (void)state;
    starve(check);
}

static void objects_fail_cleanly(void **state)
{
    (void)state;
    starve(make);
}

static void replays_fail_cleanly(void **state)
{
    (void)state;
    starve(replay);
    starve(replay_cycle);
    starve(replay_rotor);
    starve(replay_packet);
}

static void programs_fail_cleanly(void **state)
{
    (void)state;
    starve(run_program);
}

static void checks_of_certificates_fail_cleanly(void **state)
{
    (void)state;
    starve(check_certificate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_fail_cleanly),
        cmocka_unit_test(objects_fail_cleanly),
        cmocka_unit_test(replays_fail_cleanly),
        cmocka_unit_test(programs_fail_cleanly),
        cmocka_unit_test(checks_of_certificates_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
