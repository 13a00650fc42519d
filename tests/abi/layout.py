#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the public headers say to a compiler, as a list: structs and their members, constants, prototypes.

    layout.py                  prints the list
    layout.py --against FILE   compares with a list of before: new lines are fine, changed and missing ones are not

A struct with a member `size` grows: new members at its end are fine. Any other struct is frozen.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))
import generate  # noqa: E402

VERSION = re.compile(r"FLUX_VERSION(_MAJOR|_MINOR|_PATCH)?$")


def grows(members):
    return any(name == "size" and kind.c() == "uint64_t " for name, kind in members)


def measured(headers):
    """(struct, member or None) -> (offset, size), as the compiler has them."""
    out = ["#include <%s>" % name for name in headers.core + headers.io]
    out += ["#include <stddef.h>", "#include <stdio.h>", "int main(void)", "{"]
    line = '    printf("%s %%zu %%zu\\n", %s, %s);'
    for name, members in headers.structs.items():
        out.append(line % (name + " -", "(size_t)0", "sizeof(struct %s)" % name) if members else "")
        for member, _ in members or []:
            there = "((struct %s *)0)->%s" % (name, member)
            out.append(line % (name + " " + member, "offsetof(struct %s, %s)" % (name, member), "sizeof(%s)" % there))
    out += ["    return 0;", "}", ""]
    with tempfile.TemporaryDirectory() as work:
        source, program = os.path.join(work, "layout.c"), os.path.join(work, "layout")
        with open(source, "w", encoding="utf-8") as file:
            file.write("\n".join(out))
        subprocess.run([os.environ.get("CC", "cc"), "-I" + headers.include, source, "-o", program], check=True)
        text = subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout.decode()
    rows = [row.split() for row in text.splitlines()]
    return {(row[0], row[1]): (int(row[2]), int(row[3])) for row in rows}


def listed(headers):
    sizes = measured(headers)
    for name, members in sorted(headers.structs.items()):
        if members is None:
            continue
        yield "struct %s" % name, "%d %s" % (sizes[name, "-"][1], "grows" if grows(members) else "frozen")
        for member, kind in members:
            text = " ".join(kind.c().split())
            yield "member %s.%s" % (name, member), "%d %d %s" % (sizes[name, member] + (text,))
    for name, value in sorted(headers.constants.items()):
        if not VERSION.match(name):
            yield "constant %s" % name, repr(value)
    for library in headers.functions.values():
        for name, (result, arguments) in sorted(library.items()):
            inside = ", ".join(kind.c(argument) for argument, kind in arguments) or "void"
            yield "function %s" % name, "%s(%s)" % (result.c().strip(), inside)


def holes(headers):
    """Bytes of no member: what a caller leaves in them is nobody's to read, so no later member may take them."""
    sizes = measured(headers)
    for name, members in headers.structs.items():
        end = 0
        for member, _ in members or []:
            offset, size = sizes[name, member]
            if offset != end:
                yield "struct %s has a hole before %s" % (name, member)
            end = offset + size
        if members and end != sizes[name, "-"][1]:
            yield "struct %s has a hole at its end" % name


def differences(before, now):
    for key, value in before.items():
        if key not in now:
            yield "%s is gone (it was %s)" % (key, value)
        elif now[key] != value:
            old, new = value.split(), now[key].split()
            if not (key.startswith("struct ") and old[1] == new[1] == "grows" and int(new[0]) > int(old[0])):
                yield "%s was %s and is %s" % (key, value, now[key])
    ends = {key.split()[1]: int(value.split()[0]) for key, value in before.items() if key.startswith("struct ")}
    for key, value in now.items():
        struct = key.split()[1].split(".")[0]
        if key.startswith("member ") and key not in before and int(value.split()[0]) < ends.get(struct, 0):
            yield "%s is new, but not at the end" % key


def main():
    arg = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arg.add_argument("--include", default=generate.INCLUDE)
    arg.add_argument("--against", metavar="FILE")
    arg.add_argument("--holes", action="store_true", help="name the holes in structs instead")
    options = arg.parse_args()
    headers = generate.Headers(options.include)
    if options.holes:
        wrong = list(holes(headers))
    elif options.against:
        with open(options.against, encoding="utf-8") as file:
            before = dict(line.rstrip("\n").split(": ", 1) for line in file)
        wrong = list(differences(before, dict(listed(headers))))
    else:
        for row in listed(headers):
            print("%s: %s" % row)
        return 0
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
