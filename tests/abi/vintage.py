#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the public headers as another version has them, below FOLDER.

    vintage.py same FOLDER      as they are, without comments: what a release saves
    vintage.py future FOLDER    with a member `future` at the end of every struct that grows
    vintage.py past FOLDER      without the last 8 bytes of each of them
    vintage.py structs          names the structs that grow
    vintage.py opaque           names the structs that callers never see into
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
STRUCT = re.compile(r"(struct (flux_\w+) \{\n)((?:(?!\n\};).)*?\n)(\};)", re.S)
INIT = re.compile(r"(#define FLUX_\w+_INIT +(?:\\\n *)?\{ *sizeof\(struct \w+\).*?)((?:, 0)?)( \})")
GROWS = re.compile(r"^ *uint64_t size;", re.M)


def without_comments(text):
    licence, _, _ = text.partition("\n")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"[ \t]*\\\n\s*", " ", text)  # long macros: on one line
    text = re.sub(r"[ \t]+\n", "\n", text)
    return "%s */\n%s" % (licence.replace(" */", ""), re.sub(r"\n{2,}", "\n", text).lstrip())


def changed(text, future):
    def struct(match):
        members = match[3]
        if not GROWS.search(members):
            return match[0]
        if future:
            members += "    uint64_t future;\n"
        else:  # 8 bytes fewer, so that no padding makes up for it
            rows = members.rstrip().split(";\n")
            members = ";\n".join(rows[: -2 if all("uint32_t" in row for row in rows[-2:]) else -1]) + ";\n"
        return match[1] + members + match[4]

    text = STRUCT.sub(struct, text)
    if future:
        return INIT.sub(r"\1\2, 0\3", text)
    return re.sub(r"(_INIT +(?:\\\n *)?\{ *sizeof\(struct \w+\)).*? \}", r"\1 }", text)


def headers(include):
    for folder in ("libflux", os.path.join("libflux", "io")):
        for name in sorted(os.listdir(os.path.join(include, folder))):
            if name.endswith(".h"):
                with open(os.path.join(include, folder, name), encoding="utf-8") as file:
                    yield os.path.join(folder, name), without_comments(file.read())


def main():
    kind = sys.argv[1]
    include = os.environ.get("INCLUDE", os.path.join(ROOT, "include"))
    if kind == "opaque":
        for _, text in headers(include):
            print("\n".join(re.findall(r"^struct (flux_\w+);$", text, flags=re.M)))
        return
    if kind == "structs":
        for _, text in headers(include):
            print("\n".join(m[2] for m in STRUCT.finditer(text) if GROWS.search(m[3])), end="\n")
        return
    for name, text in headers(include):
        path = os.path.join(sys.argv[2], name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if kind != "same":
            text = changed(text, kind == "future")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
