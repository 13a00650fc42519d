#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Both formulations on GLPK, CBC and HiGHS, on the same problems in one run: seconds to a proof, or the gap at a limit.

The problems are pieces of a two-layer iteration like Llama's (its first sends, and its last, where the gradients of one
layer meet the next layer's activations), random DAGs, and each GPU to each other. `paper` on GLPK is the command's own
--exact --formulation paper; the others read the files of flux-ocs model. HiGHS comes from PyPI into a virtual
environment under the build folder; CBC is Debian's command. The last columns are flux-ocs schedule --exact=never,
our engines alone, and --exact=always: then the tight program below their makespan.
"""
import argparse
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import synthetic  # noqa: E402

SIZES = (8, 16, 24, 32, 48, 60, 100)
HIGHS = """
import json, sys, time, highspy
h = highspy.Highs()
h.setOptionValue("output_flag", False)
h.setOptionValue("time_limit", float(sys.argv[2]))
h.setOptionValue("threads", 1)
h.setOptionValue("mip_rel_gap", 0.0)
h.readModel(sys.argv[1])
begin = time.monotonic()
h.run()
seconds = time.monotonic() - begin
info = h.getInfo()
found = info.primal_solution_status == 2
print(json.dumps({"done": h.modelStatusToString(h.getModelStatus()) == "Optimal", "found": found, "seconds": seconds,
                  "value": info.objective_function_value if found else None, "gap": info.mip_gap if found else None}))
"""


class Cut(synthetic.Iteration):
    """Sends first .. first + count - 1 of an iteration; what came before has happened."""

    def __init__(self, whole, first, count):
        super().__init__(whole.rate)
        self.sends = whole.sends[first:first + count]
        inside = range(first, first + count)
        self.edges = [(u - first, v - first, lag) for u, v, lag in whole.edges if u in inside and v in inside]


def random_dag(count, seed):
    dice = random.Random(seed)
    dag = synthetic.Iteration(1)
    for v in range(count):
        src, dst = dice.sample(range(8), 2)
        dag.sends.append((src, dst, dice.randint(50, 500) * 10**6))
        for u in {dice.randrange(max(0, v - 10), v) for _ in range(dice.randint(0, 2)) if v}:
            dag.edges.append((u, v, dice.randint(0, 300) * 10**6))
    return dag


def each_to_each(gpus):
    dag = synthetic.Iteration(1)
    dag.sends = [(a, b, 100 * 10**6) for a, b in itertools.permutations(range(gpus), 2)]
    return dag


def problems(sizes):
    whole = synthetic.build(2, 4, 2, 2048, 800 * 10**9, 0.5)
    for n in sizes:
        yield "iteration, first %d" % n, n, Cut(whole, 0, n)
        yield "iteration, last %d" % n, n, Cut(whole, len(whole.sends) - n, n)
        for seed in (1, 2):
            yield "random DAG %d, %d" % (seed, n), n, random_dag(n, seed)
    for gpus in (4, 5):
        if gpus * (gpus - 1) <= max(sizes):
            yield "each to each, %d GPUs" % gpus, gpus * (gpus - 1), each_to_each(gpus)


class Cell:
    def __init__(self, done, found, seconds, gap, value):
        self.done, self.found, self.seconds, self.gap, self.value = done, found, seconds, gap, value

    def __str__(self):
        if self.done:
            return "%.3f" % self.seconds
        if not self.found:
            return "nothing"
        return "gap %.1f %%" % (100 * self.gap)


def flux(command, path, limit, *options):
    out = subprocess.run([command, "schedule", path, "--json", "--quiet", "--time-limit", "%ds" % limit, *options],
                         capture_output=True, text=True, check=False)
    if out.returncode:
        return Cell(False, False, limit, 1, None), "", None
    r = json.loads(out.stdout)
    cell = Cell(r["status"] == "optimal", True, r["seconds"], r["gap"], r["makespan_ps"])
    return cell, r["certificate"]["kind"], r["makespan_ps"]


def glpk(path, limit):
    begin = time.monotonic()
    out = subprocess.run(["glpsol", "--freemps", path, "--cuts", "--tmlim", str(limit)], capture_output=True, text=True,
                         check=False).stdout
    seconds = time.monotonic() - begin
    steps = re.findall(r"mip = +(\S+) >= +(\S+)", out)
    value = float(steps[-1][0]) if steps and steps[-1][0] != "not" else None
    done = "INTEGER OPTIMAL SOLUTION FOUND" in out
    if value is None or done:
        return Cell(done, done, seconds, 0, value)
    bound = steps[-1][1]
    return Cell(False, True, seconds, 0 if bound == "tree" else (value - float(bound)) / max(float(bound), 1e-9), value)


def cbc(path, limit):
    begin = time.monotonic()
    out = subprocess.run(["cbc", path, "-seconds", str(limit), "-threads", "1", "-solve", "-quit"], capture_output=True,
                         text=True, check=False).stdout
    seconds = time.monotonic() - begin
    value = re.search(r"^Objective value: +(\S+)", out, re.M)
    bound = re.search(r"^Lower bound: +(\S+)", out, re.M)
    done = "Result - Optimal solution found" in out
    found = value is not None and "No feasible solution found" not in out
    gap = (float(value[1]) - float(bound[1])) / max(float(bound[1]), 1e-9) if found and bound else 0
    return Cell(done, found, seconds, gap, float(value[1]) if found else None)


def highs(python, path, limit):
    out = subprocess.run([python, "-c", HIGHS, path, str(limit)], capture_output=True, text=True, check=False).stdout
    r = json.loads(out[out.index("{"):])
    return Cell(r["done"], r["found"], r["seconds"], r["gap"] or 0, r["value"])


def highs_python(build):
    """An interpreter that has highspy."""
    home = os.path.join(build, "highs")
    python = os.path.join(home, "bin", "python")
    if subprocess.run([python, "-c", "import highspy"], capture_output=True, check=False).returncode \
            if os.path.exists(python) else True:
        venv.create(home, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "highspy"], check=True)
    return python


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def main():
    arg = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arg.add_argument("--build", required=True, help="folder of flux-ocs")
    arg.add_argument("--limit", type=int, default=60, help="seconds for each solver and problem")
    arg.add_argument("--sizes", default=",".join(map(str, SIZES)))
    arg.add_argument("--switches", type=int, default=2)
    arg.add_argument("--delay", default="100us")
    a = arg.parse_args()
    command, python = os.path.join(a.build, "flux-ocs"), highs_python(a.build)
    print("\n## Formulations and solvers: %d switches, delay %s; seconds to a proof, or what is open after %d s\n"
          % (a.switches, a.delay, a.limit))
    row("problem", "sends", "paper, GLPK", "paper, CBC", "paper, HiGHS", "tight, GLPK", "tight, CBC", "tight, HiGHS",
        "flux-ocs --exact=never", "proved by", "flux-ocs --exact=always", "proved by")
    row(*["---"] * 12)
    with tempfile.TemporaryDirectory() as folder:
        for name, sends, dag in problems([int(s) for s in a.sizes.split(",")]):
            path = os.path.join(folder, "problem.yaml")
            with open(path, "w", encoding="utf-8") as out:
                synthetic.write(dag, 8, a.switches, a.delay, out)
            cells, bests = [flux(command, path, a.limit, "--exact", "--formulation", "paper", "--backend", "glpk")[0]], []
            bests += [cells[0].value] if cells[0].done else []
            for formulation in ("paper", "tight"):
                model = os.path.join(folder, formulation + ".mps")
                out = subprocess.run([command, "model", path, "--formulation", formulation, "--format", "mps", "-o",
                                      model, "--json", "--quiet"], capture_output=True, text=True, check=True).stdout
                step = json.loads(out)["step_ps"]
                more = [glpk(model, a.limit)] if formulation == "tight" else []
                more += [cbc(model, a.limit), highs(python, model, a.limit)]
                cells += more
                bests += [c.value * step for c in more if c.done and c.value]
            both = []
            for exact in ("--exact=never", "--exact=always"):
                ours, proof, makespan = flux(command, path, a.limit, exact)
                bests += [makespan] if ours.done else []
                both += [ours, proof if ours.done else ""]
            row(name, sends, *cells, *both)
            if bests and max(bests) - min(bests) > 1e-6 * max(bests):
                sys.exit("bench: solvers disagree on the best: %s" % bests)


if __name__ == "__main__":
    main()
