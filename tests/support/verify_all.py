#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verify_all.py FOLDER: tests/verify.py on every document that FOLDER/expected tells of, against what the library said.

A line of `expected` is a file, the makespan (-1: no schedule), the certificate's number (-1: not shown), and 1 where the
document is as the library made it, so that all it says must hold.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import verify  # noqa: E402


def number_or_fault(function, *arguments):
    try:
        return function(*arguments), ""
    except verify.Fault as fault:
        return -1, str(fault)


def differences(folder, line):
    name, makespan, bound, whole = line.split()
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        document = json.load(file)
    schedule = document["schedule"]
    problem = verify.Problem(document["workload"], document["fabric"])
    found = number_or_fault(verify.check_schedule, problem, schedule["sends"])
    if found[0] != int(makespan):
        yield "%s: makespan %s, not %s: %s" % (name, found[0], makespan, found[1])
    shown = number_or_fault(verify.check_certificate, problem, verify.number(schedule["bound"]),
                            schedule["certificate"])
    if shown[0] != int(bound):
        yield "%s: certificate shows %s, not %s: %s" % (name, shown[0], bound, shown[1])
    if whole == "1" and verify.verify(document) != (int(makespan), int(bound)):
        yield "%s: verify() says something else" % name


def main(folder):
    with open(os.path.join(folder, "expected"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    wrong = [text for line in lines for text in differences(folder, line)]
    print("\n".join(wrong[:20] + ["%d documents, %d differences" % (len(lines), len(wrong))]), flush=True)
    return bool(wrong) or not lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
