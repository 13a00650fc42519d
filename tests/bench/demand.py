#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One matrix over parallel switches: makespan over bound and time, by algorithm, matrix, ports, switches and delay.

Means over the seeds 1, 2, ...; delays are in parts of what a row sums to.
"""
import argparse
import json
import os
import subprocess
import sys

KINDS = {"standard": 1, "moe-multinomial": 2, "moe-lognormal": 3, "moe-pairs": 4}
DELAYS = (1000, 10000, 50000)  # parts per million


def measure(build, kind, ports, switches, delay, seeds):
    command = [os.path.join(build, "tests/bench/bench_demand")]
    command += [str(n) for n in (KINDS[kind], ports, switches, delay, seeds)]
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    return [json.loads(line) for line in out.splitlines()]


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--ports", type=int, nargs="*", default=[32, 64])
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    arguments = parser.parse_args()
    times = []
    for kind in arguments.kinds:
        for ports in arguments.ports:
            first = True
            for switches in (2, 4):
                for delay in DELAYS:
                    rows = measure(arguments.build, kind, ports, switches, delay, arguments.seeds)
                    if first:
                        print("\n## %s, %d ports: makespan / bound, means of %d seeds\n"
                              % (kind, ports, arguments.seeds))
                        row("switches", "delay", *(r["algorithm"] for r in rows), "best at worst")
                        row(*["---"] * (len(rows) + 3))
                        first = False
                    best = [r for r in rows if r["algorithm"] == "best"][0]
                    row(switches, delay / 1e6, *("%.3f" % r["ratio"] for r in rows), "%.3f" % best["worst"])
                    if (switches, delay) == (2, 10000):
                        times.append((kind, ports, rows))
    print("\n## Milliseconds for a matrix, 2 switches, delay 0.01\n")
    row("matrix", "ports", *(r["algorithm"] for r in times[0][2]))
    row(*["---"] * (len(times[0][2]) + 2))
    for kind, ports, rows in times:
        row(kind, ports, *("%.1f" % r["ms"] for r in rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
