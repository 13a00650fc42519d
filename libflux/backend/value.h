/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/value.h - the values of backend parameters, which come as text: read whole, without a locale, or refused.
 * Each returns 0, or FLUX_E_ARGUMENT with a sentence that names the key; `*out` is then as it was.
 */
#ifndef FLUX_BACKEND_VALUE_H
#define FLUX_BACKEND_VALUE_H

#include <libflux/error.h>

/* One of `count` words; `*out` is its index. */
int flux_value_word(const char *key, const char *text, const char *const *words, uint32_t count, uint32_t *out,
                    struct flux_error *error);

/* A whole number, digits only, in [least, most]. */
int flux_value_whole(const char *key, const char *text, uint64_t least, uint64_t most, uint64_t *out,
                     struct flux_error *error);

/* A number such as 0.05 or 1e-6 with at most 15 digits, in [least, most]. Correctly rounded. */
int flux_value_real(const char *key, const char *text, double least, double most, double *out,
                    struct flux_error *error);

#endif
