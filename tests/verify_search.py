#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verify_search.py [--limit SECONDS] DOCUMENT.json ...: is there no schedule below the bound? A certificate of kind `search` keeps
no record; here another solver, CP-SAT of OR-Tools, is asked for a schedule below the claimed bound, by a model made of docs/rules.md
alone. It may ignore that a switch stops as a whole, and dwell: without these there are only more schedules. Status 0: there is
none; 1: a sentence says what was found, or that nothing was decided in time; 2: OR-Tools is not here."""
import argparse
import json
import sys

import verify

try:
    from ortools.sat.python import cp_model
except ImportError:
    cp_model = None


def ends_of_paths(p):
    """The earliest start and the longest time after the end of each vertex, by the edges alone."""
    head, tail = list(p.release), [0] * len(p.ids)
    for v in p.order:
        head[v] = max([head[v]] + [head[u] + p.shortest[u] + lag for u, lag in p.before[v]])
    for v in p.order[::-1]:
        tail[v] = max([0] + [lag + p.shortest[w] + tail[w] for w, lag in p.after[v]])
    return head, tail


class Below:
    """The question for a schedule of at most `limit`."""

    def __init__(self, p, limit):
        self.p, self.model, self.limit = p, cp_model.CpModel(), limit
        head, tail = ends_of_paths(p)
        self.possible = all(h + d + t <= limit for h, d, t in zip(head, p.shortest, tail))
        if not self.possible:
            return
        self.start = [self.model.NewIntVar(h, limit - d - t, "") for h, d, t in zip(head, p.shortest, tail)]
        self.on = [{k: self.model.NewBoolVar("") for k in able} if way else {} for able, way in zip(p.able, p.way)]
        self.end = [self.end_of(v) for v in range(len(p.ids))]
        for v in range(len(p.ids)):
            for u, lag in p.before[v]:
                self.model.Add(self.start[v] >= self.end[u] + lag)
        for k in range(p.switches):
            self.switch(k)

    def end_of(self, v):
        """The end: what it takes depends on the switch."""
        if not self.on[v]:
            return self.start[v] + self.p.shortest[v]
        self.model.AddExactlyOne(self.on[v].values())
        end = self.start[v] + sum(self.p.able[v][k] * on for k, on in self.on[v].items())
        self.model.Add(end <= self.limit)
        return end

    def switch(self, k):
        p, model, users = self.p, self.model, [v for v, on in enumerate(self.on) if k in on]
        lines = {}
        for v in users:
            if any(p.clash(way, p.way[v]) for way in p.initial[k]):
                model.Add(self.start[v] >= p.delay[k]).OnlyEnforceIf(self.on[v][k])
            interval = model.NewOptionalFixedSizeIntervalVar(self.start[v], p.able[v][k], self.on[v][k], "")
            for port in p.ports(p.way[v]):
                lines.setdefault(port, []).append(interval)
        for intervals in lines.values() if not p.duplex else []:
            model.AddNoOverlap(intervals)
        for i, u in enumerate(users):
            for v in users[:i]:
                self.pair(k, u, v)

    def pair(self, k, u, v):
        p, clash = self.p, self.p.clash(self.p.way[u], self.p.way[v])
        if not clash and p.way[u] != p.way[v]:
            return
        apart = p.delay[k] if clash else 0
        first, both = self.model.NewBoolVar(""), [self.on[u][k], self.on[v][k]]
        self.model.Add(self.start[v] >= self.start[u] + p.able[u][k] + apart).OnlyEnforceIf(both + [first])
        self.model.Add(self.start[u] >= self.start[v] + p.able[v][k] + apart).OnlyEnforceIf(both + [first.Not()])


def confirm(document, seconds):
    """A sentence where the bound is not confirmed."""
    p, claimed = verify.Problem(document["workload"], document["fabric"]), verify.number(document["schedule"]["bound"])
    below = Below(p, claimed - 1)
    if not below.possible:
        return ""
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 2
    status = solver.Solve(below.model)
    if status == cp_model.INFEASIBLE:
        return ""
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        end = max(solver.Value(s) + d for s, d in zip(below.start, p.shortest))
        return "there is a schedule below the bound of %d ps: it ends at %d ps or a little later" % (claimed, end)
    return "nothing was decided in %g seconds" % seconds


def main():
    arg = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arg.add_argument("--limit", type=float, default=60)
    arg.add_argument("document", nargs="+")
    a = arg.parse_args()
    if not cp_model:
        print("verify_search.py: no OR-Tools here: pip install ortools")
        return 2
    bad = 0
    for path in a.document:
        with open(path, encoding="utf-8") as file:
            wrong = confirm(json.load(file), a.limit)
        print("%s: %s" % (path, wrong or "no schedule is below the bound"))
        bad |= bool(wrong)
    return bad


if __name__ == "__main__":
    sys.exit(main())
