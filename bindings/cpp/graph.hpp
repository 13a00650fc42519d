/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/graph.hpp - the workload in C++: see libflux/graph.h for what everything means.
 */
#ifndef LIBFLUX_GRAPH_HPP
#define LIBFLUX_GRAPH_HPP

#include "result.hpp"
#include "span.hpp"

#include <libflux/graph.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace libflux
{
inline namespace LIBFLUX_MODE
{

/* A graph to read from, somebody else's. */
class graph_view
{
  public:
    graph_view(const flux_graph *graph) noexcept : graph_(graph)
    {
    }
    const flux_graph *get() const noexcept
    {
        return graph_;
    }

    std::uint32_t gpus() const noexcept
    {
        return flux_graph_gpus(graph_);
    }
    std::uint32_t vertices() const noexcept
    {
        return flux_graph_vertices(graph_);
    }
    std::uint32_t sends() const noexcept /* how many vertices are sends */
    {
        return flux_graph_sends(graph_);
    }
    span<const flux_edge> edges() const noexcept /* until the graph changes */
    {
        std::uint64_t count = 0;
        const flux_edge *rows = flux_graph_edges(graph_, &count);
        return {rows, count};
    }
    bool is_send(std::uint32_t vertex) const noexcept
    {
        return flux_graph_is_send(graph_, vertex) == 1;
    }
    returns<flux_send> send(std::uint32_t vertex) const
    {
        flux_send row = {};
        int code = flux_graph_get_send(graph_, vertex, &row);
        return detail::give(code, nullptr, "the vertex is no send", row);
    }
    returns<flux_compute> compute(std::uint32_t vertex) const
    {
        flux_compute row = {};
        int code = flux_graph_get_compute(graph_, vertex, &row);
        return detail::give(code, nullptr, "the vertex is no compute", row);
    }
    std::string_view label(std::uint32_t vertex) const noexcept /* until the graph changes; empty where there is none */
    {
        return flux_graph_label(graph_, vertex);
    }
    returns<void> check() const /* an error that names a cycle, where there is one */
    {
        flux_error error = {};
        int code = flux_graph_check(graph_, &error);
        return detail::done(code, &error, "the edges close a cycle");
    }

  protected:
    graph_view() noexcept = default;
    const flux_graph *graph_ = nullptr;
};

/* A graph of one's own: it moves, and frees at the end. */
class graph : public graph_view
{
  public:
    /* An empty graph over `gpus` GPUs. */
    static returns<graph> make(std::uint32_t gpus, const flux_env *env = nullptr)
    {
        flux_graph *made = nullptr;
        int code = flux_graph_new(env, gpus, &made);
        return detail::give(code, nullptr, "no graph: the number of GPUs is out of range, or memory is", adopt(made));
    }
#ifndef LIBFLUX_RESULTS
    explicit graph(std::uint32_t gpus, const flux_env *env = nullptr) : graph(make(gpus, env))
    {
    }
#endif
    /* Takes over an object of the C interface. */
    static graph adopt(flux_graph *made) noexcept
    {
        return graph(made, adopted{});
    }
    graph(graph &&other) noexcept : graph_view(other.graph_), owner_(std::move(other.owner_))
    {
        other.graph_ = nullptr;
    }
    graph &operator=(graph &&other) noexcept
    {
        if (this != &other) {
            owner_ = std::move(other.owner_);
            graph_ = std::exchange(other.graph_, nullptr);
        }
        return *this;
    }
    flux_graph *get() const noexcept
    {
        return owner_.get();
    }

    /* The number of the new vertex. */
    returns<std::uint32_t> add_send(std::uint32_t src, std::uint32_t dst, std::uint64_t bytes)
    {
        std::uint32_t vertex = 0;
        int code = flux_graph_add_send(get(), src, dst, bytes, &vertex);
        return detail::give(code, nullptr, "no send: GPUs are different and below gpus(), bytes above 0", vertex);
    }
    returns<std::uint32_t> add_compute(std::uint32_t gpu, std::int64_t duration)
    {
        std::uint32_t vertex = 0;
        int code = flux_graph_add_compute(get(), gpu, duration, &vertex);
        return detail::give(code, nullptr, "no compute: the GPU or the duration is out of range", vertex);
    }
    returns<void> add_edge(std::uint32_t from, std::uint32_t to, std::int64_t lag = 0)
    {
        return detail::done(flux_graph_add_edge(get(), from, to, lag), nullptr,
                            "no edge: vertices are different and there, the lag is 0 or more");
    }
    /* In bulk, all or nothing: the number of the first new vertex, the others follow. */
    returns<std::uint32_t> add_sends(span<const flux_send> rows)
    {
        std::uint32_t first = 0;
        flux_error error = {};
        int code = flux_graph_add_sends(get(), rows.data(), rows.size(), sizeof(flux_send), &first, &error);
        return detail::give(code, &error, "no sends", first);
    }
    returns<std::uint32_t> add_computes(span<const flux_compute> rows)
    {
        std::uint32_t first = 0;
        flux_error error = {};
        int code = flux_graph_add_computes(get(), rows.data(), rows.size(), sizeof(flux_compute), &first, &error);
        return detail::give(code, &error, "no computes", first);
    }
    returns<void> add_edges(span<const flux_edge> rows)
    {
        flux_error error = {};
        int code = flux_graph_add_edges(get(), rows.data(), rows.size(), sizeof(flux_edge), &error);
        return detail::done(code, &error, "no edges");
    }
    returns<void> reserve(std::uint64_t vertices, std::uint64_t edges)
    {
        return detail::done(flux_graph_reserve(get(), vertices, edges), nullptr, "no room");
    }
    returns<void> set_duration(std::uint32_t vertex, std::int64_t duration)
    {
        return detail::done(flux_graph_set_duration(get(), vertex, duration), nullptr, "no duration");
    }
    returns<void> set_release(std::uint32_t vertex, std::int64_t time)
    {
        return detail::done(flux_graph_set_release(get(), vertex, time), nullptr, "no release");
    }
    returns<void> set_label(std::uint32_t vertex, const std::string &label)
    {
        return detail::done(flux_graph_set_label(get(), vertex, label.c_str()), nullptr, "no label");
    }

  private:
    struct adopted {
    };
    graph(flux_graph *made, adopted) noexcept : graph_view(made), owner_(made)
    {
    }

    detail::owner<flux_graph, flux_graph_free> owner_;
};

} // namespace LIBFLUX_MODE
} // namespace libflux

#endif
