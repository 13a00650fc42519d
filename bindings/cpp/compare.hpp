/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/compare.hpp - what an iteration takes under other schedulers, in C++: see libflux/compare.h.
 */
#ifndef LIBFLUX_COMPARE_HPP
#define LIBFLUX_COMPARE_HPP

#include "schedule.hpp"

#include <libflux/compare.h>

#include <cstdint>

namespace libflux
{
inline namespace LIBFLUX_MODE
{

using comparison_summary = struct flux_comparison_summary;

/* What one scheduler did to one graph on one fabric. What it gives lives as long as it does. */
class comparison
{
  public:
    explicit comparison(flux_comparison *made) noexcept : owner_(made)
    {
    }
    const flux_comparison *get() const noexcept
    {
        return owner_.get();
    }
    comparison_summary summary() const noexcept
    {
        comparison_summary summary = FLUX_COMPARISON_SUMMARY_INIT;
        (void)flux_comparison_summary(get(), &summary);
        return summary;
    }
    const char *note() const noexcept /* what was chosen, or why the scheduler does not apply */
    {
        return flux_comparison_note(get());
    }
    const struct flux_schedule *schedule() const noexcept /* nullptr where it makes none */
    {
        return flux_comparison_schedule(get());
    }
    const flux_replay *replay() const noexcept /* the run that was measured; nullptr where it does not apply */
    {
        return flux_comparison_replay(get());
    }
    span<const flux_time> times() const noexcept /* by vertex */
    {
        std::uint64_t count = 0;
        const flux_time *rows = replay() ? flux_replay_times(replay(), &count) : nullptr;
        return {rows, count};
    }

  private:
    detail::owner<flux_comparison, flux_comparison_free> owner_;
};

/* Runs one scheduler, FLUX_SCHEDULER_*. That it does not apply is no error: the summary and the note say so. */
inline returns<comparison> compare(graph_view graph, fabric_view fabric, std::uint32_t scheduler,
                                   const flux_compare_options &options = FLUX_COMPARE_OPTIONS_INIT)
{
    flux_comparison *made = nullptr;
    flux_error error = {};
    int code = flux_compare(graph.get(), fabric.get(), scheduler, &options, &made, &error);
    return detail::give(code, &error, "no comparison", comparison(made));
}

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
