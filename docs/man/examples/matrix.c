/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/io/matrix.h>
#include <stdio.h>

int main(void)
{
    static const int64_t demand[9] = {0, 500, 0, 0, 0, 700, 300, 0, 0};
    struct flux_matrices *matrices;
    struct flux_error error;
    uint64_t count;

    if (flux_write_matrix("demand.mtx", 3, demand, &error) ||
        flux_matrices_read(NULL, "demand.mtx", NULL, &matrices, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const struct flux_matrix_entry *entry =
        flux_matrices_entries(matrices, 0, &count);
    for (uint64_t i = 0; i < count; i++)
        printf("%u to %u: %lld %s\n", entry[i].src, entry[i].dst,
               (long long)entry[i].value,
               flux_matrices_are_times(matrices) ? "ps" : "bytes");
    flux_matrices_free(matrices);
    return 0;
}
