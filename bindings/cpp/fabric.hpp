/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/fabric.hpp - the switches in C++: see libflux/fabric.h for what everything means.
 */
#ifndef LIBFLUX_FABRIC_HPP
#define LIBFLUX_FABRIC_HPP

#include "result.hpp"
#include "span.hpp"

#include <libflux/fabric.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace libflux
{
inline namespace LIBFLUX_MODE
{

/* A fabric to read from, somebody else's. An index out of range reads 0. */
class fabric_view
{
  public:
    fabric_view(const flux_fabric *fabric) noexcept : fabric_(fabric)
    {
    }
    const flux_fabric *get() const noexcept
    {
        return fabric_;
    }

    std::uint32_t gpus() const noexcept
    {
        return flux_fabric_gpus(fabric_);
    }
    std::uint32_t switches() const noexcept
    {
        return flux_fabric_switches(fabric_);
    }
    std::uint32_t rule() const noexcept /* FLUX_RULE_* */
    {
        return flux_fabric_rule(fabric_);
    }
    std::uint64_t rate(std::uint32_t gpu, std::uint32_t switch_index) const noexcept
    {
        return flux_fabric_rate(fabric_, gpu, switch_index);
    }
    std::int64_t delay(std::uint32_t switch_index) const noexcept
    {
        return flux_fabric_delay(fabric_, switch_index);
    }
    std::uint32_t blocking(std::uint32_t switch_index) const noexcept /* FLUX_BLOCKING_* */
    {
        return flux_fabric_blocking(fabric_, switch_index);
    }
    std::int64_t dwell(std::uint32_t switch_index) const noexcept
    {
        return flux_fabric_dwell(fabric_, switch_index);
    }
    bool dead(std::uint32_t gpu, std::uint32_t switch_index) const noexcept
    {
        return flux_fabric_dead(fabric_, gpu, switch_index) != 0;
    }
    bool is_forbidden(std::uint32_t switch_index, std::uint32_t src, std::uint32_t dst) const noexcept
    {
        return flux_fabric_is_forbidden(fabric_, switch_index, src, dst) != 0;
    }
    span<const flux_circuit_name> forbidden() const noexcept /* until the fabric changes */
    {
        std::uint64_t count = 0;
        const flux_circuit_name *rows = flux_fabric_forbidden(fabric_, &count);
        return {rows, count};
    }
    span<const flux_circuit_name> initial() const noexcept
    {
        std::uint64_t count = 0;
        const flux_circuit_name *rows = flux_fabric_initial(fabric_, &count);
        return {rows, count};
    }
    std::int64_t propagation(std::uint32_t src, std::uint32_t dst) const noexcept
    {
        return flux_fabric_propagation(fabric_, src, dst);
    }
    std::vector<flux_propagation> propagation_rules() const /* as they were set; the last that fits a pair counts */
    {
        std::vector<flux_propagation> rules(flux_fabric_propagation_rules(fabric_));
        for (std::size_t i = 0; i < rules.size(); i++)
            (void)flux_fabric_propagation_rule(fabric_, i, &rules[i]);
        return rules;
    }
    returns<std::int64_t> duration(std::uint32_t switch_index, std::uint32_t src, std::uint32_t dst,
                                   std::uint64_t bytes) const
    {
        std::int64_t time = 0;
        int code = flux_fabric_duration(fabric_, switch_index, src, dst, bytes, &time);
        return detail::give(code, nullptr, "the send has no duration there", time);
    }

  protected:
    const flux_fabric *fabric_ = nullptr;
};

/* A fabric of one's own: it moves, and frees at the end. */
class fabric : public fabric_view
{
  public:
    static returns<fabric> make(std::uint32_t gpus, std::uint32_t switches, const flux_env *env = nullptr)
    {
        flux_fabric *made = nullptr;
        int code = flux_fabric_new(env, gpus, switches, &made);
        return detail::give(code, nullptr, "no fabric: GPUs or switches are out of range, or memory is", adopt(made));
    }
#ifndef LIBFLUX_RESULTS
    fabric(std::uint32_t gpus, std::uint32_t switches, const flux_env *env = nullptr)
        : fabric(make(gpus, switches, env))
    {
    }
#endif
    /* Takes over an object of the C interface. */
    static fabric adopt(flux_fabric *made) noexcept
    {
        return fabric(made, adopted{});
    }
    fabric(fabric &&other) noexcept : fabric_view(other.fabric_), owner_(std::move(other.owner_))
    {
        other.fabric_ = nullptr;
    }
    fabric &operator=(fabric &&other) noexcept
    {
        if (this != &other) {
            owner_ = std::move(other.owner_);
            fabric_ = std::exchange(other.fabric_, nullptr);
        }
        return *this;
    }
    flux_fabric *get() const noexcept
    {
        return owner_.get();
    }

    returns<void> set_rule(std::uint32_t rule)
    {
        return detail::done(flux_fabric_set_rule(get(), rule), nullptr, "no such rule");
    }
    returns<void> set_rate(std::uint64_t rate, std::uint32_t gpu = FLUX_ALL_GPUS,
                           std::uint32_t switch_index = FLUX_ALL_SWITCHES)
    {
        return detail::done(flux_fabric_set_rate(get(), gpu, switch_index, rate), nullptr, "no rate");
    }
    returns<void> set_delay(std::int64_t delay, std::uint32_t switch_index = FLUX_ALL_SWITCHES)
    {
        return detail::done(flux_fabric_set_delay(get(), switch_index, delay), nullptr, "no delay");
    }
    returns<void> set_blocking(std::uint32_t blocking, std::uint32_t switch_index = FLUX_ALL_SWITCHES)
    {
        return detail::done(flux_fabric_set_blocking(get(), switch_index, blocking), nullptr, "no blocking");
    }
    returns<void> set_dwell(std::int64_t dwell, std::uint32_t switch_index = FLUX_ALL_SWITCHES)
    {
        return detail::done(flux_fabric_set_dwell(get(), switch_index, dwell), nullptr, "no dwell");
    }
    returns<void> set_dead(std::uint32_t gpu, std::uint32_t switch_index, bool dead = true)
    {
        return detail::done(flux_fabric_set_dead(get(), gpu, switch_index, dead ? 1u : 0u), nullptr, "no such port");
    }
    returns<void> set_forbidden(std::uint32_t switch_index, std::uint32_t src, std::uint32_t dst, bool forbidden = true)
    {
        int code = flux_fabric_set_forbidden(get(), switch_index, src, dst, forbidden ? 1u : 0u);
        return detail::done(code, nullptr, "no such circuit");
    }
    returns<void> add_initial(std::uint32_t switch_index, std::uint32_t src, std::uint32_t dst)
    {
        return detail::done(flux_fabric_add_initial(get(), switch_index, src, dst), nullptr, "no such circuit");
    }
    returns<void> set_propagation(std::int64_t time, std::uint32_t src = FLUX_ALL_GPUS,
                                  std::uint32_t dst = FLUX_ALL_GPUS)
    {
        return detail::done(flux_fabric_set_propagation(get(), src, dst, time), nullptr, "no propagation");
    }

  private:
    struct adopted {
    };
    fabric(flux_fabric *made, adopted) noexcept : fabric_view(made), owner_(made)
    {
    }

    detail::owner<flux_fabric, flux_fabric_free> owner_;
};

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
