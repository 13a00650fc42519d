#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scheduling problem of a native JSON document (rule paper, plain switches) as a straightforward CP-SAT model.

Optional intervals per send and switch, no-overlap per port, and for each pair of sends of one port with different
circuits the delay between them, where the DAG does not say so already. Prints one JSON object.
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
        if fabric.get("rule", "paper") != "paper" or not isinstance(delay, str):
            sys.exit("cpsat.py: only rule paper and one delay")
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

    def before(self):
        """Bit sets: who is an ancestor of whom."""
        order, out = self.order()
        ancestors = [0] * len(self.vertices)
        for v in order:
            for w in out[v]:
                ancestors[w] |= ancestors[v] | 1 << v
        return ancestors


def solve(problem, limit, workers):
    model, horizon = cp_model.CpModel(), 0
    for v in range(len(problem.vertices)):
        horizon += problem.duration[v] + problem.release[v] + problem.delay
    horizon += sum(lag for _, _, lag in problem.edges)
    start = [model.NewIntVar(problem.release[v], horizon, "") for v in range(len(problem.vertices))]
    makespan = model.NewIntVar(0, horizon, "makespan")
    for v, s in enumerate(start):
        model.Add(makespan >= s + problem.duration[v])
    for u, v, lag in problem.edges:
        model.Add(start[v] >= start[u] + problem.duration[u] + lag)
    on, ports = {}, {}
    for v, ends in problem.ends.items():
        on[v] = [model.NewBoolVar("") for _ in range(problem.switches)]
        model.AddExactlyOne(on[v])
        for k, literal in enumerate(on[v]):
            interval = model.NewOptionalFixedSizeIntervalVar(start[v], problem.duration[v], literal, "")
            for gpu in ends:
                ports.setdefault((gpu, k), []).append(interval)
    for intervals in ports.values():
        model.AddNoOverlap(intervals)
    ancestors, pairs = problem.before(), 0
    sends = sorted(problem.ends)
    for i, u in enumerate(sends):
        for v in sends[i + 1:]:
            if problem.ends[u] == problem.ends[v] or not set(problem.ends[u]) & set(problem.ends[v]):
                continue
            pairs += 1
            first = None
            if ancestors[v] >> u & 1:
                first = True
            elif ancestors[u] >> v & 1:
                first = False
            literal = None if first is not None else model.NewBoolVar("")
            for k in range(problem.switches):
                both = [on[u][k], on[v][k]]
                if first is not False:
                    model.Add(start[v] >= start[u] + problem.duration[u] + problem.delay).OnlyEnforceIf(
                        both + ([] if first else [literal]))
                if first is not True:
                    model.Add(start[u] >= start[v] + problem.duration[v] + problem.delay).OnlyEnforceIf(
                        both + ([] if first is False else [literal.Not()]))
    model.Minimize(makespan)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = limit
    solver.parameters.num_workers = workers
    begin = time.monotonic()
    status = solver.Solve(model)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return {"status": solver.StatusName(status).lower(), "makespan_ps": int(solver.ObjectiveValue()) if found else None,
            "bound_ps": int(solver.BestObjectiveBound()), "pairs": pairs, "seconds": time.monotonic() - begin}


def main():
    arg = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arg.add_argument("document")
    arg.add_argument("--limit", type=float, default=60)
    arg.add_argument("--workers", type=int, default=2)
    a = arg.parse_args()
    with open(a.document, encoding="utf-8") as source:
        problem = Problem(json.load(source))
    begin = time.monotonic()
    row = solve(problem, a.limit, a.workers)
    row["total_seconds"] = time.monotonic() - begin
    print(json.dumps(row))


if __name__ == "__main__":
    main()
