#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the manual page of every public header from the header itself, so that the two never differ.

    header_pages.py FOLDER            writes libflux_NAME.3 for each header
    header_pages.py --names           prints which page every public function is in

A page has the declarations, the comments that go with them, the errors they speak of, what they say about threads, and
the program docs/man/examples/NAME.c.
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))
import generate  # noqa: E402
import mdoc  # noqa: E402

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "examples")
WITHOUT_PAGE = ("flux.h", "export.h")  # the umbrella is libflux(3); the other has nothing to call
SENTENCE = re.compile(r"(?<=[.:;])\s+(?=[A-Z`])")


class Block:
    """A comment and the declarations behind it, up to the next comment."""

    def __init__(self, comment):
        self.comment = comment  # lines
        self.constants = []  # (name, value, remark)
        self.structs = []  # lines of code each
        self.opaque = []  # names
        self.functions = []  # (name, remark)


def comment_lines(text):
    """The lines of one comment without its frame."""
    text = text.strip()[2:-2]
    return [re.sub(r"^ ?\*? ?", "", line, count=1) if i else line.strip() for i, line in enumerate(text.split("\n"))]


def blocks_of(text):
    """The file comment, and the blocks in order."""
    parts = split_comments(text)
    head, blocks = parts[0][0], []
    for comment, code in parts:
        block = Block(comment if comment is not head else [])
        read_code(block, code)
        if block.constants or block.structs or block.functions or block.comment:
            blocks.append(block)
    return head, blocks


def split_comments(text):
    """[(comment lines, code until the next comment at the beginning of a line)]"""
    pieces, at = [], 0
    for match in re.finditer(r"(?ms)^/\*.*?\*/[ \t]*$", text):
        if pieces:
            pieces[-1][1] = text[at : match.start()]
        pieces.append([comment_lines(match[0]), ""])
        at = match.end()
    pieces[-1][1] = text[at:]
    return pieces


def remark_of(line):
    match = re.search(r"/\*\s*(.*?)\s*\*/\s*$", line)
    return match[1] if match else ""


def read_code(block, code):
    lines = [line for line in code.split("\n") if line.strip()]
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("struct ") and line.rstrip().endswith("{"):
            struct = [line]
            while not lines[at].startswith("};"):
                struct.append(lines[at])
                at += 1
            struct.append(lines[at])
            at += 1
            block.structs.append(struct)
        elif opaque := re.match(r"struct (flux_\w+);", line):
            block.opaque.append(opaque[1])
        elif line.startswith("FLUX_API"):
            text = line
            while not re.search(r";\s*(/\*.*\*/)?\s*$", text):
                text += " " + lines[at].strip()
                at += 1
            block.functions.append((re.search(r"\b(flux_\w+)\(", text)[1], remark_of(text)))
        elif match := re.match(r"#define (FLUX_\w+)(\([^)]*\))?\s+(.*)$", line):
            value = re.sub(r"\s*/\*.*?\*/\s*$", "", match[3])
            if not match[1].startswith("FLUX_VERSION_") or match[2]:
                block.constants.append((match[1] + (match[2] or ""), value, remark_of(line)))


class Page:
    def __init__(self, headers, header, errors):
        self.header, self.errors = header, errors
        self.name = os.path.basename(header)[:-2]
        self.library = "io" if "/io/" in header else "core"
        with open(os.path.join(headers.include, header), encoding="utf-8") as file:
            self.text = re.sub(r"[ \t]*\\\n\s*", " ", file.read())  # long macros: on one line
        head, self.blocks = blocks_of(self.text)
        head = [line for line in head if not line.startswith("SPDX-")]
        while head and not head[0].strip():
            head.pop(0)
        first = head.pop(0).partition(" - ")[2]
        while head and head[0].strip():
            first += " " + head.pop(0)
        self.summary, _, rest = first.partition(". ")
        self.summary = self.summary.rstrip(".")
        self.about = [rest, *head] if rest.strip() not in ("", "Stable.") else head
        own = {name for block in self.blocks for name, _ in block.functions}
        self.functions = {n: f for n, f in headers.functions[self.library].items() if n in own}

    def page_name(self):
        return "libflux_" + self.name

    def lines(self):
        yield ".\\\" SPDX-License-Identifier: Apache-2.0"
        yield ".\\\" Made from <%s> by docs/man/header_pages.py." % self.header
        yield ".Dd %s" % mdoc.date()
        yield ".Dt %s 3" % self.page_name().upper()
        yield ".Os"
        yield ".Sh NAME"
        names = [self.page_name(), *self.functions]
        for name in names[:-1]:
            yield ".Nm %s ," % name
        yield ".Nm %s" % names[-1]
        yield ".Nd %s" % mdoc.escape(self.summary)
        yield ".Sh SYNOPSIS"
        yield ".In %s" % self.header
        if self.functions:
            yield ".Pp"
            yield "Link with"
            yield ".Fl lflux%s ." % ("-io lflux" if self.library == "io" else "")
        for name, (result, arguments) in self.functions.items():
            yield ".Ft %s" % mdoc.quoted(result.c().strip())
            yield ".Fo %s" % name
            for argument, kind in arguments or [("", None)]:
                yield ".Fa %s" % mdoc.quoted(kind.c(argument) if kind else "void")
            yield ".Fc"
        yield ".Sh DESCRIPTION"
        yield from mdoc.prose(self.about) if any(line.strip() for line in self.about) else [
            "This header is about %s." % mdoc.escape(self.summary)
        ]
        if self.blocks:
            yield ".Ss Declarations"
            yield ".Bl -tag -width Ds"
            for block in self.blocks:
                yield from self.item(block)
            yield ".El"
        failing = [b for b in self.blocks if any("Errors" in line for line in b.comment)]
        text = " ".join(line for b in failing for line in b.comment)
        spoken = [e for e in self.errors if re.search(r"\b(FLUX_E_)?%s\b" % e[7:], text)]
        yield from self.results(spoken)
        yield from self.threads()
        yield from self.example()
        if spoken:
            yield ".Sh ERRORS"
            yield ".Bl -tag -width Ds -compact"
            for error in spoken:
                yield ".It Dv %s" % error
                yield from mdoc.prose([self.errors[error] or "Memory is out."])
            yield ".El"
        yield ".Sh SEE ALSO"
        yield ".Xr libflux 3" + ("" if self.name == "error" else " ,\n.Xr libflux_error 3")

    def item(self, block):
        names = [".Fn %s" % name for name, _ in block.functions]
        names += [".Vt \"struct %s\"" % struct[0].split()[1] for struct in block.structs]
        if not names and block.comment:
            names = [".Vt \"struct %s\"" % name for name in block.opaque]
        constants = [name for name, _, _ in block.constants]
        if not names and constants:
            names = [".Dv %s" % constants[0].partition("(")[0]]
            if len(constants) > 1:
                names += ["to"] if len(constants) > 2 else []
                names.append(".Dv %s" % constants[-1].partition("(")[0])
        if not names:
            yield ".It Note"
        elif len(names) == 1:
            yield ".It " + names[0][1:]
        else:
            yield ".It Xo"
            joined = "to" in names
            for name in names[:-1]:
                yield name if joined else name + " ,"
            yield names[-1]
            yield ".Xc"
        body = list(mdoc.prose(block.comment))
        for name, remark in block.functions:
            if remark:
                body += [".Pp" if body else None, ".Fn %s :" % name, *mdoc.prose([remark])]
        for struct in block.structs:
            body += [".Bd -literal", *[mdoc.literal(line) for line in mdoc.member_lines(struct)], ".Ed"]
        if block.constants:
            body.append(".Bl -tag -width Ds -compact")
            for name, value, remark in block.constants:
                if name.endswith("_INIT"):
                    value, remark = "an initialiser", "its size, and zero for everything else"
                body.append(".It Dv %s" % name.replace("(", " Ns \"(").replace(")", ")\""))
                body.append(mdoc.escape(mdoc.value(value)) + (":" if remark else ""))
                body += mdoc.prose([remark]) if remark else []
            body.append(".El")
        yield from [line for line in body if line is not None] or ["See above."]

    def results(self, spoken):
        if not self.functions:
            return
        yield ".Sh RETURN VALUES"
        if not spoken:
            yield "The functions return what the description says; none of them can fail."
            return
        yield "A function that can fail returns 0, or one of the negative codes below; its outputs are then"
        yield ".Dv NULL"
        yield "or 0, its object is as it was, and a"
        yield ".Vt \"struct flux_error\""
        yield "that it was given has a sentence about what is wrong, where, and what to do."
        yield "The other functions return what the description says."

    def threads(self):
        text = " ".join(" ".join(line.strip() for line in b) for b in [self.about] + [b.comment for b in self.blocks])
        said = [s for s in SENTENCE.split(text) if re.search(r"\bthreads?\b", s) and "threads; /*" not in s]
        yield ".Sh THREADS"
        for sentence in dict.fromkeys(said):
            sentence = sentence.strip()
            yield from mdoc.prose([sentence[0].upper() + sentence[1:] + ("" if sentence[-1] in ".:;" else ".")])
        yield "Different objects may be used on different threads at the same time: the library has no state but theirs."

    def example(self):
        path = os.path.join(EXAMPLES, self.name + ".c")
        if os.path.exists(path):
            yield ".Sh EXAMPLES"
            yield ".Bd -literal"
            with open(path, encoding="utf-8") as file:
                for line in file.read().rstrip("\n").split("\n")[1:]:
                    yield mdoc.literal(line)
            yield ".Ed"


def errors_of(include):
    """FLUX_E_NAME -> what it means, from error.h."""
    with open(os.path.join(include, "libflux", "error.h"), encoding="utf-8") as file:
        rows = re.findall(r"#define (FLUX_E_\w+) \(-\d+\)(?:\s*/\*\s*(.*?)\s*\*/)?", file.read())
    return {name: text[:1].upper() + text[1:] + ("." if text else "") for name, text in rows}


def pages():
    headers = generate.Headers()
    errors = errors_of(headers.include)
    for header in headers.core + headers.io:
        if os.path.basename(header) not in WITHOUT_PAGE:
            yield Page(headers, header, errors)


def main():
    if sys.argv[1] == "--names":
        for page in pages():
            for function in page.functions:
                print(function, page.page_name())
        return
    os.makedirs(sys.argv[1], exist_ok=True)
    for page in pages():
        with open(os.path.join(sys.argv[1], page.page_name() + ".3"), "w", encoding="utf-8") as file:
            file.write("\n".join(page.lines()) + "\n")


if __name__ == "__main__":
    main()
