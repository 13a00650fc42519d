/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_EXPORT_H
#define LIBFLUX_EXPORT_H
#if defined(__GNUC__)
#define FLUX_API __attribute__((visibility("default")))
#else
#define FLUX_API
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#define FLUX_BEGIN_DECLS _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") extern "C" {
#define FLUX_END_DECLS } _Pragma("GCC diagnostic pop")
#elif defined(__cplusplus)
#define FLUX_BEGIN_DECLS extern "C" {
#define FLUX_END_DECLS }
#else
#define FLUX_BEGIN_DECLS
#define FLUX_END_DECLS
#endif
#endif
