/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/formulation.hpp - the problem as a mixed-integer program, in C++: see libflux/formulation.h.
 */
#ifndef LIBFLUX_FORMULATION_HPP
#define LIBFLUX_FORMULATION_HPP

#include "fabric.hpp"
#include "graph.hpp"

#include <libflux/formulation.h>

#include <cstdint>
#include <string>
#include <utility>

#ifndef LIBFLUX_RESULTS
#include <exception>
#endif

namespace libflux
{
inline namespace LIBFLUX_MODE
{

/* A program in a solver's own format, and its size. */
struct formulation {
    std::string text;
    flux_formulation_summary summary = FLUX_FORMULATION_SUMMARY_INIT;
};

namespace detail
{

/* Stands between the library, which knows no exceptions, and a text that may find no memory. */
struct pieces {
    std::string text = {};
#ifndef LIBFLUX_RESULTS
    std::exception_ptr thrown = nullptr;
#endif

    static int add(void *user, const char *text, std::uint64_t length) noexcept
    {
        pieces *self = static_cast<pieces *>(user);
#ifndef LIBFLUX_RESULTS
        try {
            self->text.append(text, length);
        } catch (...) {
            self->thrown = std::current_exception();
            return 1;
        }
#else
        self->text.append(text, length);
#endif
        return 0;
    }
};

} // namespace detail

/* The program of FLUX_FORMULATION_TIGHT or PAPER, as FLUX_FORMAT_LP or MPS. */
inline returns<formulation> formulate(graph_view graph, fabric_view fabric, std::uint32_t kind = FLUX_FORMULATION_TIGHT,
                                      std::uint32_t format = FLUX_FORMAT_LP)
{
    formulation made;
    detail::pieces pieces;
    flux_error error = {};
    int code = flux_formulation_write(graph.get(), fabric.get(), kind, format, &detail::pieces::add, &pieces,
                                      &made.summary, &error);
#ifndef LIBFLUX_RESULTS
    if (pieces.thrown)
        std::rethrow_exception(pieces.thrown);
#endif
    made.text = std::move(pieces.text);
    return detail::give(code, &error, "no program", std::move(made));
}

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
