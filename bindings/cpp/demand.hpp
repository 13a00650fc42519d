/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/demand.hpp - one traffic matrix over parallel switches: see libflux/demand.h.
 */
#ifndef LIBFLUX_DEMAND_HPP
#define LIBFLUX_DEMAND_HPP

#include "result.hpp"
#include "span.hpp"

#include <libflux/demand.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace libflux
{
inline namespace LIBFLUX_MODE
{

namespace detail
{

/* The side of a square matrix of so many entries; 0 where there is none. */
inline std::uint32_t side_of(std::uint64_t entries) noexcept
{
    std::uint32_t ports = 0;
    while (ports <= FLUX_DEMAND_PORTS_MAX && std::uint64_t{ports} * ports < entries)
        ports++;
    return std::uint64_t{ports} * ports == entries ? ports : 0;
}

} // namespace detail

/* States of the switches that serve a demand; it was checked. What it gives lives as long as it does. */
class demand_plan
{
  public:
    explicit demand_plan(flux_demand_plan *made, std::uint32_t ports) noexcept : owner_(made), ports_(ports)
    {
    }
    /* `demand` is row-major: as many rows as columns. */
    static returns<demand_plan> make(span<const std::int64_t> demand, std::uint32_t switches, std::int64_t delay,
                                     std::uint32_t algorithm = FLUX_DEMAND_BEST, const flux_env *env = nullptr)
    {
        std::uint32_t ports = detail::side_of(demand.size());
        flux_demand_plan *made = nullptr;
        flux_error error = {};
        int code = FLUX_E_ARGUMENT;
        if (ports)
            code = flux_demand_schedule(env, ports, demand.data(), switches, delay, algorithm, &made, &error);
        return detail::give(code, &error, "no plan: the demand is a square matrix", demand_plan(made, ports));
    }
    flux_demand_plan *get() const noexcept
    {
        return owner_.get();
    }
    std::int64_t makespan() const noexcept
    {
        return flux_demand_plan_makespan(get());
    }
    std::int64_t bound() const noexcept
    {
        return flux_demand_plan_bound(get());
    }
    std::uint32_t algorithm() const noexcept /* FLUX_DEMAND_* */
    {
        return flux_demand_plan_algorithm(get());
    }
    std::uint32_t requested() const noexcept /* the one that was asked for */
    {
        return flux_demand_plan_requested(get());
    }
    std::uint64_t configurations() const noexcept /* how often switches are set */
    {
        return flux_demand_plan_configurations(get());
    }
    std::uint64_t matchings() const noexcept
    {
        return flux_demand_plan_matchings(get());
    }
    /* By input the output, FLUX_NONE where the input is dark. */
    span<const std::uint32_t> matching(std::uint64_t index) const noexcept
    {
        const std::uint32_t *outputs = flux_demand_plan_matching(get(), index);
        return {outputs, outputs ? ports_ : 0};
    }
    span<const flux_demand_state> states() const noexcept
    {
        std::uint64_t count = 0;
        const flux_demand_state *rows = flux_demand_plan_states(get(), &count);
        return {rows, count};
    }
    span<const flux_demand_circuit> circuits() const noexcept /* of FLUX_DEMAND_SUNFLOW, which has no states */
    {
        std::uint64_t count = 0;
        const flux_demand_circuit *rows = flux_demand_plan_circuits(get(), &count);
        return {rows, count};
    }

  private:
    detail::owner<flux_demand_plan, flux_demand_plan_free> owner_;
    std::uint32_t ports_ = 0;
};

/* A matrix of the literature, row-major; options.kind and options.ports say which. */
inline returns<std::vector<std::int64_t>> generate_demand(const flux_demand_generator &options,
                                                          const flux_env *env = nullptr)
{
    std::vector<std::int64_t> demand;
    if (options.ports <= FLUX_DEMAND_PORTS_MAX)
        demand.resize(std::size_t{options.ports} * options.ports);
    flux_error error = {};
    int code = flux_demand_generate(env, &options, demand.data(), &error);
    return detail::give(code, &error, "no demand", std::move(demand));
}

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
