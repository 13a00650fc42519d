/* SPDX-License-Identifier: Apache-2.0
 *
 * The conformance suite on every backend that was compiled in; a test for each case of each backend.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/conformance.h"

#include <stdio.h>
#include <stdlib.h>

struct pair {
    const struct flux_backend *backend;
    uint32_t index;
};

static void conforms(void **state)
{
    const struct pair *pair = *state;
    char why[CONFORMANCE_WHY];
    int verdict = conformance_case(pair->index, pair->backend, why);
    if (verdict == CONFORMANCE_SKIPPED)
        skip();
    if (verdict != CONFORMANCE_PASSED)
        fail_msg("%s, %s: %s", pair->backend->name, conformance_name(pair->index), why);
}

int main(void)
{
    uint32_t backends = 0, cases = conformance_count();
    while (flux_backend_builtin(backends))
        backends++;
    struct CMUnitTest *tests = calloc((size_t)backends * cases, sizeof *tests);
    struct pair *pairs = calloc((size_t)backends * cases, sizeof *pairs);
    char(*names)[96] = calloc((size_t)backends * cases, sizeof *names);
    for (uint32_t b = 0, n = 0; b < backends; b++)
        for (uint32_t i = 0; i < cases; i++, n++) {
            pairs[n] = (struct pair){flux_backend_builtin(b), i};
            snprintf(names[n], sizeof names[n], "%s: %s", pairs[n].backend->name, conformance_name(i));
            tests[n] = (struct CMUnitTest){names[n], conforms, NULL, NULL, &pairs[n]};
        }
    int failed = _cmocka_run_group_tests("conformance", tests, (size_t)backends * cases, NULL, NULL);
    free(tests);
    free(pairs);
    free(names);
    return failed;
}
