/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/replan.hpp - an iteration that is under way, planned anew from where it stands: see libflux/replan.h.
 */
#ifndef LIBFLUX_REPLAN_HPP
#define LIBFLUX_REPLAN_HPP

#include "schedule.hpp"

#include <libflux/replan.h>

#include <cstdint>

namespace libflux
{
inline namespace LIBFLUX_MODE
{

using replan_summary = struct ::flux_replan_summary;

/* The whole iteration again, and what is left of it as a problem of its own. Rows and what is left live as long. */
class replan
{
  public:
    explicit replan(struct flux_replan *made) noexcept : owner_(made)
    {
    }
    /* `slots` are the old plan's; what has begun, what is up and what is late are in the options. */
    static returns<replan> make(graph_view graph, fabric_view fabric, span<const flux_slot> slots,
                                const flux_replan_options &options = FLUX_REPLAN_OPTIONS_INIT)
    {
        struct flux_replan *made = nullptr;
        flux_error error = {};
        int code = ::flux_replan(graph.get(), fabric.get(), slots.data(), slots.size(), &options, &made, &error);
        return detail::give(code, &error, "no replan", replan(made));
    }
    struct flux_replan *get() const noexcept
    {
        return owner_.get();
    }
    replan_summary summary() const noexcept
    {
        replan_summary summary = FLUX_REPLAN_SUMMARY_INIT;
        (void)::flux_replan_summary(get(), &summary);
        return summary;
    }
    span<const flux_slot> slots() const noexcept
    {
        std::uint64_t count = 0;
        const flux_slot *rows = flux_replan_slots(get(), &count);
        return {rows, count};
    }
    span<const flux_time> times() const noexcept
    {
        std::uint64_t count = 0;
        const flux_time *rows = flux_replan_times(get(), &count);
        return {rows, count};
    }
    /* What is left, on a clock that begins at summary().begin. */
    const flux_graph *rest_graph() const noexcept
    {
        return flux_replan_graph(get());
    }
    const flux_fabric *rest_fabric() const noexcept
    {
        return flux_replan_fabric(get());
    }
    const struct flux_schedule *rest_schedule() const noexcept
    {
        return flux_replan_schedule(get());
    }

  private:
    detail::owner<struct flux_replan, flux_replan_free> owner_;
};

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
