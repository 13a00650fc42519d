/* SPDX-License-Identifier: Apache-2.0
 *
 * One target under libFuzzer: the one that the program is called after, "fuzz-NAME".
 */
#include "target.h"

#include <stdio.h>
#include <string.h>

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *count, char ***words)
{
    const char *name = strstr((*words)[0], "fuzz-");
    for (const char *next = name; next; next = strstr(next + 1, "fuzz-"))
        name = next;
    target = *count > 0 && name ? fuzz_target_find(name + strlen("fuzz-")) : NULL;
    if (target)
        return 0;
    fprintf(stderr, "%s is not called fuzz-NAME after a target\n", (*words)[0]);
    return 1;
}

/* -1 keeps what is nothing for this target out of the corpus; before LLVM 16 it must not be said. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int taken = target ? target->run(bytes, size) : 0;
#if __clang_major__ >= 16
    return taken < 0 ? -1 : 0;
#else
    (void)taken;
    return 0;
#endif
}
