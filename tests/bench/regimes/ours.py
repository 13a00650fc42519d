#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ours.py DOCUMENT: one problem on libflux, as a JSON object: result, what the progress callback was told, time and memory; then
random orders in the same constructor for as long. Exits with a sentence where anything that must hold does not. LIBFLUX_LIBRARY
names the folder of the library.
"""
import argparse
import json
import os
import resource
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "bindings", "python"))
import libflux  # noqa: E402

MANY = 10000  # random orders, at most
SEARCHED = ("subset", "search", "solver")  # to confirm these takes a search: tests/verify_subset.py, tests/verify_search.py


def need(good, *words):
    if not good:
        sys.exit("ours.py: " + " ".join(map(str, words)))


def judge(schedule, graph, fabric, news):
    """Checker, certificate, bound and incumbents: what holds of every run."""
    need(schedule.bound <= schedule.makespan, "bound", schedule.bound, "is above makespan", schedule.makespan)
    need(schedule.check() == schedule.makespan, "the checker finds another makespan")
    best, bound = None, 0
    for told in news:
        need(told.bound >= bound, "the bound fell from", bound, "to", told.bound)
        need(best is None or told.makespan is not None and told.makespan <= best, "the incumbent rose from", best)
        best, bound = told.makespan, told.bound
    need(best is None or schedule.makespan <= best, "the last incumbent was better than the schedule")
    if schedule.certificate.kind not in SEARCHED:
        need(schedule.certificate.check(graph, fabric) >= schedule.bound, "the certificate does not show the bound")


def steps(news, schedule, seconds):
    """(seconds, makespan, bound) wherever one of the two changed, and at the end."""
    rows = []
    for told in news:
        if told.makespan is not None and (not rows or rows[-1][1:] != (told.makespan, told.bound)):
            rows.append((told.elapsed, told.makespan, told.bound))
    if not rows or rows[-1][1:] != (schedule.makespan, schedule.bound):
        rows.append((seconds, schedule.makespan, schedule.bound))
    return rows


def random_orders(graph, fabric, seconds):
    """Median of random priorities in our own constructor, as many as there is time for."""
    begin = time.perf_counter()
    one = libflux.compare(graph, fabric, ["random"], constructions=1)[0].iteration
    each = time.perf_counter() - begin
    count = int(min(MANY, seconds / each))
    return (libflux.compare(graph, fabric, ["random"], constructions=count)[0].iteration, count) if count > 1 else (one, 1)


def main():
    arg = argparse.ArgumentParser(description=__doc__)
    arg.add_argument("document")
    arg.add_argument("--limit", type=float, default=0, help="seconds; 0: until it ends by itself, the same on every machine")
    arg.add_argument("--twice", action="store_true", help="again, under a limit of work: the same schedule twice?")
    arg.add_argument("--no-random", action="store_true")
    a = arg.parse_args()
    begin = time.perf_counter()
    loaded = libflux.load(a.document)
    load, news = time.perf_counter() - begin, []
    graph, fabric = loaded.graph, loaded.fabric
    begin = time.perf_counter()
    limit = {"time_limit": int(a.limit * 10**12)} if a.limit else {}
    schedule = libflux.schedule(graph, fabric, progress=lambda told: news.append(told) and None, **limit)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    judge(schedule, graph, fabric, news)
    row = {"sends": len(schedule.slots), "makespan": schedule.makespan, "bound": schedule.bound, "status": schedule.status,
           "kind": schedule.certificate.kind, "seconds": seconds, "load": load, "peak_mib": peak,
           "steps": steps(news, schedule, seconds)}
    if a.twice:
        found = [libflux.schedule(graph, fabric, work_limit=200000) for _ in range(2)]
        need(list(found[0].slots) == list(found[1].slots) and found[0].bound == found[1].bound,
             "two runs under the same limit of work differ")
    if not a.no_random:
        row["random"], row["random_orders"] = random_orders(graph, fabric, seconds)
    print(json.dumps(row))


if __name__ == "__main__":
    main()
