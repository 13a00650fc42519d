/* SPDX-License-Identifier: Apache-2.0 */
#include "io/import.h"

int flux_io_native_recognise(const struct flux_io_source *source)
{
    return source->head_size > 5 && source->head[0] == 'f' && source->head[1] == 'l' && source->head[2] == 'u' &&
           source->head[3] == 'x' && source->head[4] == ':';
}
