/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/import.hpp - workload files in C++: see libflux/io/import.h. A program that uses it links libflux-io.
 */
#ifndef LIBFLUX_IMPORT_HPP
#define LIBFLUX_IMPORT_HPP

#include "schedule.hpp"

#include <libflux/io/import.h>

#include <cstdint>
#include <string>

namespace libflux
{
inline namespace LIBFLUX_MODE
{

/* What a file holds. What it gives lives as long as it does. */
class imported
{
  public:
    explicit imported(struct flux_import *made) noexcept : owner_(made)
    {
    }
    static returns<imported> read(const std::string &path,
                                  const flux_import_options &options = FLUX_IMPORT_OPTIONS_INIT,
                                  const flux_env *env = nullptr)
    {
        struct flux_import *made = nullptr;
        flux_error error = {};
        int code = flux_import(env, path.c_str(), &options, &made, &error);
        return detail::give(code, &error, "nothing was read", imported(made));
    }
    const struct flux_import *get() const noexcept
    {
        return owner_.get();
    }
    const char *format() const noexcept
    {
        return flux_import_format(get());
    }
    bool has_graph() const noexcept
    {
        return flux_import_graph(get()) != nullptr;
    }
    bool has_fabric() const noexcept
    {
        return flux_import_fabric(get()) != nullptr;
    }
    graph_view graph() const noexcept /* only where there is one */
    {
        return flux_import_graph(get());
    }
    fabric_view fabric() const noexcept
    {
        return flux_import_fabric(get());
    }
    span<const flux_slot> slots() const noexcept
    {
        std::uint64_t count = 0;
        const flux_slot *rows = flux_import_slots(get(), &count);
        return {rows, count};
    }
    /* Why the bound of the schedule in the file holds, as the file says it: check() tells whether that is so. */
    bool has_certificate() const noexcept
    {
        return flux_import_certificate(get()) != nullptr;
    }
    certificate_view certificate() const noexcept /* only where there is one */
    {
        return flux_import_certificate(get());
    }
    /* The graph becomes the caller's; the import has none after that. An error where there is none. */
    returns<libflux::graph> take_graph()
    {
        flux_graph *taken = flux_import_take_graph(owner_.get());
        return detail::give(taken ? FLUX_OK : FLUX_E_MISMATCH, nullptr, "the file has no workload",
                            libflux::graph::adopt(taken));
    }
    std::uint64_t warnings() const noexcept
    {
        return flux_import_warnings(get());
    }
    const char *warning(std::uint64_t index) const noexcept
    {
        return flux_import_warning(get(), index);
    }
    std::uint64_t notes() const noexcept
    {
        return flux_import_notes(get());
    }
    const char *note(std::uint64_t index) const noexcept
    {
        return flux_import_note(get(), index);
    }
    std::uint64_t count(const char *name) const noexcept
    {
        return flux_import_count(get(), name);
    }

  private:
    detail::owner<struct flux_import, flux_import_free> owner_;
};

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
