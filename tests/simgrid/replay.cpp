/* SPDX-License-Identifier: Apache-2.0
 *
 * replay DOCUMENT.json SCHEDULE.csv: runs a schedule on SimGrid, with nothing of libflux, and compares. Status 0: the
 * iteration, and every send in it, takes place as planned to 1e-9 of the iteration.
 *
 * The workload, the fabric and the makespan come from the document, switches and the order of sends from the CSV file.
 * Each circuit of a switch is an actor with a link of its own: for each of its sends it waits for the ports, changes
 * them, waits for what the send depends on, and transfers. Each GPU is an actor that starts a timer for every compute.
 * A simulated second stands for a microsecond, so that SimGrid's doubles resolve femtoseconds.
 */
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <jansson.h>
#include <map>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

[[noreturn]] static void refuse(const std::string &why)
{
    std::fprintf(stderr, "replay: %s\n", why.c_str());
    std::exit(2);
}

/* A number with a unit, in microseconds, bits or bit/us. */
static double number(const json_t *value)
{
    static const std::map<std::string, double> units = {{"ps", 1e-6},
                                                        {"ns", 1e-3},
                                                        {"us", 1},
                                                        {"ms", 1e3},
                                                        {"s", 1e6},
                                                        {"B", 8},
                                                        {"kB", 8e3},
                                                        {"MB", 8e6},
                                                        {"GB", 8e9},
                                                        {"KiB", 8 * 1024.0},
                                                        {"MiB", 8 * 1048576.0},
                                                        {"GiB", 8 * 1073741824.0},
                                                        {"bps", 1e-6},
                                                        {"kbps", 1e-3},
                                                        {"Mbps", 1},
                                                        {"Gbps", 1e3},
                                                        {"Tbps", 1e6}};
    const char *text = json_string_value(value);
    char *unit;
    double digits = text ? std::strtod(text, &unit) : 0;
    if (!text || !units.count(unit))
        refuse("no number with a unit: " + std::string(text ? text : "no text"));
    return digits * units.at(unit);
}

static double number(const json_t *object, const char *key, double usual)
{
    const json_t *value = json_object_get(object, key);
    return value ? number(value) : usual;
}

struct edge {
    int to;
    double lag;
};

struct vertex {
    std::string id;
    int gpu = 0, dst = -1; /* -1: compute */
    double bits = 0, time = 0;
    std::vector<edge> after;      /* what waits for it in the workload */
    std::vector<edge> ports_next; /* what takes its ports next, and after which delay */
    int waits = 0, port_waits = 0;
    double ready = 0, port_ready = 0;
    sg4::SemaphorePtr woken, ports_free;
    int switch_index = 0;
    double planned_start = 0, planned_end = 0; /* of sends, from the CSV file */
    double start = 0, end = -1;
};

static std::vector<vertex> vertices;
static std::vector<double> delays;
static std::vector<std::vector<int>> inbox; /* by GPU: compute that may start */
static std::vector<sg4::SemaphorePtr> gpu_woken;
static std::string rule = "paper";
static double rate;

static void finish(vertex &v)
{
    v.end = sg4::Engine::get_clock();
    for (const edge &next : v.ports_next) {
        vertices[next.to].port_ready = std::max(vertices[next.to].port_ready, v.end + next.lag);
        vertices[next.to].ports_free->release();
    }
    for (const edge &next : v.after) {
        vertex &w = vertices[next.to];
        w.ready = std::max(w.ready, v.end + next.lag);
        if (w.dst >= 0) {
            w.woken->release();
        } else if (--w.waits == 0) {
            inbox[w.gpu].push_back(next.to);
            gpu_woken[w.gpu]->release();
        }
    }
}

static void run_compute(int v)
{
    sg4::this_actor::sleep_until(vertices[v].ready + vertices[v].time);
    vertices[v].start = vertices[v].ready;
    finish(vertices[v]);
}

static void run_gpu(int gpu)
{
    for (;;) {
        gpu_woken[gpu]->acquire();
        int v = inbox[gpu].back();
        inbox[gpu].pop_back();
        sg4::Actor::create("compute", sg4::this_actor::get_host(), run_compute, v);
    }
}

static std::string host_name(int gpu, int k)
{
    return std::to_string(gpu) + "." + std::to_string(k);
}

static void run_circuit(std::vector<int> sends)
{
    for (int index : sends) {
        vertex &v = vertices[index];
        for (int i = 0; i < v.port_waits; i++)
            v.ports_free->acquire();
        sg4::this_actor::sleep_until(v.port_ready); /* the ports change */
        for (int i = v.waits; i > 0; i--)
            v.woken->acquire();
        sg4::this_actor::sleep_until(v.ready);
        v.start = sg4::Engine::get_clock();
        sg4::Comm::sendto(sg4::Host::by_name(host_name(v.gpu, v.switch_index)),
                          sg4::Host::by_name(host_name(v.dst, v.switch_index)),
                          static_cast<uint64_t>(std::llround(v.bits * 1000)));
        finish(v);
    }
}

static void read_workload(const json_t *work, const json_t *fabric)
{
    std::map<std::string, int> by_id;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(work, "vertices"), i, row)
    {
        vertex v;
        const json_t *send = json_object_get(row, "send");
        v.id = json_string_value(json_object_get(row, "id"));
        v.gpu = static_cast<int>(json_integer_value(send ? json_array_get(send, 0) : json_object_get(row, "compute")));
        v.dst = send ? static_cast<int>(json_integer_value(json_array_get(send, 1))) : -1;
        v.time = number(row, "time", 0);
        v.bits = v.time > 0 ? v.time * rate : number(row, "size", 0);
        v.ready = number(row, "release", 0);
        v.woken = sg4::Semaphore::create(0);
        v.ports_free = sg4::Semaphore::create(0);
        by_id[v.id] = static_cast<int>(vertices.size());
        vertices.push_back(v);
    }
    double light = number(fabric, "propagation", 0);
    json_array_foreach(json_object_get(work, "edges"), i, row)
    {
        int u = by_id.at(json_string_value(json_array_get(row, 0)));
        int v = by_id.at(json_string_value(json_array_get(row, 1)));
        double lag = json_array_size(row) > 2 ? number(json_array_get(row, 2)) : 0;
        if (vertices[u].dst >= 0 && vertices[v].gpu != vertices[u].gpu)
            lag += light;
        vertices[u].after.push_back({v, lag});
        vertices[v].waits++;
    }
}

static void read_fabric(const json_t *fabric)
{
    for (const char *key : {"blocking", "dwell", "port_rate", "initial"})
        if (json_object_get(fabric, key))
            refuse(std::string("this replay does not know the fabric's ") + key);
    size_t switches = static_cast<size_t>(json_integer_value(json_object_get(fabric, "switches")));
    const json_t *delay = json_object_get(fabric, "delay");
    for (size_t k = 0; k < switches; k++)
        delays.push_back(json_is_array(delay) ? number(json_array_get(delay, k)) : number(fabric, "delay", 0));
    if (json_object_get(fabric, "rule"))
        rule = json_string_value(json_object_get(fabric, "rule"));
    rate = number(fabric, "rate", 800e3);
}

/* send,src,dst,switch,start_ps,end_ps; ids in quotes where they need them. */
static std::vector<int> read_schedule(const char *path)
{
    std::map<std::string, int> by_id;
    std::vector<int> sends;
    std::ifstream file(path);
    std::string line;
    for (size_t v = 0; v < vertices.size(); v++)
        by_id[vertices[v].id] = static_cast<int>(v);
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::string id;
        size_t at = 0;
        int k;
        int64_t start, end;
        bool quoted = line[0] == '"';
        for (at = quoted; at < line.size() && (quoted || line[at] != ','); at++) {
            if (quoted && line[at] == '"' && line[++at] != '"')
                break;
            id += line[at];
        }
        if (!by_id.count(id) ||
            std::sscanf(line.c_str() + at, ",%*d,%*d,%d,%" SCNd64 ",%" SCNd64, &k, &start, &end) != 3)
            refuse("no row of a schedule: " + line);
        vertex &v = vertices[by_id[id]];
        v.switch_index = k;
        v.planned_start = static_cast<double>(start) * 1e-6;
        v.planned_end = static_cast<double>(end) * 1e-6;
        sends.push_back(by_id[id]);
    }
    std::stable_sort(sends.begin(), sends.end(),
                     [](int a, int b) { return vertices[a].planned_start < vertices[b].planned_start; });
    return sends;
}

/* The circuit on a port, by direction its last send, and the last sends of the circuit before. */
struct port {
    std::pair<int, int> circuit = {-1, -1};
    std::map<std::pair<int, int>, int> last, before;
};

static void order_ports(const std::vector<int> &sends)
{
    std::map<std::vector<int>, port> ports; /* switch, GPU, side */
    for (int index : sends) {
        vertex &v = vertices[index];
        std::pair<int, int> way = {v.gpu, v.dst};
        std::pair<int, int> circuit = way;
        if (rule == "duplex")
            circuit = std::minmax(v.gpu, v.dst);
        for (int side = 0; side < 2; side++) {
            port &p = ports[{v.switch_index, side ? v.dst : v.gpu, rule == "simplex" ? side : 0}];
            if (p.circuit != circuit) {
                p.before = p.last;
                p.last.clear();
                p.circuit = circuit;
            }
            if (p.last.count(way)) {
                vertices[p.last[way]].ports_next.push_back({index, 0});
                v.port_waits++;
            }
            for (const auto &old : p.before) {
                vertices[old.second].ports_next.push_back({index, delays[v.switch_index]});
                v.port_waits++;
            }
            p.last[way] = index;
        }
    }
}

static void build_platform(int gpus, const std::vector<int> &sends,
                           std::map<std::vector<int>, std::vector<int>> &circuits)
{
    auto *zone = sg4::create_full_zone("fabric");
    for (int k = 0; k < static_cast<int>(delays.size()); k++)
        for (int g = 0; g < gpus; g++)
            zone->create_host(host_name(g, k), 1.0);
    for (int index : sends)
        circuits[{vertices[index].switch_index, vertices[index].gpu, vertices[index].dst}].push_back(index);
    for (const auto &circuit : circuits) {
        int k = circuit.first[0], src = circuit.first[1], dst = circuit.first[2];
        auto *link = zone->create_link(host_name(src, k) + ">" + host_name(dst, k), rate * 1000)->set_latency(0);
        link->seal();
        zone->add_route(sg4::Host::by_name(host_name(src, k))->get_netpoint(),
                        sg4::Host::by_name(host_name(dst, k))->get_netpoint(), nullptr, nullptr,
                        {sg4::LinkInRoute(link)}, false);
    }
    zone->seal();
}

static int report(double planned)
{
    double makespan = 0, later = 0, earlier = 0;
    for (const vertex &v : vertices) {
        if (v.end < 0) {
            std::printf("'%s' never ran\n", v.id.c_str());
            return 1;
        }
        makespan = std::max(makespan, v.end);
        if (v.dst >= 0)
            later = std::max(later, v.start - v.planned_start), earlier = std::max(earlier, v.planned_start - v.start);
    }
    double difference = planned > 0 ? std::fabs(makespan - planned) / planned : makespan;
    std::printf("simulated %.6f us, planned %.6f us, relative difference %.3g; sends up to %.3g ps later, %.3g ps "
                "earlier\n",
                makespan, planned, difference, later * 1e6, earlier * 1e6);
    return std::max(difference * planned, std::max(later, earlier)) > 1e-9 * planned;
}

int main(int argc, char **argv)
{
    sg4::Engine engine(&argc, argv);
    xbt_log_control_set("xbt_cfg.thres:warning");
    for (const char *setting : {"network/model:CM02", "network/TCP-gamma:0", "network/bandwidth-factor:1",
                                "network/latency-factor:1", "network/crosstraffic:0", "contexts/stack-size:64"})
        sg4::Engine::set_config(setting);
    if (argc != 3)
        refuse("usage: replay DOCUMENT.json SCHEDULE.csv");
    json_t *document = json_load_file(argv[1], 0, nullptr);
    const json_t *work = json_object_get(document, "workload");
    if (!work)
        refuse(std::string(argv[1]) + ": no document with a workload");
    read_fabric(json_object_get(document, "fabric"));
    read_workload(work, json_object_get(document, "fabric"));
    std::vector<int> sends = read_schedule(argv[2]);
    order_ports(sends);
    int gpus = static_cast<int>(json_integer_value(json_object_get(work, "gpus")));
    std::map<std::vector<int>, std::vector<int>> circuits;
    build_platform(gpus, sends, circuits);
    inbox.resize(static_cast<size_t>(gpus));
    for (int g = 0; g < gpus; g++) {
        gpu_woken.push_back(sg4::Semaphore::create(0));
        sg4::Actor::create("gpu", sg4::Host::by_name(host_name(g, 0)), run_gpu, g)->daemonize();
    }
    for (const auto &circuit : circuits)
        sg4::Actor::create("circuit", sg4::Host::by_name(host_name(circuit.first[1], circuit.first[0])), run_circuit,
                           circuit.second);
    for (size_t v = 0; v < vertices.size(); v++)
        if (vertices[v].dst < 0 && vertices[v].waits == 0) {
            inbox[vertices[v].gpu].push_back(static_cast<int>(v));
            gpu_woken[vertices[v].gpu]->release();
        }
    engine.run();
    double planned = number(json_object_get(document, "schedule"), "makespan", 0);
    json_decref(document);
    return report(planned);
}
