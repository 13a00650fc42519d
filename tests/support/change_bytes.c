/* SPDX-License-Identifier: Apache-2.0 */
#include "change_bytes.h"

#include <string.h>

size_t change_bytes(struct flux_random *random, unsigned char *bytes, size_t size, size_t room)
{
    size_t at = flux_random_below(random, (uint32_t)size);
    size_t length = 1 + flux_random_below(random, 8);
    if (length > size - at)
        length = size - at;
    switch (flux_random_below(random, 5)) {
    case 0:
        bytes[at] = (unsigned char)flux_random_below(random, 256);
        return size;
    case 1:
        bytes[at] ^= (unsigned char)(1u << flux_random_below(random, 8));
        return size;
    case 2:
        if (size - length < 1)
            return size;
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    case 3:
        if (size + length > room)
            return size;
        memmove(bytes + at + length, bytes + at, size - at);
        return size + length;
    default:
        memmove(bytes + flux_random_below(random, (uint32_t)(size - length + 1)), bytes + at, length);
        return size;
    }
}
