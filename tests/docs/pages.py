#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documents hang together: links and their anchors lead somewhere, every page can be reached, commands stand between
fences, where a test runs them, and docs/architecture.md knows the rooms. Prints `ok NAME` or `not ok NAME`."""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = re.compile(r" {4}(\$ |flux-ocs |make |cc |gcc |pip |python3? |#include |import |struct \w+ |flux_\w+\(|"
                     r"from \w+ import)")
failed = False


def verdict(name, wrong):
    global failed
    failed |= bool(wrong)
    print("%s documents: %s" % ("not ok" if wrong else "ok", name), flush=True)
    for line in wrong:
        print("    %s" % line)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def anchors(text):
    """As GitHub and MyST make them from headings."""
    found = set()
    for heading in re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```$", "", text)):
        plain = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-"))
    return found


def main():
    found = glob.glob(os.path.join(ROOT, "docs/*.md"))
    pages = ["README.md", "CHANGELOG.md"] + sorted(os.path.relpath(path, ROOT) for path in found)
    texts = {page: read(page) for page in pages}
    wrong, linked, links = [], set(), 0
    for page, text in texts.items():
        prose = re.sub(r"(?ms)^```.*?^```$", "", text)
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose)):
            if re.match(r"[a-z]+:", target):
                continue
            links += 1
            path, _, anchor = target.partition("#")
            other = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            linked.add(other)
            if not os.path.exists(os.path.join(ROOT, other)):
                wrong.append("%s links to %s, which is not there" % (page, target))
            elif anchor and anchor not in anchors(texts.get(other) or read(other)):
                wrong.append("%s links to %s, and %s has no such heading" % (page, target, other))
    verdict("links lead somewhere (%d)" % links, wrong if links > 50 else ["only %d links" % links])
    verdict("every page is linked to", ["%s is not" % page for page in pages if page not in linked | {"README.md"}])
    wrong = []
    for page, text in texts.items():
        outside = re.sub(r"(?ms)^```.*?^```$", lambda m: "\n" * m.group().count("\n"), text)
        for number, line in enumerate(outside.split("\n"), 1):
            if COMMAND.match(line):
                wrong.append("%s:%d: %s" % (page, number, line.strip()))
    verdict("commands and code stand between fences", wrong)
    architecture = texts["docs/architecture.md"]
    rooms = [os.path.basename(os.path.dirname(p)) for p in glob.glob(os.path.join(ROOT, "libflux/*/"))]
    subrooms = ["io/" + os.path.basename(os.path.dirname(p)) for p in glob.glob(os.path.join(ROOT, "libflux/io/*/"))]
    others = ["bindings/" + os.path.basename(os.path.dirname(p)) for p in glob.glob(os.path.join(ROOT, "bindings/*/"))]
    tests = [os.path.basename(os.path.dirname(p)) for p in glob.glob(os.path.join(ROOT, "tests/*/"))]
    table = re.findall(r"(?m)^\| `(\w+)` \|", architecture)
    verdict("the architecture has every room of the core",
            sorted(set(rooms) - {"io"} - set(table)) + sorted(set(table) - set(rooms)))  # fmt: skip
    verdict("and every other room", [room for room in sorted(subrooms + others) if "`%s`" % room not in architecture] +
            [room for room in sorted(tests) if "`%s`" % room not in architecture and "`tests/%s`" % room not in architecture
             and not room.startswith("_")])  # fmt: skip
    if os.environ.get("BUILD"):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "docs/images/concepts.py"), "--check"], text=True,
                              env=dict(os.environ, LIBFLUX_LIBRARY=os.path.abspath(os.environ["BUILD"])),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # fmt: skip
        print(done.stdout, end="")
        verdict("the pictures of docs/concepts.md are those of its script", [] if done.returncode == 0 else ["run it again"])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
