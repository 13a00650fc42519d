/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/schedule.hpp - solve(), bound() and check() in C++: see libflux/schedule.h for what everything means.
 */
#ifndef LIBFLUX_SCHEDULE_HPP
#define LIBFLUX_SCHEDULE_HPP

#include "fabric.hpp"
#include "graph.hpp"

#include <libflux/schedule.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#ifndef LIBFLUX_RESULTS
#include <exception>
#endif

namespace libflux
{
inline namespace LIBFLUX_MODE
{

/* A flag that stops a run from another thread. */
class cancel
{
  public:
    static returns<cancel> make(const flux_env *env = nullptr)
    {
        flux_cancel *made = nullptr;
        int code = flux_cancel_new(env, &made);
        return detail::give(code, nullptr, "no flag", cancel(made));
    }
#ifndef LIBFLUX_RESULTS
    cancel() : cancel(make())
    {
    }
#endif
    explicit cancel(flux_cancel *made) noexcept : owner_(made)
    {
    }
    flux_cancel *get() const noexcept
    {
        return owner_.get();
    }
    void request() const noexcept
    {
        flux_cancel_request(get());
    }
    void reset() const noexcept
    {
        flux_cancel_reset(get());
    }
    bool requested() const noexcept
    {
        return flux_cancel_requested(get()) != 0;
    }

  private:
    detail::owner<flux_cancel, flux_cancel_free> owner_;
};

/* What the caller may want. `raw` has the plain values: gap_ppm, seed, work_limit, exact, backend_name and so on. */
struct options {
    flux_options raw = FLUX_OPTIONS_INIT;
    std::vector<std::pair<std::string, std::string>> parameters; /* {"glpk.mip_gap", "0.01"} */
    std::function<bool(const flux_progress &)> progress;         /* true: stop, keep the best */

    options &time_limit(std::chrono::nanoseconds limit) noexcept
    {
        raw.time_limit_ns = limit.count() > 0 ? static_cast<std::uint64_t>(limit.count()) : 1;
        return *this;
    }
    options &second(std::uint32_t objectives) noexcept /* FLUX_OBJECTIVE_* */
    {
        raw.objectives = objectives;
        return *this;
    }
    options &cancel_with(const cancel &flag) noexcept
    {
        raw.cancel = flag.get();
        return *this;
    }
};

/* Why no schedule can be faster: to read from, somebody else's. */
class certificate_view
{
  public:
    certificate_view(const flux_certificate *certificate) noexcept : certificate_(certificate)
    {
    }
    const flux_certificate *get() const noexcept
    {
        return certificate_;
    }
    std::uint32_t kind() const noexcept /* FLUX_CERTIFICATE_* */
    {
        return flux_certificate_kind(certificate_);
    }
    const char *kind_name() const noexcept
    {
        return flux_certificate_kind_name(kind());
    }
    std::int64_t bound() const noexcept
    {
        return flux_certificate_bound(certificate_);
    }
    std::uint32_t gpu() const noexcept /* FLUX_NONE where none */
    {
        return flux_certificate_gpu(certificate_);
    }
    std::uint32_t side() const noexcept /* FLUX_SIDE_* */
    {
        return flux_certificate_side(certificate_);
    }
    std::int64_t head() const noexcept
    {
        return flux_certificate_head(certificate_);
    }
    std::int64_t tail() const noexcept
    {
        return flux_certificate_tail(certificate_);
    }
    span<const std::uint32_t> vertices() const noexcept
    {
        std::uint64_t count = 0;
        const std::uint32_t *rows = flux_certificate_vertices(certificate_, &count);
        return {rows, count};
    }
    span<const flux_lift> lifts() const noexcept
    {
        std::uint64_t count = 0;
        const flux_lift *rows = flux_certificate_lifts(certificate_, &count);
        return {rows, count};
    }
    /* Recomputes the number from graph and fabric alone. */
    returns<std::int64_t> check(graph_view graph, fabric_view fabric) const
    {
        std::int64_t number = 0;
        flux_error error = {};
        int code = flux_certificate_check(graph.get(), fabric.get(), certificate_, &number, &error);
        return detail::give(code, &error, "the certificate does not hold", number);
    }

  protected:
    const flux_certificate *certificate_ = nullptr;
};

/* A certificate of one's own, from bound() or from somebody else's parts. */
class certificate : public certificate_view
{
  public:
    explicit certificate(flux_certificate *made) noexcept : certificate_view(made), owner_(made)
    {
    }
    /* Nothing is believed of it: check() tells whether it holds. */
    static returns<certificate> make(const flux_certificate_parts &parts, const flux_env *env = nullptr)
    {
        flux_certificate *made = nullptr;
        flux_error error = {};
        int code = flux_certificate_new(env, &parts, &made, &error);
        return detail::give(code, &error, "no certificate", certificate(made));
    }

  private:
    detail::owner<flux_certificate, flux_certificate_free> owner_;
};

/* Which send, on which switch, when. It was checked, and never changes. What it gives lives as long as it does. */
class schedule
{
  public:
    /* Takes over an object of the C interface. */
    explicit schedule(struct flux_schedule *made) noexcept : owner_(made)
    {
    }
    /* From anyone's slots, checked. */
    static returns<schedule> from_slots(graph_view graph, fabric_view fabric, span<const flux_slot> slots)
    {
        struct flux_schedule *made = nullptr;
        flux_error error = {};
        int code = flux_schedule_from_slots(graph.get(), fabric.get(), slots.data(), slots.size(), &made, &error);
        return detail::give(code, &error, "no schedule", schedule(made));
    }
    const struct flux_schedule *get() const noexcept
    {
        return owner_.get();
    }
    bool optimal() const noexcept
    {
        return flux_schedule_status(get()) == FLUX_OPTIMAL;
    }
    std::int64_t makespan() const noexcept
    {
        return flux_schedule_makespan(get());
    }
    std::int64_t bound() const noexcept
    {
        return flux_schedule_bound(get());
    }
    double gap() const noexcept /* how far this can be from the best, as a fraction of the bound */
    {
        return bound() > 0 ? static_cast<double>(makespan() - bound()) / static_cast<double>(bound()) : 0.0;
    }
    certificate_view certificate() const noexcept
    {
        return flux_schedule_certificate(get());
    }
    std::uint64_t reconfigurations() const noexcept
    {
        return flux_schedule_reconfigurations(get());
    }
    span<const flux_slot> slots() const noexcept
    {
        std::uint64_t count = 0;
        const flux_slot *rows = flux_schedule_slots(get(), &count);
        return {rows, count};
    }
    span<const flux_circuit> circuits() const noexcept /* what a controller runs */
    {
        std::uint64_t count = 0;
        const flux_circuit *rows = flux_schedule_circuits(get(), &count);
        return {rows, count};
    }
    span<const flux_time> times() const noexcept /* by vertex */
    {
        std::uint64_t count = 0;
        const flux_time *rows = flux_schedule_times(get(), &count);
        return {rows, count};
    }
    returns<flux_statistics> statistics() const
    {
        flux_statistics row = FLUX_STATISTICS_INIT;
        int code = flux_schedule_statistics(get(), &row);
        return detail::give(code, nullptr, "no statistics", row);
    }

  private:
    detail::owner<struct flux_schedule, flux_schedule_free> owner_;
};

namespace detail
{

/* Stands between the library, which knows no exceptions, and a function that may throw. */
struct watch {
    const std::function<bool(const flux_progress &)> &progress;
#ifndef LIBFLUX_RESULTS
    std::exception_ptr thrown = nullptr;
#endif

    static int told(void *user, const flux_progress *row) noexcept
    {
        watch *self = static_cast<watch *>(user);
#ifndef LIBFLUX_RESULTS
        try {
            return self->progress(*row) ? 1 : 0;
        } catch (...) {
            self->thrown = std::current_exception();
            return 1;
        }
#else
        return self->progress(*row) ? 1 : 0;
#endif
    }
};

} // namespace detail

/* Schedules a graph on a fabric. What options.progress throws ends the search and comes out of here. */
inline returns<schedule> solve(graph_view graph, fabric_view fabric, const options &wanted = {})
{
    flux_options raw = wanted.raw;
    std::vector<flux_parameter> parameters;
    for (const auto &parameter : wanted.parameters)
        parameters.push_back({parameter.first.c_str(), parameter.second.c_str()});
    if (!parameters.empty()) {
        raw.parameters = parameters.data();
        raw.parameter_count = parameters.size();
    }
    detail::watch watch{wanted.progress};
    if (wanted.progress) {
        raw.progress = &detail::watch::told;
        raw.progress_user = &watch;
    }
    struct flux_schedule *made = nullptr;
    flux_error error = {};
    int code = flux_schedule(graph.get(), fabric.get(), &raw, &made, &error);
    schedule result(made);
#ifndef LIBFLUX_RESULTS
    if (watch.thrown)
        std::rethrow_exception(watch.thrown);
#endif
    return detail::give(code, &error, "no schedule", std::move(result));
}

/* The best lower bound that is found without scheduling. */
inline returns<certificate> bound(graph_view graph, fabric_view fabric)
{
    flux_certificate *made = nullptr;
    flux_error error = {};
    int code = flux_bound(graph.get(), fabric.get(), &made, &error);
    return detail::give(code, &error, "no bound", certificate(made));
}

/* The makespan of anyone's slots; an error with the first violation. */
inline returns<std::int64_t> check(graph_view graph, fabric_view fabric, span<const flux_slot> slots)
{
    std::int64_t makespan = 0;
    flux_error error = {};
    int code = flux_check(graph.get(), fabric.get(), slots.data(), slots.size(), &makespan, &error);
    return detail::give(code, &error, "no schedule", makespan);
}

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
