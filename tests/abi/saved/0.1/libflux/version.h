/* SPDX-License-Identifier: Apache-2.0 */
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
FLUX_API uint32_t flux_version(void);
FLUX_API const char *flux_version_text(void);
#define FLUX_CAPABILITY_GLPK (UINT64_C(1) << 0)
#define FLUX_CAPABILITY_CBC (UINT64_C(1) << 1)
FLUX_API uint64_t flux_capabilities(void);
FLUX_END_DECLS
#endif
