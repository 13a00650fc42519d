# SPDX-License-Identifier: Apache-2.0
"""The declarations are what the headers say, and the compiler agrees with how they were read."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from support import PACKAGE, compiler
from libflux import _abi, _library

GENERATE = os.path.join(PACKAGE, "generate.py")
HEADERS = os.path.join(PACKAGE, "..", "..", "include")


def generate(*arguments):
    return subprocess.run([sys.executable, GENERATE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)


class Declarations(unittest.TestCase):
    def test_file_is_what_the_headers_say(self):
        done = generate("--check")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_every_public_function_is_there(self):
        wanted = set()
        for folder, _, names in os.walk(os.path.join(HEADERS, "libflux")):
            for name in names:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    wanted |= set(re.findall(r"^FLUX_API [^;]*?\b(flux_\w+)\(", file.read(), flags=re.M))
        self.assertGreater(len(wanted), 80)
        self.assertEqual(wanted, set(_abi.CORE) | set(_abi.IO))

    def test_every_function_has_types(self):
        for library, names in ((_library.core, _abi.CORE), (_library.io(), _abi.IO)):
            for name, (result, arguments) in names.items():
                for handle in (library.held, library.free):
                    self.assertEqual(tuple(getattr(handle, name).argtypes), arguments, name)
                    self.assertIs(getattr(handle, name).restype, result, name)

    @unittest.skipUnless(compiler(), "no C compiler")
    def test_compiler_agrees_on_values_layouts_and_prototypes(self):
        done = self.compile(generate("--program").stdout)
        self.assertEqual(done.returncode, 0, done.stdout)

    @unittest.skipUnless(compiler(), "no C compiler")
    def test_compiler_would_notice(self):
        good = generate("--program").stdout
        for old, new in (
            ("== UINT64_C(800000000000)", "== UINT64_C(800000000001)"),
            ("sizeof(struct flux_send) == 32", "sizeof(struct flux_send) == 40"),
            ("offsetof(struct flux_edge, lag) == 8", "offsetof(struct flux_edge, lag) == 16"),
            ("->duration), int64_t )", "->duration), uint64_t )"),
            ("int flux_graph_new(const struct", "int flux_graph_new(struct"),
        ):
            self.assertIn(old, good)
            self.assertNotEqual(self.compile(good.replace(old, new)).returncode, 0, new)

    def compile(self, text):
        return subprocess.run(
            [compiler(), "-std=gnu11", "-fsyntax-only", "-I", HEADERS, "-x", "c", "-"],
            input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip

    def test_a_header_that_does_not_fit_the_grammar_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "libflux", "io"))
            for line in ("typedef int flux_thing;", "FLUX_API long flux_x(void);", "#define FLUX_X sizeof(int)"):
                with open(os.path.join(folder, "libflux", "x.h"), "w", encoding="utf-8") as file:
                    file.write(line + "\n")
                done = generate("--include", folder, "--check")
                self.assertEqual(done.returncode, 1, line)
                self.assertIn("cannot read", done.stdout)
