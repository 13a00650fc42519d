/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/units.h>

#include "base/fail.h"
#include "base/wide.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DECIMALS_MAX 12u /* written; reading takes what is exact */

struct unit {
    const char *name;
    uint64_t size; /* in ps, B or bps */
};

/* Each from the largest to the smallest. */
static const struct unit time_units[] = {
    {"s", 1000000000000u}, {"ms", 1000000000u}, {"us", 1000000u}, {"ns", 1000u}, {"ps", 1u}};
static const struct unit byte_units[] = {{"TiB", UINT64_C(1) << 40}, {"TB", 1000000000000u},
                                         {"GiB", UINT64_C(1) << 30}, {"GB", 1000000000u},
                                         {"MiB", UINT64_C(1) << 20}, {"MB", 1000000u},
                                         {"KiB", UINT64_C(1) << 10}, {"kB", 1000u},
                                         {"B", 1u}};
static const struct unit rate_units[] = {
    {"Tbps", 1000000000000u}, {"Gbps", 1000000000u}, {"Mbps", 1000000u}, {"kbps", 1000u}, {"bps", 1u}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct quantity {
    const char *what; /* "a time" */
    const char *example;
    const char *finest; /* "1 ps" */
    const struct unit *units;
    size_t unit_count;
    uint64_t most;
};

static const struct quantity a_time = {"a time",          "10us",           "1 ps", time_units,
                                       COUNT(time_units), (uint64_t)FLUX_TIME_MAX};
static const struct quantity a_size = {"a size", "64MiB", "1 B", byte_units, COUNT(byte_units), UINT64_MAX};
static const struct quantity a_rate = {"a rate", "800Gbps", "1 bps", rate_units, COUNT(rate_units), UINT64_MAX};

static const struct unit *find_unit(const struct quantity *quantity, const char *name)
{
    for (size_t i = 0; i < quantity->unit_count; i++)
        if (strcmp(quantity->units[i].name, name) == 0)
            return &quantity->units[i];
    return NULL;
}

static int refuse(const struct quantity *quantity, const char *text, const char *why, struct flux_error *error)
{
    return flux_fail(error, FLUX_E_ARGUMENT, "'%.60s' is not %s: %s; write it like %s", text, quantity->what, why,
                     quantity->example);
}

/* digits [. digits] unit, exactly. The value is (whole.fraction) * unit in integers: a fraction must come out whole. */
static int parse(const struct quantity *quantity, const char *text, uint64_t *value, struct flux_error *error)
{
    const char *at = text;
    flux_uwide mantissa = 0;
    unsigned decimals = 0;
    int digits = 0, point = 0;
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = 1;
            continue;
        }
        digits = 1;
        if (point && decimals >= 24)
            return refuse(quantity, text, "too many decimals", error);
        decimals += (unsigned)point;
        mantissa = mantissa * 10 + (unsigned)(*at - '0');
        if (mantissa > (flux_uwide)UINT64_MAX * 1000000000000u)
            return refuse(quantity, text, "too large", error);
    }
    if (!digits || (point && (decimals == 0 || text[0] == '.')))
        return refuse(quantity, text, "no decimal number in front", error);
    if (!*at)
        return refuse(quantity, text, "the unit is missing", error);
    const struct unit *unit = find_unit(quantity, at);
    if (!unit)
        return refuse(quantity, text, "no such unit", error);
    while (decimals && mantissa % 10 == 0) {
        mantissa /= 10;
        decimals--;
    }
    /* Cancel powers of ten against the unit first, so that no product leaves 128 bits. */
    uint64_t size = unit->size;
    while (decimals && size % 10 == 0) {
        size /= 10;
        decimals--;
    }
    if (mantissa && mantissa > ((flux_uwide)-1) / size)
        return refuse(quantity, text, "too large", error);
    mantissa *= size;
    for (; decimals; decimals--) {
        if (mantissa % 10) {
            char why[40];
            snprintf(why, sizeof why, "finer than %s", quantity->finest);
            return refuse(quantity, text, why, error);
        }
        mantissa /= 10;
    }
    if (mantissa > quantity->most)
        return refuse(quantity, text, "too large", error);
    *value = (uint64_t)mantissa;
    return FLUX_OK;
}

/* value / unit as whole.fraction with at most DECIMALS_MAX decimals; 0 where that is not exact. */
static int exact(uint64_t value, uint64_t unit, uint64_t *whole, char *fraction)
{
    uint64_t rest = value % unit;
    size_t length = 0;
    *whole = value / unit;
    while (rest && length < DECIMALS_MAX) {
        flux_uwide ten = (flux_uwide)rest * 10;
        fraction[length++] = (char)('0' + (int)(ten / unit));
        rest = (uint64_t)(ten % unit);
    }
    fraction[length] = 0;
    return rest == 0;
}

/* The largest unit not above the value in which it is exact; binary units only where they come out whole, for 1.5MiB
 * says less to people than 1572864B. */
static char *format(const struct quantity *quantity, uint64_t value, char *text, uint64_t size)
{
    char fraction[DECIMALS_MAX + 1];
    uint64_t whole = 0;
    const struct unit *unit = &quantity->units[quantity->unit_count - 1];
    for (size_t i = 0; i < quantity->unit_count; i++) {
        const struct unit *candidate = &quantity->units[i];
        int binary = candidate->size > 1 && (candidate->size & (candidate->size - 1)) == 0;
        if (candidate->size > value || (binary && value % candidate->size))
            continue;
        if (exact(value, candidate->size, &whole, fraction)) {
            unit = candidate;
            break;
        }
    }
    if (!exact(value, unit->size, &whole, fraction))
        fraction[0] = 0; /* cannot be: the smallest unit is 1 */
    snprintf(text, (size_t)size, "%" PRIu64 "%s%s%s", whole, fraction[0] ? "." : "", fraction, unit->name);
    return text;
}

static int parse_checked(const struct quantity *quantity, const char *text, uint64_t *value, struct flux_error *error)
{
    *value = 0;
    if (!text)
        return flux_fail(error, FLUX_E_ARGUMENT, "the text of %s is NULL", quantity->what);
    return parse(quantity, text, value, error);
}

int flux_time_parse(const char *text, int64_t *time, struct flux_error *error)
{
    uint64_t value;
    if (!time)
        return flux_fail(error, FLUX_E_ARGUMENT, "no place for the time");
    int rc = parse_checked(&a_time, text, &value, error);
    *time = (int64_t)value;
    return rc;
}

int flux_bytes_parse(const char *text, uint64_t *bytes, struct flux_error *error)
{
    if (!bytes)
        return flux_fail(error, FLUX_E_ARGUMENT, "no place for the size");
    return parse_checked(&a_size, text, bytes, error);
}

int flux_rate_parse(const char *text, uint64_t *rate, struct flux_error *error)
{
    if (!rate)
        return flux_fail(error, FLUX_E_ARGUMENT, "no place for the rate");
    return parse_checked(&a_rate, text, rate, error);
}

char *flux_time_format(int64_t time, char *text, uint64_t size)
{
    if (time < 0) {
        if (size)
            text[0] = '-';
        if (size > 1)
            format(&a_time, (uint64_t)0 - (uint64_t)time, text + 1, size - 1);
        return text;
    }
    return format(&a_time, (uint64_t)time, text, size);
}

char *flux_bytes_format(uint64_t bytes, char *text, uint64_t size)
{
    return format(&a_size, bytes, text, size);
}

char *flux_rate_format(uint64_t rate, char *text, uint64_t size)
{
    return format(&a_rate, rate, text, size);
}
