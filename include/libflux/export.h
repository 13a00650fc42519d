/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/export.h - what marks a declaration as public. Stable.
 */
#ifndef LIBFLUX_EXPORT_H
#define LIBFLUX_EXPORT_H

#if defined(__GNUC__)
#define FLUX_API __attribute__((visibility("default")))
#else
#define FLUX_API
#endif

#ifdef __cplusplus
#define FLUX_BEGIN_DECLS extern "C" {
#define FLUX_END_DECLS }
#else
#define FLUX_BEGIN_DECLS
#define FLUX_END_DECLS
#endif

#endif
