/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/registry.h - the backends that were compiled in, and what is asked of one that comes from outside.
 */
#ifndef FLUX_BACKEND_REGISTRY_H
#define FLUX_BACKEND_REGISTRY_H

#include <libflux/backend.h>

extern const struct flux_backend flux_backend_glpk; /* where FLUX_WITH_GLPK is defined */
extern const struct flux_backend flux_backend_cbc;  /* FLUX_WITH_CBC */
extern const struct flux_backend flux_backend_none;

/* Is this a backend that can be called at all? Its ABI number, size, name and the functions that must be there. Later
 * slots are read only where its size covers them. 0, FLUX_E_ARGUMENT, or FLUX_E_ABI. */
int flux_backend_check(const struct flux_backend *backend, struct flux_error *error);

#endif
