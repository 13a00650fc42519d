/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/matrix.hpp - files of demand matrices in C++: see libflux/io/matrix.h. A program that uses it links
 * libflux-io.
 */
#ifndef LIBFLUX_MATRIX_HPP
#define LIBFLUX_MATRIX_HPP

#include "demand.hpp"

#include <libflux/io/matrix.h>

#include <cstdint>
#include <string>

namespace libflux
{
inline namespace LIBFLUX_MODE
{

/* The matrices of a file. What it gives lives as long as it does. */
class matrices
{
  public:
    explicit matrices(flux_matrices *made) noexcept : owner_(made)
    {
    }
    static returns<matrices> read(const std::string &path,
                                  const flux_matrix_options &options = FLUX_MATRIX_OPTIONS_INIT,
                                  const flux_env *env = nullptr)
    {
        flux_matrices *made = nullptr;
        flux_error error = {};
        int code = flux_matrices_read(env, path.c_str(), &options, &made, &error);
        return detail::give(code, &error, "nothing was read", matrices(made));
    }
    const flux_matrices *get() const noexcept
    {
        return owner_.get();
    }
    std::uint32_t ports() const noexcept
    {
        return flux_matrices_ports(get());
    }
    std::uint64_t size() const noexcept
    {
        return flux_matrices_count(get());
    }
    bool are_times() const noexcept /* ps, else bytes */
    {
        return flux_matrices_are_times(get()) != 0;
    }
    /* Those above 0 of one matrix, by row, then column. */
    span<const flux_matrix_entry> entries(std::uint64_t index) const noexcept
    {
        std::uint64_t count = 0;
        const flux_matrix_entry *rows = flux_matrices_entries(get(), index, &count);
        return {rows, count};
    }

  private:
    detail::owner<flux_matrices, flux_matrices_free> owner_;
};

/* `demand` is row-major, in ps: as many rows as columns. */
inline returns<void> write_matrix(const std::string &path, span<const std::int64_t> demand)
{
    flux_error error = {};
    std::uint32_t ports = detail::side_of(demand.size());
    int code = ports ? flux_write_matrix(path.c_str(), ports, demand.data(), &error) : FLUX_E_ARGUMENT;
    return detail::done(code, &error, "nothing was written: the demand is a square matrix");
}

/* A row per plan; each `per_matrix` of them belong to one matrix. Plans are what demand_plan::get() gives. */
inline returns<void> write_demand(const std::string &path, span<flux_demand_plan *const> plans,
                                  std::uint64_t per_matrix)
{
    flux_error error = {};
    int code = flux_write_demand(path.c_str(), const_cast<flux_demand_plan **>(plans.data()), plans.size(), per_matrix,
                                 &error);
    return detail::done(code, &error, "nothing was written");
}

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
