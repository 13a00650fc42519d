#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes libflux/_abi.py, the ctypes declarations, from the public headers.

    generate.py             writes libflux/_abi.py
    generate.py --check     ends with 1 where the file is not what the headers say
    generate.py --program   prints a C program that a compiler takes only if every constant, size, offset and
                            prototype was understood as the compiler understands it

The headers are regular: one declaration after another, no conditional parts, no typedefs. What does not fit the small
grammar below stops the program with the text in question, so that nothing is left out silently.
"""
import argparse
import ctypes
import keyword
import os
import re
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.normpath(os.path.join(HERE, "..", "..", "include"))
OUTPUT = os.path.join(HERE, "libflux", "_abi.py")

SCALARS = {
    "int": "c_int", "char": "c_char", "double": "c_double",
    "int8_t": "c_int8", "int16_t": "c_int16", "int32_t": "c_int32", "int64_t": "c_int64",
    "uint8_t": "c_uint8", "uint16_t": "c_uint16", "uint32_t": "c_uint32", "uint64_t": "c_uint64",
}  # fmt: skip
LIMITS = {"UINT32_MAX": 2**32 - 1, "UINT64_MAX": 2**64 - 1, "INT64_MAX": 2**63 - 1}

FUNCTION_POINTER = re.compile(r"^(?P<result>.+?) ?\(\*(?P<name>\w+)\)\((?P<arguments>.*)\)$")
PROTOTYPE = re.compile(r"^FLUX_API (?P<result>.+?)\b(?P<name>flux_\w+)\((?P<arguments>.*)\)$")


def fail(text):
    sys.exit("generate.py: cannot read: %s" % text)


class Type:
    """A C type as these headers have them: a base, stars behind it, perhaps a function's address or an array."""

    def __init__(self, base, stars=0, const=False, count=0, result=None, arguments=None):
        self.base, self.stars, self.const, self.count = base, stars, const, count
        self.result, self.arguments = result, arguments

    def ctypes(self, inside_callback=False):
        if self.arguments is not None:
            # ctypes cannot return a typed pointer from a callback, so that is an address there.
            result = "c_void_p" if self.result.stars else self.result.ctypes()
            return "CFUNCTYPE(%s)" % ", ".join([result] + [a.ctypes(True) for a in self.arguments])
        stars = self.stars
        if self.base == "void":
            if stars == 0:
                return "None"
            text, stars = "c_void_p", stars - 1
        elif self.base == "char" and stars and not inside_callback:  # a text handed to a callback need not have an end
            text, stars = "c_char_p", stars - 1
        else:
            text = SCALARS.get(self.base) or self.base.split(" ")[1]
        text = "POINTER(" * stars + text + ")" * stars
        return "%s * %d" % (text, self.count) if self.count else text

    def c(self, name=""):
        if self.arguments is not None:
            return "%s(*%s)(%s)" % (self.result.c(), name, ", ".join(a.c() for a in self.arguments) or "void")
        text = ("const " if self.const else "") + self.base + " " + "*" * self.stars + name
        return text + ("[%d]" % self.count if self.count else "")


class Headers:
    def __init__(self, include=INCLUDE):
        self.include = include
        self.constants = {}
        self.macros = {}
        self.structs = {}  # name -> members, or None while nothing but the name is known
        self.functions = {"core": {}, "io": {}}
        self.seen = set()
        self.core = sorted(self.files(""))
        self.io = sorted(self.files("io"))
        for name in self.core + self.io:
            self.read(name)

    def files(self, folder):
        for name in os.listdir(os.path.join(self.include, "libflux", folder)):
            if name.endswith(".h"):
                yield os.path.join("libflux", folder, name)

    def read(self, name):
        if name in self.seen:
            return
        self.seen.add(name)
        with open(os.path.join(self.include, name), encoding="utf-8") as file:
            text = file.read()
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S).replace("\\\n", " ")
        kept, skipping = [], 0
        for line in text.split("\n"):
            if not line.startswith("#"):
                if not skipping:
                    kept.append(line)
                continue
            if included := re.match(r"#include <(libflux/.*)>", line):
                self.read(included[1])
            elif re.match(r"#if", line) and not re.match(r"#ifndef LIBFLUX_\w+_H$", line):
                skipping += 1  # only export.h has those, about attributes and C++
            elif line.startswith("#endif"):
                skipping = max(0, skipping - 1)
            elif line.startswith("#define") and not skipping:
                self.define(line)
        code = " ".join(" ".join(kept).split())
        code = code.replace("FLUX_BEGIN_DECLS", "").replace("FLUX_END_DECLS", "")
        for statement in self.statements(code):
            self.declare(statement, "io" if os.sep + "io" + os.sep in name else "core")

    @staticmethod
    def statements(code):
        depth, begin = 0, 0
        for i, letter in enumerate(code):
            depth += (letter == "{") - (letter == "}")
            if letter == ";" and depth == 0:
                yield code[begin:i].strip()
                begin = i + 1
        if code[begin:].strip():
            fail(code[begin:].strip())

    def define(self, line):
        if called := re.match(r"#define (\w+)\(([\w, ]*)\)\s+(.*)", line):
            self.macros[called[1]] = ([p.strip() for p in called[2].split(",")], called[3])
            return
        match = re.match(r"#define (FLUX_\w+)\s+(\S.*?)\s*$", line)
        if not match:
            if re.match(r"#define LIBFLUX_\w+_H$", line):
                return
            fail(line)
        name, value = match[1], match[2]
        if name.endswith("_INIT"):  # a struct's first value: the class sets its own size
            return
        self.constants[name] = self.evaluate(value)

    def evaluate(self, text):
        text = re.sub(r"\bU?INT(?:32|64)_C\((\w+)\)", r"\1", text)
        if (call := re.match(r"(\w+)\((.*)\)$", text)) and call[1] in self.macros:
            names, body = self.macros[call[1]]
            for name, value in zip(names, call[2].split(",")):
                body = re.sub(r"\b%s\b" % name, value.strip(), body)
            text = body
        text = re.sub(r"\(u?int\d+_t\)", "", text)
        text = re.sub(r"\b(\d+)u\b", r"\1", text)
        text = re.sub(r"\b[A-Z]\w+\b", lambda m: str(self.constants.get(m[0], LIMITS.get(m[0], m[0]))), text)
        if not re.match(r"^[-+*<>() 0-9.e]+$", text):
            fail(text)
        return eval(text, {"__builtins__": {}})  # digits and operators only, see above

    def type_of(self, text, named=True):
        """The type and name of a member or an argument."""
        text = text.strip()
        if pointer := FUNCTION_POINTER.match(text):
            result, _ = self.type_of(pointer["result"], named=False)
            arguments = [self.type_of(a)[0] for a in self.split(pointer["arguments"])]
            return Type(None, result=result, arguments=arguments), pointer["name"]
        match = re.match(r"^(const )?((?:struct )?\w+)\s*(\**)\s*(\w*)(?:\[(\w+)\])?$", text)
        if not match or (named and not match[4]) or (not named and match[4]):
            fail(text)
        base = match[2]
        if base.startswith("struct "):
            self.structs.setdefault(base.split(" ")[1], None)
        elif base != "void" and base not in SCALARS:
            fail(text)
        count = int(match[5]) if match[5] else 0
        return Type(base, len(match[3]), bool(match[1]), count), match[4]

    @staticmethod
    def split(arguments):
        if arguments.strip() in ("", "void"):
            return []
        parts, depth = [""], 0
        for letter in arguments:
            depth += (letter == "(") - (letter == ")")
            if letter == "," and depth == 0:
                parts.append("")
            else:
                parts[-1] += letter
        return parts

    def declare(self, statement, library):
        if opaque := re.match(r"^struct (\w+)$", statement):
            self.structs.setdefault(opaque[1], None)
        elif struct := re.match(r"^struct (\w+) \{(.*)\}$", statement):
            members = [self.type_of(m) for m in struct[2].split(";") if m.strip()]
            self.structs.pop(struct[1], None)  # classes come in the order of definitions
            self.structs[struct[1]] = [(name, kind) for kind, name in members]
        elif prototype := PROTOTYPE.match(statement):
            result, _ = self.type_of(prototype["result"], named=False)
            arguments = [self.type_of(a) for a in self.split(prototype["arguments"])]
            self.functions[library][prototype["name"]] = (result, [(name, kind) for kind, name in arguments])
        else:
            fail(statement)


HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""What the headers under include/libflux say, for ctypes. Made by bindings/python/generate.py: do not edit."""
from __future__ import annotations

from ctypes import (
    CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_uint8, c_uint32, c_uint64,
    c_void_p,
)
from typing import Any, Dict, Tuple
'''


def hint(kind):
    if kind.arguments is None and not kind.stars and not kind.count:
        return "float" if kind.base == "double" else "int"
    if kind.arguments is None and kind.base == "char" and kind.stars < 2:
        return "bytes" if kind.count else "bytes | None"
    return "Any"


def wrapped(text, indent):
    """A long line of Python, broken behind commas."""
    return "\n".join(textwrap.wrap(text, 118, subsequent_indent=indent, break_long_words=False,
                                   break_on_hyphens=False)) if len(text) > 118 else text


def python_name(member):
    return member + "_" if keyword.iskeyword(member) else member


def module(headers):
    out = [HEAD]
    for name, value in headers.constants.items():
        out.append("%s = %r" % (name, value))
    for name in [name for name, members in headers.structs.items() if members is None]:
        out += ["", "", "class %s(Structure):" % name, "    pass"]
    for name, members in headers.structs.items():
        if members is None:
            continue
        out += ["", "", "class %s(Structure):" % name]
        for member, kind in members:
            out.append("    %s: %s" % (python_name(member), hint(kind)))
        out.append("    _fields_ = (")
        for member, kind in members:
            out.append(wrapped('        ("%s", %s),' % (python_name(member), kind.ctypes()), " " * 12))
        out.append("    )")
    for library, title in (("core", "CORE"), ("io", "IO")):
        out += ["", "", "# name: (result, arguments)", "%s: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {" % title]
        for name in sorted(headers.functions[library]):
            result, arguments = headers.functions[library][name]
            kinds = "".join(kind.ctypes() + ", " for _, kind in arguments)
            kinds = kinds.rstrip() if len(arguments) == 1 else kinds[:-2]
            out.append(wrapped('    "%s": (%s, (%s)),' % (name, result.ctypes(), kinds), " " * 8))
        out.append("}")
    return "\n".join(out) + "\n"


def load(text):
    names = {}
    exec(compile(text, OUTPUT, "exec"), names)
    return names


def program(headers, text):
    """A translation unit that compiles only if the declarations are the compiler's own."""
    made = load(text)
    out = ["#include <%s>" % name for name in headers.core + headers.io]
    out.append("#include <stddef.h>")
    for name, value in headers.constants.items():
        if isinstance(value, float):  # the only ones are whole numbers
            out.append('_Static_assert((uint64_t)(%s) == UINT64_C(%d), "%s");' % (name, value, name))
        elif value < 0:
            out.append('_Static_assert((%s) < 0 && (%s) == (%d), "%s");' % (name, name, value, name))
        else:
            out.append('_Static_assert((%s) >= 0 && (uint64_t)(%s) == UINT64_C(%d), "%s");' % (name, name, value, name))
    for name, members in headers.structs.items():
        if members is None:
            continue
        kind = made[name]
        out.append('_Static_assert(sizeof(struct %s) == %d, "%s");' % (name, ctypes.sizeof(kind), name))
        for member, c in members:
            field, there = getattr(kind, python_name(member)), "((struct %s *)0)->%s" % (name, member)
            label = '"%s.%s"' % (name, member)
            out.append("_Static_assert(offsetof(struct %s, %s) == %d, %s);" % (name, member, field.offset, label))
            out.append("_Static_assert(sizeof(%s) == %d, %s);" % (there, field.size, label))
            out.append("_Static_assert(__builtin_types_compatible_p(__typeof__(%s), %s), %s);" % (there, c.c(), label))
    for library in headers.functions.values():
        for name, (result, arguments) in library.items():
            inside = ", ".join(kind.c(argument) for argument, kind in arguments) or "void"
            out.append("%s%s(%s);" % (result.c(), name, inside))
    out.append("int main(void) { return 0; }")
    return "\n".join(out) + "\n"


def main():
    arg = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arg.add_argument("--include", default=INCLUDE)
    arg.add_argument("--check", action="store_true")
    arg.add_argument("--program", action="store_true")
    options = arg.parse_args()
    headers = Headers(options.include)
    text = module(headers)
    if options.program:
        sys.stdout.write(program(headers, text))
        return 0
    if options.check:
        with open(OUTPUT, encoding="utf-8") as file:
            same = file.read() == text
        if not same:
            print("generate.py: %s is not what the headers say; run generate.py" % os.path.relpath(OUTPUT))
        return 0 if same else 1
    with open(OUTPUT, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
