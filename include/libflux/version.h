/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/version.h - which version this is, and what it was built with. Stable. The build reads its numbers here.
 */
#ifndef LIBFLUX_VERSION_H
#define LIBFLUX_VERSION_H

#include <libflux/export.h>
#include <stdint.h>

FLUX_BEGIN_DECLS

#define FLUX_VERSION_MAJOR 0
#define FLUX_VERSION_MINOR 1
#define FLUX_VERSION_PATCH 0

#define FLUX_VERSION_NUMBER(major, minor, patch) ((uint32_t)((major) * 1000000u + (minor) * 1000u + (patch)))
#define FLUX_VERSION FLUX_VERSION_NUMBER(FLUX_VERSION_MAJOR, FLUX_VERSION_MINOR, FLUX_VERSION_PATCH)

/* The version of the library at run time, as FLUX_VERSION_NUMBER() makes it. Since 0.1. */
FLUX_API uint32_t flux_version(void);

/* The same as text, such as "0.1.0". A static string. Since 0.1. */
FLUX_API const char *flux_version_text(void);

/* Bits of what was compiled in. Since 0.1. */
#define FLUX_CAPABILITY_GLPK (UINT64_C(1) << 0)
#define FLUX_CAPABILITY_CBC (UINT64_C(1) << 1)
FLUX_API uint64_t flux_capabilities(void);

FLUX_END_DECLS
#endif
