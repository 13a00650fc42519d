# SPDX-License-Identifier: Apache-2.0
"""Comments and help texts as lines of mdoc."""
import os
import re
import textwrap
import time

NAMES = re.compile(
    r"(?P<call>\bflux_\w+\(\))|(?P<struct>\bstruct flux_\w+)|(?P<constant>\bFLUX_[A-Z_]*[A-Z](?:\*|_\*)?)"
    r"|`(?P<code>[^`]+)`|\*(?P<stressed>\w+)\*"
)
ERRORS = re.compile(r"\b(ARGUMENT|ABI|CYCLE|INFEASIBLE|OVERFLOW|FORMAT|MISMATCH|TOO_BIG|MEMORY|CANCELLED|BACKEND|IO)\b")
TAG = re.compile(r"^( {2,})([A-Z][A-Z_]*|[a-z]+(?: [a-z]+)+) {2,}((?:\S+ )*\S+)$")  # one blank between words: no table
MONTHS = "January February March April May June July August September October November December".split()


def date():
    """SOURCE_DATE_EPOCH's day or today's, as mdoc writes it."""
    day = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH") or time.time()))
    return "%s %d, %d" % (MONTHS[day.tm_mon - 1], day.tm_mday, day.tm_year)


def escape(text):
    text = text.replace("\\", "\\e")
    if text.endswith(".."):  # no sentence ends here
        text += "\\&"
    return "\\&" + text if text[:1] in (".", "'") else text


def literal(line):
    return escape(line.replace("\t", "        "))


def quoted(text):
    return '"%s"' % text.replace("\\", "\\e").replace('"', '""')


def value(text):
    """A constant as people read it: UINT64_C(5) is 5."""
    text = re.sub(r"U?INT(?:32|64)_C\((\w+)\)", r"\1", text)
    text = re.sub(r"^\((.*)\)$", r"\1", text)
    return re.sub(r"\b(\d+)u\b", r"\1", text)


def sentence(text):
    """Running text: names of the interface get their macros, each on a line of its own."""
    out, at = [], 0
    for match in NAMES.finditer(text):
        before = text[at : match.start()]
        glue = before and not before[-1].isspace()
        opening = before[-1:] == "("
        if glue:
            before, _, stuck = before.rpartition(" ") if " " in before else ("", "", before)
        else:
            stuck = ""
        after = re.match(r"[.,;:)]*(?=\s|$)", text[match.end() :])
        if after is None or (stuck and not opening) or (stuck and stuck != "("):
            continue  # in the middle of a word: leave it as it is
        if before.strip():
            out.append(escape(before.strip()))
        if match["call"]:
            macro = ".Fn %s" % match["call"][:-2]
        elif match["struct"]:
            macro = '.Vt "%s"' % match["struct"]
        elif match["constant"]:
            macro = ".Dv %s" % match["constant"]
        elif match["stressed"]:
            macro = ".Em %s" % match["stressed"]
        else:
            macro = ".Fa %s" % quoted(match["code"])
        if stuck:
            macro = "%s ( %s" % tuple(macro.split(" ", 1))
        if after[0]:
            macro += " " + " ".join(after[0])
        out.append(macro)
        at = match.end() + len(after[0])
    rest = text[at:].strip()
    if rest:
        out.append(escape(rest))
    return out


def with_errors(text):
    """Behind "Errors:" the codes are written without what they all begin with."""
    head, mark, tail = text.partition("Errors:")
    if not mark:
        return text
    tail, stop, rest = tail.partition("Since ")
    return head + mark + ERRORS.sub(r"FLUX_E_\1", tail) + stop + rest


def wrapped(lines):
    for line in lines:
        if line.startswith("."):
            yield line
            continue
        # a sentence a line, as mdoc wants it
        yield from [escape(part) for part in re.split(r"(?<=[A-Za-z0-9)\"][.?!])\s+(?=[A-Z`\"(])", line) if part]


def paragraph(lines):
    """What is said about errors comes last in a comment, and gets a paragraph of its own."""
    parts = re.split(r"(?<=[.)]) (?=Errors(?: [a-z]+)?:)", " ".join(line.strip() for line in lines))
    out = []
    for part in parts:
        out += ([".Pp"] if out else []) + list(wrapped(sentence(with_errors(part))))
    return out


def member_lines(struct):
    """A struct's lines, with remarks that are too long for a page below their member."""
    text = "\n".join(struct)
    text = re.sub(r"\s*\n\s+(?=[^\n]*\*/)(?![^\n]*/\*)", " ", text)
    for line in text.split("\n"):
        code, mark, remark = line.partition("/*")
        if not mark or len(line) <= 74:
            yield line
            continue
        yield code.rstrip()
        remark = "/*" + remark
        yield from textwrap.wrap(remark, 66, initial_indent=" " * 8, subsequent_indent=" " * 11)


def prose(lines):
    """Paragraphs; what is indented is shown as it is, except lists of capital words, which become lists."""
    out, at = [], 0
    lines = list(lines)
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif TAG.match(line):
            out.append(".Bl -tag -width Ds")
            while at < len(lines) and (match := TAG.match(lines[at])):
                indent, body = match.start(3), [match[3]]
                at += 1
                while at < len(lines) and lines[at].startswith(" " * indent) and not TAG.match(lines[at]):
                    body.append(lines[at])
                    at += 1
                out += [".It %s" % match[2], *paragraph(body)]
            out.append(".El")
        elif line.startswith("  "):
            out.append(".Bd -literal")
            while at < len(lines) and (lines[at].startswith("  ") or not lines[at].strip()):
                if not lines[at].strip() and not (at + 1 < len(lines) and lines[at + 1].startswith("  ")):
                    break
                out.append(literal(lines[at][2:]) if lines[at].strip() else "")
                at += 1
            out.append(".Ed")
        else:
            text = []
            while at < len(lines) and lines[at].strip() and not lines[at].startswith("  "):
                text.append(lines[at])
                at += 1
            if out:
                out.append(".Pp")
            out += paragraph(text)
    return out
