/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.c - seconds of a clock that never goes back.
 */
#include "cli.h"
#include <time.h>

double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
