#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scheduling problem of a native JSON document (plain switches, one rate and delay) as the best CP-SAT model that we know.

A start per vertex; per send and switch an optional interval; no overlap on a port; at most as many sends of a GPU at once as
there are switches; and for two sends with different circuits that share a port the delay between them, if they are on the same
switch, unless paths in the DAG are as long as that. Only pairs that the DAG does not order need a literal. Prints one JSON
object, with the time of every better schedule.
"""
import argparse
import json
import re
import sys
import time
from fractions import Fraction

from ortools.sat.python import cp_model

UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TB": 10**12,
         "TiB": 2**40}
RATES = {"bps": 1, "kbps": 10**3, "Mbps": 10**6, "Gbps": 10**9, "Tbps": 10**12}


def number(text, units):
    value, unit = re.fullmatch(r"([0-9.]+)([A-Za-z]+)", text).groups()
    return int(Fraction(value) * units[unit])


class Problem:
    def __init__(self, document):
        work, fabric = document["workload"], document["fabric"]
        rate = number(fabric.get("rate", "800Gbps"), RATES)
        delay = fabric.get("delay", "0us")
        if not isinstance(delay, str) or any(key in fabric for key in ("dead", "forbidden", "initial", "propagation")):
            sys.exit("cpsat.py: only plain switches with one delay")
        self.rule = fabric.get("rule", "paper")
        self.switches, self.delay = fabric["switches"], number(delay, UNITS)
        self.vertices = [v["id"] for v in work["vertices"]]
        index = {v: i for i, v in enumerate(self.vertices)}
        self.ends, self.duration, self.release = {}, [], []
        for i, v in enumerate(work["vertices"]):
            if "send" in v:
                self.ends[i] = tuple(v["send"])
            if "time" in v:
                self.duration.append(number(v["time"], UNITS))
            else:
                self.duration.append(-(-number(v["size"], BYTES) * 8 * 10**12 // rate))
            self.release.append(number(v["release"], UNITS) if "release" in v else 0)
        self.edges = [(index[e[0]], index[e[1]], number(e[2], UNITS) if len(e) > 2 else 0)
                      for e in work.get("edges", [])]

    def order(self):
        out, missing = {v: [] for v in range(len(self.vertices))}, [0] * len(self.vertices)
        for u, w, _ in self.edges:
            out[u].append(w)
            missing[w] += 1
        ready, order = [v for v, m in enumerate(missing) if not m], []
        while ready:
            v = ready.pop()
            order.append(v)
            for w in out[v]:
                missing[w] -= 1
                if not missing[w]:
                    ready.append(w)
        return order, out

    def between(self):
        """By vertex: ancestor -> the longest time from its end to the start here, sends alone."""
        order, _ = self.order()
        into, found = [[] for _ in order], [{} for _ in order]
        for u, w, lag in self.edges:
            into[w].append((u, lag))
        left = [0] * len(order)  # who needs it still
        for u, _, _ in self.edges:
            left[u] += 1
        for v in order:
            here = found[v]
            for u, lag in into[v]:
                through = lag + self.duration[u]
                for x, time_ in found[u].items():
                    if here.get(x, -1) < time_ + through:
                        here[x] = time_ + through
                if here.get(u, -1) < lag:
                    here[u] = lag
                left[u] -= 1
                if not left[u] and u not in self.ends:
                    found[u] = {}
        return found

    def shared(self, u, v):
        """What two sends have in common: ports, as (gpu, direction), one direction for both unless simplex."""
        return set(self.ports(u)) & set(self.ports(v))

    def ports(self, v):
        src, dst = self.ends[v]
        return ((src, "out"), (dst, "in")) if self.rule == "simplex" else ((src, ""), (dst, ""))

    def circuit(self, v):
        return tuple(sorted(self.ends[v])) if self.rule == "duplex" else self.ends[v]

    def pairs(self, most):
        """(u, v, known order) that a setup may lie between; None where they are more than `most`."""
        between, by_port, found = self.between(), {}, set()
        for v in self.ends:
            for port in self.ports(v):
                by_port.setdefault(port, []).append(v)
        for sends in by_port.values():
            for i, u in enumerate(sends):
                for v in sends[i + 1:]:
                    if self.circuit(u) == self.circuit(v):
                        if self.ends[u] != self.ends[v] or u in between[v] or v in between[u] or self.rule != "duplex":
                            continue  # two directions at once, or no overlap on the port does it
                        found.add((u, v, None, 0))
                    elif u in between[v] or v in between[u]:
                        first, last = (u, v) if u in between[v] else (v, u)
                        if between[last][first] < self.delay:
                            found.add((first, last, True, self.delay))
                    else:
                        found.add((u, v, None, self.delay))
            if len(found) > most:
                return None
        return sorted(found, key=lambda row: row[:2])


    def dispatch(self):
        """A schedule to begin with, (start, switch) by vertex: sends in order of head, each where it can start first."""
        order, _ = self.order()
        into, head = [[] for _ in order], list(self.release)
        for u, w, lag in self.edges:
            into[w].append((u, lag))
        for v in order:
            head[v] = max([head[v]] + [head[u] + self.duration[u] + lag for u, lag in into[v]])
        place = {v: i for i, v in enumerate(order)}
        start, switch, port = list(self.release), {}, {}
        for v in sorted(order, key=lambda v: (head[v], place[v])):
            start[v] = max([start[v]] + [start[u] + self.duration[u] + lag for u, lag in into[v]])
            if v not in self.ends:
                continue
            rows = []
            for k in range(self.switches):
                free = [port.get((at, k), (0, None)) for at in self.ports(v)]
                wait = [time_ + self.delay * (circuit not in (None, self.circuit(v))) for time_, circuit in free]
                rows.append((max([start[v]] + wait), k))
            start[v], switch[v] = min(rows)
            for at in self.ports(v):
                port[at, switch[v]] = (start[v] + self.duration[v], self.circuit(v))
        return start, switch


class Steps(cp_model.CpSolverSolutionCallback):
    def __init__(self, begin):
        super().__init__()
        self.begin, self.rows = begin, []

    def on_solution_callback(self):
        self.rows.append((time.monotonic() - self.begin, int(self.ObjectiveValue())))


def build(problem, pairs):
    model, (begins, switch) = cp_model.CpModel(), problem.dispatch()
    horizon = max((b + d for b, d in zip(begins, problem.duration)), default=0)
    start = [model.NewIntVar(problem.release[v], horizon, "") for v in range(len(problem.vertices))]
    makespan = model.NewIntVar(0, horizon, "makespan")
    model.AddMaxEquality(makespan, [s + problem.duration[v] for v, s in enumerate(start)])
    for u, v, lag in problem.edges:
        model.Add(start[v] >= start[u] + problem.duration[u] + lag)
    on, ports, gpus = {}, {}, {}
    for v in problem.ends:
        whole = model.NewFixedSizeIntervalVar(start[v], problem.duration[v], "")
        on[v] = [model.NewBoolVar("") for _ in range(problem.switches)] if problem.switches > 1 else []
        if on[v]:
            model.AddExactlyOne(on[v])
        for port in problem.ports(v):
            gpus.setdefault(port, []).append(whole)
            for k in range(problem.switches):
                ports.setdefault((port, k), []).append(
                    model.NewOptionalFixedSizeIntervalVar(start[v], problem.duration[v], on[v][k], "") if on[v] else whole)
    if problem.rule != "duplex":  # there the two directions of a pair may overlap: the pairs say it all
        for intervals in ports.values():
            model.AddNoOverlap(intervals)
        for intervals in gpus.values() if problem.switches > 1 else []:
            model.AddCumulative(intervals, [1] * len(intervals), problem.switches)
    if on and problem.switches > 1:  # the switches are alike
        model.Add(on[min(on)][switch[min(on)]] == 1)
    for v, time_ in enumerate(begins):
        model.AddHint(start[v], time_)
    for v, literals in on.items():
        for k, literal in enumerate(literals):
            model.AddHint(literal, k == switch[v])
    model.AddHint(makespan, horizon)
    for u, v, ordered, delay in pairs:
        first = None if ordered else model.NewBoolVar("")
        if not ordered:
            model.AddHint(first, begins[u] < begins[v])
        for k in range(problem.switches):
            both = [on[u][k], on[v][k]] if problem.switches > 1 else []
            model.Add(start[v] >= start[u] + problem.duration[u] + delay).OnlyEnforceIf(both + ([] if ordered else [first]))
            if not ordered:
                model.Add(start[u] >= start[v] + problem.duration[v] + delay).OnlyEnforceIf(both + [first.Not()])
    model.Minimize(makespan)
    return model


def solve(problem, limit, workers, most):
    begin = time.monotonic()
    first, pairs = max((b + d for b, d in zip(problem.dispatch()[0], problem.duration)), default=0), problem.pairs(most)
    if pairs is None:
        return {"status": "not built", "makespan_ps": None, "bound_ps": 0, "pairs": "more than %d" % most, "seconds": 0,
                "dispatch_ps": first, "steps": []}
    model, steps = build(problem, pairs), Steps(time.monotonic())
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = limit
    solver.parameters.num_workers = workers
    built = time.monotonic() - begin
    begin = time.monotonic()
    status = solver.Solve(model, steps)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return {"status": solver.StatusName(status).lower(), "makespan_ps": int(solver.ObjectiveValue()) if found else None,
            "bound_ps": int(solver.BestObjectiveBound()), "pairs": len(pairs), "seconds": time.monotonic() - begin,
            "build_seconds": built, "dispatch_ps": first, "steps": steps.rows}


def main():
    arg = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arg.add_argument("document")
    arg.add_argument("--limit", type=float, default=60)
    arg.add_argument("--workers", type=int, default=2)
    arg.add_argument("--pairs", type=int, default=400000, help="a model with more pairs of sends is not built")
    a = arg.parse_args()
    with open(a.document, encoding="utf-8") as source:
        problem = Problem(json.load(source))
    begin = time.monotonic()
    row = solve(problem, a.limit, a.workers, a.pairs)
    row["total_seconds"] = time.monotonic() - begin
    print(json.dumps(row))


if __name__ == "__main__":
    main()
