/* SPDX-License-Identifier: Apache-2.0 */
#include "base/abi.h"

#include "base/fail.h"

#include <inttypes.h>
#include <string.h>

#define SIZE_MAX_SANE 4096u /* no struct of ours will ever be as large */

static int check_size(uint64_t size, uint64_t least, const char *name, struct flux_error *error)
{
    if (size >= least && size <= SIZE_MAX_SANE)
        return FLUX_OK;
    return flux_fail(error, FLUX_E_ABI, "struct flux_%s has size %" PRIu64 ": set it with its _INIT macro", name, size);
}

int flux_abi_import(void *ours, uint64_t size, const void *theirs, uint64_t least, const char *name,
                    struct flux_error *error)
{
    uint64_t given;
    memcpy(&given, theirs, sizeof given);
    int rc = check_size(given, least, name, error);
    if (rc)
        return rc;
    const unsigned char *bytes = theirs;
    for (uint64_t i = size; i < given; i++)
        if (bytes[i])
            return flux_fail(error, FLUX_E_ABI,
                             "struct flux_%s sets a member that this version of libflux does not know", name);
    memcpy(ours, theirs, (size_t)(given < size ? given : size));
    memcpy(ours, &size, sizeof size);
    return FLUX_OK;
}

int flux_abi_export(void *theirs, const void *ours, uint64_t size, uint64_t least, const char *name,
                    struct flux_error *error)
{
    uint64_t given;
    memcpy(&given, theirs, sizeof given);
    int rc = check_size(given, least, name, error);
    if (rc)
        return rc;
    memcpy((char *)theirs + sizeof given, (const char *)ours + sizeof given,
           (size_t)((given < size ? given : size) - sizeof given));
    return FLUX_OK;
}
