#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""every_file.py FOLDER [--build FOLDER] [--info]: every file under FOLDER as a row: what it holds and the schedule of it on
2 switches of 10 us, or the sentence with which it is refused. With --info nothing is scheduled. The files of a trace set
are one row. The program ends with 1 where a file is in no row, or ends without a sentence."""
import argparse
import json
import os
import re
import subprocess
import sys

SET = re.compile(r"^(.*)\.(0|[1-9][0-9]*)\.(et|et\.gz)$")
RANKS = 16  # for workloads that leave that to the caller


def inputs(folder):
    """(name, paths) of each row."""
    sets, rows = {}, []
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(place, name)
            if found := SET.match(path):
                sets.setdefault(found[1], []).append(path)
            else:
                rows.append((path, [path]))
    return sorted(rows + list(sets.items()))


def options_of(path):
    """What a person would give: groups kept in another folder, the size of an element."""
    options = []
    groups = os.path.join(os.path.dirname(path), "..", "inputs", "comm_group.json")
    if os.path.exists(groups) and not os.path.exists(os.path.join(os.path.dirname(path), "comm_group.json")):
        options += ["--groups", groups]
    return options + (["--size-scale", "2"] if "stage" in path else [])


def run(command, path, options):
    done = subprocess.run(command[:1] + [command[1], path] + command[2:] + options, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace")


def sentence_of(err):
    lines = [line for line in err.splitlines() if line.startswith("flux-ocs: error: ")]
    return lines[0][len("flux-ocs: error: "):] if lines else None


def row_of(program, path, info):
    options = options_of(path)
    info_command = [program, "info", "--json", "--quiet"]
    status, out, err = run(info_command, path, options)
    if status == 3 and "say how many ranks" in err:
        options += ["--ranks", str(RANKS)]
        status, out, err = run(info_command, path, options)
    if status:
        sentence = sentence_of(err)
        return (None, "status %d: %s" % (status, err)) if status != 3 or not sentence else ("refused", sentence)
    about = json.loads(out)
    row = "%s %s, %d GPUs, %d sends, %d bytes" % (about["format"], " ".join(options), about["gpus"], about["sends"],
                                               about["bytes"])
    if info:
        return "read", row
    status, out, err = run([program, "schedule", "--json", "--quiet", "--switches", "2", "--delay", "10us",
                            "--time-limit", "2s"], path, options)
    if status:
        return None, "status %d: %s" % (status, err)
    plan = json.loads(out)
    return "read", "%s, makespan %.6f ms, bound %.6f ms, gap %.2f %%" % (
        row, plan["makespan_ps"] / 1e9, plan["bound_ps"] / 1e9,
        100 * (plan["makespan_ps"] - plan["bound_ps"]) / max(plan["bound_ps"], 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--build", default="build/gcc")
    parser.add_argument("--info", action="store_true")
    args = parser.parse_args()
    program = os.path.join(args.build, "flux-ocs")
    counts = {"read": 0, "refused": 0, None: 0}
    files = 0
    for path, paths in inputs(args.folder):
        what, text = row_of(program, path, args.info)
        counts[what] += 1
        files += len(paths)
        print("%-8s %s: %s" % (what or "BROKEN", os.path.relpath(path, args.folder),
                               text.replace(path + ": ", "").replace(args.folder, "").strip()), flush=True)
    there = sum(len(names) for _, _, names in os.walk(args.folder))
    print("%d files in %d rows: %d read, %d refused, %d broken; %d files are there" % (
        files, sum(counts.values()), counts["read"], counts["refused"], counts[None], there))
    sys.exit(counts[None] > 0 or files != there)


if __name__ == "__main__":
    main()
