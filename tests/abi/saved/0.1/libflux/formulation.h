/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_FORMULATION_H
#define LIBFLUX_FORMULATION_H
#include <libflux/schedule.h>
FLUX_BEGIN_DECLS
#define FLUX_FORMAT_LP 0
#define FLUX_FORMAT_MPS 1
struct flux_formulation_summary {
    uint64_t size;
    uint64_t columns;
    uint64_t rows;
    uint64_t entries;
    int64_t step;
};
#define FLUX_FORMULATION_SUMMARY_INIT { sizeof(struct flux_formulation_summary), 0, 0, 0, 0 }
FLUX_API int flux_formulation_write(const struct flux_graph *graph, const struct flux_fabric *fabric,
                                    uint32_t formulation, uint32_t format,
                                    int (*write)(void *user, const char *text, uint64_t length), void *user,
                                    struct flux_formulation_summary *summary, struct flux_error *error);
FLUX_END_DECLS
#endif
