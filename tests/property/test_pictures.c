/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of random schedules under every rule and parameter: what is drawn is what was scheduled, nothing overlaps
 * on a thread of a trace, not even in a reader that rounds, and the critical path has no gap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/markup.h"
#include "../support/random_problem.h"
#include "io/timeline.h"

#include <jansson.h>
#include <libflux/io/write.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROBLEMS 400u /* per rule */
#define SLICES_MAX 4096u

static char *directory;

struct slice {
    json_int_t thread;
    int64_t start; /* ps, as written */
    int64_t length;
    const char *category;
};

struct problem {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
};

/* 0 where the seed's problem has no schedule. */
static int begin(struct problem *problem, uint64_t seed, uint32_t rule, uint32_t parameters)
{
    struct random_problem numbers;
    struct random_options options = {
        .rule = rule, .parameters = parameters, .sends_min = 1, .sends_max = 8, .uncarriable = 0};
    memset(problem, 0, sizeof *problem);
    random_problem(&numbers, seed, &options);
    /* Half of them in picoseconds, where readers lose digits, half in sizes of the real world. */
    struct random_problem scaled;
    random_problem_scale(&numbers, seed % 2 ? 1 : 333333, &scaled);
    assert_int_equal(random_problem_build(&scaled, NULL, &problem->graph, &problem->fabric), 0);
    return flux_schedule(problem->graph, problem->fabric, NULL, &problem->schedule, NULL) == 0;
}

static void end(struct problem *problem)
{
    flux_schedule_free(problem->schedule);
    flux_fabric_free(problem->fabric);
    flux_graph_free(problem->graph);
}

static int compare_slices(const void *left, const void *right)
{
    const struct slice *a = left;
    const struct slice *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

/* Microseconds with decimals as picoseconds. */
static int64_t time_of(const json_t *event, const char *key)
{
    const json_t *value = json_object_get(event, key);
    assert_true(json_is_number(value));
    return llround(json_number_value(value) * 1e6);
}

/* How a reader that keeps nanoseconds sees it: rounded from a double, as Perfetto does now, or cut, as it did. */
static int64_t rounded(int64_t time)
{
    return llround((double)time / 1e6 * 1e3);
}

static uint32_t collect(const json_t *events, struct slice *slices)
{
    uint32_t count = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        if (strcmp(json_string_value(json_object_get(event, "ph")), "X") != 0)
            continue;
        assert_true(count < SLICES_MAX);
        slices[count++] = (struct slice){
            .thread = json_integer_value(json_object_get(event, "tid")),
            .start = time_of(event, "ts"),
            .length = time_of(event, "dur"),
            .category = json_string_value(json_object_get(event, "cat")),
        };
    }
    qsort(slices, count, sizeof *slices, compare_slices);
    return count;
}

static json_t *write_trace(const struct problem *problem)
{
    char path[300];
    size_t length;
    struct flux_error error;
    snprintf(path, sizeof path, "%s/p.json", directory);
    if (flux_write_perfetto(path, problem->graph, problem->fabric, problem->schedule, &error))
        fail_msg("%s", error.text);
    char *text = markup_read(path, &length);
    assert_non_null(text);
    json_error_t why;
    json_t *trace = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
    if (!trace)
        fail_msg("line %d: %s", why.line, why.text);
    free(text);
    return trace;
}

static void check_slices(const struct problem *problem, const struct slice *slices, uint32_t count)
{
    uint32_t transfers = 0;
    uint32_t sends = 0;
    for (uint32_t i = 0; i < count; i++) {
        transfers += strcmp(slices[i].category, "transfer") == 0;
        sends += strcmp(slices[i].category, "send") == 0;
        if (i == 0 || slices[i].thread != slices[i - 1].thread)
            continue;
        const struct slice *before = &slices[i - 1];
        assert_true(before->start + before->length <= slices[i].start);
        assert_true(rounded(before->start) + rounded(before->length) <= rounded(slices[i].start));
        assert_true(before->start / 1000 + before->length / 1000 <= slices[i].start / 1000);
    }
    assert_int_equal(transfers, 2 * flux_graph_sends(problem->graph));
    assert_int_equal(sends, flux_graph_sends(problem->graph));
}

static const json_t *find_vertex(const json_t *events, uint32_t v)
{
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        const json_t *vertex = json_object_get(json_object_get(event, "args"), "vertex");
        if (vertex && json_integer_value(vertex) == v)
            return event;
    }
    return NULL;
}

/* Start and end of every vertex, to the picosecond. */
static void check_times(const struct problem *problem, const json_t *events)
{
    uint64_t count = 0;
    const struct flux_time *times = flux_schedule_times(problem->schedule, &count);
    for (uint32_t v = 0; v < count; v++) {
        const json_t *event = find_vertex(events, v);
        if (times[v].end == times[v].start) {
            assert_null(event);
            continue;
        }
        assert_non_null(event);
        const json_t *args = json_object_get(event, "args");
        assert_int_equal(json_integer_value(json_object_get(args, "start_ps")), times[v].start);
        assert_int_equal(json_integer_value(json_object_get(args, "end_ps")), times[v].end);
        assert_int_equal(time_of(event, "ts"), times[v].start);
        int64_t lost = times[v].end - times[v].start - time_of(event, "dur");
        assert_in_range(lost, 0, 1999);
    }
}

/* Each arrow begins within a slice of its thread and ends where a slice begins. */
static void check_arrows(const json_t *events, const struct slice *slices, uint32_t count)
{
    uint32_t from = 0;
    uint32_t to = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        char phase = *json_string_value(json_object_get(event, "ph"));
        if (phase != 's' && phase != 'f')
            continue;
        int64_t time = time_of(event, "ts");
        uint32_t hits = 0;
        for (uint32_t s = 0; s < count; s++)
            if (slices[s].thread == json_integer_value(json_object_get(event, "tid")))
                hits += time == slices[s].start ||
                        (phase == 's' && time > slices[s].start && time < slices[s].start + slices[s].length);
        assert_int_equal(hits, 1);
        from += phase == 's';
        to += phase == 'f';
    }
    assert_int_equal(from, to);
}

static void check_trace(const struct problem *problem)
{
    static struct slice slices[SLICES_MAX];
    json_t *trace = write_trace(problem);
    const json_t *events = json_object_get(trace, "traceEvents");
    uint32_t count = collect(events, slices);
    check_slices(problem, slices, count);
    check_times(problem, events);
    check_arrows(events, slices, count);
    json_decref(trace);
}

static void check_picture(const struct problem *problem)
{
    char path[300];
    char why[MARKUP_WHY];
    size_t length;
    struct flux_error error;
    snprintf(path, sizeof path, "%s/p.svg", directory);
    if (flux_write_svg(path, problem->graph, problem->fabric, problem->schedule, NULL, &error))
        fail_msg("%s", error.text);
    char *text = markup_read(path, &length);
    assert_non_null(text);
    if (!markup_is_xml(text, length, why))
        fail_msg("%s", why);
    free(text);
}

/* Steps follow each other without slack, from something that needs no cause to the last vertex. */
static void check_path(const struct problem *problem, int left_shifted)
{
    struct flux_io_timeline line;
    assert_int_equal(flux_io_timeline_make(&line, problem->graph, problem->fabric, problem->schedule, NULL), 0);
    assert_true(line.path_count > 0);
    assert_int_equal(line.vertices[line.path[line.path_count - 1].vertex].end, line.makespan);
    for (uint64_t i = 0; i < line.path_count; i++) {
        const struct flux_io_timeline_vertex *row = &line.vertices[line.path[i].vertex];
        const struct flux_io_timeline_vertex *before = i ? &line.vertices[line.path[i - 1].vertex] : row;
        uint32_t why = line.path[i].why;
        int64_t delay = row->peer == FLUX_NONE ? 0 : flux_fabric_delay(problem->fabric, row->switch_index);
        assert_int_equal(i == 0, why <= FLUX_STEP_INITIAL);
        if (left_shifted) {
            assert_int_not_equal(why, FLUX_STEP_SLACK);
            assert_true(why != FLUX_STEP_FIRST || row->start == 0);
        }
        if (why == FLUX_STEP_EDGE)
            assert_true(row->start == row->ready && before->end <= row->start);
        if (why == FLUX_STEP_PORT)
            assert_true(row->start == before->end && row->switch_index == before->switch_index);
        if (why == FLUX_STEP_CHANGE || why == FLUX_STEP_SWITCH)
            assert_true(row->start == before->end + delay && row->switch_index == before->switch_index);
    }
    flux_io_timeline_free(&line);
}

static void check_rule(uint32_t rule)
{
    uint32_t problems = random_problem_count(PROBLEMS);
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < problems; i++) {
        struct problem problem;
        uint32_t parameters = i % 3 == 0 ? 0 : i % 3 == 1 ? RANDOM_ALL : RANDOM_ALL & ~(RANDOM_BLOCKING | RANDOM_DWELL);
        if (begin(&problem, 1000 + i, rule, parameters)) {
            check_trace(&problem);
            check_picture(&problem);
            check_path(&problem, !(parameters & (RANDOM_BLOCKING | RANDOM_DWELL)));
            drawn++;
        }
        end(&problem);
    }
    assert_true(drawn * 2 > problems);
}

static void paper(void **state)
{
    (void)state;
    check_rule(FLUX_RULE_PAPER);
}

static void duplex(void **state)
{
    (void)state;
    check_rule(FLUX_RULE_DUPLEX);
}

static void simplex(void **state)
{
    (void)state;
    check_rule(FLUX_RULE_SIMPLEX);
}

static int make_directory(void **state)
{
    (void)state;
    directory = markup_directory();
    return directory ? 0 : -1;
}

static int remove_directory(void **state)
{
    static const char *const names[] = {"p.json", "p.svg", NULL};
    (void)state;
    markup_remove(directory, names);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(paper), cmocka_unit_test(duplex), cmocka_unit_test(simplex)};
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
