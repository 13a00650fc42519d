#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/errors.md has every code of <libflux/error.h>, with its number, name and exception, and no other; and every message
that it quotes is one of ours. Prints `ok NAME` or `not ok NAME`."""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
failed = False


def verdict(name, wrong):
    global failed
    failed |= bool(wrong)
    print("%s docs/errors.md: %s" % ("not ok" if wrong else "ok", name))
    for line in wrong:
        print("    %s" % line)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def sources():
    """All string literals, one behind another; what stands for a value is a line break."""
    text = ""
    for pattern in ("libflux/**/*.c", "libflux/**/*.h", "bindings/cli/*.c", "bindings/python/libflux/*.py"):
        for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True)):
            code = re.sub(r"/\*.*?\*/", "", read(path), flags=re.S)
            for literal in re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+|"(?:[^"\\\n]|\\.)*"))*', code):
                words = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', literal)).replace('\\"', '"').replace("%%", "\0")
                text += re.sub(r"%[-0-9.*]*[a-z]{0,3}?[sudxgcz]?", "\n", words).replace("\0", "%") + "\n\n"
    return text


def main():
    page, header = read("docs/errors.md"), read("include/libflux/error.h")
    python, names = read("bindings/python/libflux/_errors.py"), read("libflux/base/fail.c")
    codes = dict(re.findall(r"(?m)^#define (FLUX_E_\w+) \((-\d+)\)", header))
    sections = dict(re.findall(r"(?m)^### (FLUX_E_\w+) \((-\d+)\)$", page))
    verdict("every code of error.h has its section, with its number", sorted(set(codes.items()) - set(sections.items())))
    verdict("no code but those of error.h", sorted(set(sections.items()) - set(codes.items())) + [
        word for word in set(re.findall(r"FLUX_E_\w+", page)) - set(codes)])  # fmt: skip
    verdict("there are codes", [] if len(codes) > 10 else ["only %d" % len(codes)])
    wrong = []
    for code in codes:
        body = re.split(r"(?m)^##", page.partition("### %s " % code)[2])[0]
        name = re.search(r'case %s:\s*return "([^"]+)"' % code, names)
        said = re.match(r'[^\n]*\n\n"([^"]+)"; `(\w+)`', body)
        if not name or not said or said.group(1) != name.group(1):
            wrong.append("%s: its name is %s" % (code, name and name.group(1)))
        elif not re.search(r"class %s\(.*\):\n(?:(?!class ).*\n)*?    code = _abi\.%s\n" % (said.group(2), code), python):
            wrong.append("%s: %s is not its exception" % (code, said.group(2)))
        elif "| message | cause | what to do |" not in body:
            wrong.append("%s: no table of messages" % code)
    verdict("names and exceptions are those of the library and of Python", wrong)
    ours, wrong, tried = sources(), [], 0
    for row in re.findall(r"(?m)^\| (`.*?) \|", page):
        for message in re.findall(r"`([^`]+)`", row):
            for piece in message.split("…"):
                piece = piece.strip(" ,;")
                if len(piece) > 7:
                    tried += 1
                    if piece not in ours:
                        wrong.append("no message holds '%s'" % piece)
    verdict("quotes messages that exist (%d pieces)" % tried, wrong if tried > 60 else ["only %d pieces" % tried])
    wrong, tried = [], 0
    quoted = [piece.strip(" ,;") for row in re.findall(r"(?m)^\| (`.*?) \|", page) for message in re.findall(r"`([^`]+)`", row)
              for piece in message.split("…")]  # fmt: skip
    for path in sorted(glob.glob(os.path.join(ROOT, "libflux/io/**/*.c"), recursive=True)):
        for call in re.findall(r"(?s)\b(?:flux_io_warn|warn_count)\(.*?\);\n", read(path)):
            words = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', call)).replace('\\"', '"')
            if not words or words.endswith("%s"):
                continue  # a definition, or what hands a text on
            tried += 1
            if not any(len(piece) > 7 and piece in words for piece in quoted):
                wrong.append("%s: %s" % (os.path.relpath(path, ROOT), words))
    verdict("has every warning of the readers (%d)" % tried, wrong if tried > 8 else ["only %d" % tried])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
