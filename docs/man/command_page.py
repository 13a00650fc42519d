#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes flux-ocs(1) and libflux(3) from their templates, and flux-ocs(1) from what the command says of itself, so that no
option is missing.

    command_page.py COMMAND FOLDER     COMMAND is the flux-ocs that was built
    command_page.py --options COMMAND  prints "SUBCOMMAND OPTION" lines
"""
import os
import re
import subprocess
import sys

import header_pages
import mdoc

HERE = os.path.dirname(os.path.abspath(__file__))
OPTION = re.compile(r"^  (?:-(\w), )?(--[a-z-]+)(\[=| )?(\S+)?(?:\s+(.*))?$")


class Help:
    """One help page of the command: usage, text, options by group, example."""

    def __init__(self, command, name):
        text = subprocess.run([command, "help", name], check=True, stdout=subprocess.PIPE).stdout.decode()
        head, _, self.example = text.partition("\nExample:\n")
        parts = head.split("\n\n")
        self.name = name
        self.usage = re.sub(r"^usage: flux-ocs \S+ ?", "", parts[0]).replace("[options]", "").strip()
        self.text = " ".join(parts[1].split())
        self.groups = {}  # heading -> [(letter, name, mode, value, help)]
        for part in parts[2:]:
            heading, _, rows = part.partition(":\n")
            if rows.startswith("  "):
                self.groups[heading] = options_of(rows)


def options_of(text):
    rows = []
    for line in re.sub(r"\n {20,}", "  ", text).split("\n"):
        match = OPTION.match(line)
        if not match:
            if line.strip():
                sys.exit("command_page.py: cannot read: %s" % line)
            continue
        letter, name, joint, value, about = match.groups()
        if line.split("  ")[1].endswith(name):  # no value: what follows is the text
            value, about, joint = None, " ".join(filter(None, (value, about))), None
        mode = joint == "[="
        rows.append((letter, name, mode, (value or "")[:-1] if mode else value or "", about or ""))
    return rows


def helps(command):
    text = subprocess.run([command, "help"], check=True, stdout=subprocess.PIPE).stdout.decode()
    names = re.findall(r"^  ([a-z]+) {2,}\S", text, flags=re.M)
    return [Help(command, name) for name in names if name != "flux"]


def value_text(value):
    """A value as mdoc: words to choose from are literal."""
    if "|" in value:
        return "Cm " + " | ".join(value.split("|"))
    return "Ar " + value


def option_list(rows):
    yield ".Bl -tag -width Ds"
    for letter, name, mode, value, about in rows:
        flags = "Fl " + ("%s , Fl " % letter if letter else "") + name[1:]
        if mode:
            flags += " Ns Op = Ns " + value_text(value)
        elif value:
            flags += " " + value_text(value)
        yield ".It " + flags
        about = re.sub(r"\(([^()]*)\)$", lambda m: "(default: %s)" % m[1] if m[1] else "", about)
        yield from mdoc.wrapped([mdoc.escape(about[:1].upper() + about[1:] + ".")])
    yield ".El"


def subcommands(pages):
    uses = {}
    for page in pages:
        for heading, rows in page.groups.items():
            uses.setdefault((heading, tuple(rows)), []).append(page.name)
    shared = {key for key, names in uses.items() if len(names) > 1}
    yield ".Sh SUBCOMMANDS"
    for page in pages:
        yield ".Ss %s%s" % (page.name, " " + page.usage if page.usage else "")
        yield from mdoc.wrapped([mdoc.escape(page.text)])
        for heading, rows in page.groups.items():
            if (heading, tuple(rows)) not in shared:
                yield from option_list(rows)
        common = [h for h, rows in page.groups.items() if (h, tuple(rows)) in shared]
        words = ["\n.Sx %s" % title(h) for h in common]
        if words:
            yield ".Pp"
            yield "See also" + " ,".join(words) + " ."
        if page.example.strip():
            yield ".Bd -literal -offset indent"
            yield from (mdoc.literal(line) for line in page.example.rstrip("\n").replace("\n  ", "\n").strip().split("\n"))
            yield ".Ed"
    yield ".Sh COMMON OPTIONS"
    for key in uses:
        if key in shared:
            yield ".Ss %s" % title(key[0])
            yield from option_list(key[1])
    yield ".Sh OTHER CALLS"


def title(heading):
    return "Options: " + re.sub(r" \(.*", "", heading).lower()


def synopsis(pages):
    for page in pages:
        yield ".Nm"
        words = re.findall(r"\[?[\w|./-]+\]?", page.usage)
        yield ".Cm " + page.name
        yield from [".Op Ar " + word.strip("[]") if word.startswith("[") else ".Ar " + word for word in words]
        yield ".Op Ar options"


def fill(name, folder, **parts):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        text = file.read()
    for key, lines in parts.items():
        text = text.replace("@%s@\n" % key, "".join(line + "\n" for line in lines))
    text = re.sub(r"^\.Dd .*$", ".Dd " + mdoc.date(), text, flags=re.M)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def main():
    if sys.argv[1] == "--options":
        for page in helps(sys.argv[2]):
            for rows in page.groups.values():
                print("\n".join("%s %s" % (page.name, row[1]) for row in rows))
        return
    pages = helps(sys.argv[1])
    os.makedirs(sys.argv[2], exist_ok=True)
    fill("flux-ocs.1", sys.argv[2], synopsis=synopsis(pages), subcommands=subcommands(pages))
    names = sorted(page.page_name() for page in header_pages.pages())
    fill("libflux.3", sys.argv[2], pages=[".Xr %s 3 ," % name for name in names])
    fill("libflux.5", sys.argv[2])


if __name__ == "__main__":
    main()
