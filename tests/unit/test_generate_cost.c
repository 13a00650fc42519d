/* SPDX-License-Identifier: Apache-2.0
 *
 * What the generator computes for single operations, against numbers worked out by hand; models against the parameters
 * that their authors publish; routing against its distribution.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/generate/cost.h"
#include "io/generate/routing.h"

#include <stdlib.h>
#include <string.h>

static struct flux_io_memory memory;

static struct flux_io_plan plan_of(const struct flux_generate_options *options)
{
    struct flux_io_plan plan;
    struct flux_error error = {0};
    if (flux_io_plan_make(&plan, &memory, options, &error))
        fail_msg("%s", error.text);
    return plan;
}

static struct flux_generate_options llama(void)
{
    struct flux_generate_options options = FLUX_GENERATE_OPTIONS_INIT;
    options.model = "llama3-8b";
    options.tensor = 4;
    options.sequence = 2048;
    options.sequence_parallel = 1;
    return options;
}

static void expect(const struct flux_io_plan *plan, uint32_t operation, uint32_t phase, uint64_t rows, uint64_t flops,
                   uint64_t bytes)
{
    struct flux_io_cost cost;
    flux_io_cost_of(plan, operation, phase, rows, &cost);
    if (cost.flops != flops || cost.bytes != bytes)
        fail_msg("%s.%u: %llu FLOP, %llu B", flux_io_operation_name(operation), phase, (unsigned long long)cost.flops,
                 (unsigned long long)cost.bytes);
}

/* Llama 3 8B, a sequence of 2048 on 4 tensor ranks: each has 8 heads and 2 key-value heads 128 wide, 3584 of 14336,
 * 32064 of 128256. A product of m x k by k x n does 2mkn FLOP and moves 2(mk + kn + mn) bytes. */
static void a_layer_of_llama_by_hand(void **state)
{
    struct flux_generate_options options = llama();
    struct flux_io_plan plan = plan_of(&options);
    (void)state;
    assert_true(plan.tokens == 2048 && plan.split == 512);
    for (uint32_t phase = 0; phase < 3; phase++) {
        expect(&plan, FLUX_IO_OP_QKV, phase, 2048, 25769803776, 35651584);        /* 2048 x 4096 x 1536 */
        expect(&plan, FLUX_IO_OP_PROJECTION, phase, 2048, 17179869184, 29360128); /* 2048 x 1024 x 4096 */
        expect(&plan, FLUX_IO_OP_UP, phase, 2048, 120259084288, 104857600);       /* 2048 x 4096 x 7168 */
        expect(&plan, FLUX_IO_OP_DOWN, phase, 2048, 60129542144, 60817408);       /* 2048 x 3584 x 4096 */
        expect(&plan, FLUX_IO_OP_HEAD, phase, 2048, 537944653824, 410779648);     /* 2048 x 4096 x 32064 */
    }
    /* Half of 2048^2 pairs, 8 heads, 128 for scores and 128 for values, 2 FLOP each; queries and results of 8 heads,
     * keys and values of 2. Backward makes 5 products for 2. */
    expect(&plan, FLUX_IO_OP_CORE, FLUX_IO_FORWARD, 2048, 8589934592, 2 * 2048 * 128 * (8 + 8 + 2 + 2));
    expect(&plan, FLUX_IO_OP_CORE, FLUX_IO_TO_INPUT, 2048, 21474836480, 4 * 2048 * 128 * (8 + 8 + 2 + 2));
    expect(&plan, FLUX_IO_OP_CORE, FLUX_IO_TO_WEIGHT, 2048, 0, 0);
    expect(&plan, FLUX_IO_OP_NORM, FLUX_IO_FORWARD, 512, 512 * 4096 * 6, 512 * 4096 * 3 * 2);
    expect(&plan, FLUX_IO_OP_ACTIVATION, FLUX_IO_FORWARD, 2048, 2048 * 3584 * 5, 2048 * 3584 * 3 * 2);
    expect(&plan, FLUX_IO_OP_EMBEDDING, FLUX_IO_FORWARD, 2048, 0, 2048 * 4096 * 2 * 2);
    assert_true(flux_io_weights_layer(&plan, 0) == 4096 * 1536 + 1024 * 4096 + 3 * 4096 * 3584);
    assert_true(flux_io_weights_table(&plan) == UINT64_C(32064) * 4096);
    flux_io_plan_free(&plan);
}

/* DeepSeek-V3: 128 heads, queries through 1536, keys and values through 512, 64 of a key rotated; on 8 tensor ranks. */
static void a_layer_with_latents_and_experts_by_hand(void **state)
{
    struct flux_generate_options options = FLUX_GENERATE_OPTIONS_INIT;
    (void)state;
    options.model = "deepseek-v3";
    options.tensor = 8;
    options.data = 8;
    options.expert = 64;
    options.sequence_parallel = 1;
    options.sequence = 4096;
    struct flux_io_plan plan = plan_of(&options);
    uint64_t qkv = 7168 * 1536 + 1536 * 16 * 192 + 7168 * 576 + 512 * 16 * 256;
    struct flux_io_cost cost;
    flux_io_cost_of(&plan, FLUX_IO_OP_QKV, FLUX_IO_FORWARD, 4096, &cost);
    assert_true(cost.flops == 2 * 4096 * qkv);
    assert_true(flux_io_weights_layer(&plan, 0) == qkv + 16 * 128 * 7168 + UINT64_C(3) * 7168 * 18432 / 8);
    /* router of 256, and the shared expert whole on every GPU */
    assert_true(flux_io_weights_layer(&plan, 3) == qkv + 16 * 128 * 7168 + 7168 * 256 + 3 * 7168 * 2048);
    assert_true(flux_io_weights_experts(&plan, 2) == 0);
    assert_true(flux_io_weights_experts(&plan, 3) == UINT64_C(4) * 3 * 7168 * 2048);
    /* 512 tokens of each of 64 GPUs choose 8 of 256 experts: 4096 rows come to the 4 experts of each GPU */
    flux_io_cost_of(&plan, FLUX_IO_OP_EXPERTS, FLUX_IO_FORWARD, 4096, &cost);
    assert_true(cost.flops == UINT64_C(2) * 4096 * 3 * 7168 * 2048 && cost.parts == 4);
    assert_true(flux_io_key_value_bytes(&plan) == UINT64_C(4096) * 576 * 2);
    flux_io_plan_free(&plan);
}

/* What the authors say: arXiv:2407.21783, 2005.14165, 2401.04088, 2505.09388, 2412.19437; qwenlm.github.io. */
static void models_have_the_parameters_that_are_published(void **state)
{
    static const struct {
        const char *name;
        double billions;
    } published[] = {{"llama3-8b", 8.03},         {"llama3-70b", 70.55},  {"llama3-405b", 405.85},
                     {"gpt3-175b", 174.6},        {"mixtral-8x7b", 46.7}, {"qwen3-30b-a3b", 30.53},
                     {"qwen1.5-moe-a2.7b", 14.3}, {"deepseek-v3", 671.0}};
    struct flux_io_table table;
    (void)state;
    assert_int_equal(flux_io_table_load(&table, &memory, NULL, NULL), 0);
    assert_int_equal(table.model_count, sizeof published / sizeof published[0]);
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        const struct flux_io_model *model;
        assert_int_equal(flux_io_table_model(&table, published[i].name, &model, NULL), 0);
        double billions = (double)flux_io_model_parameters(model) / 1e9;
        print_message("%-18s %8.3f e9, published %8.2f e9\n", model->name, billions, published[i].billions);
        assert_true(billions > 0.996 * published[i].billions && billions < 1.004 * published[i].billions);
    }
    flux_io_table_free(&table);
}

/* A GPU of 100 TFLOP/s, of which products of 1 GFLOP reach half, with 1 TB/s and a cache of 10 TB/s with tiles of 100.
 */
static void the_roofline_is_the_longest_of_its_sides(void **state)
{
    struct flux_io_gpu gpu = {.peak = {100000000000000, 0, 0},
                              .level_count = 2,
                              .reach_count = 2,
                              .level = {{1000000000000, 0, 80}, {10000000000000, 100, 100}},
                              .reach = {{0, 25, 0}, {1000000000, 50, 0}}};
    struct flux_io_cost compute = {2000000000, 1000000, 0, 1}, small = {999999999, 0, 0, 1};
    struct flux_io_cost parts = {2000000000, 0, 0, 3}, moves = {2000000000, 800000000, 0, 1};
    struct flux_io_cost tiles = {2000000, 1000, 1000000000000, 1}, nothing = {0, 0, 0, 1};
    (void)state;
    assert_true(flux_io_cost_time(&gpu, 0, &compute) == 40000000); /* 2 GFLOP at 50 TFLOP/s: 40 us */
    assert_true(flux_io_cost_time(&gpu, 0, &small) == 39999999);   /* 1 GFLOP at 25 */
    assert_true(flux_io_cost_time(&gpu, 0, &parts) == 80000000);   /* three small ones */
    assert_true(flux_io_cost_time(&gpu, 0, &moves) == 1000000000); /* 800 MB at 0.8 TB/s: 1 ms */
    assert_true(flux_io_cost_time(&gpu, 0, &tiles) == 4000000000); /* 4 * 10^12 / 100 B at 10 TB/s: 4 ms */
    assert_true(flux_io_cost_time(&gpu, 0, &nothing) == 0);
}

static void sums_beyond_64_bits_are_not_wrapped(void **state)
{
    struct flux_io_gpu gpu = {.peak = {1000, 0, 0}, .level_count = 1, .level = {{1, 0, 1}}};
    struct flux_io_cost cost = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 1};
    (void)state;
    assert_true(flux_io_cost_time(&gpu, 0, &cost) == UINT64_MAX);
    flux_io_cost_optimizer(UINT64_MAX / 2, &cost);
    assert_true(cost.flops == UINT64_MAX && cost.bytes == UINT64_MAX);
}

static void routing_keeps_its_distribution(void **state)
{
    struct flux_generate_options options = FLUX_GENERATE_OPTIONS_INIT;
    const uint64_t assignments = 100000;
    (void)state;
    options.model = "mixtral-8x7b";
    options.data = 4;
    options.expert = 4;
    for (options.routing = FLUX_ROUTING_MULTINOMIAL; options.routing <= FLUX_ROUTING_ZIPF; options.routing++) {
        struct flux_io_plan plan = plan_of(&options);
        struct flux_io_route route = {0, 0, 3, 0};
        double weights[8], sum = 0, harmonic = 0;
        uint64_t counts[16], again[16];
        flux_io_route_weights(&plan, 3, weights);
        for (int e = 0; e < 8; e++) {
            sum += weights[e];
            harmonic += 1.0 / (e + 1);
            assert_true(options.routing != FLUX_ROUTING_MULTINOMIAL || weights[e] == 0.125);
        }
        assert_true(sum > 0.999999 && sum < 1.000001);
        for (int place = 1; options.routing == FLUX_ROUTING_ZIPF && place <= 8; place++) {
            int found = 0; /* the weight of each place is somewhere */
            for (int e = 0; e < 8; e++)
                found += weights[e] * harmonic * place > 0.999999 && weights[e] * harmonic * place < 1.000001;
            assert_int_equal(found, 1);
        }
        assert_int_equal(flux_io_route_draw(&plan, &route, assignments, counts), 0);
        assert_int_equal(flux_io_route_draw(&plan, &route, assignments, again), 0);
        assert_memory_equal(counts, again, sizeof counts);
        for (int i = 0; i < 4; i++) {
            uint64_t row = 0;
            for (int j = 0; j < 4; j++) {
                double mean = (double)assignments * (weights[2 * j] + weights[2 * j + 1]);
                double off = (double)counts[4 * i + j] - mean;
                assert_true(off > -1500 && off < 1500); /* nine deviations and more */
                row += counts[4 * i + j];
            }
            assert_true(row == assignments);
        }
        route.micro_batch = 1;
        assert_int_equal(flux_io_route_draw(&plan, &route, assignments, again), 0);
        assert_memory_not_equal(counts, again, sizeof counts);
        /* few draws go one by one */
        assert_int_equal(flux_io_route_draw(&plan, &route, 7, again), 0);
        for (int i = 0; i < 4; i++)
            assert_true(again[4 * i] + again[4 * i + 1] + again[4 * i + 2] + again[4 * i + 3] == 7);
        flux_io_plan_free(&plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layer_of_llama_by_hand),
        cmocka_unit_test(a_layer_with_latents_and_experts_by_hand),
        cmocka_unit_test(models_have_the_parameters_that_are_published),
        cmocka_unit_test(the_roofline_is_the_longest_of_its_sides),
        cmocka_unit_test(sums_beyond_64_bits_are_not_wrapped),
        cmocka_unit_test(routing_keeps_its_distribution),
    };
    if (flux_io_memory_init(&memory, NULL))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
