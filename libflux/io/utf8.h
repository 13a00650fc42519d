/* SPDX-License-Identifier: Apache-2.0
 *
 * io/utf8.h - characters of UTF-8 (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
 */
#ifndef FLUX_IO_UTF8_H
#define FLUX_IO_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at `at`, 1 to 4; 0 where `left` bytes do not begin with a whole and valid one. */
static inline size_t flux_io_utf8_length(const unsigned char *at, size_t left)
{
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
    size_t length;
    if (left == 0)
        return 0;
    if (at[0] < 0x80)
        return 1;
    if (at[0] >= 0xc2 && at[0] <= 0xdf)
        length = 2;
    else if (at[0] >= 0xe0 && at[0] <= 0xef)
        length = 3;
    else if (at[0] >= 0xf0 && at[0] <= 0xf4)
        length = 4;
    else
        return 0;
    if (at[0] == 0xe0)
        low = 0xa0;
    else if (at[0] == 0xed)
        high = 0x9f;
    else if (at[0] == 0xf0)
        low = 0x90;
    else if (at[0] == 0xf4)
        high = 0x8f;
    if (left < length || at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (at[i] < 0x80 || at[i] > 0xbf)
            return 0;
    return length;
}

/* The code point of a valid character of `length` bytes. */
static inline uint32_t flux_io_utf8_point(const unsigned char *at, size_t length)
{
    static const unsigned char lead[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t point = at[0] & lead[length];
    for (size_t i = 1; i < length; i++)
        point = point << 6 | (at[i] & 0x3fu);
    return point;
}

#endif
