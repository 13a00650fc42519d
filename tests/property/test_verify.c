/* SPDX-License-Identifier: Apache-2.0
 *
 * The stranger's check against the library's: documents of random problems in JSON, with schedules and certificates as
 * they are and bent a little. tests/verify.py reads them and must say the same of each: makespan, number, or neither.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "bound/bound.h"
#include "bound/port_sequence.h"
#include "bound/search.h"
#include "schedule/schedule.h"

#include "../support/files.h"
#include "../support/random_problem.h"

#include <inttypes.h>
#include <libflux/io/write.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct batch {
    char folder[FILES_PATH];
    FILE *expected;
    uint32_t documents;
    uint32_t schedules; /* of them with a schedule that is one, */
    uint32_t shown;     /* and with a certificate that shows its bound */
    uint32_t kinds[16];
};

static uint32_t next(uint64_t *dice)
{
    *dice = *dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*dice >> 33);
}

/* Writes the document as it is now, and what the library says of it. */
static void tell(struct batch *batch, const struct flux_graph *graph, const struct flux_fabric *fabric,
                 struct flux_schedule *schedule, int whole)
{
    char path[FILES_PATH], name[32];
    struct flux_error error = {0};
    int64_t makespan = -1, number = -1;
    snprintf(name, sizeof name, "%" PRIu32 ".json", batch->documents++);
    schedule->bound = schedule->certificate->bound;
    if (flux_write_document(files_path(batch->folder, name, path), graph, fabric, schedule, &error))
        fail_msg("%s", error.text);
    int rc = flux_check(graph, fabric, schedule->slots, schedule->slot_count, &makespan, NULL);
    assert_true(rc == 0 || rc == FLUX_E_MISMATCH);
    int shown = flux_certificate_check(graph, fabric, schedule->certificate, &number, NULL);
    assert_true(shown == 0 || shown == FLUX_E_MISMATCH);
    batch->schedules += rc == 0;
    batch->shown += shown == 0;
    if (shown == 0)
        batch->kinds[schedule->certificate->kind]++;
    fprintf(batch->expected, "%s %" PRId64 " %" PRId64 " %d\n", name, rc ? -1 : makespan, shown ? -1 : number,
            whole && flux_certificate_kind(schedule->certificate) < FLUX_CERTIFICATE_SEARCH);
}

/* A slot that moves, changes its switch, or ends at another time. */
static void bend_slot(const struct flux_graph *graph, const struct flux_fabric *fabric, struct flux_schedule *schedule,
                      uint64_t *dice)
{
    struct flux_slot *slot = &schedule->slots[next(dice) % schedule->slot_count];
    uint32_t how = next(dice) % 8;
    struct flux_send send;
    int64_t duration;
    if (how < 4) {
        int64_t step = 1 + next(dice) % 5;
        step = next(dice) % 2 && slot->start >= step ? -step : step;
        slot->start += step;
        slot->end += step;
        return;
    }
    if (how == 7) {
        slot->end++;
        return;
    }
    slot->switch_index = next(dice) % flux_fabric_switches(fabric);
    flux_graph_get_send(graph, slot->send, &send);
    duration = send.duration;
    if (duration == 0)
        flux_fabric_duration(fabric, slot->switch_index, send.src, send.dst, send.bytes, &duration);
    slot->start = next(dice) % 3 ? slot->start : next(dice) % 60;
    slot->end = slot->start + duration;
}

/* A certificate that claims more, another window, other sends or other lifts. */
static void bend_certificate(const struct flux_graph *graph, struct flux_certificate *certificate, uint64_t *dice)
{
    uint32_t how = next(dice) % 8, vertices = flux_graph_vertices(graph);
    if (how == 0 || (certificate->vertex_count == 0 && certificate->lift_count == 0)) {
        certificate->bound += 1 + next(dice) % 3;
    } else if (how == 1) {
        certificate->head += next(dice) % 3;
        certificate->bound = certificate->bound > 3 ? certificate->bound - next(dice) % 3 : certificate->bound;
    } else if (how == 2) {
        certificate->tail += next(dice) % 3;
        certificate->bound = certificate->bound > 3 ? certificate->bound - next(dice) % 3 : certificate->bound;
    } else if (how == 3 && certificate->vertex_count > 1) {
        certificate->vertices[next(dice) % certificate->vertex_count] = next(dice) % vertices;
    } else if (how == 4 && certificate->vertex_count > 1) {
        certificate->bound = certificate->bound > 9 ? certificate->bound - next(dice) % 9 : 0;
        certificate->vertices[0] = certificate->vertices[certificate->vertex_count - 1 - next(dice) % 2];
    } else if (certificate->lift_count) {
        struct flux_lift *lift = &certificate->lifts[next(dice) % certificate->lift_count];
        certificate->bound = certificate->bound > 3 ? certificate->bound - next(dice) % 3 : certificate->bound;
        switch (next(dice) % 5) {
        case 0:
            lift->edge = next(dice) % (uint32_t)(lift->edge + 3);
            break;
        case 1:
            lift->lag = next(dice) % (uint32_t)(lift->lag + 3);
            break;
        case 2:
            lift->vertex = next(dice) % vertices;
            break;
        case 3:
            lift->gpu = next(dice) % flux_graph_gpus(graph);
            break;
        default:
            lift->end ^= 1;
        }
    } else {
        certificate->bound++;
    }
}

/* The best of the dearer bounds, whether or not the schedule needs it. */
static void certify(const struct flux_graph *graph, const struct flux_fabric *fabric, struct flux_schedule *schedule)
{
    struct flux_memory memory;
    struct flux_arena arena;
    struct flux_problem *problem;
    struct flux_bound_value value;
    struct flux_control control;
    const struct flux_options options = FLUX_OPTIONS_INIT;
    assert_int_equal(flux_memory_init(&memory, NULL), FLUX_OK);
    assert_int_equal(flux_problem_build(graph, fabric, &memory, &problem, NULL), FLUX_OK);
    assert_int_equal(flux_bound_find(problem, &value), FLUX_OK);
    flux_arena_init(&arena, &memory);
    flux_control_begin(&control, &memory, &options);
    assert_int_equal(flux_bound_improve(problem, &control, FLUX_TIME_MAX, &arena, &value), FLUX_OK);
    flux_certificate_free(schedule->certificate);
    assert_int_equal(flux_certificate_make(problem, &value, &memory, &schedule->certificate), FLUX_OK);
    flux_arena_free(&arena);
    flux_problem_free(problem);
}

static void add(struct batch *batch, const struct random_options *options, uint64_t seed)
{
    struct random_problem random;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_options no_solver = FLUX_OPTIONS_INIT;
    uint64_t dice = seed * 977 + 5;
    no_solver.exact = FLUX_EXACT_NEVER;
    random_problem(&random, seed, options);
    if (seed % 3 == 0 && random.gpus >= 3)
        random_problem_layers(&random, 8);
    assert_int_equal(random_problem_build(&random, NULL, &graph, &fabric), FLUX_OK);
    if (flux_schedule(graph, fabric, &no_solver, &schedule, NULL) == FLUX_OK) {
        if (seed % 2)
            certify(graph, fabric, schedule);
        tell(batch, graph, fabric, schedule, 1);
        for (uint32_t i = 0; i < 5; i++) {
            bend_slot(graph, fabric, schedule, &dice);
            if (i % 2)
                bend_certificate(graph, schedule->certificate, &dice);
            tell(batch, graph, fabric, schedule, 0);
        }
        flux_schedule_free(schedule);
    }
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

/* The best sequence at a GPU, whether or not the schedule needs it. 0 where it is no better than the cheap bounds. */
static int certify_by_sequence(const struct flux_graph *graph, const struct flux_fabric *fabric,
                               struct flux_schedule *schedule)
{
    struct flux_memory memory;
    struct flux_arena arena;
    struct flux_problem *problem;
    struct flux_bound_value value;
    struct flux_control control;
    const struct flux_options options = FLUX_OPTIONS_INIT;
    assert_int_equal(flux_memory_init(&memory, NULL), FLUX_OK);
    assert_int_equal(flux_problem_build(graph, fabric, &memory, &problem, NULL), FLUX_OK);
    assert_int_equal(flux_bound_find(problem, &value), FLUX_OK);
    flux_arena_init(&arena, &memory);
    flux_control_begin(&control, &memory, &options);
    assert_int_equal(flux_bound_port_sequence(problem, &control, schedule->makespan + 1000, FLUX_PORT_SEQUENCE_PROVE,
                                              &arena, &value, NULL),
                     FLUX_OK);
    if (value.kind == FLUX_CERTIFICATE_PORT_SEQUENCE) {
        flux_certificate_free(schedule->certificate);
        assert_int_equal(flux_certificate_make(problem, &value, &memory, &schedule->certificate), FLUX_OK);
    }
    flux_arena_free(&arena);
    flux_problem_free(problem);
    return value.kind == FLUX_CERTIFICATE_PORT_SEQUENCE;
}

/* The same for sends counted on a GPU's links. */
static int certify_by_share(const struct flux_graph *graph, const struct flux_fabric *fabric,
                            struct flux_schedule *schedule)
{
    struct flux_memory memory;
    struct flux_arena arena;
    struct flux_problem *problem;
    struct flux_bound_value value;
    assert_int_equal(flux_memory_init(&memory, NULL), FLUX_OK);
    assert_int_equal(flux_problem_build(graph, fabric, &memory, &problem, NULL), FLUX_OK);
    assert_int_equal(flux_bound_find(problem, &value), FLUX_OK);
    flux_arena_init(&arena, &memory);
    assert_int_equal(flux_bound_raise_shares(problem, FLUX_TIME_MAX, &arena, &value), FLUX_OK);
    if (value.kind == FLUX_CERTIFICATE_PORT_SHARE) {
        flux_certificate_free(schedule->certificate);
        assert_int_equal(flux_certificate_make(problem, &value, &memory, &schedule->certificate), FLUX_OK);
    }
    flux_arena_free(&arena);
    flux_problem_free(problem);
    return value.kind == FLUX_CERTIFICATE_PORT_SHARE;
}

/* A number as it is, one more, and with other sends, where the number is kept. */
static void add_confirmed(struct batch *batch, const struct random_options *options, uint64_t seed,
                          int (*certified)(const struct flux_graph *, const struct flux_fabric *,
                                           struct flux_schedule *))
{
    struct random_problem random;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_options no_solver = FLUX_OPTIONS_INIT;
    uint64_t dice = seed * 977 + 5;
    no_solver.exact = FLUX_EXACT_NEVER;
    random_problem(&random, seed, options);
    random_problem_crowd(&random);
    assert_int_equal(random_problem_build(&random, NULL, &graph, &fabric), FLUX_OK);
    if (flux_schedule(graph, fabric, &no_solver, &schedule, NULL) == FLUX_OK) {
        if (certified(graph, fabric, schedule)) {
            struct flux_certificate *certificate = schedule->certificate;
            tell(batch, graph, fabric, schedule, 0);
            certificate->bound++;
            tell(batch, graph, fabric, schedule, 0);
            certificate->bound -= 1 + next(&dice) % 3;
            certificate->vertices[next(&dice) % certificate->vertex_count] = next(&dice) % flux_graph_vertices(graph);
            tell(batch, graph, fabric, schedule, 0);
        }
        flux_schedule_free(schedule);
    }
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

static void add_sequence(struct batch *batch, const struct random_options *options, uint64_t seed)
{
    add_confirmed(batch, options, seed, certify_by_sequence);
}

static void add_share(struct batch *batch, const struct random_options *options, uint64_t seed)
{
    add_confirmed(batch, options, seed, certify_by_share);
}

static void judge(const char *name, void (*one)(struct batch *, const struct random_options *, uint64_t),
                  uint32_t parameters, uint32_t problems, uint64_t seed)
{
    struct batch batch = {0};
    char path[FILES_PATH], command[FILES_PATH + 64];
    uint32_t count = random_problem_count(problems);
    files_new(batch.folder);
    batch.expected = fopen(files_path(batch.folder, "expected", path), "w");
    assert_non_null(batch.expected);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t mask = parameters == RANDOM_ALL ? (i * 2654435761u) >> 24 & RANDOM_ALL : parameters;
        struct random_options options = {i % 3, mask, 2, 8, 0, 0};
        one(&batch, &options, seed + i);
    }
    fclose(batch.expected);
    snprintf(command, sizeof command, "python3 tests/support/verify_all.py %s", batch.folder);
    int status = system(command);
    files_remove(batch.folder);
    print_message("%-8s %5" PRIu32 " documents: %5" PRIu32 " schedules, %5" PRIu32 " certificates shown (path %" PRIu32
                  ", load %" PRIu32 ", edges %" PRIu32 "; lifted: %" PRIu32 ", %" PRIu32 ", %" PRIu32
                  "; sequence %" PRIu32 ", share %" PRIu32 ")\n",
                  name, batch.documents, batch.schedules, batch.shown, batch.kinds[1], batch.kinds[2], batch.kinds[3],
                  batch.kinds[4], batch.kinds[5], batch.kinds[6], batch.kinds[7], batch.kinds[8] + batch.kinds[9]);
    assert_int_equal(status, 0);
    assert_true(one == add_sequence || one == add_share ||
                (batch.schedules > batch.documents / 8 && batch.schedules < batch.documents));
    assert_true(batch.shown > batch.documents / 8 && batch.shown < batch.documents);
}

static void plain_fabrics(void **state)
{
    (void)state;
    judge("plain", add, 0, 120, 21000000);
}

static void mixed_fabrics(void **state)
{
    (void)state;
    judge("mixed", add, RANDOM_ALL, 240, 22000000);
}

static void stops_and_dwells(void **state)
{
    (void)state;
    judge("stages", add, RANDOM_BLOCKING | RANDOM_DWELL | RANDOM_INITIAL | RANDOM_DELAYS, 240, 23000000);
}

static void sequences(void **state)
{
    (void)state;
    judge("sequence", add_sequence, RANDOM_ALL & ~(RANDOM_BLOCKING | RANDOM_DWELL), 1200, 24000000);
    judge("the same", add_sequence, 0, 1200, 25000000);
}

static void shares(void **state)
{
    (void)state;
    judge("shares", add_share, RANDOM_ALL & ~(RANDOM_BLOCKING | RANDOM_DWELL), 900, 26000000);
    judge("the same", add_share, 0, 900, 27000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_fabrics), cmocka_unit_test(mixed_fabrics), cmocka_unit_test(stops_and_dwells),
        cmocka_unit_test(sequences),     cmocka_unit_test(shares),
    };
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
