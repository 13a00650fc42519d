/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/flux.hpp - libflux for C++17: owners that move and free, spans over rows, errors as exceptions or as results.
 *
 *     #include <libflux/flux.hpp>
 *     using namespace libflux::literals;
 *
 *     libflux::graph graph(4);
 *     auto a = graph.add_send(0, 1, 64_MiB), b = graph.add_send(1, 2, 64_MiB);
 *     graph.add_edge(a, b, 10_us);
 *     libflux::fabric fabric(4, 2);
 *     fabric.set_delay(10_us);
 *     libflux::schedule schedule = libflux::solve(graph, fabric);
 *     for (const flux_slot &slot : schedule.slots()) ...
 *
 * Header-only: link libflux (-lflux), and for <libflux/io.hpp>, which this file does not include, libflux-io. What can
 * fail throws libflux::error, or with LIBFLUX_RESULTS defined before the first include returns libflux::result<T>, and
 * then nothing here throws. The two are different types, so that parts of a program may choose differently.
 * docs/cpp.md tells more.
 */
#ifndef LIBFLUX_FLUX_HPP
#define LIBFLUX_FLUX_HPP

#include "compare.hpp"
#include "demand.hpp"
#include "fabric.hpp"
#include "formulation.hpp"
#include "graph.hpp"
#include "program.hpp"
#include "replan.hpp"
#include "replay.hpp"
#include "result.hpp"
#include "schedule.hpp"
#include "span.hpp"
#include "units.hpp"

#endif
