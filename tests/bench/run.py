#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks in one run: real traces, growth with size, and CP-SAT (OR-Tools) on the same problems.

Needs no installation by hand: OR-Tools is put into a virtual environment under the build folder.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TRACES = os.path.join(HERE, "..", "data", "stage-generated")
DELAYS = ("1us", "10us", "100us", "1ms", "10ms")


def run(command):
    """Standard output of a command and its peak memory in MiB."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        out = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit("bench: '%s' ended with status %d" % (" ".join(command), child.returncode))
    return out.decode(), usage.ru_maxrss / 1024


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def header(*cells):
    row(*cells)
    row(*("---" for _ in cells))


def ms(seconds):
    return "%.3f" % (seconds * 1e3)


def traces(command):
    print("\n## Public traces, Llama 3 8B, TP4 x DP2, 800 Gbps; times in ms\n")
    header("trace", "switches", "delay", "makespan us", "bound us", "gap %", "status", "load", "build", "bound",
           "construct", "check", "peak MiB")
    for layers in (8, 16):
        prefix = os.path.join(TRACES, "llama3-8b_L%d_tp4dp2" % layers, "workload")
        for switches in (1, 2, 4):
            for delay in DELAYS:
                out, peak = run([command, "schedule", prefix, "--size-scale", "2", "--switches", str(switches),
                                 "--delay", delay, "--rate", "800Gbps", "--json"])
                r = json.loads(out)
                t = r["timings"]
                row("L%d" % layers, switches, delay, "%.6f" % (r["makespan_ps"] / 1e6), "%.6f" % (r["bound_ps"] / 1e6),
                    "%.3f" % (100 * r["gap"]), r["status"], *(ms(t[k]) for k in
                                                              ("load", "build", "bound", "construct", "check")),
                    "%.0f" % peak)


def growth(build, most):
    print("\n## Growth: ring all-reduces with compute between, 2 switches, 10 us; seconds\n")
    header("sends", "GPUs", "load", "build", "bound", "construct", "check", "total", "us per send", "peak MiB", "gap %")
    size = 1000
    while size <= most:
        out, _ = run([os.path.join(build, "tests/bench/bench_schedule"), str(size), "1024" if size >= 10**5 else "64"])
        r = json.loads(out)
        row(r["sends"], r["gpus"], *("%.4f" % r[k] for k in
                                     ("load_s", "build_s", "bound_s", "construct_s", "check_s", "total_s")),
            "%.2f" % (r["total_s"] * 1e6 / r["sends"]), r["peak_mib"], "%.2f" % (100 * r["gap"]))
        size *= 10


def imports(build):
    print("\n## Reading Chakra traces: a public one, and 10^6 nodes on 64 ranks\n")
    header("trace", "nodes", "vertices", "sends", "edges", "seconds", "us per node", "peak MiB")
    for line in run([os.path.join(build, "tests/bench/bench_import")])[0].splitlines():
        r = json.loads(line)
        row(r["trace"], r["nodes"], r["vertices"], r["sends"], r["edges"], "%.4f" % r["import_s"],
            "%.2f" % (r["import_s"] * 1e6 / r["nodes"]), r["peak_mib"])


def replays(build):
    print("\n## Replays of one schedule, and of cycles; seconds\n")
    header("what", "sends", "GPUs", "make", "one run", "iteration us", "peak MiB")
    r = json.loads(run([os.path.join(build, "tests/bench/bench_replay"), "100000", "64"])[0])
    for mode, name in (("plan", "by the clock, as planned"), ("clock", "by the clock, jitter 5 %"),
                       ("order", "in order, jitter 5 %")):
        took = r.get(mode + "_ps")
        row(name, r["sends"], r["gpus"], "%.4f" % r["new_s"], "%.4f" % r[mode + "_s"],
            "%.3f" % (took / 1e6) if took else "", r["peak_mib"])
    for line in run([os.path.join(build, "tests/bench/bench_cycle"), "100000", "64"])[0].splitlines():
        r = json.loads(line)
        row(r["kind"], r["sends"], r["gpus"], "%.4f" % r["new_s"], "%.4f" % r["run_s"],
            "%.3f" % (r["iteration_ps"] / 1e6), r["peak_mib"])


def replans(build):
    print("\n## Planning anew half way, against the right shift of the old plan; times in us\n")
    header("workload", "delay", "what happens", "sends left", "planned", "right shift", "replanned", "bound",
           "over right shift", "over bound", "plans", "CPU ms")
    program = os.path.join(build, "tests/bench/bench_replan")
    files = [("L%d" % n, os.path.join(TRACES, "llama3-8b_L%d_tp4dp2" % n, "workload")) for n in (8, 16)]
    for name, path in files + [("rings", "-")]:
        for delay in DELAYS[1:]:
            ps = {"us": 10**6, "ms": 10**9}[delay[-2:]] * int(delay[:-2])
            for line in run([program, path, str(ps)])[0].splitlines():
                r = json.loads(line)
                row(name, delay, r["case"], r["left"], *("%.1f" % r[k] for k in
                                                         ("planned_us", "shifted_us", "makespan_us", "bound_us")),
                    "%.4f" % r["over_shifted"], "%.4f" % r["over_bound"], r["plans"], "%.1f" % r["cpu_ms"])


def python_over_c(build):
    """With Debian's NumPy, where this Python has none."""
    python = next((p for p in (sys.executable, "/usr/bin/python3") if os.path.exists(p) and subprocess.run(
        [p, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0), None)
    if python is None:
        print("\n## Python over C: not measured, there is no NumPy")
    else:
        subprocess.run([python, os.path.join(HERE, "python.py"), "--build", build], check=True)


def environment(build, packages):
    """A Python with the peers' packages."""
    place = os.path.join(build, "..", "bench-venv")
    python = os.path.join(place, "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
    return python


def peer(command, build, limit):
    print("\n## The same problem on CP-SAT (OR-Tools, 2 workers, limit %g s)\n" % limit)
    header("case", "sends", "delay", "our makespan us", "our bound us", "our ms", "CP-SAT status", "its makespan us",
           "its bound us", "its s", "CP-SAT time / ours")
    python = environment(build, ["ortools"])
    for layers in (1, 2, 8):
        for delay in ("1us", "100us", "1ms"):
            name = os.path.join(build, "cpsat-%d-%s" % (layers, delay))
            with open(name + ".yaml", "w", encoding="utf-8") as out:
                subprocess.run([sys.executable, os.path.join(HERE, "synthetic.py"), "--layers", str(layers), "--delay",
                                delay], stdout=out, check=True)
            ours = json.loads(run([command, "schedule", name + ".yaml", "--json"])[0])
            run([command, "convert", name + ".yaml", "-o", name + ".json"])
            its = json.loads(run([python, os.path.join(HERE, "cpsat.py"), name + ".json", "--limit", str(limit)])[0])
            found = its["makespan_ps"] is not None
            row("%d layers" % layers, ours["sends"], delay, "%.3f" % (ours["makespan_ps"] / 1e6),
                "%.3f" % (ours["bound_ps"] / 1e6), ms(ours["seconds"]), its["status"],
                "%.3f" % (its["makespan_ps"] / 1e6) if found else "none", "%.3f" % (its["bound_ps"] / 1e6),
                "%.1f" % its["total_seconds"],
                "%s%.0f" % ("" if found else "> ", its["total_seconds"] / ours["seconds"]))


def main():
    arg = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arg.add_argument("--build", required=True, help="where the programs are")
    arg.add_argument("--limit", type=float, default=60, help="seconds for each CP-SAT run")
    arg.add_argument("--most", type=int, default=10**6, help="sends of the largest generated case")
    arg.add_argument("--no-peer", action="store_true", help="leave CP-SAT out")
    a = arg.parse_args()
    command = os.path.join(a.build, "flux-ocs")
    print("# Benchmarks of libflux %s" % run([command, "--version"])[0].split("\n")[0])
    traces(command)
    imports(a.build)
    growth(a.build, a.most)
    replays(a.build)
    replans(a.build)
    python_over_c(a.build)
    if not a.no_peer:
        peer(command, a.build, a.limit)


if __name__ == "__main__":
    main()
