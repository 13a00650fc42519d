/* SPDX-License-Identifier: Apache-2.0
 *
 * What AICB writes beside its workloads: the calls that one rank made, as CSV. It is recognised to be refused in words.
 */
#include "io/fail.h"
#include "io/import.h"

#include <string.h>

int flux_io_aicb_csv_recognise(const struct flux_io_source *source)
{
    static const char columns[] = "comm_type,comm_group,comm_group_size,";
    char head[FLUX_IO_HEAD + 1];
    memcpy(head, source->head, source->head_size);
    head[source->head_size] = '\0';
    const char *at = strstr(head, columns);
    return at && (at == head || at[-1] == '\n');
}

int flux_io_aicb_csv_read(struct flux_import *import, struct flux_io_source *source,
                          const struct flux_import_options *options, struct flux_error *error)
{
    (void)import;
    (void)options;
    return flux_io_fail_path(
        error, FLUX_E_FORMAT, source->path,
        "is AICB's CSV, the calls of one rank without compute times, without the ranks of its groups "
        "and without what waits for what; take the workload that AICB writes as text for SimAI");
}
