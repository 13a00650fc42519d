/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/names.hpp - the id of each vertex in documents and CSV files, in C++: see libflux/io/names.h. A program that
 * uses it links libflux-io.
 */
#ifndef LIBFLUX_NAMES_HPP
#define LIBFLUX_NAMES_HPP

#include "graph.hpp"

#include <libflux/io/names.h>

#include <cstdint>
#include <string>

namespace libflux
{
inline namespace LIBFLUX_MODE
{

/* The ids of a graph as it was when this was made. One thread at a time. */
class names
{
  public:
    explicit names(flux_names *made) noexcept : owner_(made)
    {
    }
    static returns<names> make(graph_view graph, const flux_env *env = nullptr)
    {
        flux_names *made = nullptr;
        int code = flux_names_new(env, graph.get(), &made);
        return detail::give(code, nullptr, "no names", names(made));
    }
    flux_names *get() const noexcept
    {
        return owner_.get();
    }
    const char *of(std::uint32_t vertex) const noexcept /* "" out of range */
    {
        return flux_names_of(get(), vertex);
    }
    std::uint32_t find(const std::string &id) noexcept /* FLUX_NONE where there is none */
    {
        return flux_names_find(get(), id.c_str());
    }

  private:
    detail::owner<flux_names, flux_names_free> owner_;
};

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
