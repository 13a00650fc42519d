/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/write.hpp - graphs, fabrics, schedules and what came of them to files, in C++: see libflux/io/write.h. A
 * program that uses it links libflux-io.
 */
#ifndef LIBFLUX_WRITE_HPP
#define LIBFLUX_WRITE_HPP

#include "replay.hpp"
#include "schedule.hpp"

#include <libflux/io/write.h>

#include <cstdint>
#include <string>

namespace libflux
{
inline namespace LIBFLUX_MODE
{

/* Parts are nullptr where they are not to be written. */
inline returns<void> write_document(const std::string &path, graph_view graph, fabric_view fabric,
                                    const schedule *plan = nullptr)
{
    flux_error error = {};
    int code = flux_write_document(path.c_str(), graph.get(), fabric.get(), plan ? plan->get() : nullptr, &error);
    return detail::done(code, &error, "nothing was written");
}

inline returns<void> write_csv(const std::string &path, graph_view graph, const schedule &plan)
{
    flux_error error = {};
    return detail::done(flux_write_csv(path.c_str(), graph.get(), plan.get(), &error), &error, "nothing was written");
}

inline returns<void> write_perfetto(const std::string &path, graph_view graph, fabric_view fabric, const schedule &plan)
{
    flux_error error = {};
    int code = flux_write_perfetto(path.c_str(), graph.get(), fabric.get(), plan.get(), &error);
    return detail::done(code, &error, "nothing was written");
}

inline returns<void> write_svg(const std::string &path, graph_view graph, fabric_view fabric, const schedule &plan,
                               const flux_svg_options &options = FLUX_SVG_OPTIONS_INIT)
{
    flux_error error = {};
    int code = flux_write_svg(path.c_str(), graph.get(), fabric.get(), plan.get(), &options, &error);
    return detail::done(code, &error, "nothing was written");
}

/* Chakra execution traces, PREFIX.0.et and so on, with the order of a schedule where one is given; by how many ps in
 * sum times were rounded to whole microseconds. */
inline returns<std::int64_t> write_chakra(const std::string &prefix, graph_view graph, const schedule *plan = nullptr)
{
    std::int64_t rounded = 0;
    flux_error error = {};
    int code = flux_write_chakra(prefix.c_str(), graph.get(), plan ? plan->get() : nullptr, &rounded, &error);
    return detail::give(code, &error, "nothing was written", rounded);
}

/* GOAL text; by how many ps in sum times were rounded to whole nanoseconds. */
inline returns<std::int64_t> write_goal(const std::string &path, graph_view graph)
{
    std::int64_t rounded = 0;
    flux_error error = {};
    int code = flux_write_goal(path.c_str(), graph.get(), &rounded, &error);
    return detail::give(code, &error, "nothing was written", rounded);
}

inline returns<void> write_networkx(const std::string &path, graph_view graph)
{
    flux_error error = {};
    return detail::done(flux_write_networkx(path.c_str(), graph.get(), &error), &error, "nothing was written");
}

inline returns<void> write_dot(const std::string &path, graph_view graph)
{
    flux_error error = {};
    return detail::done(flux_write_dot(path.c_str(), graph.get(), &error), &error, "nothing was written");
}

/* The program that formulate() gives as text, into a file. */
inline returns<flux_formulation_summary> write_model(const std::string &path, graph_view graph, fabric_view fabric,
                                                     std::uint32_t formulation = FLUX_FORMULATION_TIGHT,
                                                     std::uint32_t format = FLUX_FORMAT_LP)
{
    flux_formulation_summary summary = FLUX_FORMULATION_SUMMARY_INIT;
    flux_error error = {};
    int code = flux_write_model(path.c_str(), graph.get(), fabric.get(), formulation, format, &summary, &error);
    return detail::give(code, &error, "nothing was written", summary);
}

/* The last run of a replay: a row per send; NIC memory, a row per change; a trace for Perfetto. */
inline returns<void> write_replay(const std::string &path, graph_view graph, const replay &run)
{
    flux_error error = {};
    return detail::done(flux_write_replay(path.c_str(), graph.get(), run.get(), &error), &error, "nothing was written");
}

inline returns<void> write_replay_memory(const std::string &path, replay &run)
{
    flux_error error = {};
    return detail::done(flux_write_replay_memory(path.c_str(), run.get(), &error), &error, "nothing was written");
}

inline returns<void> write_replay_perfetto(const std::string &path, graph_view graph, fabric_view fabric, replay &run)
{
    flux_error error = {};
    int code = flux_write_replay_perfetto(path.c_str(), graph.get(), fabric.get(), run.get(), &error);
    return detail::done(code, &error, "nothing was written");
}

/* Rows are {comparison.get(), delay, bound}: see libflux/io/write.h. */
inline returns<void> write_comparisons(const std::string &path, span<const flux_compared> rows)
{
    flux_error error = {};
    int code = flux_write_comparisons(path.c_str(), rows.data(), rows.size(), &error);
    return detail::done(code, &error, "nothing was written");
}

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
