/* SPDX-License-Identifier: Apache-2.0
 *
 * Llama 3 8B traces on two switches: the first construction meets the bound at every delay up to 1 ms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/io/import.h>
#include <stdio.h>

#define FOLDER "tests/data/stage-generated/"

/* Optimal makespans at the four delays, in ps: known from other programs, proven by the port load. */
struct trace {
    const char *prefix;
    int64_t optimum[4];
};

static const int64_t delays[4] = {FLUX_US, 10 * FLUX_US, 100 * FLUX_US, FLUX_MS};

static const struct trace traces[] = {
    {"llama3-8b_L8_tp4dp2", {220545313778, 220554313778, 220644313778, 221544313778}},
    {"llama3-8b_L16_tp4dp2", {346112122434, 346121122434, 346211122434, 347111122434}},
    {"llama3-8b_L2_tp4dp2_mb2", {126370207220, 126379207220, 126469207220, 127369207220}},
    {"llama3-8b_L2_tp4dp2_nosp", {145264911940, 145264911940, 145264911940, 145264911940}},
    {"llama3-8b_L2_fsdp4", {145857952610, 145857952610, 145857952610, 145857952610}},
};

static struct flux_import *load(const char *prefix)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error;
    char path[200];
    options.scale_num = 2; /* sizes count elements of two bytes */
    options.scale_den = 1;
    snprintf(path, sizeof path, FOLDER "%s/workload", prefix);
    if (flux_import(NULL, path, &options, &import, &error))
        fail_msg("%s: %s", path, error.text);
    return import;
}

static void first_construction_is_optimal(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        struct flux_import *import = load(traces[i].prefix);
        const struct flux_graph *graph = flux_import_graph(import);
        struct flux_fabric *fabric;
        assert_int_equal(flux_fabric_new(NULL, flux_graph_gpus(graph), 2, &fabric), 0);
        for (uint32_t d = 0; d < 4; d++) {
            struct flux_schedule *schedule;
            struct flux_statistics statistics = FLUX_STATISTICS_INIT;
            assert_int_equal(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, delays[d]), 0);
            assert_int_equal(flux_schedule(graph, fabric, NULL, &schedule, NULL), 0);
            assert_int_equal(flux_schedule_makespan(schedule), traces[i].optimum[d]);
            assert_int_equal(flux_schedule_status(schedule), FLUX_OPTIMAL);
            assert_int_equal(flux_schedule_statistics(schedule, &statistics), 0);
            assert_int_equal(statistics.rule, FLUX_SEARCH_LATEST_START);
            assert_int_equal(statistics.constructions, 1);
            flux_schedule_free(schedule);
        }
        flux_fabric_free(fabric);
        flux_import_free(import);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_construction_is_optimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
