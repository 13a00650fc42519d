/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers with units, in and out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"

#include <libflux/graph.h>
#include <libflux/units.h>
#include <string.h>

struct pair {
    const char *text;
    uint64_t value;
};

static void times_read(void **state)
{
    static const struct pair pairs[] = {
        {"0ps", 0},           {"10us", 10000000},        {"1.5ms", 1500000000},
        {"50ns", 50000},      {"671.08864us", 671088640}, {"0.000000000001s", 1},
        {"007us", 7000000},   {"1.500us", 1500000},       {"4611686.018427387904s", (uint64_t)FLUX_TIME_MAX},
        {"0.0000010us", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int64_t time = -1;
        assert_int_equal(flux_time_parse(pairs[i].text, &time, NULL), 0);
        assert_int_equal(time, pairs[i].value);
    }
}

static void sizes_and_rates_read(void **state)
{
    uint64_t value;
    (void)state;
    assert_int_equal(flux_bytes_parse("64MiB", &value, NULL), 0);
    assert_int_equal(value, 64u << 20);
    assert_int_equal(flux_bytes_parse("1.5kB", &value, NULL), 0);
    assert_int_equal(value, 1500);
    assert_int_equal(flux_bytes_parse("0.5KiB", &value, NULL), 0);
    assert_int_equal(value, 512);
    assert_int_equal(flux_bytes_parse("18446744073709551615B", &value, NULL), 0);
    assert_true(value == UINT64_MAX);
    assert_int_equal(flux_rate_parse("800Gbps", &value, NULL), 0);
    assert_int_equal(value, UINT64_C(800000000000));
    assert_int_equal(flux_rate_parse("1.6Tbps", &value, NULL), 0);
    assert_int_equal(value, UINT64_C(1600000000000));
}

static void wrong_text_is_refused_with_the_reason(void **state)
{
    static const struct {
        const char *text, *reason;
    } bad[] = {
        {"10", "unit is missing"},  {"", "no decimal number"},    {"us", "no decimal number"},
        {"-1us", "no decimal"},     {"+1us", "no decimal"},       {"1e3us", "no such unit"},
        {"1 us", "no such unit"},   {"10us ", "no such unit"},    {"10Us", "no such unit"},
        {"10GB", "no such unit"},   {"0.5ps", "finer than 1 ps"}, {"1.0000000000001s", "finer than 1 ps"},
        {".5us", "no decimal"},     {"5.us", "no decimal"},       {"1.2.3us", "no such unit"},
        {"5000000s", "too large"},  {"99999999999999999999999999999999999999999ps", "too large"},
        {"0x10us", "no such unit"}, {"1,5us", "no such unit"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct flux_error error;
        int64_t time = 7;
        assert_int_equal(flux_time_parse(bad[i].text, &time, &error), FLUX_E_ARGUMENT);
        assert_int_equal(time, 0);
        if (!strstr(error.text, bad[i].reason))
            fail_msg("'%s': %s", bad[i].text, error.text);
        assert_non_null(strstr(error.text, "10us"));
    }
    uint64_t bytes;
    assert_int_equal(flux_bytes_parse("0.3B", &bytes, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_bytes_parse("16777216TiB", &bytes, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_time_parse(NULL, NULL, NULL), FLUX_E_ARGUMENT);
}

static void what_is_written_is_short(void **state)
{
    char text[FLUX_UNITS_TEXT];
    (void)state;
    assert_string_equal(flux_time_format(0, text, sizeof text), "0ps");
    assert_string_equal(flux_time_format(671088640, text, sizeof text), "671.08864us");
    assert_string_equal(flux_time_format(10 * FLUX_US, text, sizeof text), "10us");
    assert_string_equal(flux_time_format(-1500, text, sizeof text), "-1.5ns");
    assert_string_equal(flux_bytes_format(64u << 20, text, sizeof text), "64MiB");
    assert_string_equal(flux_bytes_format(1500, text, sizeof text), "1.5kB");
    assert_string_equal(flux_bytes_format(7, text, sizeof text), "7B");
    assert_string_equal(flux_rate_format(UINT64_C(800000000000), text, sizeof text), "800Gbps");
    assert_string_equal(flux_time_format(671088640, text, 5), "671.");
}

/* Whatever is written reads back to the same number. */
static void written_numbers_read_back(void **state)
{
    struct flux_random random = {2026};
    (void)state;
    for (int i = 0; i < 200000; i++) {
        char text[FLUX_UNITS_TEXT];
        uint64_t value = flux_random_next(&random) >> flux_random_below(&random, 64), back;
        if (i % 3 == 0)
            value = value / 1000000 * 1000000;
        int64_t time = (int64_t)(value % (uint64_t)FLUX_TIME_MAX), time_back;
        assert_int_equal(flux_time_parse(flux_time_format(time, text, sizeof text), &time_back, NULL), 0);
        assert_int_equal(time_back, time);
        assert_int_equal(flux_bytes_parse(flux_bytes_format(value, text, sizeof text), &back, NULL), 0);
        assert_true(back == value);
        assert_int_equal(flux_rate_parse(flux_rate_format(value, text, sizeof text), &back, NULL), 0);
        assert_true(back == value);
        assert_true(strlen(text) < FLUX_UNITS_TEXT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_read),
        cmocka_unit_test(sizes_and_rates_read),
        cmocka_unit_test(wrong_text_is_refused_with_the_reason),
        cmocka_unit_test(what_is_written_is_short),
        cmocka_unit_test(written_numbers_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
