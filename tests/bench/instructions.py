#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""instructions.py BUILD [BUILD ...]: instructions per send of each stage, as valgrind's callgrind counts them, for one or more build
folders on the same problems: what changed from one to the other, without a clock.

A build folder has flux-ocs, and bench_schedule in tests/bench. Build with OPT="-O2 -g", so that stages have names.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TRACES = os.path.join(HERE, "..", "data", "stage-generated")
STAGES = (("problem", "flux_problem_build"), ("bound", "flux_bound_find"), ("construct", "flux_construct_best"),
          ("check", "flux_schedule_make"), ("whole call", "flux_schedule"))


def problems(build):
    """Name, sends, command."""
    command = os.path.join(build, "flux-ocs")
    for layers, sends in ((8, 2176), (16, 4224)):
        for delay in ("10us", "1ms"):
            yield ("L%d, S=2, %s" % (layers, delay), sends,
                   [command, "schedule", os.path.join(TRACES, "llama3-8b_L%d_tp4dp2" % layers, "workload"), "--size-scale", "2",
                    "--switches", "2", "--delay", delay, "--quiet"])
    yield "rings on 1,024 GPUs, S=2, 10us", 100016, [os.path.join(build, "tests", "bench", "bench_schedule"), "100000", "1024"]


def count(command):
    """Instructions, with what is called, by function."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind.out")
        subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, *command], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", out], check=True, capture_output=True,
                              text=True).stdout
    rows = re.findall(r"^\s*([0-9,]+) \([^)]*\)\s+\S*?:(\w+)", text, re.MULTILINE)
    return {name: int(number.replace(",", "")) for number, name in reversed(rows)}


def main():
    arg = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arg.add_argument("build", nargs="+")
    a = arg.parse_args()
    print("| problem | stage | " + " | ".join(a.build) + " |\n|---|---|" + "---|" * len(a.build))
    for rows in zip(*(list(problems(build)) for build in a.build)):
        found = [count(command) for _, _, command in rows]
        for stage, function in STAGES:
            cells = ["%.0f" % (each[function] / rows[0][1]) if function in each else "" for each in found]
            print("| %s | %s | %s |" % (rows[0][0], stage, " | ".join(cells)), flush=True)


if __name__ == "__main__":
    sys.exit(main())
