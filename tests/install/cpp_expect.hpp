/* SPDX-License-Identifier: Apache-2.0
 *
 * What the uses of bindings/cpp share: a line per expectation, both ways of telling errors, and problems.
 */
#ifndef CPP_EXPECT_HPP
#define CPP_EXPECT_HPP

#ifdef INSTALLED
#include <libflux/flux.hpp>
#include <libflux/io.hpp>
#else
#include "flux.hpp"
#include "io.hpp"
#endif

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

using namespace libflux::literals;

static int failures = 0;

static void expect(const char *what, bool holds)
{
    std::printf("%s %s\n", holds ? "ok" : "not ok", what);
    failures += !holds;
}

#ifdef LIBFLUX_RESULTS
#define GET(call) (call).value()
template <class Call> static int code_of(Call call)
{
    auto result = call();
    return result ? 0 : result.error().code();
}
#else
#define GET(call) (call)
template <class Call> static int code_of(Call call)
{
    try {
        static_cast<void>(call());
    } catch (const libflux::error &error) {
        return error.code();
    }
    return 0;
}
#endif
#define CODE(call) code_of([&] { return call; })

/* void in exceptions mode, a result to be looked at in the other. */
#ifdef LIBFLUX_RESULTS
#define DO(call) expect(#call, static_cast<bool>(call))
#define CODE_OF_ACTION(call) CODE(call)
#else
#define DO(call) (call)
#define CODE_OF_ACTION(call) code_of([&] { return (call), 0; })
#endif

static libflux::graph two_sends()
{
    libflux::graph graph = GET(libflux::graph::make(4));
    std::uint32_t a = GET(graph.add_send(0, 1, 64_MiB)), b = GET(graph.add_send(1, 2, 64_MiB));
    DO(graph.add_edge(a, b, 10_us));
    return graph;
}

static libflux::fabric two_switches()
{
    libflux::fabric fabric = GET(libflux::fabric::make(4, 2));
    DO(fabric.set_delay(10_us));
    return fabric;
}

static libflux::graph crowded()
{
    libflux::graph graph = GET(libflux::graph::make(4));
    for (std::uint32_t i = 0; i < 60; i++)
        GET(graph.add_send(i % 4, (i + 1 + i / 4 % 3) % 4, 100000 + i * 977));
    return graph;
}

#endif
