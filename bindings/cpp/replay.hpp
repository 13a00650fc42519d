/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/replay.hpp - what a schedule does when compute is not as planned: see libflux/simulate.h.
 */
#ifndef LIBFLUX_REPLAY_HPP
#define LIBFLUX_REPLAY_HPP

#include "schedule.hpp"

#include <libflux/simulate.h>

#include <cstdint>

namespace libflux
{
inline namespace LIBFLUX_MODE
{

using replay_summary = struct flux_replay_summary;

/* A schedule, or a fixed cycle of switch states, read and checked once, to be run as often as one likes. Rows live
 * until the next run. One thread at a time. */
class replay
{
  public:
    explicit replay(flux_replay *made) noexcept : owner_(made)
    {
    }
    static returns<replay> make(graph_view graph, fabric_view fabric, span<const flux_slot> slots)
    {
        flux_replay *made = nullptr;
        flux_error error = {};
        int code = flux_replay_new(graph.get(), fabric.get(), slots.data(), slots.size(), &made, &error);
        return detail::give(code, &error, "no replay", replay(made));
    }
    /* `circuits` are those of the first state, then of the second, and so on. */
    static returns<replay> cycle(graph_view graph, fabric_view fabric, span<const flux_cycle_state> states,
                                 span<const flux_circuit_name> circuits)
    {
        flux_replay *made = nullptr;
        flux_error error = {};
        int code = flux_replay_new_cycle(graph.get(), fabric.get(), states.data(), states.size(), circuits.data(),
                                         circuits.size(), &made, &error);
        return detail::give(code, &error, "no replay", replay(made));
    }
    static returns<replay> rotor(graph_view graph, fabric_view fabric,
                                 const flux_rotor_options &options = FLUX_ROTOR_OPTIONS_INIT)
    {
        flux_replay *made = nullptr;
        flux_error error = {};
        int code = flux_replay_new_rotor(graph.get(), fabric.get(), &options, &made, &error);
        return detail::give(code, &error, "no replay", replay(made));
    }
    /* Packet switches with the same links. */
    static returns<replay> packet(graph_view graph, fabric_view fabric,
                                  const flux_packet_options &options = FLUX_PACKET_OPTIONS_INIT)
    {
        flux_replay *made = nullptr;
        flux_error error = {};
        int code = flux_replay_new_packet(graph.get(), fabric.get(), &options, &made, &error);
        return detail::give(code, &error, "no replay", replay(made));
    }
    flux_replay *get() const noexcept
    {
        return owner_.get();
    }
    /* One run; by the clock and as planned where nothing is said. */
    returns<replay_summary> run(const flux_replay_options &options = FLUX_REPLAY_OPTIONS_INIT)
    {
        replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
        flux_error error = {};
        int code = flux_replay_run(get(), &options, &error);
        if (!code)
            code = flux_replay_summary(get(), &summary);
        return detail::give(code, &error, "no run", summary);
    }
    span<const flux_time> times() const noexcept
    {
        std::uint64_t count = 0;
        const flux_time *rows = flux_replay_times(get(), &count);
        return {rows, count};
    }
    span<const std::int64_t> ready() const noexcept
    {
        std::uint64_t count = 0;
        const std::int64_t *rows = flux_replay_ready(get(), &count);
        return {rows, count};
    }
    span<const flux_replay_gpu> gpus() const noexcept
    {
        std::uint64_t count = 0;
        const flux_replay_gpu *rows = flux_replay_gpus(get(), &count);
        return {rows, count};
    }
    span<const flux_replay_part> parts() const noexcept /* of a cycle */
    {
        std::uint64_t count = 0;
        const flux_replay_part *rows = flux_replay_parts(get(), &count);
        return {rows, count};
    }
    /* NIC memory over time, a row for each change. */
    returns<span<const flux_replay_held>> memory()
    {
        const flux_replay_held *rows = nullptr;
        std::uint64_t count = 0;
        flux_error error = {};
        int code = flux_replay_memory(get(), &rows, &count, &error);
        return detail::give(code, &error, "no run", span<const flux_replay_held>(rows, count));
    }

  private:
    detail::owner<flux_replay, flux_replay_free> owner_;
};

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
