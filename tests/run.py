#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs test programs (cmocka) and scripts ("ok NAME" / "not ok NAME" lines) and counts what passed.

A program that ends badly without a failed test of its own counts as one failure; so does one that runs no test.
What failed is told again under the total, where whoever sees only the end of a long log finds it.
"""
import argparse
import os
import re
import subprocess
import sys
import time

PASS = re.compile(r"^(\[       OK \]|ok\b)")
FAIL = re.compile(r"^(\[  FAILED  \]|not ok\b) *(?!.*listed below)")
SKIP = re.compile(r"^(\[  SKIPPED \]|ok\b.*# SKIP)")


TOLD_AGAIN = 40   # lines of a failed program under the total


def run(program, build, limit):
    """Runs one program; its number of passed tests, the lines that failed, and its last lines."""
    env = dict(os.environ, BUILD=os.path.abspath(build), ASAN_OPTIONS="handle_segv=2:detect_leaks=1")
    command = {".sh": ["sh", program], ".py": [sys.executable, program]}.get(os.path.splitext(program)[1], [program])
    begin = time.monotonic()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=env, timeout=limit, check=False)
        out, code = done.stdout.decode("utf-8", "replace"), done.returncode
    except subprocess.TimeoutExpired as late:
        out, code = (late.stdout or b"").decode("utf-8", "replace") + "\ntimed out", -1
    passed, failed = 0, set()
    for line in out.splitlines():
        if PASS.match(line):
            passed += not SKIP.match(line)
        elif FAIL.match(line) and "test(s), listed below" not in line:
            failed.add(line)
    if code != 0 and not failed:
        failed.add("%s ended with status %d" % (program, code))
    if passed == 0 and not failed and "SKIP" not in out:
        failed.add("%s ran no test" % program)
    print("%-52s %4d passed %3d failed %6.1f s" % (os.path.relpath(program), passed, len(failed),
                                                   time.monotonic() - begin), flush=True)
    if failed:
        print("\n".join("    " + line for line in out.splitlines()[-120:]), flush=True)
    return passed, sorted(failed), out.splitlines()[-TOLD_AGAIN:]


def total(path):
    """The sum of the counts in the file; what failed in any of the runs is told again."""
    if os.path.exists(path + ".failed"):
        with open(path + ".failed", encoding="utf-8") as told:
            print(told.read(), end="")
    with open(path, encoding="utf-8") as counts:
        rows = [line.split(None, 2) for line in counts]
    return sum(int(r[0]) for r in rows), sum(int(r[1]) for r in rows)


def keep(path, build, passed, failures):
    """Adds the counts of this run, and what failed in it, to the files of the sum."""
    with open(path, "a", encoding="utf-8") as out:
        out.write("%d %d %s\n" % (passed, sum(len(lines) for _, lines, _ in failures), build))
    if failures:
        with open(path + ".failed", "a", encoding="utf-8") as out:
            for program, lines, end in failures:
                out.write("failed: %s\n" % "\nfailed: ".join("%s: %s" % (os.path.relpath(program), l) for l in lines))
                out.write("".join("    %s\n" % line for line in end))


def main():
    arg = argparse.ArgumentParser(description=__doc__)
    arg.add_argument("--build", default="build")
    arg.add_argument("--sum", help="append the counts to this file")
    arg.add_argument("--total", help="print the sum of the counts in this file, and fail if any failed")
    arg.add_argument("--limit", type=float, default=1200)
    arg.add_argument("programs", nargs="*")
    options = arg.parse_args()
    if options.total:
        passed, failed = total(options.total)
    else:
        passed, failures = 0, []
        for program in options.programs:
            good, bad, end = run(program, options.build, options.limit)
            passed += good
            failures += [(program, bad, end)] if bad else []
        failed = sum(len(bad) for _, bad, _ in failures)
        if options.sum:
            keep(options.sum, options.build, passed, failures)
            print("%s: %d passed, %d failed" % (options.build, passed, failed))
            return 0
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
