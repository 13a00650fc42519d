/* SPDX-License-Identifier: Apache-2.0
 *
 * What bindings/cpp offers, used: compiled with exceptions, and with LIBFLUX_RESULTS without them. One argument: a
 * folder to write into.
 */
#include "cpp_expect.hpp"
#include "cpp_files.hpp"

template <class T>
constexpr bool owns = std::is_nothrow_move_constructible_v<T> &&std::is_nothrow_move_assignable_v<T> &&
                      !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
static_assert(owns<libflux::graph> && owns<libflux::fabric> && owns<libflux::schedule> && owns<libflux::certificate>);
static_assert(owns<libflux::replan> && owns<libflux::comparison> && owns<libflux::matrices> && owns<libflux::names>);
static_assert(owns<libflux::replay> && owns<libflux::demand_plan> && owns<libflux::imported> && owns<libflux::cancel> &&
              owns<libflux::program>);
static_assert(10_us == 10 * FLUX_US && 64_MiB == std::uint64_t{64} << 20 && 800_Gbps == FLUX_RATE_DEFAULT);

static void graphs()
{
    libflux::graph graph = two_sends();
    DO(graph.reserve(10, 10));
    std::vector<flux_send> rows = {{0, 1, 5, 0, 0}, {2, 3, 6, 7, 8}};
    expect("sends of a vector", GET(graph.add_sends(rows)) == 2 && graph.vertices() == 4);
    expect("sends of a list", GET(graph.add_sends({{3, 2, 9, 0, 0}})) == 4);
    expect("no sends", GET(graph.add_sends({})) == 5 || graph.vertices() == 5);
    std::array<flux_compute, 1> computes = {{{1, 0, 5, 0}}};
    std::uint32_t compute = GET(graph.add_computes(computes));
    const flux_edge edges[] = {{2, 3, 1}, {3, compute, 2}};
    DO(graph.add_edges(edges));
    DO(graph.set_label(compute, "thinking"));
    DO(graph.set_release(compute, 3));
    DO(graph.set_duration(compute, 6));
    const flux_compute row = GET(graph.compute(compute));
    expect("a compute reads back", row.gpu == 1 && row.duration == 6 && row.release == 3);
    expect("a send reads back", GET(graph.send(3)).release == 8 && graph.is_send(3) && !graph.is_send(compute));
    expect("edges read back", graph.edges().size() == 3 && graph.edges()[2].lag == 2 && graph.edges().back().lag == 2);
    expect("labels read back", graph.label(compute) == "thinking" && graph.label(0).empty());
    expect("counts", graph.gpus() == 4 && graph.sends() == 5);
    expect("a bad send", CODE(graph.add_send(0, 0, 1)) == FLUX_E_ARGUMENT);
    expect("a bad row leaves all out",
           CODE(graph.add_sends({{0, 1, 5, 0, 0}, {9, 1, 5, 0, 0}})) == FLUX_E_ARGUMENT && graph.vertices() == 6);
    expect("a compute is no send", CODE(graph.send(compute)) == FLUX_E_ARGUMENT);
    expect("no GPUs", CODE(libflux::graph::make(0)) == FLUX_E_ARGUMENT);
    DO(graph.check());
    DO(graph.add_edge(compute, 2));
    expect("a cycle is found", CODE_OF_ACTION(graph.check()) == FLUX_E_CYCLE);
    libflux::graph moved = std::move(graph);
    expect("moving leaves nothing behind", moved.vertices() == 6 && graph.get() == nullptr);
    moved = two_sends();
    expect("moving over another one", moved.vertices() == 2);
}

static void fabrics()
{
    libflux::fabric fabric = two_switches();
    DO(fabric.set_rule(FLUX_RULE_SIMPLEX));
    DO(fabric.set_rate(400_Gbps, 1));
    DO(fabric.set_blocking(FLUX_BLOCKING_SWITCH, 1));
    DO(fabric.set_dwell(1_us));
    DO(fabric.set_dead(3, 0));
    DO(fabric.set_forbidden(1, 0, 2));
    DO(fabric.add_initial(0, 1, 2));
    DO(fabric.set_propagation(5_ns, 0));
    expect("a fabric reads back", fabric.gpus() == 4 && fabric.switches() == 2 && fabric.rule() == FLUX_RULE_SIMPLEX &&
                                      fabric.rate(1, 0) == 400_Gbps && fabric.delay(1) == 10_us &&
                                      fabric.blocking(1) == 1 && fabric.blocking(0) == 0 && fabric.dwell(0) == 1_us &&
                                      fabric.dead(3, 0) && !fabric.dead(3, 1) && fabric.is_forbidden(1, 0, 2) &&
                                      fabric.forbidden().size() == 1 && fabric.initial()[0].dst == 2 &&
                                      fabric.propagation(0, 3) == 5_ns);
    expect("a duration", GET(fabric.duration(0, 0, 1, 50000)) == 1_us);
    expect("a bad rate", CODE_OF_ACTION(fabric.set_rate(0)) == FLUX_E_ARGUMENT);
    expect("a duration beyond all times", CODE(fabric.duration(0, 0, 1, UINT64_MAX)) == FLUX_E_OVERFLOW);
    expect("too many switches", CODE(libflux::fabric::make(4, 5000)) == FLUX_E_ARGUMENT);
}

static void schedules()
{
    libflux::graph graph = two_sends();
    libflux::fabric fabric = two_switches();
    libflux::schedule schedule = GET(libflux::solve(graph, fabric));
    expect("the makespan", schedule.optimal() && schedule.makespan() == 1352177280 && schedule.bound() == 1352177280 &&
                               schedule.gap() == 0.0);
    std::int64_t last = 0;
    for (const flux_slot &slot : schedule.slots())
        last = slot.end > last ? slot.end : last;
    expect("slots", last == schedule.makespan() && schedule.slots().size() == 2);
    expect("circuits and times", schedule.circuits().size() == 2 && schedule.times()[1].end == last);
    expect("figures", schedule.reconfigurations() == 0 && GET(schedule.statistics()).stopped == FLUX_STOPPED_BOUND);
    expect("a certificate", schedule.certificate().bound() == last && schedule.certificate().vertices().size() == 2 &&
                                std::string(schedule.certificate().kind_name()) == "critical-path" &&
                                schedule.certificate().lifts().empty());
    expect("a certificate is recomputed", GET(schedule.certificate().check(graph, fabric)) == last);
    libflux::certificate bound = GET(libflux::bound(graph, fabric));
    expect("a bound alone", bound.bound() == last && bound.gpu() == FLUX_NONE && bound.side() == FLUX_SIDE_BOTH);
    expect("a check", GET(libflux::check(graph, fabric, schedule.slots())) == last);
    std::vector<flux_slot> slots(schedule.slots().begin(), schedule.slots().end());
    expect("from slots", GET(libflux::schedule::from_slots(graph, fabric, slots)).makespan() == last);
    slots[1].start--, slots[1].end--;
    expect("a violation", CODE(libflux::check(graph, fabric, slots)) == FLUX_E_MISMATCH);
    expect("no schedule of it", CODE(libflux::schedule::from_slots(graph, fabric, slots)) == FLUX_E_MISMATCH);
    libflux::schedule moved = std::move(schedule);
    graph = GET(libflux::graph::make(1));
    expect("a schedule outlives its graph", moved.slots()[1].end == last && schedule.get() == nullptr);
    expect("another number of GPUs", CODE(libflux::solve(graph, fabric)) == FLUX_E_MISMATCH);
}

static void options()
{
    libflux::graph graph = crowded();
    libflux::fabric fabric = two_switches();
    libflux::options options;
    options.raw.exact = FLUX_EXACT_NEVER;
    options.raw.work_limit = 20000;
    options.time_limit(std::chrono::seconds(20));
    int calls = 0;
    options.progress = [&calls](const flux_progress &told) { return calls++, told.makespan < -1; };
    libflux::schedule schedule = GET(libflux::solve(graph, fabric, options));
    expect("progress is told", calls > 0 && schedule.makespan() > 0);
    options.progress = [](const flux_progress &told) { return told.makespan >= 0; };
    expect("progress ends the search",
           GET(GET(libflux::solve(graph, fabric, options)).statistics()).stopped == FLUX_STOPPED_CALLBACK);
    options.progress = nullptr;
    libflux::cancel flag = GET(libflux::cancel::make());
    flag.request();
    options.cancel_with(flag);
    int code = CODE(libflux::solve(graph, fabric, options));
    expect("a flag that is up", flag.requested() && (code == 0 || code == FLUX_E_CANCELLED));
    flag.reset();
    options.raw.exact = FLUX_EXACT_ALWAYS;
    options.parameters = {{"none.no_such", "1"}};
    options.raw.backend_name = "none";
    expect("parameters arrive", CODE(libflux::solve(graph, fabric, options)) == FLUX_E_ARGUMENT);
#ifndef LIBFLUX_RESULTS
    libflux::options throwing;
    throwing.raw.exact = FLUX_EXACT_NEVER;
    throwing.progress = [](const flux_progress &) -> bool { throw std::string("in the middle"); };
    std::string caught;
    try {
        libflux::solve(graph, fabric, throwing);
    } catch (const std::string &text) {
        caught = text;
    }
    expect("what progress throws comes out", caught == "in the middle");
#endif
}

static void errors()
{
    libflux::graph graph = two_sends();
    libflux::fabric fabric = two_switches();
    DO(fabric.set_dead(2, FLUX_ALL_SWITCHES));
#ifdef LIBFLUX_RESULTS
    auto result = libflux::solve(graph, fabric);
    const libflux::failure why = result.error();
    expect("a result says so", !result && !result.has_value());
    auto good = libflux::graph::make(3);
    expect("a result is a pointer to its value", good && good->gpus() == 3 && (*good).gpus() == 3);
    libflux::graph taken = *std::move(good);
    expect("and can be taken out of it", taken.gpus() == 3);
#else
    libflux::failure why(0, "");
    try {
        libflux::solve(graph, fabric);
    } catch (const libflux::problem_error &error) {
        why = error.why();
        expect("what() is the sentence", std::string(error.what()) == why.text());
    }
    expect("classes by range", [&] {
        try {
            libflux::graph(0);
        } catch (const libflux::call_error &) {
            return true;
        }
        return false;
    }());
    libflux::graph direct(4);
    libflux::fabric other(4, 2);
    libflux::cancel flag;
    expect("constructors", direct.gpus() == 4 && other.switches() == 2 && !flag.requested());
#endif
    expect("a failure says where", why.code() == FLUX_E_INFEASIBLE && why.vertex() == 1 && why.line() == 0 &&
                                       std::string(why.name()) == "infeasible" && why.text()[0]);
}

static void replays()
{
    libflux::graph graph = crowded();
    libflux::fabric fabric = two_switches();
    libflux::options options;
    options.raw.exact = FLUX_EXACT_NEVER;
    options.raw.work_limit = 2000;
    libflux::schedule schedule = GET(libflux::solve(graph, fabric, options));
    libflux::replay replay = GET(libflux::replay::make(graph, fabric, schedule.slots()));
    expect("nothing before the first run", replay.times().empty() && replay.ready().empty() && replay.gpus().empty());
    expect("as planned", GET(replay.run()).iteration == schedule.makespan());
    expect("rows of a run", replay.times().size() == 60 && replay.ready().size() == 60 && replay.gpus().size() == 4);
    flux_replay_options order = FLUX_REPLAY_OPTIONS_INIT;
    order.mode = FLUX_REPLAY_ORDER;
    expect("in order", GET(replay.run(order)).iteration <= schedule.makespan());
    expect("memory over time",
           GET(replay.memory()).size() > 0 && GET(replay.memory()).back().bytes == 0 && replay.parts().empty());
    order.mode = 9;
    expect("no such mode", CODE(replay.run(order)) == FLUX_E_ARGUMENT);
    libflux::replay rotor = GET(libflux::replay::rotor(graph, fabric));
    expect("no memory before the first run", CODE(rotor.memory()) == FLUX_E_ARGUMENT && rotor.parts().empty());
    expect("a rotor", GET(rotor.run()).stranded == 0 && rotor.parts().size() >= graph.sends());
    expect("packets", GET(GET(libflux::replay::packet(graph, fabric)).run()).stranded == 0);
    libflux::graph one = GET(libflux::graph::make(4));
    GET(one.add_send(0, 1, 50000));
    expect("a cycle",
           GET(GET(libflux::replay::cycle(one, fabric, {{0, 1, 2_us}}, {{0, 0, 1}})).run()).iteration == 500_ns);
    expect("a cycle that never comes by",
           CODE(libflux::replay::cycle(one, fabric, {{0, 1, 2_us}}, {{0, 2, 1}})) == FLUX_E_INFEASIBLE);
}

static void replans()
{
    libflux::graph graph = crowded();
    libflux::fabric fabric = two_switches();
    libflux::options options;
    options.raw.exact = FLUX_EXACT_NEVER;
    options.raw.work_limit = 2000;
    libflux::schedule schedule = GET(libflux::solve(graph, fabric, options));
    flux_time times[60];
    flux_circuit_state circuits[200];
    flux_replan_options standing = FLUX_REPLAN_OPTIONS_INIT;
    standing.now = schedule.makespan() / 2;
    expect("a state", flux_schedule_state(schedule.get(), fabric.get(), standing.now, times, circuits,
                                          &standing.circuit_count) == 0);
    standing.times = times;
    standing.time_count = 60;
    standing.circuits = circuits;
    libflux::replan replan = GET(libflux::replan::make(graph, fabric, schedule.slots(), standing));
    expect("planned anew", replan.summary().shifted == schedule.makespan() &&
                               replan.summary().makespan <= schedule.makespan() && replan.summary().left > 0);
    expect("the whole iteration", replan.slots().size() == schedule.slots().size() && replan.times().size() == 60);
    expect("and its rest",
           flux_schedule_makespan(replan.rest_schedule()) + replan.summary().begin == replan.summary().makespan &&
               flux_graph_gpus(replan.rest_graph()) >= 4 && replan.rest_fabric());
    standing.now = -1;
    expect("no such time", CODE(libflux::replan::make(graph, fabric, schedule.slots(), standing)) == FLUX_E_ARGUMENT);
}

static void programs()
{
    libflux::graph graph = two_sends();
    libflux::fabric fabric = two_switches();
    libflux::schedule schedule = GET(libflux::solve(graph, fabric));
    libflux::program program = GET(libflux::program::make(graph, fabric, schedule));
    expect("nothing happened yet", program.peek() && program.peek()->time == 0 && program.circuits().size() == 2);
    std::int64_t last = -1;
    int events = 0;
    bool sorted = true;
    while (auto event = program.step()) {
        sorted = sorted && event->time >= last;
        last = event->time;
        events++;
    }
    expect("by the clock", sorted && events == 6 && last == schedule.makespan() && !program.peek());
    DO(program.seek(schedule.slots()[1].start));
    expect("what is up", !program.up(1).empty() && program.up(1)[0] == program.circuit_of(1) && program.up(7).empty() &&
                             program.next_change() == INT64_MAX);
    std::int64_t now = 0;
    while (program.left()) {
        std::optional<flux_event> action = program.take();
        expect("something may happen", action.has_value());
        if (!action)
            break;
        now = (action->time > now ? action->time : now) + action->duration;
        DO(program.done(*action, now));
    }
    expect("in order", now == schedule.makespan());
    program.restart();
    expect("anew",
           program.left() > 0 && CODE_OF_ACTION(program.done({0, 0, FLUX_EVENT_START, 1, 0, 0}, 5)) == FLUX_E_ARGUMENT);
    expect("no such time", CODE_OF_ACTION(program.seek(-2)) == FLUX_E_ARGUMENT);
}

static void demands()
{
    const std::vector<std::int64_t> demand = {0, 3_us, 5_us, 0};
    libflux::demand_plan plan = GET(libflux::demand_plan::make(demand, 1, 1_us));
    expect("a plan", plan.makespan() == 6_us && plan.bound() == 6_us && plan.states().size() == 1 &&
                         plan.algorithm() != FLUX_DEMAND_BEST);
    expect("its matching",
           plan.matching(plan.states()[0].matching)[0] == 1 && plan.matching(99).empty() && plan.matchings() >= 1);
    expect("no square", CODE(libflux::demand_plan::make({0, 1, 2}, 1, 1_us)) == FLUX_E_ARGUMENT);
    expect("a diagonal", CODE(libflux::demand_plan::make({1, 1, 2, 0}, 1, 1_us)) == FLUX_E_ARGUMENT);
    libflux::demand_plan sunflow = GET(libflux::demand_plan::make(demand, 1, 1_us, FLUX_DEMAND_SUNFLOW));
    expect("circuits", sunflow.circuits().size() == 2 && sunflow.states().empty() && plan.circuits().empty() &&
                           sunflow.configurations() == 2 && plan.configurations() == 1 &&
                           plan.requested() == FLUX_DEMAND_BEST);
    flux_demand_generator wanted = FLUX_DEMAND_GENERATOR_INIT;
    wanted.kind = FLUX_DEMAND_MOE_PAIRS;
    wanted.ports = 8;
    std::vector<std::int64_t> made = GET(libflux::generate_demand(wanted));
    expect("a matrix of the literature", made.size() == 64 && made[0] == 0 && made[1] > 0 &&
                                             GET(libflux::demand_plan::make(made, 2, 1_us)).makespan() > 0);
    wanted.ports = FLUX_DEMAND_PORTS_MAX + 1;
    expect("too large a matrix", CODE(libflux::generate_demand(wanted)) != 0);
}

static void comparisons()
{
    libflux::graph graph = two_sends();
    libflux::fabric fabric = two_switches();
    libflux::comparison ours = GET(libflux::compare(graph, fabric, FLUX_SCHEDULER_FLUX));
    expect("flux compared", ours.summary().applies && ours.summary().iteration == 1352177280 && ours.note()[0] &&
                                flux_schedule_makespan(ours.schedule()) == 1352177280 && ours.times().size() == 2 &&
                                ours.times()[1].end == 1352177280);
    libflux::comparison cycle = GET(libflux::compare(graph, fabric, FLUX_SCHEDULER_BVN));
    expect("a cycle compared", cycle.summary().iteration > ours.summary().iteration && !cycle.schedule() &&
                                   cycle.replay() && cycle.summary().bound == ours.summary().bound);
    libflux::graph three = GET(libflux::graph::make(3));
    GET(three.add_send(0, 1, 1_MiB));
    libflux::comparison none =
        GET(libflux::compare(three, GET(libflux::fabric::make(3, 1)), FLUX_SCHEDULER_ROTOR_DIRECT));
    expect("one that does not apply", !none.summary().applies && none.note()[0] && none.times().empty());
    expect("no such scheduler", CODE(libflux::compare(graph, fabric, 99)) == FLUX_E_ARGUMENT);
    expect("of other sizes", CODE(libflux::compare(three, fabric, FLUX_SCHEDULER_FLUX)) == FLUX_E_MISMATCH);
}

static void programs_as_text()
{
    libflux::formulation program = GET(libflux::formulate(two_sends(), two_switches()));
    expect("an LP", program.text.find("Minimize") != std::string::npos && program.summary.columns > 0 &&
                        program.summary.step > 0);
    expect("an MPS", GET(libflux::formulate(two_sends(), two_switches(), FLUX_FORMULATION_PAPER, FLUX_FORMAT_MPS))
                             .text.find("ENDATA") != std::string::npos);
    expect("no such format",
           CODE(libflux::formulate(two_sends(), two_switches(), FLUX_FORMULATION_TIGHT, 9)) == FLUX_E_ARGUMENT);
}

static void certificates()
{
    libflux::graph graph = crowded();
    libflux::fabric fabric = two_switches();
    libflux::certificate found = GET(libflux::bound(graph, fabric));
    flux_certificate_parts parts = FLUX_CERTIFICATE_PARTS_INIT;
    parts.kind = found.kind();
    parts.gpu = found.gpu();
    parts.side = found.side();
    parts.bound = found.bound();
    parts.head = found.head();
    parts.tail = found.tail();
    parts.vertices = found.vertices().data();
    parts.vertex_count = found.vertices().size();
    parts.lifts = found.lifts().data();
    parts.lift_count = found.lifts().size();
    expect("a certificate there and back",
           GET(GET(libflux::certificate::make(parts)).check(graph, fabric)) >= found.bound());
    parts.bound *= 2;
    libflux::certificate boast = GET(libflux::certificate::make(parts));
    expect("one that says too much", CODE(boast.check(graph, fabric)) == FLUX_E_MISMATCH);
    DO(fabric.set_propagation(50_ns));
    DO(fabric.set_propagation(70_ns, 0, 1));
    expect("rules of propagation", fabric.propagation_rules().size() == 2 && fabric.propagation(0, 1) == 70_ns);
}

static void units()
{
    expect("texts are read", GET(libflux::parse_time("10us")) == 10_us &&
                                 GET(libflux::parse_bytes("64MiB")) == 64_MiB &&
                                 GET(libflux::parse_rate("800Gbps")) == 800_Gbps);
    expect("and written", libflux::format_time(10_us) == "10us" && libflux::format_bytes(64_MiB) == "64MiB" &&
                              libflux::format_rate(800_Gbps) == "800Gbps");
    expect("and refused", CODE(libflux::parse_time("10")) == FLUX_E_ARGUMENT);
}

int main(int argc, char **argv)
{
    graphs();
    fabrics();
    schedules();
    options();
    errors();
    replays();
    replans();
    programs();
    demands();
    comparisons();
    programs_as_text();
    certificates();
    units();
    const std::string folder = argc > 1 ? argv[1] : ".";
    files(folder);
    traces(folder);
    runs(folder);
    matrices(folder);
    models();
    return failures != 0;
}
