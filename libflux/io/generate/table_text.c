/* SPDX-License-Identifier: Apache-2.0
 *
 * models.yaml as bytes, which the Makefile makes of it.
 */
#include "io/generate/table.h"

static const unsigned char text[] = {
#include "models.inc"
};

const unsigned char *flux_io_table_text(uint64_t *size)
{
    *size = sizeof text;
    return text;
}
