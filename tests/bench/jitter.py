#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What jitter of compute does to an iteration: our schedule kept in order, and RotorNet, on the public traces.

Prints the table of docs/simulate.md. usage: jitter.py FLUX-OCS [--seeds N] [--rotor-seeds N] [--jobs N] [--layers 8,16] [--delays 1us,...]
"""
import argparse
import concurrent.futures
import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TRACE = os.path.join(HERE, "..", "data", "stage-generated", "llama3-8b_L%s_tp4dp2", "workload")
CYCLES = ("schedule", "rotor-direct", "rotor-vlb")


def replay(flux, layers, delay, cycle, jitter, seeds):
    out = subprocess.run([flux, "replay", TRACE % layers, "--size-scale", "2", "--switches", "2", "--rate", "800Gbps",
                          "--delay", delay, "--cycle", cycle, "--jitter", "%d%%" % jitter, "--seeds", str(seeds),
                          "--quiet", "--json"], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)


def cell(run):
    return "%.2f / %.2f" % (run["iteration_ps"]["median"] / 1e9, run["iteration_ps"]["p95"] / 1e9)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("flux")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--rotor-seeds", type=int, help="of the rotors, which take long at short delays (as --seeds)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--layers", default="8,16")
    parser.add_argument("--delays", default="1us,10us,100us")
    args = parser.parse_args()
    points = [(layers, delay, jitter) for layers in args.layers.split(",") for delay in args.delays.split(",")
              for jitter in (5, 20)]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = {(point, cycle): pool.submit(replay, args.flux, point[0], point[1], cycle, point[2],
                                             args.seeds if cycle == "schedule" else args.rotor_seeds or args.seeds)
                for point in points for cycle in CYCLES}
        print("| layers | delay | jitter | plan | flux in order | to plan | RotorNet direct | to flux | RotorNet VLB "
              "| to flux |")
        print("|---|---|---|---|---|---|---|---|---|---|")
        for point in points:
            flux, direct, vlb = (runs[point, cycle].result() for cycle in CYCLES)
            median = flux["iteration_ps"]["median"]
            print("| %s | %s | %d %% | %.2f | %s | %+.1f %% | %s | %.1f x | %s | %.1f x |" % (
                *point, flux["planned_ps"] / 1e9, cell(flux), 100 * (median / flux["planned_ps"] - 1),
                cell(direct), direct["iteration_ps"]["median"] / median,
                cell(vlb), vlb["iteration_ps"]["median"] / median), flush=True)


if __name__ == "__main__":
    main()
