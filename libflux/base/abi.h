/* SPDX-License-Identifier: Apache-2.0
 *
 * base/abi.h - size-first structs of callers built with older or newer headers.
 */
#ifndef FLUX_BASE_ABI_H
#define FLUX_BASE_ABI_H

#include <libflux/error.h>
#include <stddef.h>
#include <stdint.h>

/* The size that a struct had in the release in which `last` was its last member. Never sizeof: that grows. */
#define FLUX_ABI_LEAST(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* Copies a caller's struct, whose first member is its uint64_t size, into ours of `size` bytes that hold the defaults.
 * `least` is the size in the first release. Shorter than ours: the rest stays at the default. Longer: what we do not
 * know must be zero. `name` and its _INIT macro go into the message. 0 or FLUX_E_ABI. */
int flux_abi_import(void *ours, uint64_t size, const void *theirs, uint64_t least, const char *name,
                    struct flux_error *error);

/* The way back: writes the part of ours that a caller of size *theirs has room for. 0 or FLUX_E_ABI. */
int flux_abi_export(void *theirs, const void *ours, uint64_t size, uint64_t least, const char *name,
                    struct flux_error *error);

#endif
