/* SPDX-License-Identifier: Apache-2.0
 *
 * flux_write_perfetto() and flux_write_svg() by hand: hostile labels, nothing to draw, windows, numbers that can be
 * checked on paper, and errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/files.h"
#include "../support/markup.h"

#include <jansson.h>
#include <libflux/io/write.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *directory;

struct bench {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    char *text; /* of the last picture */
    size_t length;
};

static const char *place(const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void begin(struct bench *bench, uint32_t gpus, uint32_t switches)
{
    memset(bench, 0, sizeof *bench);
    assert_int_equal(flux_graph_new(NULL, gpus, &bench->graph), 0);
    assert_int_equal(flux_fabric_new(NULL, gpus, switches, &bench->fabric), 0);
    assert_int_equal(flux_fabric_set_delay(bench->fabric, FLUX_ALL_SWITCHES, 10 * FLUX_US), 0);
}

static void end(struct bench *bench)
{
    free(bench->text);
    flux_schedule_free(bench->schedule);
    flux_fabric_free(bench->fabric);
    flux_graph_free(bench->graph);
}

static uint32_t add_send(struct bench *bench, uint32_t src, uint32_t dst, uint64_t bytes, int64_t duration)
{
    uint32_t v;
    assert_int_equal(flux_graph_add_send(bench->graph, src, dst, bytes, &v), 0);
    assert_int_equal(flux_graph_set_duration(bench->graph, v, duration), 0);
    return v;
}

static uint32_t add_compute(struct bench *bench, uint32_t gpu, int64_t duration)
{
    uint32_t v;
    assert_int_equal(flux_graph_add_compute(bench->graph, gpu, duration, &v), 0);
    return v;
}

static void schedule(struct bench *bench)
{
    struct flux_error error;
    if (flux_schedule(bench->graph, bench->fabric, NULL, &bench->schedule, &error))
        fail_msg("%s", error.text);
}

/* Draws with these options, checks that it is XML, and keeps the text. */
static void draw(struct bench *bench, const struct flux_svg_options *options)
{
    struct flux_error error;
    char why[MARKUP_WHY];
    if (flux_write_svg(place("p.svg"), bench->graph, bench->fabric, bench->schedule, options, &error))
        fail_msg("%s", error.text);
    free(bench->text);
    bench->text = markup_read(place("p.svg"), &bench->length);
    assert_non_null(bench->text);
    if (!markup_is_xml(bench->text, bench->length, why))
        fail_msg("%s", why);
}

static json_t *trace(struct bench *bench)
{
    struct flux_error error;
    json_error_t why;
    if (flux_write_perfetto(place("p.json"), bench->graph, bench->fabric, bench->schedule, &error))
        fail_msg("%s", error.text);
    free(bench->text);
    bench->text = markup_read(place("p.json"), &bench->length);
    assert_non_null(bench->text);
    json_t *root = json_loadb(bench->text, bench->length, JSON_REJECT_DUPLICATES, &why);
    if (!root)
        fail_msg("line %d: %s", why.line, why.text);
    return root;
}

static const char *text_of(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text ? text : "";
}

/* How many events have this phase and category, or this name where there is no category. */
static uint32_t count_events(const json_t *root, const char *phase, const char *what)
{
    const json_t *events = json_object_get(root, "traceEvents");
    uint32_t count = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        const char *category = text_of(event, "cat");
        count += strcmp(text_of(event, "ph"), phase) == 0 &&
                 strcmp(*category ? category : text_of(event, "name"), what) == 0;
    }
    return count;
}

/* 1 where the last picture has an element `title` or `text` that is exactly `wanted`. */
static int has_text(const struct bench *bench, const char *element, const char *wanted)
{
    return markup_find(bench->text, bench->length, element, wanted) > 0;
}

static void hostile_labels(void **state)
{
    static const struct {
        const char *label;
        const char *shown; /* by both writers; what JSON alone can hold differs */
        const char *json;
    } cases[] = {
        {"<script>alert(\"1\")</script>", NULL, NULL},
        {"a & b &amp; ]]> <!-- '", NULL, NULL},
        {"back\\slash \"quote\"", NULL, NULL},
        {"bell\x07 and escape\x1b[31m", "bell\xef\xbf\xbd and escape\xef\xbf\xbd[31m", "bell\x07 and escape\x1b[31m"},
        {"broken \xff\xc3( \xed\xa0\x80 end",
         "broken \xef\xbf\xbd\xef\xbf\xbd( \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd end",
         "broken \xef\xbf\xbd\xef\xbf\xbd( \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd end"},
        {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e \xf0\x9f\x92\xa1", NULL, NULL},
        {"cut in the middle \xe6\x97", "cut in the middle \xef\xbf\xbd\xef\xbf\xbd", NULL},
        {"\xef\xbf\xbf", "\xef\xbf\xbd", "\xef\xbf\xbf"},
    };
    const uint32_t count = sizeof cases / sizeof *cases;
    struct bench bench;
    (void)state;
    begin(&bench, 2, 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = add_send(&bench, 0, 1, 1000, 100 * FLUX_US);
        assert_int_equal(flux_graph_set_label(bench.graph, v, cases[i].label), 0);
        if (i > 0)
            assert_int_equal(flux_graph_add_edge(bench.graph, v - 1, v, 0), 0);
    }
    schedule(&bench);
    json_t *root = trace(&bench);
    for (uint32_t i = 0; i < count; i++) {
        const char *shown = cases[i].json ? cases[i].json : cases[i].shown ? cases[i].shown : cases[i].label;
        uint32_t found = 0;
        const json_t *events = json_object_get(root, "traceEvents");
        for (size_t e = 0; e < json_array_size(events); e++)
            found += strcmp(text_of(json_array_get(events, e), "name"), shown) == 0;
        if (found != 1)
            fail_msg("label %u is there %u times", i, found);
    }
    json_decref(root);
    draw(&bench, NULL);
    for (uint32_t i = 0; i < count; i++) {
        char tip[400];
        char times[2][FLUX_UNITS_TEXT];
        snprintf(tip, sizeof tip,
                 "%s\nsend %u, GPU 0 \xe2\x86\x92 1 on switch 0, 1kB\n%s to %s (100us)%s\non the critical path",
                 cases[i].shown ? cases[i].shown : cases[i].label, i,
                 flux_time_format(100 * i * FLUX_US, times[0], sizeof times[0]),
                 flux_time_format(100 * (i + 1) * FLUX_US, times[1], sizeof times[1]), "");
        if (!has_text(&bench, "title", tip))
            fail_msg("the picture does not have:\n%s", tip);
    }
    end(&bench);
}

/* The longest label, of characters of three bytes, in bars of every width. */
static void long_labels(void **state)
{
    char label[FLUX_LABEL_MAX + 1];
    struct bench bench;
    (void)state;
    for (size_t i = 0; i + 3 <= FLUX_LABEL_MAX; i += 3)
        memcpy(label + i, "\xe2\x98\x83", 4);
    begin(&bench, 2, 1);
    for (int i = 1; i < 16; i++) {
        uint32_t v = add_send(&bench, 0, 1, 1000, i * FLUX_US);
        assert_int_equal(flux_graph_set_label(bench.graph, v, label), 0);
    }
    schedule(&bench);
    draw(&bench, NULL);
    assert_null(strstr(bench.text, "\xef\xbf\xbd"));
    assert_non_null(strstr(bench.text, "\xe2\x80\xa6</text>"));
    end(&bench);
}

static void nothing_to_draw(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, 1, 1);
    schedule(&bench);
    json_t *root = trace(&bench);
    assert_int_equal(json_array_size(json_object_get(root, "traceEvents")), 0);
    json_decref(root);
    draw(&bench, NULL);
    assert_true(has_text(&bench, "text", "nothing takes time"));
    assert_true(has_text(&bench, "text", "1 GPU, 1 switch: 0 us, proven shortest"));
    end(&bench);

    begin(&bench, 3, 2); /* vertices, but none that takes time */
    uint32_t join = add_compute(&bench, 1, 0);
    assert_int_equal(flux_graph_add_edge(bench.graph, join, add_compute(&bench, 2, 0), 0), 0);
    schedule(&bench);
    root = trace(&bench);
    assert_int_equal(json_array_size(json_object_get(root, "traceEvents")), 0);
    json_decref(root);
    draw(&bench, NULL);
    assert_true(has_text(&bench, "text", "nothing takes time"));
    end(&bench);

    begin(&bench, 1, 1); /* compute alone, and one GPU */
    add_compute(&bench, 0, 5 * FLUX_MS);
    schedule(&bench);
    root = trace(&bench);
    assert_int_equal(count_events(root, "X", "compute"), 1);
    assert_int_equal(count_events(root, "X", "transfer"), 0);
    json_decref(root);
    draw(&bench, NULL);
    char tip[100];
    char zero[FLUX_UNITS_TEXT];
    snprintf(tip, sizeof tip, "compute 0 on GPU 0\n%s to 5ms (5ms)\non the critical path",
             flux_time_format(0, zero, sizeof zero));
    assert_true(has_text(&bench, "title", tip));
    end(&bench);
}

static void one_picosecond(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, 2, 1);
    uint32_t first = add_send(&bench, 0, 1, 1, 1);
    uint32_t second = add_send(&bench, 0, 1, 1, 1);
    assert_int_equal(flux_graph_add_edge(bench.graph, first, second, 0), 0);
    assert_int_equal(flux_graph_set_release(bench.graph, first, 1234567890123456), 0);
    schedule(&bench);
    json_decref(trace(&bench));
    assert_non_null(strstr(bench.text, "\"ts\":1234567890.123456,\"dur\":0.000001,"));
    assert_non_null(strstr(bench.text, "\"ts\":1234567890.123457,\"dur\":0.000001,"));
    struct flux_svg_options options = FLUX_SVG_OPTIONS_INIT;
    options.from = 1234567890123456;
    draw(&bench, &options);
    assert_true(has_text(&bench, "text", "window from 1234.567890123456s to 1234.567890123458s"));
    end(&bench);
}

/* Two sends of GPU 0 on one port: both ready at 0, the second gone at 200 us. */
static void counters(void **state)
{
    static const struct {
        const char *name;
        const char *unit;
        double time;
        double value;
    } wanted[] = {
        {"NIC memory", "bytes", 0, 3000},        {"NIC memory", "bytes", 100, 2000},
        {"NIC memory", "bytes", 200, 0},         {"circuits in use", "circuits", 0, 1},
        {"circuits in use", "circuits", 200, 0}, {"NIC memory", "bytes", 0, 0}, /* of GPU 1, which sends later */
        {"NIC memory", "bytes", 250, 500},       {"NIC memory", "bytes", 400, 0},
        {"circuits in use", "circuits", 300, 1}, {"circuits in use", "circuits", 400, 0},
    };
    struct bench bench;
    (void)state;
    begin(&bench, 2, 1);
    uint32_t first = add_send(&bench, 0, 1, 1000, 100 * FLUX_US);
    add_send(&bench, 0, 1, 2000, 100 * FLUX_US);
    uint32_t late = add_send(&bench, 1, 0, 500, 100 * FLUX_US);
    assert_int_equal(flux_graph_set_release(bench.graph, late, 250 * FLUX_US), 0);
    assert_int_equal(flux_fabric_set_delay(bench.fabric, 0, 100 * FLUX_US), 0);
    struct flux_slot slots[] = {
        {first, 0, 0, 100 * FLUX_US}, {1, 0, 100 * FLUX_US, 200 * FLUX_US}, {late, 0, 300 * FLUX_US, 400 * FLUX_US}};
    assert_int_equal(flux_schedule_from_slots(bench.graph, bench.fabric, slots, 3, &bench.schedule, NULL), 0);
    json_t *root = trace(&bench);
    const json_t *events = json_object_get(root, "traceEvents");
    uint32_t samples = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        uint32_t found = 0;
        if (strcmp(text_of(event, "ph"), "C") != 0)
            continue;
        for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
            const json_t *value = json_object_get(json_object_get(event, "args"), wanted[w].unit);
            found += strcmp(text_of(event, "name"), wanted[w].name) == 0 && value &&
                     json_number_value(value) == wanted[w].value &&
                     json_number_value(json_object_get(event, "ts")) == wanted[w].time;
        }
        assert_int_equal(found, 1);
        samples++;
    }
    assert_int_equal(samples, sizeof wanted / sizeof *wanted);
    assert_int_equal(count_events(root, "X", "reconfiguration"), 2); /* at both ports */
    json_decref(root);
    end(&bench);
}

/* Sizes whose sum does not fit 64 bits. */
static void huge_memory(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, 2, 1);
    for (int i = 0; i < 3; i++)
        add_send(&bench, 0, 1, UINT64_MAX, FLUX_US);
    schedule(&bench);
    json_decref(trace(&bench));
    assert_non_null(strstr(bench.text, "{\"bytes\":55340232221128654845.0}"));
    assert_non_null(strstr(bench.text, "{\"bytes\":36893488147419103230.0}"));
    assert_non_null(strstr(bench.text, "{\"bytes\":0}"));
    end(&bench);
}

/* Six computes at once get six threads in a trace; a picture has four lanes and says so. */
static void overlapping_compute(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, 2, 1);
    for (int i = 0; i < 6; i++)
        add_compute(&bench, 1, (i + 1) * FLUX_MS);
    uint32_t after = add_compute(&bench, 1, FLUX_MS); /* takes the lowest lane that is free */
    assert_int_equal(flux_graph_add_edge(bench.graph, 1, after, 0), 0);
    schedule(&bench);
    json_t *root = trace(&bench);
    assert_int_equal(count_events(root, "M", "thread_name"), 6);
    assert_int_equal(count_events(root, "X", "compute"), 7);
    assert_non_null(strstr(bench.text, "\"compute 6\""));
    assert_null(strstr(bench.text, "\"compute 7\""));
    json_decref(root);
    draw(&bench, NULL);
    assert_true(has_text(&bench, "text", "1 GPU with more compute at once than lanes here: bars overlap"));
    end(&bench);
}

/* A dependency through a join is an arrow between what takes time; the critical path is marked. */
static void arrows(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, 3, 2);
    uint32_t a = add_send(&bench, 0, 1, 100, 50 * FLUX_US);
    uint32_t b = add_send(&bench, 2, 1, 100, 20 * FLUX_US);
    uint32_t join = add_compute(&bench, 1, 0);
    uint32_t next = add_compute(&bench, 1, 30 * FLUX_US);
    uint32_t also = add_compute(&bench, 1, 10 * FLUX_US);
    assert_int_equal(flux_graph_add_edge(bench.graph, a, join, 0), 0);
    assert_int_equal(flux_graph_add_edge(bench.graph, b, join, 0), 0);
    assert_int_equal(flux_graph_add_edge(bench.graph, join, next, 0), 0);
    assert_int_equal(flux_graph_add_edge(bench.graph, join, also, 0), 0);
    schedule(&bench);
    assert_int_equal(flux_schedule_makespan(bench.schedule), 80 * FLUX_US);
    json_t *root = trace(&bench);
    const json_t *events = json_object_get(root, "traceEvents");
    uint32_t critical = 0;
    uint32_t waited = 0;
    uint32_t marked = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        const json_t *args = json_object_get(event, "args");
        json_int_t v = json_integer_value(json_object_get(args, "vertex"));
        if (strcmp(text_of(event, "ph"), "f") == 0) {
            assert_true(json_number_value(json_object_get(event, "ts")) == 50.0);
            critical += strcmp(text_of(event, "name"), "critical path") == 0;
            waited += strcmp(text_of(event, "name"), "waited for") == 0;
        }
        if (strcmp(text_of(event, "ph"), "s") == 0)
            assert_true(json_number_value(json_object_get(event, "ts")) == 49.996);
        if (json_is_true(json_object_get(args, "critical"))) {
            assert_true(v == a || v == next);
            marked++;
        }
    }
    assert_int_equal(critical, 1);
    assert_int_equal(waited, 1);
    assert_int_equal(marked, 2);
    json_decref(root);
    end(&bench);
}

/* 200 sends of 1 ms one after another. */
static void chain(struct bench *bench)
{
    begin(bench, 2, 1);
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t v = add_send(bench, 0, 1, 1000, FLUX_MS);
        if (i > 0)
            assert_int_equal(flux_graph_add_edge(bench->graph, v - 1, v, 0), 0);
    }
    schedule(bench);
}

static void windows(void **state)
{
    struct flux_svg_options options = FLUX_SVG_OPTIONS_INIT;
    struct bench bench;
    (void)state;
    chain(&bench);
    draw(&bench, NULL);
    assert_int_equal(markup_count(bench.text, bench.length, "title"), 1 + 400);
    assert_null(strstr(bench.text, "window"));
    options.from = 50 * FLUX_MS;
    options.to = 53 * FLUX_MS;
    draw(&bench, &options); /* three sends at both ends */
    assert_int_equal(markup_count(bench.text, bench.length, "title"), 1 + 6);
    assert_true(has_text(&bench, "text", "window from 50ms to 53ms"));
    options.to = 53 * FLUX_MS + 1;
    draw(&bench, &options);
    assert_int_equal(markup_count(bench.text, bench.length, "title"), 1 + 8);
    options.from = 0;
    options.to = 400 * FLUX_MS; /* beyond the end */
    draw(&bench, &options);
    assert_true(has_text(&bench, "text", "50 %"));
    assert_null(strstr(bench.text, "nothing"));
    options.from = 300 * FLUX_MS;
    draw(&bench, &options);
    assert_int_equal(markup_count(bench.text, bench.length, "title"), 1);
    assert_true(
        has_text(&bench, "text", "window from 300ms to 400ms \xc2\xb7 nothing happens here: the schedule ends before"));
    options.from = FLUX_TIME_MAX - 1;
    options.to = FLUX_TIME_MAX;
    draw(&bench, &options);
    end(&bench);
}

static void refused_options(void **state)
{
    static const struct flux_svg_options cases[] = {
        {sizeof(struct flux_svg_options), 5 * FLUX_MS, 5 * FLUX_MS, 0, 0, 0, 0},
        {sizeof(struct flux_svg_options), 5 * FLUX_MS, 4 * FLUX_MS, 0, 0, 0, 0},
        {sizeof(struct flux_svg_options), 200 * FLUX_MS, 0, 0, 0, 0, 0}, /* the makespan is no later */
        {sizeof(struct flux_svg_options), -1, 0, 0, 0, 0, 0},
        {sizeof(struct flux_svg_options), 0, -1, 0, 0, 0, 0},
        {sizeof(struct flux_svg_options), 0, FLUX_TIME_MAX + 1, 0, 0, 0, 0},
        {sizeof(struct flux_svg_options), 0, 0, FLUX_SVG_WIDTH_MIN - 1, 0, 0, 0},
        {sizeof(struct flux_svg_options), 0, 0, FLUX_SVG_WIDTH_MAX + 1, 0, 0, 0},
        {sizeof(struct flux_svg_options), 0, 0, 0, 2, 0, 0},
    };
    struct bench bench;
    struct flux_error error;
    (void)state;
    chain(&bench);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(&error, 0, sizeof error);
        assert_int_equal(flux_write_svg(place("n.svg"), bench.graph, bench.fabric, bench.schedule, &cases[i], &error),
                         FLUX_E_ARGUMENT);
        assert_true(error.text[0] != '\0');
        assert_int_not_equal(access(place("n.svg"), F_OK), 0);
    }
    struct flux_svg_options options = FLUX_SVG_OPTIONS_INIT;
    options.size = 8;
    assert_int_equal(flux_write_svg(place("n.svg"), bench.graph, bench.fabric, bench.schedule, &options, &error),
                     FLUX_E_ABI);
    end(&bench);
}

static void errors(void **state)
{
    struct bench bench;
    struct bench other;
    struct flux_error error;
    (void)state;
    chain(&bench);
    assert_int_equal(flux_write_svg(place("n.svg"), NULL, bench.fabric, bench.schedule, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_svg(place("n.svg"), bench.graph, NULL, bench.schedule, NULL, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_perfetto(place("n.svg"), bench.graph, bench.fabric, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_perfetto(NULL, bench.graph, bench.fabric, bench.schedule, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_svg(NULL, bench.graph, bench.fabric, bench.schedule, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_svg(place("none/p.svg"), bench.graph, bench.fabric, bench.schedule, NULL, &error),
                     FLUX_E_IO);
    assert_non_null(strstr(error.text, "none/p.svg"));
    assert_int_equal(flux_write_perfetto(place("none/p.json"), bench.graph, bench.fabric, bench.schedule, &error),
                     FLUX_E_IO);
    if (files_is_device("/dev/full"))
        assert_int_equal(flux_write_perfetto("/dev/full", bench.graph, bench.fabric, bench.schedule, &error), FLUX_E_IO);

    begin(&other, 3, 1); /* another number of GPUs */
    assert_int_equal(flux_write_svg(place("n.svg"), bench.graph, other.fabric, bench.schedule, NULL, &error),
                     FLUX_E_MISMATCH);
    assert_int_equal(flux_write_svg(place("n.svg"), other.graph, other.fabric, bench.schedule, NULL, &error),
                     FLUX_E_MISMATCH);
    end(&other);

    begin(&other, 2, 1); /* as many vertices, but they wait otherwise */
    for (uint32_t i = 0; i < 200; i++)
        add_send(&other, 0, 1, 1000, FLUX_MS);
    assert_int_equal(flux_graph_add_edge(other.graph, 7, 5, 0), 0);
    assert_int_equal(flux_write_perfetto(place("n.svg"), other.graph, other.fabric, bench.schedule, &error),
                     FLUX_E_MISMATCH);
    end(&other);

    begin(&other, 2, 1); /* sends where the schedule has compute */
    for (uint32_t i = 0; i < 199; i++)
        add_send(&other, 0, 1, 1000, FLUX_MS);
    add_compute(&other, 0, FLUX_MS);
    assert_int_equal(flux_write_perfetto(place("n.svg"), other.graph, other.fabric, bench.schedule, &error),
                     FLUX_E_MISMATCH);
    end(&other);
    assert_int_not_equal(access(place("n.svg"), F_OK), 0);
    end(&bench);
}

static void left_out_rows(void **state)
{
    struct flux_svg_options options = FLUX_SVG_OPTIONS_INIT;
    struct bench bench;
    (void)state;
    begin(&bench, 100, 20);
    for (uint32_t g = 0; g < 100; g++)
        add_send(&bench, g, (g + 1) % 100, 1000, FLUX_MS);
    assert_int_equal(flux_fabric_set_dead(bench.fabric, 3, 1, 1), 0);
    schedule(&bench);
    draw(&bench, NULL);
    assert_true(
        has_text(&bench, "text", "GPUs 0 to 63 are shown, 36 more are left out \xc2\xb7 16 of 20 switches are shown"));
    assert_true(has_text(&bench, "text", "GPU 63"));
    assert_false(has_text(&bench, "text", "GPU 64"));
    assert_true(has_text(&bench, "text", "dead port"));
    options.gpu_first = 90;
    options.gpu_count = 500;
    draw(&bench, &options);
    assert_true(
        has_text(&bench, "text", "GPUs 90 to 99 are shown, 90 more are left out \xc2\xb7 16 of 20 switches are shown"));
    assert_false(has_text(&bench, "text", "dead port"));
    end(&bench);
}

/* 20,000 sends: what is too narrow is merged, and every send is counted in some bar. */
static void merged_bars(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, 4, 2);
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t v = add_send(&bench, i % 4, (i + 1 + i / 4 % 3) % 4, 1000, FLUX_US);
        if (v >= 4)
            assert_int_equal(flux_graph_add_edge(bench.graph, v - 4, v, 0), 0);
    }
    schedule(&bench);
    draw(&bench, NULL);
    assert_true(bench.length < 2000000);
    size_t titles = markup_count(bench.text, bench.length, "title");
    assert_in_range(titles, 100, 8 * 1400);
    uint64_t transfers = 0;
    for (const char *at = bench.text; (at = strstr(at, "<title>")); at++) {
        char *rest;
        uint64_t bars = strtoull(at + 7, &rest, 10);
        while (*rest == ',') /* 1,234 */
            bars = bars * 1000 + strtoull(rest + 1, &rest, 10);
        if (strncmp(rest, " bars", 5) == 0) {
            const char *changes = strncmp(rest + 5, ", ", 2) == 0 ? rest + 7 : NULL;
            transfers += bars - (changes ? strtoull(changes, NULL, 10) : 0);
        } else {
            transfers += strncmp(at + 7, "send ", 5) == 0;
        }
    }
    assert_int_equal(transfers, 40000);
    end(&bench);
}

/* There and back: each send is underlined at both its ends. */
static void critical_path(void **state)
{
    struct bench bench;
    uint32_t marks = 0;
    (void)state;
    begin(&bench, 2, 1);
    uint32_t there = add_send(&bench, 0, 1, 1000, FLUX_MS);
    uint32_t back = add_send(&bench, 1, 0, 1000, FLUX_MS);
    assert_int_equal(flux_graph_add_edge(bench.graph, there, back, 100 * FLUX_US), 0);
    schedule(&bench);
    draw(&bench, NULL);
    const char *at = strstr(bench.text, "<path stroke-width=\"2.5\"");
    assert_non_null(at);
    for (; *at != '>'; at++)
        marks += *at == 'M';
    assert_int_equal(marks, 4);
    assert_non_null(strstr(bench.text, "stroke-opacity=\"0.75\" d=\"M"));
    end(&bench);
}

/* The same bytes every time. */
static void reproducible(void **state)
{
    struct bench bench;
    (void)state;
    chain(&bench);
    draw(&bench, NULL);
    char *first = bench.text;
    size_t length = bench.length;
    bench.text = NULL;
    draw(&bench, NULL);
    assert_int_equal(bench.length, length);
    assert_memory_equal(bench.text, first, length);
    free(first);
    end(&bench);
}

static int make_directory(void **state)
{
    (void)state;
    directory = markup_directory();
    return directory ? 0 : -1;
}

static int remove_directory(void **state)
{
    static const char *const names[] = {"p.json", "p.svg", "n.svg", NULL};
    (void)state;
    markup_remove(directory, names);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_labels),      cmocka_unit_test(long_labels),   cmocka_unit_test(nothing_to_draw),
        cmocka_unit_test(one_picosecond),      cmocka_unit_test(counters),      cmocka_unit_test(huge_memory),
        cmocka_unit_test(overlapping_compute), cmocka_unit_test(arrows),        cmocka_unit_test(windows),
        cmocka_unit_test(refused_options),     cmocka_unit_test(errors),        cmocka_unit_test(left_out_rows),
        cmocka_unit_test(merged_bars),         cmocka_unit_test(critical_path), cmocka_unit_test(reproducible),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
