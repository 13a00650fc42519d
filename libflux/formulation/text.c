/* SPDX-License-Identifier: Apache-2.0 */
#include "formulation/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DECIMALS_MAX 64

void flux_text_flush(struct flux_text *text)
{
    if (!text->failed && text->used && text->write(text->user, text->buffer, text->used))
        text->failed = 1;
    text->used = 0;
}

void flux_text_add(struct flux_text *text, const char *piece)
{
    uint64_t length = strlen(piece);
    if (text->used + length > sizeof text->buffer)
        flux_text_flush(text);
    memcpy(text->buffer + text->used, piece, (size_t)length); /* pieces are names and numbers: much shorter */
    text->used += (uint32_t)length;
}

void flux_text_value(struct flux_text *text, double value)
{
    char digits[32 + DECIMALS_MAX];
    double size = fabs(value), whole = floor(size);
    int at = snprintf(digits, sizeof digits, "%s%" PRIu64, value < 0 ? "-" : "", (uint64_t)whole);
    double rest = size - whole;
    if (rest > 0)
        digits[at++] = '.';
    for (int i = 0; i < DECIMALS_MAX && rest > 0; i++) {
        rest *= 10; /* exact: its last bit moves up by at least one place each time */
        double digit = floor(rest);
        digits[at++] = (char)('0' + (int)digit);
        rest -= digit;
    }
    digits[at] = '\0';
    flux_text_add(text, digits);
}
