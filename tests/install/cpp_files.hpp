/* SPDX-License-Identifier: Apache-2.0
 *
 * What <libflux/io.hpp> offers, used: a part of cpp_use.cpp.
 */
#ifndef CPP_FILES_HPP
#define CPP_FILES_HPP

#include "cpp_expect.hpp"

static void files(const std::string &folder)
{
    libflux::graph graph = two_sends();
    libflux::fabric fabric = two_switches();
    libflux::schedule schedule = GET(libflux::solve(graph, fabric));
    const std::string path = folder + "/all.yaml";
    DO(libflux::write_document(path, graph, fabric, &schedule));
    DO(libflux::write_csv(folder + "/a.csv", graph, schedule));
    DO(libflux::write_perfetto(folder + "/a.json", graph, fabric, schedule));
    DO(libflux::write_svg(folder + "/a.svg", graph, fabric, schedule));
    libflux::imported file = GET(libflux::imported::read(path));
    expect("a document reads back", std::string(file.format()) == "native" && file.has_graph() && file.has_fabric() &&
                                        file.slots().size() == 2 && file.count("makespan") == 1352177280 &&
                                        file.warnings() == 0);
    expect("and checks", GET(libflux::check(file.graph(), file.fabric(), file.slots())) == 1352177280);
    expect("its certificate",
           file.has_certificate() && GET(file.certificate().check(file.graph(), file.fabric())) == 1352177280);
    for (std::uint64_t i = 0; i < file.notes(); i++)
        expect("a note", file.note(i)[0] != '\0');
    libflux::graph taken = GET(file.take_graph());
    expect("a graph is taken once",
           taken.vertices() == 2 && !file.has_graph() && CODE(file.take_graph()) == FLUX_E_MISMATCH);
    expect("no such file", CODE(libflux::imported::read(folder + "/nowhere")) == FLUX_E_IO);
    expect("no such folder", CODE_OF_ACTION(libflux::write_csv(folder + "/no/where", taken, schedule)) == FLUX_E_IO);
}

static void traces(const std::string &folder)
{
    libflux::graph graph = two_sends();
    libflux::schedule schedule = GET(libflux::solve(graph, two_switches()));
    expect("Chakra, rounded by nothing", GET(libflux::write_chakra(folder + "/t", graph, &schedule)) == 0 &&
                                             GET(libflux::write_chakra(folder + "/t", graph)) == 0);
    expect("GOAL too", GET(libflux::write_goal(folder + "/a.goal", graph)) == 0);
    for (const std::string &path : {folder + "/t", folder + "/a.goal"}) {
        libflux::imported file = GET(libflux::imported::read(path));
        expect("a trace reads back", flux_graph_sends(file.graph().get()) >= 2 && !file.has_certificate());
    }
    DO(libflux::write_dot(folder + "/a.dot", graph));
    DO(libflux::write_networkx(folder + "/n.json", graph));
    expect("a program in a file", GET(libflux::write_model(folder + "/a.lp", graph, two_switches())).columns > 0);
    expect("no such folder for a trace", CODE(libflux::write_goal(folder + "/no/a.goal", graph)) == FLUX_E_IO);
    libflux::names names = GET(libflux::names::make(graph));
    expect("ids", std::string(names.of(1)) == "v1" && names.find("v1") == 1 && names.find("v9") == FLUX_NONE);
}

static void runs(const std::string &folder)
{
    libflux::graph graph = two_sends();
    libflux::fabric fabric = two_switches();
    libflux::replay replay = GET(libflux::replay::rotor(graph, fabric));
    expect("nothing to write yet",
           CODE_OF_ACTION(libflux::write_replay(folder + "/r.csv", graph, replay)) == FLUX_E_ARGUMENT);
    GET(replay.run());
    DO(libflux::write_replay(folder + "/r.csv", graph, replay));
    DO(libflux::write_replay_memory(folder + "/m.csv", replay));
    DO(libflux::write_replay_perfetto(folder + "/r.json", graph, fabric, replay));
    libflux::comparison ours = GET(libflux::compare(graph, fabric, FLUX_SCHEDULER_FLUX));
    DO(libflux::write_comparisons(folder + "/c.csv", {{ours.get(), 10_us, 0}}));
}

static void matrices(const std::string &folder)
{
    const std::vector<std::int64_t> demand = {0, 3_us, 5_us, 0};
    DO(libflux::write_matrix(folder + "/a.mtx", demand));
    libflux::matrices read = GET(libflux::matrices::read(folder + "/a.mtx"));
    expect("a matrix reads back", read.size() == 1 && read.ports() == 2 && read.are_times() &&
                                      read.entries(0).size() == 2 && read.entries(0)[1].value == 5_us &&
                                      read.entries(7).empty());
    expect("no square to write",
           CODE_OF_ACTION(libflux::write_matrix(folder + "/b.mtx", {0, 1, 2})) == FLUX_E_ARGUMENT);
    libflux::demand_plan plan = GET(libflux::demand_plan::make(demand, 1, 1_us));
    DO(libflux::write_demand(folder + "/d.csv", {plan.get(), plan.get()}, 2));
}

static void models()
{
    flux_generate_options options = FLUX_GENERATE_OPTIONS_INIT;
    options.model = "llama3-8b";
    options.tensor = 2;
    options.layers = 1;
    expect("a model", GET(libflux::generate(options)).graph().gpus() == 2);
    std::vector<flux_operation> operations = GET(libflux::operations(options));
    expect("its operations", operations.size() > 5 && operations[0].name[0] && operations[0].time > 0);
    options.model = "no such";
    expect("no such model", CODE(libflux::generate(options)) == FLUX_E_ARGUMENT &&
                                CODE(libflux::operations(options)) == FLUX_E_ARGUMENT);
}

#endif
