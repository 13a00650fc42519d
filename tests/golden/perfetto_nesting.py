#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a Chrome trace as a viewer would and says what is wrong with it.

Slices of one thread must not overlap, exactly and as a reader sees them that keeps whole nanoseconds; threads have a
name, and a number that no other process uses; arrows come in pairs and begin and end at slices; counters never go
below zero and end at zero.
"""
import collections
import json
import sys
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal


def nanoseconds(time, rounding):
    return int((time * 1000).to_integral_value(rounding))


def overlaps(slices):
    found = []
    for thread, rows in slices.items():
        rows.sort()
        for (start, length, name), (begin, _, other) in zip(rows, rows[1:]):
            if start + length > begin:
                found.append("thread %d: %s overlaps %s at %s us" % (thread, name, other, begin))
            for rounding in ROUND_FLOOR, ROUND_HALF_UP:
                if nanoseconds(start, rounding) + nanoseconds(length, rounding) > nanoseconds(begin, rounding):
                    found.append("thread %d: %s reaches into %s when rounded" % (thread, name, other))
    return found


def loose_arrows(arrows, slices):
    found = []
    for number, ends in arrows.items():
        if sorted(ends) != ["f", "s"]:
            found.append("arrow %d has ends %s" % (number, sorted(ends)))
            continue
        (source, leaves), (target, arrives) = ends["s"], ends["f"]
        if not any(start <= leaves <= start + length for start, length, _ in slices[source]):
            found.append("arrow %d begins at no slice" % number)
        if not any(start == arrives for start, _, _ in slices[target]):
            found.append("arrow %d ends at no slice" % number)
        if leaves > arrives:
            found.append("arrow %d goes back in time" % number)
    return found


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        trace = json.load(file, parse_float=Decimal, parse_int=Decimal)
    problems, kinds = [], collections.Counter()
    slices, arrows = collections.defaultdict(list), collections.defaultdict(dict)
    names, process, samples = {}, {}, {}
    for event in trace["traceEvents"]:
        phase, thread = event["ph"], int(event.get("tid", 0))
        kinds[phase, event.get("cat", event["name"])] += 1
        if thread and process.setdefault(thread, event["pid"]) != event["pid"]:
            problems.append("thread %d is in two processes" % thread)
        if phase == "X":
            slices[thread].append((event["ts"], event["dur"], event["name"]))
        elif phase in "sf":
            arrows[int(event["id"])][phase] = (thread, event["ts"])
        elif phase == "C":
            (value,) = event["args"].values()
            last = samples.get((event["pid"], event["name"]), (Decimal(-1), 0))
            if value < 0 or event["ts"] <= last[0]:
                problems.append("counter %s of process %s at %s us" % (event["name"], event["pid"], event["ts"]))
            samples[event["pid"], event["name"]] = (event["ts"], value)
        elif phase == "M" and event["name"] == "thread_name":
            names[thread] = event["args"]["name"]
        elif phase != "M":
            problems.append("unknown phase %s" % phase)
    problems += overlaps(slices) + loose_arrows(arrows, slices)
    problems += ["thread %d has no name" % thread for thread in slices if thread not in names]
    problems += ["counter %s of process %s ends at %s" % (name, pid, value)
                 for (pid, name), (_, value) in samples.items() if value]
    for wanted in sys.argv[2:]:
        phase, name, least = wanted.split(":")
        if kinds[phase, name] < int(least):
            problems.append("%s %s: %d, fewer than %s" % (phase, name, kinds[phase, name], least))
    for problem in problems[:50]:
        print("# " + problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
