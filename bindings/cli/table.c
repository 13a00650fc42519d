/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c - what people read.
 */
#include "cli.h"
#include <stdarg.h>

void table_row(FILE *out, const char *name, const char *format, ...)
{
    va_list arguments;

    fprintf(out, "%-17s", name);
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    fputc('\n', out);
}

double gap_of(int64_t makespan, int64_t bound)
{
    return bound > 0 ? (double)(makespan - bound) / (double)bound : 0.0;
}

char *certificate_describe(const struct flux_certificate *certificate, char *text, size_t size)
{
    static const char *const sides[] = {"", ", transmit side", ", receive side"};
    uint32_t kind = flux_certificate_kind(certificate), gpu = flux_certificate_gpu(certificate);
    uint32_t side = flux_certificate_side(certificate);
    const char *name = flux_certificate_kind_name(kind);
    uint64_t count = 0;

    (void)flux_certificate_vertices(certificate, &count);
    if (gpu == FLUX_NONE)
        snprintf(text, size, "%s (%llu vertices)", name, (unsigned long long)count);
    else
        snprintf(text, size, "%s at GPU %u%s (%llu sends)", name, gpu, side < 3 ? sides[side] : "",
                 (unsigned long long)count);
    return text;
}
