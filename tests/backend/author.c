/* SPDX-License-Identifier: Apache-2.0
 *
 * The conformance suite for a backend that is not libflux's. BACKEND is its struct flux_backend, and HEADER declares
 * it; neither the library nor its sources are needed. From the top of the source tree:
 *
 *     cc -std=c11 -D_POSIX_C_SOURCE=200809L -Iinclude -Itests/support -DBACKEND=tiny_backend \
 *        -DHEADER='"../../docs/examples/backend/tiny.h"' tests/backend/author.c tests/support/conformance*.c \
 *        tests/support/program.c docs/examples/backend/tiny.c -pthread -lm -o conforms
 */
#include "conformance.h"

#include HEADER

#include <stdio.h>

int main(void)
{
    int failed = 0;
    for (uint32_t i = 0; i < conformance_count(); i++) {
        char why[CONFORMANCE_WHY];
        int verdict = conformance_case(i, &BACKEND, why);
        failed += verdict == CONFORMANCE_FAILED;
        if (verdict == CONFORMANCE_FAILED)
            printf("not ok %s, %s: %s\n", BACKEND.name, conformance_name(i), why);
        else
            printf("ok %s, %s%s\n", BACKEND.name, conformance_name(i), verdict ? " # SKIP not claimed" : "");
    }
    return failed != 0;
}
