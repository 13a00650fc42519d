#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts together what Sphinx makes HTML of: the pages of docs, README as the first page, the manual pages as mandoc
renders them, an index of all functions, and the examples.

    docs/html/stage.py MAN_PAGES FOLDER
"""
import glob
import html
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What the menu says; pages keep their own titles.
MENU = {
    "Begin": {"tutorial": "Tutorial", "concepts": "Concepts"},
    "Use": {"cli": "Command line", "python": "Python", "cpp": "C++", "embedding": "Controllers, simulators",
            "replan": "Planning anew", "simulate": "Replays", "demand": "One traffic matrix",
            "pictures": "Pictures", "errors": "Errors"},
    "What goes in": {"formats": "File formats", "chakra": "Chakra traces", "collectives": "Collectives",
                     "generate": "Models by name"},
    "Exactly": {"rules": "Rules", "certificates": "Certificates", "formulation": "Mixed-integer programs"},
    "Measured": {"results": "Results", "performance": "Performance"},
    "Reference": {"man/index": "Manual, all functions", "examples": "Examples"},
    "Change it": {"backends": "Solver backends", "architecture": "Architecture", "contributing": "Contributing",
                  "abi": "Binary interface", "CHANGELOG": "Changelog"},
}  # fmt: skip
NAMES = {page: name for pages in MENU.values() for page, name in pages.items()}
WORDS = {"c": "c", "cpp": "cpp", "py": "python"}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


class Stage:
    def __init__(self, manual, folder):
        self.manual, self.folder = manual, folder
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "man"))
        os.makedirs(os.path.join(folder, "_static"))
        found = glob.glob(os.path.join(ROOT, "docs", "*.md"))
        self.pages = sorted(os.path.splitext(os.path.basename(path))[0] for path in found)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def target(self, page, target):
        """Where a link of a page leads in the HTML. A header's is its manual page; a source's is a copy."""
        path, hash_, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not path:
            return target
        full = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if os.path.dirname(full) == "docs" and full.endswith(".md"):
            return os.path.basename(full) + hash_ + anchor
        if full in ("README.md", "CHANGELOG.md"):
            return {"README.md": "index.md", "CHANGELOG.md": "CHANGELOG.md"}[full] + hash_ + anchor
        if full.startswith("docs/images/"):
            return os.path.relpath(full, "docs")
        if full == "include/libflux":
            return "man/index.md"
        if header := re.match(r"include/libflux/(?:io/)?(\w+)\.h$", full):
            return "man/libflux_%s.3.md" % header.group(1)
        if full.startswith("docs/examples"):
            heading = re.sub(r"[^\w\-]", "", os.path.basename(full).lower())
            return "examples.md" + ("#" + heading if "." in full else "")
        if os.path.isfile(os.path.join(ROOT, full)):
            name = "files/" + full.replace("/", "-") + (".txt" if "." not in os.path.basename(full) else "")
            os.makedirs(os.path.join(self.folder, "files"), exist_ok=True)
            shutil.copy(os.path.join(ROOT, full), os.path.join(self.folder, name))
            return name
        raise SystemExit("%s: the link %s leads nowhere that HTML has" % (page, target))

    def page(self, source, name, more=""):
        """Links are rewritten outside of fences and code spans."""
        parts = re.split(r"(?ms)(^```.*?^```$|`[^`\n]*`)", read(source))
        for i in range(0, len(parts), 2):
            parts[i] = re.sub(r"\[(?:docs/)?(\w+)\.md\]\((\S*\1\.md)", lambda m: "[%s](%s" % (
                NAMES.get(m.group(1), m.group(1)), m.group(2)), parts[i])  # fmt: skip
            parts[i] = re.sub(r"\]\(([^)\s]+)\)", lambda m: "](%s)" % self.target(source, m.group(1)), parts[i])
            parts[i] = re.sub(r"(?m)^<!-- snippets?: .* -->\n", "", parts[i])
        self.write(name, "".join(parts) + more)

    def menu(self):
        if left := set(self.pages) - set(NAMES):
            raise SystemExit("docs/html/stage.py: the menu lacks %s" % ", ".join(sorted(left)))
        return "".join("\n```{toctree}\n:hidden:\n:caption: %s\n\n%s\n```\n"
                       % (caption, "\n".join("%s <%s>" % (name, page) for page, name in pages.items()))
                       for caption, pages in MENU.items())  # fmt: skip

    def rendered(self, path):
        done = subprocess.run(["mandoc", "-Thtml", "-O", "fragment,man=%N.%S.html", path], stdout=subprocess.PIPE,
                              check=True, text=True)  # fmt: skip
        body = re.sub(r'(?s)<table class="(head|foot)">.*?</table>\n?', "", done.stdout)
        body = re.sub(r'</?section[^>]*>\n?|<div class="manual-text">\n?|</div>\s*\Z', "", body)
        here = set(os.listdir(self.manual))
        return re.sub(r'<a class="Xr" href="([^"]+)\.html"([^>]*)>(.*?)</a>',
                      lambda m: m.group(0) if m.group(1) in here else m.group(3), body)  # fmt: skip

    def manual_page(self, name):
        """Sections become headings of Markdown, so that they are in the contents; what is in them stays HTML. Each
        function has an anchor of its name at its prototype."""
        body, functions = self.rendered(os.path.join(self.manual, name)), []

        def prototype(match):
            if match.group(2) in functions:
                return match.group(0)
            functions.append(match.group(2))
            return '%s<code class="Fn" id="%s">%s</code>' % (match.group(1), match.group(2), match.group(2))

        synopsis = re.search(r'(?s)(<h1 class="Sh" id="SYNOPSIS">.*?)(<h1 class="Sh")', body)
        if synopsis:
            text = re.sub(r'(<var class="Ft">[^<]*</var>\s*<br/>\s*)<code class="Fn">(\w+)</code>', prototype,
                          synopsis.group(1))  # fmt: skip
            text = re.sub(r'(?s)<p class="Pp">(<var class="Ft">.*?)</p>', r'<p class="prototype">\1</p>', text)
            text = re.sub(r'(?s)\s*<br/>\s*(<var class="Ft">.*?\);)</p>', r'</p>\n<p class="prototype">\1</p>', text)
            body = body.replace(synopsis.group(1), text)
            body = re.sub(r'<code class="Nm">(\w+)</code>', lambda m: '<a href="#%s">%s</a>' % (m.group(1), m.group(0))
                          if m.group(1) in functions else m.group(0), body)
        text = "# %s\n" % re.sub(r"\.(\d)$", r"(\1)", name).replace("_", "\\_")
        sections = re.findall(r'(?s)<h([12]) class="S[hs]" id="([^"]*)">(.*?)</h[12]>\n?'
                              r'(.*?)(?=<h[12] class="S[hs]"|\Z)', body)  # fmt: skip
        for level, anchor, heading, content in sections:
            plain = html.unescape(re.sub(r"<[^>]+>", "", heading)).strip()
            plain = plain.capitalize() if level == "1" and plain.isupper() else plain
            text += "\n%s %s\n" % ("#" * (int(level) + 1), re.sub(r"([_*`<])", r"\\\1", " ".join(plain.split())))
            if 'href="#%s"' % anchor in re.sub(r'<a class="permalink".*?>', "", body):
                content = '<span id="%s"></span>\n%s' % (anchor, content)
            if content.strip():
                content = re.sub(r'<a class="permalink" href="#[^"]*">(.*?)</a>', r"\1", content, flags=re.S)
                text += '\n````{raw} html\n<div class="manual">\n%s</div>\n````\n' % content
        self.write("man/%s.md" % name, text)
        about = re.search(r'(?s)<span class="Nd">(.*?)</span>', body)
        return functions, html.unescape(re.sub(r"<[^>]+>|\s+", " ", about.group(1))).strip() if about else ""

    def reference(self):
        names = sorted(n for n in os.listdir(self.manual) if re.search(r"\.[135]$", n))
        rows, functions = [], {}
        for name in names:
            found, about = self.manual_page(name)
            rows.append((name, about))
            functions.update((function, name) for function in found)
        if len(functions) < 100:
            raise SystemExit("docs/html/stage.py: only %d functions in the manual" % len(functions))
        line = lambda name, about: "| [%s](%s.md) | %s |\n" % (  # noqa: E731
            re.sub(r"\.(\d)$", r"(\1)", name).replace("_", "\\_"), name, about.replace("|", "\\|"))
        order = sorted(rows, key=lambda row: ("135".index(row[0][-1]), row[0] != "libflux.3", row[0]))
        text = "# Reference\n\nThe manual pages, which `make install` puts where `man` finds them. Those of functions "
        text += "are made from the headers.\n\n| page | about |\n|---|---|\n" + "".join(line(*row) for row in order)
        text += "\n## All functions\n\n````{raw} html\n<ul class=\"functions\">\n"
        text += "".join('<li><a href="%s.html#%s"><code>%s</code></a></li>\n' % (page, function, function)
                        for function, page in sorted(functions.items()))  # fmt: skip
        text += "</ul>\n````\n\n```{toctree}\n:hidden:\n\n%s\n```\n" % "\n".join(row[0] for row in order)
        self.write("man/index.md", text)

    def examples(self):
        text = "# Examples\n\nWhole programs, all of them built and run by the tests. They are in `docs/examples`.\n"
        folder = os.path.join(ROOT, "docs/examples")
        for path in sorted(glob.glob(folder + "/*.*") + glob.glob(folder + "/backend/*.[ch]")):
            name = os.path.relpath(path, folder)
            word = WORDS.get(name.rsplit(".", 1)[-1], "c")
            text += "\n## %s\n\n````%s\n%s````\n" % (name, word, read("docs/examples", name))
        self.write("examples.md", text)


def main():
    stage = Stage(*sys.argv[1:3])
    for page in stage.pages:
        stage.page("docs/%s.md" % page, page + ".md")
    stage.page("CHANGELOG.md", "CHANGELOG.md")
    stage.page("README.md", "index.md", stage.menu())
    shutil.copytree(os.path.join(ROOT, "docs", "images"), os.path.join(stage.folder, "images"),
                    ignore=shutil.ignore_patterns("*.py", "__pycache__"))  # fmt: skip
    shutil.copy(os.path.join(ROOT, "docs", "html", "conf.py"), stage.folder)
    shutil.copy(os.path.join(ROOT, "docs", "html", "style.css"), os.path.join(stage.folder, "_static"))
    stage.reference()
    stage.examples()


if __name__ == "__main__":
    main()
