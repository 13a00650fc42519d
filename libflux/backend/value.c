/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/value.h"

#include "base/fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DIGITS_MOST 15 /* below 2^53: exact in a double */
#define POWER_MOST 22  /* 10^22 is the largest power of ten that a double holds exactly */

int flux_value_word(const char *key, const char *text, const char *const *words, uint32_t count, uint32_t *out,
                    struct flux_error *error)
{
    char list[160] = "";
    for (uint32_t i = 0; i < count; i++) {
        size_t used = strlen(list);
        if (!strcmp(text, words[i])) {
            *out = i;
            return FLUX_OK;
        }
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
    }
    return flux_fail(error, FLUX_E_ARGUMENT, "%s is one of %s, not \"%.40s\"", key, list, text);
}

int flux_value_whole(const char *key, const char *text, uint64_t least, uint64_t most, uint64_t *out,
                     struct flux_error *error)
{
    uint64_t value = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9'; c++) {
        uint64_t digit = (uint64_t)(*c - '0');
        if (value > (UINT64_MAX - digit) / 10)
            break;
        value = value * 10 + digit;
    }
    if (c == text || *c || value < least || value > most)
        return flux_fail(error, FLUX_E_ARGUMENT, "%s is a whole number from %" PRIu64 " to %" PRIu64 ", not \"%.40s\"",
                         key, least, most, text);
    *out = value;
    return FLUX_OK;
}

/* Digits with at most one point: the number without its point, and how many digits follow that. NULL where it is not
 * one, else the first character after it. */
static const char *read_digits(const char *c, uint64_t *mantissa, int *behind)
{
    int digits = 0, seen = 0, point = 0;
    *mantissa = 0;
    *behind = 0;
    for (;; c++) {
        if (*c == '.' && !point) {
            point = 1;
            continue;
        }
        if (*c < '0' || *c > '9')
            return seen ? c : NULL;
        seen = 1;
        digits += digits || *c != '0';
        *behind += point;
        if (digits > DIGITS_MOST || *behind > POWER_MOST)
            return NULL;
        *mantissa = *mantissa * 10 + (uint64_t)(*c - '0');
    }
}

static const char *read_exponent(const char *c, int *exponent)
{
    int sign = 1, value = 0;
    *exponent = 0;
    if (*c != 'e' && *c != 'E')
        return c;
    c++;
    if (*c == '+' || *c == '-')
        sign = *c++ == '-' ? -1 : 1;
    if (*c < '0' || *c > '9')
        return NULL;
    for (; *c >= '0' && *c <= '9'; c++) {
        value = value * 10 + (*c - '0');
        if (value > 2 * POWER_MOST)
            return NULL;
    }
    *exponent = sign * value;
    return c;
}

static int read_real(const char *text, double *out)
{
    uint64_t mantissa;
    int behind, exponent;
    const char *c = read_digits(text, &mantissa, &behind);
    c = c ? read_exponent(c, &exponent) : NULL;
    if (!c || *c)
        return 0;
    exponent -= behind;
    if (exponent > POWER_MOST || exponent < -POWER_MOST)
        return 0;
    double power = 1;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent); i++)
        power *= 10;
    *out = exponent < 0 ? (double)mantissa / power : (double)mantissa * power;
    return 1;
}

int flux_value_real(const char *key, const char *text, double least, double most, double *out, struct flux_error *error)
{
    double value;
    if (!read_real(text, &value) || value < least || value > most)
        return flux_fail(error, FLUX_E_ARGUMENT, "%s is a number from %g to %g, not \"%.40s\"", key, least, most, text);
    *out = value;
    return FLUX_OK;
}
