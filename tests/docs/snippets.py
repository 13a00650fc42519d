#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs what stands between fences in the documents, and holds them to the output that they show.

    BUILD=build/gcc tests/docs/snippets.py [PAGE...]        without pages: README.md and docs/*.md

docs/contributing.md, "Snippets", says what each kind of block means and how to mark one that differs. Prints a line per
program or block: `ok NAME` or `not ok NAME`, with the reason below.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build", "gcc")))
L8 = "tests/data/stage-generated/llama3-8b_L8_tp4dp2/workload"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-but-set-variable"]
PRELUDE = """#include <libflux/flux.h>
#include <libflux/io/import.h>
#include <libflux/io/write.h>
#include <stdio.h>
"""
# What a fragment may be given: a small problem, made before it begins.
GIVEN = {
    "graph": "struct flux_graph *graph; uint32_t a, b; flux_graph_new(NULL, 4, &graph);"
             "flux_graph_add_send(graph, 0, 1, 64 << 20, &a); flux_graph_add_compute(graph, 1, 150 * FLUX_US, &b);"
             "flux_graph_add_edge(graph, a, b, 0); flux_graph_add_send(graph, 1, 2, 64 << 20, &a);"
             "flux_graph_add_edge(graph, b, a, 0);",
    "fabric": "struct flux_fabric *fabric; flux_fabric_new(NULL, 4, 2, &fabric);"
              "flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 10 * FLUX_US);",
    "error": "struct flux_error error = {0};",
    "schedule": "struct flux_schedule *schedule; if (flux_schedule(graph, fabric, NULL, &schedule, NULL)) return 1;",
    "options": "struct flux_options options = FLUX_OPTIONS_INIT;",
}  # fmt: skip
failed = False


def verdict(name, good, why=""):
    global failed
    failed |= not good
    print("%s %s" % ("ok" if good else "not ok", name), flush=True)
    if not good:
        print("".join("    %s\n" % line for line in why.strip().splitlines()[:30]), end="", flush=True)


class Block:
    """What stands between two fences: `mark` is the comment above it, `shown` the output that the page claims."""

    def __init__(self, line, language, mark):
        self.line, self.language, self.mark = line, language, mark
        self.text, self.shown, self.adjacent = "", None, False


class Page:
    def __init__(self, path):
        self.name = os.path.relpath(path, ROOT)
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.blocks, self.held = [], None
        block, mark, prose = None, "", False
        for number, line in enumerate(lines, 1):
            if block is not None:
                if line.strip() == "```":
                    self.blocks.append(block)
                    block = None
                else:
                    block.text += line + "\n"
            elif fence := re.match(r"```(.*)$", line):
                block = Block(number, fence.group(1).strip(), mark)
                block.adjacent, prose, mark = not prose, False, ""
            elif held := re.match(r"<!-- snippets: (\S+) -->$", line):
                self.held = held.group(1)
            elif comment := re.match(r"<!-- snippet: (.*) -->$", line):
                mark = comment.group(1)
            elif line.strip():
                prose, mark = True, ""
        if block is not None:
            verdict("%s:%d: the fence is closed" % (self.name, block.line), False, "it is not")
        self.give_output()

    def give_output(self):
        """A block of text is the output of the program before it, and of the one right before that in another language."""
        for i, block in enumerate(self.blocks):
            if block.language != "text" or block.mark:
                continue
            j = i - 1
            while j >= 0 and self.blocks[j].language in ("c", "python", "cpp") and self.blocks[j].shown is None:
                self.blocks[j].shown = block.text
                if not self.blocks[j].adjacent or self.blocks[j].language == self.blocks[j - 1].language:
                    break
                j -= 1


def run(command, folder, text=None, **more):
    return subprocess.run(command, cwd=folder, input=text, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, check=False, **more)  # fmt: skip


def without_seconds(text):
    """Seconds that a run took are never the same twice."""
    return re.sub(r" *\d+(\.\d+)? s\b", " N s", text)


def same(shown, printed):
    """A line of `...` in a page stands for any number of lines."""
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in
                      without_seconds(shown).rstrip("\n").split("\n"))  # fmt: skip
    return re.fullmatch(pattern, without_seconds(printed).rstrip("\n") + "\n") is not None


def compare(page, block, printed):
    if block.shown is not None:
        verdict("%s:%d: prints what the page shows" % (page.name, block.line), same(block.shown, printed),
                "shown:\n%s\nprinted:\n%s" % (block.shown, printed))  # fmt: skip


def compile_and_run(page, blocks, source, folder, language="c"):
    """One program made of `blocks`, which print `>>>` behind each."""
    name = "%s:%d" % (page.name, blocks[0].line)
    stem = os.path.join(folder, "program%d" % blocks[0].line)
    path = "%s.%s" % (stem, language)
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    compiler = ["gcc", "-std=c11"] if language == "c" else ["g++", "-std=c++17", "-I" + os.path.join(ROOT, "bindings/cpp")]
    built = run(compiler + WARNINGS + ["-I" + os.path.join(ROOT, "include"), path, "-L" + BUILD, "-lflux-io", "-lflux",
                                       "-Wl,-rpath," + BUILD, "-lm", "-o", stem], folder)  # fmt: skip
    verdict(name + ": compiles without a warning", built.returncode == 0, built.stdout)
    if built.returncode == 0:
        done = run([stem], folder)
        verdict(name + ": runs", done.returncode == 0, done.stdout)
        for block, printed in zip(blocks, done.stdout.split(">>>\n")):
            compare(page, block, printed)


def c_programs(page, folder):
    """A block with main() is a program. All others of a page are one, in their order; one that is given something
    begins another, and one marked `file` stands outside of functions."""
    outside, inside, programs = "", [], []
    for block in (b for b in page.blocks if b.language == "c" and not b.mark.startswith("not run")):
        if re.search(r"(?m)^int main\(", block.text):
            compile_and_run(page, [block], block.text, folder)
        elif block.mark == "file":
            outside += block.text
        elif block.mark.startswith("given ") or not inside:
            inside = [block]
            programs.append(inside)
        else:
            inside.append(block)
    for blocks in programs:
        words = re.findall(r"\w+", blocks[0].mark[6:]) if blocks[0].mark.startswith("given ") else []
        wanted = [name for name in GIVEN if name in words]
        body = "".join("%s (void)%s;\n" % (GIVEN[name], name) for name in wanted)
        body += "".join('#line %d "%s"\n%sputs(">>>");\n' % (b.line + 1, page.name, b.text) for b in blocks)
        includes = "".join(re.findall(r"(?m)^#include .*\n", body))
        body = re.sub(r"(?m)^#include .*\n", "\n", body)
        body = "int main(void)\n{\n" + body + "return 0;\n}\n"
        compile_and_run(page, blocks, PRELUDE + includes + outside + body, folder)
    if outside and not programs:
        alone = [b for b in page.blocks if b.mark == "file"]
        compile_and_run(page, alone, outside + "int main(void) { return 0; }\n", folder)


def python_program(page, folder):
    blocks = [b for b in page.blocks if b.language == "python" and not b.mark.startswith("not run")]
    if not blocks:
        return
    code = "".join("exec(compile(%r, %r, 'exec')); print('>>>', flush=True)\n"
                   % ("\n" * b.line + b.text, page.name) for b in blocks)  # fmt: skip
    env = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "bindings/python"), LIBFLUX_LIBRARY=BUILD, MPLBACKEND="agg",
               PYTHONDONTWRITEBYTECODE="1")  # fmt: skip
    done = run([sys.executable, "-c", code], folder, env=env)
    verdict("%s:%d: the Python of the page runs" % (page.name, blocks[0].line), done.returncode == 0, done.stdout[-1500:])
    for block, printed in zip(blocks, done.stdout.split(">>>\n")):
        compare(page, block, printed)


def shell(page, block, folder):
    """Commands: of `sh` they must succeed, of `console` they stand behind a $ and print what follows."""
    env = dict(os.environ, PATH=os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"])
    name = "%s:%d" % (page.name, block.line)
    if block.language == "sh":
        done = run(["sh", "-eu", "-c", block.text], folder, env=env)
        verdict(name + ": the commands succeed", done.returncode == 0, done.stdout)
        return
    for turn in re.split(r"(?m)^\$ ", block.text)[1:]:
        command, shown = turn.split("\n", 1)
        while command.endswith("\\"):
            more, shown = shown.split("\n", 1)
            command = command[:-1] + more
        done = run(["sh", "-c", command], folder, env=env)
        verdict("%s: %s" % (name, command), same(shown, done.stdout) or (not shown and done.returncode == 0),
                "shown:\n%s\nprinted:\n%s" % (shown, done.stdout))  # fmt: skip


def document(page, block, folder):
    """YAML that is a document of ours, rules of collectives, or a table of models or times of the generator."""
    path = os.path.join(folder, "block%d.yaml" % block.line)
    with open(path, "w", encoding="utf-8") as file:
        file.write(block.text)
    tool = os.path.join(BUILD, "flux-ocs")
    if re.search(r"(?m)^flux: 1\b", block.text):
        done = run([tool, "convert", path, "-o", "-"], folder)
        if done.returncode == 0 and re.search(r"(?m)^schedule:", block.text):
            done = run([tool, "check", path], folder)
    elif re.match(r"collectives:", block.text):
        done = run([tool, "info", os.path.join(ROOT, L8), "--collectives", path], folder)
    elif name := re.match(r"models:\n  - {name: ([\w-]+)", block.text):
        done = run([tool, "generate", name.group(1), "--models", path, "--layers", "1", "-o", "/dev/null"], folder)
    elif re.match(r"times:", block.text):
        done = run([tool, "generate", "llama3-8b", "--times", path, "--layers", "1", "-o", "/dev/null"], folder)
    else:
        return verdict("%s:%d: is a document" % (page.name, block.line), False, "say with a mark why it is none")
    return verdict("%s:%d: is a document" % (page.name, block.line), done.returncode == 0, done.stdout)


def known_words(page, block):
    """Even what is not run names targets and subcommands that exist."""
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
        targets = set(" ".join(re.findall(r"(?m)^([a-z0-9 -]+):", file.read())).split())
    asked = [word for line in re.findall(r"(?m)^(?:\$ )?make ([^#\n]*)", block.text)
             for word in re.findall(r"(?<!\S)(?!-)[a-z][a-z0-9-]*(?!\S)", line)]  # fmt: skip
    wrong = [word for word in asked if word not in targets]
    if asked:
        verdict("%s:%d: make knows the targets" % (page.name, block.line), not wrong, " ".join(wrong))


def other(page, block, folder):
    name = "%s:%d" % (page.name, block.line)
    if block.mark.startswith("not run, ") or block.mark.startswith("not run: "):
        return
    if block.mark.startswith("as "):
        with open(os.path.join(folder, block.mark[3:]), "w", encoding="utf-8") as file:
            file.write(block.text)
    elif block.mark == "input":
        done = run([os.path.join(BUILD, "flux-ocs"), "info", "-"], folder, block.text)
        verdict(name + ": is read", done.returncode == 0, done.stdout)
    elif block.language == "yaml":
        document(page, block, folder)
    elif block.language == "json":
        try:
            json.loads(block.text)
            verdict(name + ": is JSON", True)
        except ValueError as error:
            verdict(name + ": is JSON", False, str(error))
    elif block.language == "cpp":
        compile_and_run(page, [block], block.text, folder, "cpp")
    elif block.language in ("sh", "console"):
        shell(page, block, folder)
    elif block.language not in ("text", "c", "python"):
        verdict(name + ": its kind is known", False, "'%s': name a language, or mark it" % block.language)


def try_page(path, folder):
    page = Page(path)
    if page.held:
        with open(os.path.join(ROOT, page.held), encoding="utf-8") as file:
            good = os.path.basename(page.name) in file.read()
        verdict("%s is held by %s" % (page.name, page.held), good, "which does not name it")
        return
    held = [b for b in page.blocks if b.mark.startswith("held by ")]
    for block in held:
        with open(os.path.join(ROOT, block.mark[8:]), encoding="utf-8") as file:
            good = os.path.basename(page.name).split(".")[0] in file.read()
        verdict("%s:%d: is held by %s" % (page.name, block.line, block.mark[8:]), good, "which does not name the page")
        page.blocks.remove(block)
    os.makedirs(os.path.join(folder, "bin"))
    os.makedirs(os.path.join(folder, "build"))
    os.symlink(os.path.join(BUILD, "flux-ocs"), os.path.join(folder, "bin", "flux-ocs"))
    os.symlink(os.path.join(ROOT, "tests"), os.path.join(folder, "tests"))
    c_programs(page, folder)
    python_program(page, folder)
    for block in page.blocks:
        other(page, block, folder)
        if block.language in ("sh", "console"):
            known_words(page, block)


def main():
    pages = [os.path.abspath(p) for p in sys.argv[1:]]
    pages = pages or [os.path.join(ROOT, "README.md")] + sorted(glob.glob(os.path.join(ROOT, "docs", "*.md")))
    for path in pages:
        with tempfile.TemporaryDirectory() as folder:
            try_page(path, folder)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
