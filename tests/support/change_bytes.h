/* SPDX-License-Identifier: Apache-2.0
 *
 * support/change_bytes.h - files with something wrong in them.
 */
#ifndef FLUX_TESTS_CHANGE_BYTES_H
#define FLUX_TESTS_CHANGE_BYTES_H

#include "base/random.h"

#include <stddef.h>

/* One change of `size` bytes (at least 1) in room for `room`: a byte, a bit, a piece taken out, doubled or moved. The
 * new size. */
size_t change_bytes(struct flux_random *random, unsigned char *bytes, size_t size, size_t room);

#endif
