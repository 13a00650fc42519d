# SPDX-License-Identifier: Apache-2.0
"""NULL for each pointer of each public function that returns a code: FLUX_E_ARGUMENT where something must be there, no
difference where nothing need be, a crash nowhere."""
import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

from libflux import _abi
from support import HERE, PACKAGE, ROOT

# What the headers say may be NULL. Their own output and their own object nobody may leave out.
OPTIONAL = {"bound", "env", "error", "first", "label", "makespan", "options", "user", "vertex"}
PARTS = {("flux_write_document", "graph"), ("flux_write_document", "fabric"), ("flux_write_document", "schedule"),
         ("flux_formulation_write", "summary"), ("flux_write_model", "summary")}  # fmt: skip
NOT_OPTIONAL = {("flux_certificate_check", "certificate"), ("flux_demand_generate", "options")}


def told_of_null():
    """Function and pointer where the comment at the declaration has the pointer's name and NULL in one sentence."""
    found = set()
    for path in glob.glob(os.path.join(ROOT, "include", "libflux", "**", "*.h"), recursive=True):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for comment, function in re.findall(r"/\*((?:(?!\*/).)*)\*/\s*FLUX_API [^;]*?\b(flux_\w+)\(", text, flags=re.S):
            for sentence in re.split(r"[.;:]\s", " ".join(comment.replace(" * ", " ").split())):
                if "NULL" in sentence:
                    found |= {(function, name) for name in re.findall(r"\w+", sentence)}
    return found


def calls(*arguments):
    """The lines of null_calls.py, in words, and how it ended."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-B", os.path.join(HERE, "null_calls.py"), folder, *arguments], text=True, timeout=120,
            env={**os.environ, "PYTHONPATH": PACKAGE}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    return [line.split() for line in done.stdout.splitlines()], done


class Null(unittest.TestCase):
    def test_each_pointer_of_each_function(self):
        lines, done = calls()
        self.assertEqual(done.returncode, 0, "%s\n%s" % (lines[-1:], done.stderr))
        self.assertGreater(len(lines), 150)
        wrong, told, documented = [], 0, told_of_null()
        self.assertGreater(len(documented), 10)
        for function, pointer, good, with_null in lines:
            # One that does not get as far as to tell the difference; one that returns 1 or 0 and no code.
            if int(good) == _abi.FLUX_E_ARGUMENT or int(good) > 0:
                continue
            told += 1
            may = (pointer in OPTIONAL or (function, pointer) in PARTS) and (function, pointer) not in NOT_OPTIONAL
            if int(with_null) != (int(good) if may else _abi.FLUX_E_ARGUMENT):
                if (function, pointer) not in PARTS | documented:
                    wrong.append((function, pointer, good, with_null))
        self.assertEqual(wrong, [], "(function, pointer, code, code with NULL): mend it, or tell at its declaration")
        self.assertGreater(told, 140)


class Future(unittest.TestCase):
    def test_each_struct_that_is_larger_than_this_library_knows(self):
        lines, done = calls("future")
        self.assertEqual(done.returncode, 0, "%s\n%s" % (lines[-1:], done.stderr[-200:]))
        self.assertGreater(len({pointer + function for function, pointer, *_ in lines}), 10)
        for function, pointer, good, zeros, *others in lines:
            with self.subTest("%s %s" % (function, pointer)):
                self.assertEqual(zeros, good)  # what is new and not used changes nothing
                earlier = {good} if int(good) == _abi.FLUX_E_ARGUMENT else set()  # what is wrong before the size is read
                self.assertLessEqual(set(others), earlier | {str(_abi.FLUX_E_ABI)})
