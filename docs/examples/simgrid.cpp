/* SPDX-License-Identifier: Apache-2.0
 *
 * simgrid.cpp TRACE: a schedule inside a SimGrid simulation. Each action of the program is an actor; sends are flows on
 * the links of their circuits, so that SimGrid's network decides how long they take, and the program what comes next.
 * A simulated second stands for a microsecond: SimGrid's doubles then resolve well below the library's picosecond.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <libflux/flux.h>
#include <libflux/io/import.h>
#include <simgrid/s4u.hpp>
#include <string>

namespace sg4 = simgrid::s4u;

static struct flux_program *program;
static const struct flux_graph *graph;
static const struct flux_fabric *fabric;

static std::string port(uint32_t gpu, uint32_t k)
{
    return std::to_string(gpu) + "." + std::to_string(k);
}

static void begin_what_may();

/* Bytes that take as long as the plan says at the circuit's rate; times 1000, as SimGrid counts whole bytes. */
static uint64_t amount(const struct flux_event &action, const struct flux_send &send)
{
    uint64_t rate = std::min(flux_fabric_rate(fabric, send.src, action.switch_index),
                             flux_fabric_rate(fabric, send.dst, action.switch_index));
    double bytes = send.duration ? static_cast<double>(send.duration) * 1e-12 * static_cast<double>(rate) / 8
                                 : static_cast<double>(send.bytes);
    return static_cast<uint64_t>(std::llround(bytes * 1000));
}

static void act(struct flux_event action)
{
    sg4::this_actor::sleep_until(static_cast<double>(action.time) * 1e-6);
    if (action.kind == FLUX_EVENT_START) {
        struct flux_send send;
        flux_graph_get_send(graph, action.item, &send);
        sg4::Comm::sendto(sg4::Host::by_name(port(send.src, action.switch_index)),
                          sg4::Host::by_name(port(send.dst, action.switch_index)), amount(action, send));
    } else { /* a change of circuits, or compute */
        sg4::this_actor::sleep_for(static_cast<double>(action.duration) * 1e-6);
    }
    int64_t now = std::llround(sg4::Engine::get_clock() * 1e6);
    flux_program_done(program, action.kind, action.item, std::max(now, action.time));
    begin_what_may();
}

static void begin_what_may()
{
    struct flux_event action;
    while (flux_program_take(program, &action))
        sg4::Actor::create("action", sg4::Host::by_name(port(0, 0)), act, action);
}

static void build_platform()
{
    sg4::NetZone *zone = sg4::create_full_zone("fabric");
    for (uint32_t k = 0; k < flux_fabric_switches(fabric); k++)
        for (uint32_t gpu = 0; gpu < flux_fabric_gpus(fabric); gpu++)
            zone->create_host(port(gpu, k), 1.0);
    for (uint32_t k = 0; k < flux_fabric_switches(fabric); k++)
        for (uint32_t src = 0; src < flux_fabric_gpus(fabric); src++)
            for (uint32_t dst = 0; dst < flux_fabric_gpus(fabric); dst++) {
                if (src == dst)
                    continue;
                uint64_t rate = std::min(flux_fabric_rate(fabric, src, k), flux_fabric_rate(fabric, dst, k));
                sg4::Link *link =
                    zone->create_link(port(src, k) + ">" + port(dst, k), static_cast<double>(rate) / 8 * 1e-6 * 1000);
                link->set_latency(0)->seal();
                zone->add_route(sg4::Host::by_name(port(src, k))->get_netpoint(),
                                sg4::Host::by_name(port(dst, k))->get_netpoint(), nullptr, nullptr,
                                {sg4::LinkInRoute(link)}, false);
            }
    zone->seal();
}

int main(int argc, char **argv)
{
    sg4::Engine engine(&argc, argv);
    for (const char *setting : {"network/model:CM02", "network/TCP-gamma:0", "network/bandwidth-factor:1",
                                "network/crosstraffic:0", "contexts/stack-size:64"})
        sg4::Engine::set_config(setting);
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_fabric *made;
    struct flux_schedule *schedule;
    struct flux_error error;
    if (argc != 2) {
        std::fprintf(stderr, "usage: simgrid TRACE\n");
        return 2;
    }
    options.scale_num = 2; /* the trace counts elements of two bytes */
    options.scale_den = 1;
    if (flux_import(nullptr, argv[1], &options, &import, &error)) {
        std::fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    graph = flux_import_graph(import);
    flux_fabric_new(nullptr, flux_graph_gpus(graph), 2, &made);
    flux_fabric_set_delay(made, FLUX_ALL_SWITCHES, 10 * FLUX_US);
    fabric = made;
    if (flux_schedule(graph, fabric, nullptr, &schedule, &error) ||
        flux_program_new(graph, fabric, schedule, &program, &error)) {
        std::fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    build_platform();
    begin_what_may();
    engine.run();
    std::printf("planned %.6f us, simulated %.6f us, %llu actions left\n",
                static_cast<double>(flux_schedule_makespan(schedule)) * 1e-6, sg4::Engine::get_clock(),
                static_cast<unsigned long long>(flux_program_left(program)));
    flux_program_free(program);
    flux_schedule_free(schedule);
    flux_fabric_free(made);
    flux_import_free(import);
    return 0;
}
