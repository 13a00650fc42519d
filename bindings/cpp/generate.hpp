/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/generate.hpp - the workload of training a model, from its name, in C++: see libflux/io/generate.h. A program
 * that uses it links libflux-io.
 */
#ifndef LIBFLUX_GENERATE_HPP
#define LIBFLUX_GENERATE_HPP

#include "import.hpp"

#include <libflux/io/generate.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace libflux
{
inline namespace LIBFLUX_MODE
{

/* The workload as an import of the format "generated"; options.model says of what. */
inline returns<imported> generate(const flux_generate_options &options, const flux_env *env = nullptr)
{
    struct flux_import *made = nullptr;
    flux_error error = {};
    int code = flux_generate(env, &options, &made, &error);
    return detail::give(code, &error, "nothing was generated", imported(made));
}

/* What one GPU does in one micro-batch of it, an operation a row. */
inline returns<std::vector<flux_operation>> operations(const flux_generate_options &options)
{
    std::vector<flux_operation> rows;
    flux_operation row = {};
    flux_error error = {};
    int code = FLUX_OK;
    while (!(code = flux_generate_operation(&options, static_cast<std::uint32_t>(rows.size()), &row, &error)))
        rows.push_back(row);
    if (code == FLUX_E_ARGUMENT && !error.code) /* without a text: that was the last */
        code = FLUX_OK;
    return detail::give(code, &error, "no operations", std::move(rows));
}

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
