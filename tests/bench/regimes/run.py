#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The set of problems on libflux, and beside it CP-SAT, PyJobShop, HiGHS and random orders: a table, and a picture of the gap over time.

First all of ours, with the checks that must always hold; then the peers, smallest problems first, until the minutes are over: what
they were not tried on then has empty cells. What was found is kept as it comes, in results.jsonl.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import peers  # noqa: E402
import problems  # noqa: E402
import report  # noqa: E402


def ours(build, path, options):
    out = subprocess.run([sys.executable, os.path.join(HERE, "ours.py"), path, *options],
                         capture_output=True, text=True, check=False,
                         env={**os.environ, "LIBFLUX_LIBRARY": os.path.abspath(build)})
    if out.returncode:
        raise RuntimeError(out.stderr.strip().splitlines()[-1] if out.stderr.strip() else "status %d" % out.returncode)
    return json.loads(out.stdout)


def keep(folder, told):
    with open(os.path.join(folder, "results.jsonl"), "w", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in told)


def run_ours(a, chosen, folder):
    """All of ours; the names of what failed."""
    told, failed, command = [], [], os.path.join(a.build, "flux-ocs")
    options = ["--twice", "--no-random", "--limit", "10"] if a.short else ["--no-random"] if a.no_random else []
    for i, problem in enumerate(chosen):
        path = os.path.join(folder, "problem-%d.%s" % (i, "json" if problem.peers else "yaml"))
        try:
            problem.write(command, path)
            row = {"name": problem.name, "regime": problem.regime, "path": path, "ours": ours(a.build, path, options)}
        except (RuntimeError, subprocess.CalledProcessError) as fault:
            failed.append(problem.name)
            print("%s %s: %s" % ("not ok" if a.short else "regimes:", problem.name, fault), flush=True)
            continue
        if not problem.peers:
            os.remove(path)
        told.append(row)
        found = row["ours"]
        print("ok %s" % problem.name if a.short else "%-45s %8d sends, %.6f ms, gap %.2f %%, %.3f s" % (
            problem.name, found["sends"], found["makespan"] / 1e9, 100 * report.gap(found["makespan"], found["bound"]),
            found["seconds"]), flush=True)
        keep(folder, told)
    return told, failed


def run_peers(a, told, folder, until):
    python = peers.environment(a.build)
    if not python:
        return
    for row in sorted(told, key=lambda row: row["ours"]["sends"]):
        if row["ours"]["sends"] > peers.SENDS or not os.path.exists(row["path"]):
            continue
        if time.monotonic() > until:
            print("regimes: no minutes left for the peers on %s and what is larger" % row["name"], flush=True)
            break
        row["cpsat"] = peers.script(python, "cpsat.py", row["path"], a.limit)
        if row["ours"]["sends"] <= peers.SHOP:
            row["jobshop"] = peers.script(python, "jobshop.py", row["path"], a.limit)
        if row["ours"]["sends"] <= peers.SMALL:
            row["highs"] = peers.highs(python, os.path.join(a.build, "flux-ocs"), row["path"], a.limit)
        print("%-45s CP-SAT %s %s" % (row["name"], row["cpsat"]["status"], row["cpsat"].get("makespan_ps")), flush=True)
        keep(folder, told)
    subprocess.run([python, os.path.join(HERE, "report.py"), folder], check=True)


def main():
    arg = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arg.add_argument("--build", required=True, help="where flux-ocs and libflux.so are")
    arg.add_argument("--out", default="build/regimes", help="folder of tables and pictures")
    arg.add_argument("--limit", type=float, default=60, help="seconds for each peer and problem; ours ends by itself")
    arg.add_argument("--minutes", type=float, default=60, help="for everything")
    arg.add_argument("--short", action="store_true", help="a few problems, ours alone, twice: a test")
    arg.add_argument("--only", default="", help="problems whose name matches this")
    arg.add_argument("--no-peers", action="store_true")
    arg.add_argument("--no-random", action="store_true")
    a = arg.parse_args()
    until = time.monotonic() + 60 * a.minutes - a.limit
    os.makedirs(a.out, exist_ok=True)
    chosen = [p for p in problems.all_problems(a.short) if re.search(a.only, p.name)]
    told, failed = run_ours(a, chosen, a.out)
    if told and not a.short:
        report.write(a.out)
    if told and not (a.short or a.no_peers):
        run_peers(a, told, a.out, until)
    for name in os.listdir(a.out):  # the documents and models of the problems
        if name == "made.yaml" or name.startswith("problem-"):
            os.remove(os.path.join(a.out, name))
    return bool(failed) or not told


if __name__ == "__main__":
    sys.exit(main())
