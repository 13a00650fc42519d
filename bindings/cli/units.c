/* SPDX-License-Identifier: Apache-2.0
 *
 * units.c - numbers of the command line that the library has no reader for. No locale and no rounding takes part.
 */
#include "cli.h"
#include <string.h>

int count_parse(const char *text, uint64_t max, uint64_t *value)
{
    uint64_t sum = 0;

    if (*text == '\0')
        return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return -1;
        if ((uint64_t)(*text - '0') > max || sum > (max - (uint64_t)(*text - '0')) / 10)
            return -1;
        sum = sum * 10 + (uint64_t)(*text - '0');
    }
    *value = sum;
    return 0;
}

/* A decimal as `*mantissa` / 10^`*places`, up to 18 digits. Returns what follows, NULL where there is no number. */
static const char *decimal_read(const char *text, uint64_t *mantissa, unsigned *places)
{
    unsigned digits = 0, point = 0;

    *mantissa = 0;
    *places = 0;
    for (;; text++) {
        if (*text == '.' && !point && digits) {
            point = 1;
            continue;
        }
        if (*text < '0' || *text > '9')
            break;
        *mantissa = *mantissa * 10 + (uint64_t)(*text - '0');
        *places += point;
        if (*mantissa && ++digits > 18)
            return NULL;
        if (!*mantissa)
            digits = 1;
    }
    return digits && (!point || *places) ? text : NULL;
}

int ratio_parse(const char *text, uint64_t *numerator, uint64_t *denominator)
{
    uint64_t mantissa;
    unsigned places;
    const char *rest = decimal_read(text, &mantissa, &places);

    if (!rest || !mantissa)
        return -1;
    *denominator = 1;
    if (*rest == '/') {
        if (places || count_parse(rest + 1, UINT32_MAX, denominator) || !*denominator)
            return -1;
    } else if (*rest) {
        return -1;
    }
    for (; places; places--)
        *denominator *= 10;
    for (; *denominator % 10 == 0 && mantissa % 10 == 0; mantissa /= 10)
        *denominator /= 10;
    if (mantissa > UINT32_MAX || *denominator > UINT32_MAX)
        return -1;
    *numerator = mantissa;
    return 0;
}

int percent_parse(const char *text, uint32_t *ppm)
{
    uint64_t mantissa;
    unsigned places;
    const char *rest = decimal_read(text, &mantissa, &places);

    if (!rest || rest[0] != '%' || rest[1] || places > 4)
        return -1;
    for (; places < 4; places++) {
        if (mantissa > 1000000)
            return -1;
        mantissa *= 10;
    }
    if (mantissa > 1000000)
        return -1;
    *ppm = (uint32_t)mantissa;
    return 0;
}

struct unit {
    const char *name;
    unsigned power; /* of ten */
};

static int per_second_parse(const char *text, const struct unit *units, double *rate)
{
    uint64_t mantissa;
    unsigned places;
    const char *rest = decimal_read(text, &mantissa, &places);

    if (!rest || !mantissa)
        return -1;
    while (*rest == ' ')
        rest++;
    for (; units->name; units++) {
        if (strcmp(rest, units->name) == 0)
            break;
    }
    if (!units->name || places > units->power)
        return -1;
    for (unsigned i = places; i < units->power; i++) {
        if (mantissa > UINT64_C(1000000000000000000) / 10)
            return -1;
        mantissa *= 10;
    }
    *rate = (double)mantissa;
    return 0;
}

int flops_parse(const char *text, double *rate)
{
    static const struct unit units[] = {{"GFLOPS", 9},   {"TFLOPS", 12},  {"PFLOPS", 15}, {"GFLOP/s", 9},
                                        {"TFLOP/s", 12}, {"PFLOP/s", 15}, {NULL, 0}};

    return per_second_parse(text, units, rate);
}

int memory_rate_parse(const char *text, double *rate)
{
    static const struct unit units[] = {{"MB/s", 6}, {"GB/s", 9}, {"TB/s", 12}, {NULL, 0}};

    return per_second_parse(text, units, rate);
}
