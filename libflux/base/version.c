/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/version.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

uint32_t flux_version(void)
{
    return FLUX_VERSION;
}

const char *flux_version_text(void)
{
    return TEXT(FLUX_VERSION_MAJOR) "." TEXT(FLUX_VERSION_MINOR) "." TEXT(FLUX_VERSION_PATCH);
}

uint64_t flux_capabilities(void)
{
    uint64_t bits = 0;
#ifdef FLUX_WITH_GLPK
    bits |= FLUX_CAPABILITY_GLPK;
#endif
#ifdef FLUX_WITH_CBC
    bits |= FLUX_CAPABILITY_CBC;
#endif
    return bits;
}
