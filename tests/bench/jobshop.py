#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scheduling problem of a native JSON document as a job shop for PyJobShop, which gives it to CP-SAT in its own way.

A task per vertex; a machine per port (GPU, switch, and direction for simplex) with times to set it up between tasks of different
circuits; a mode per switch, which takes the machines of both ends. It begins with the schedule that cpsat.py begins with. Rule
`duplex` cannot be said like that, as two directions of one pair share a machine at once. Prints one JSON object.
"""
import argparse
import json
import sys
import time

from pyjobshop import Model, Solution, ScheduledTask

from cpsat import Problem


def build(problem):
    """The model, and the place of the first mode of each task among all modes."""
    model, machine, first = Model(), {}, []
    tasks = [model.add_task(earliest_start=release) for release in problem.release]
    for v, task in enumerate(tasks):
        first.append(len(model.modes))
        for k in range(problem.switches) if v in problem.ends else ():
            ports = [(at, k) for at in problem.ports(v)]
            for port in ports:
                if port not in machine:
                    machine[port] = model.add_machine()
            model.add_mode(task, [machine[port] for port in ports], problem.duration[v])
        if v not in problem.ends:
            model.add_mode(task, [], problem.duration[v])
    for u, v, lag in problem.edges:
        model.add_end_before_start(tasks[u], tasks[v], lag)
    at = {}
    for v in problem.ends:
        for port in problem.ports(v):
            at.setdefault(port, []).append(v)
    for (port, _), each in machine.items():
        for u in at[port]:
            for v in at[port]:
                if problem.circuit(u) != problem.circuit(v):
                    model.add_setup_time(each, tasks[u], tasks[v], problem.delay)
    return model, first


def begin_with(problem, model, first):
    start, switch = problem.dispatch()
    rows = []
    for v, length in enumerate(problem.duration):
        mode = first[v] + switch.get(v, 0)
        rows.append(ScheduledTask(mode, list(model.modes[mode].resources), start[v], start[v] + length))
    return Solution(model.data(), rows), max(row.end for row in rows)


def main():
    arg = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arg.add_argument("document")
    arg.add_argument("--limit", type=float, default=60)
    arg.add_argument("--workers", type=int, default=2)
    a = arg.parse_args()
    with open(a.document, encoding="utf-8") as source:
        problem = Problem(json.load(source))
    if problem.rule == "duplex":
        print(json.dumps({"status": "cannot say duplex"}))
        return
    model, first = build(problem)
    solution, makespan = begin_with(problem, model, first)
    begin = time.monotonic()
    result = model.solve(time_limit=a.limit, display=False, num_workers=a.workers, initial_solution=solution)
    status = result.status.name.lower()
    row = {"status": status, "dispatch_ps": makespan, "seconds": time.monotonic() - begin, "makespan_ps": None}
    if status in ("optimal", "feasible"):
        row["makespan_ps"], row["bound_ps"] = int(result.objective), int(result.lower_bound)
    print(json.dumps(row))


if __name__ == "__main__":
    sys.exit(main())
