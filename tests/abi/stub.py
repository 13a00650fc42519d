#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a C file that defines every public function of the headers in INCLUDE, and none of them does anything: the
binary interface of a library without the library, to try what tells apart two interfaces.

    stub.py INCLUDE core|io
"""
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))
import generate  # noqa: E402

headers = generate.Headers(sys.argv[1])
for header in headers.core + headers.io:
    print("#include <%s>" % header)
for name, (result, arguments) in headers.functions[sys.argv[2]].items():
    inside = ", ".join(kind.c(argument) for argument, kind in arguments) or "void"
    print("\n%s%s(%s)\n{" % (result.c(), name, inside))
    for argument, _ in arguments:
        print("    (void)%s;" % argument)
    print("}" if result.ctypes() == "None" else "    return 0;\n}")
