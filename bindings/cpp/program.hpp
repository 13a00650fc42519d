/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/program.hpp - a schedule run step by step, for simulators and controllers: see libflux/program.h.
 */
#ifndef LIBFLUX_PROGRAM_HPP
#define LIBFLUX_PROGRAM_HPP

#include "schedule.hpp"

#include <libflux/program.h>

#include <cstdint>
#include <optional>

namespace libflux
{
inline namespace LIBFLUX_MODE
{

/* By the clock: step(), peek(), seek(), up(), next_change(). In order: take(), done(), left(), restart(). Neither asks
 * for memory. One thread at a time. */
class program
{
  public:
    explicit program(flux_program *made) noexcept : owner_(made)
    {
    }
    static returns<program> make(graph_view graph, fabric_view fabric, const schedule &plan)
    {
        flux_program *made = nullptr;
        flux_error error = {};
        int code = flux_program_new(graph.get(), fabric.get(), plan.get(), &made, &error);
        return detail::give(code, &error, "no program", program(made));
    }
    flux_program *get() const noexcept
    {
        return owner_.get();
    }
    span<const flux_circuit> circuits() const noexcept
    {
        std::uint64_t count = 0;
        const flux_circuit *rows = flux_program_circuits(get(), &count);
        return {rows, count};
    }
    std::uint32_t circuit_of(std::uint32_t send) const noexcept /* a row; FLUX_NONE where there is none */
    {
        return flux_program_circuit_of(get(), send);
    }

    std::optional<flux_event> step() noexcept /* the next event, and the clock moves to it */
    {
        flux_event event;
        return flux_program_step(get(), &event) == 1 ? std::optional<flux_event>(event) : std::nullopt;
    }
    std::optional<flux_event> peek() const noexcept
    {
        flux_event event;
        return flux_program_peek(get(), &event) == 1 ? std::optional<flux_event>(event) : std::nullopt;
    }
    returns<void> seek(std::int64_t time) /* behind the last event at `time` or before; -1: before all */
    {
        return detail::done(flux_program_seek(get(), time), nullptr, "no such time");
    }
    span<const std::uint32_t> up(std::uint32_t switch_index) const noexcept /* rows, until the clock moves */
    {
        std::uint32_t count = 0;
        const std::uint32_t *rows = flux_program_up(get(), switch_index, &count);
        return {rows, count};
    }
    std::int64_t next_change(std::uint32_t switch_index = FLUX_ALL_SWITCHES) const noexcept /* INT64_MAX: none */
    {
        return flux_program_next_change(get(), switch_index);
    }

    void restart() noexcept
    {
        flux_program_restart(get());
    }
    std::optional<flux_event> take() noexcept /* the next action that nothing holds back */
    {
        flux_event action;
        return flux_program_take(get(), &action) == 1 ? std::optional<flux_event>(action) : std::nullopt;
    }
    returns<void> done(const flux_event &action, std::int64_t time)
    {
        return detail::done(flux_program_done(get(), action.kind, action.item, time), nullptr,
                            "the action was not taken, is done already, or cannot be done as early as that");
    }
    std::uint64_t left() const noexcept /* actions that are not done yet */
    {
        return flux_program_left(get());
    }

  private:
    detail::owner<flux_program, flux_program_free> owner_;
};

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
