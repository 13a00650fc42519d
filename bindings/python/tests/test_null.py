# SPDX-License-Identifier: Apache-2.0
"""NULL for each pointer of each public function that returns a code: FLUX_E_ARGUMENT where something must be there, no
difference where nothing need be, a crash nowhere."""
import os
import subprocess
import sys
import tempfile
import unittest

from libflux import _abi
from support import HERE, PACKAGE

# What the headers say may be NULL. Their own output and their own object nobody may leave out.
OPTIONAL = {"bound", "env", "error", "first", "label", "makespan", "options", "user", "vertex"}
PARTS = {("flux_write_document", "graph"), ("flux_write_document", "fabric"), ("flux_write_document", "schedule"),
         ("flux_formulation_write", "summary"), ("flux_write_model", "summary")}  # fmt: skip
NOT_OPTIONAL = {("flux_certificate_check", "certificate"), ("flux_demand_generate", "options")}


class Null(unittest.TestCase):
    def test_each_pointer_of_each_function(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-B", os.path.join(HERE, "null_calls.py"), folder], text=True, timeout=120, check=False,
                env={**os.environ, "PYTHONPATH": PACKAGE}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
        lines = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual(done.returncode, 0, "%s\n%s" % (lines[-1:], done.stderr))
        self.assertGreater(len(lines), 150)
        wrong, told = [], 0
        for function, pointer, good, with_null in lines:
            # One that does not get as far as to tell the difference; one that returns 1 or 0 and no code.
            if int(good) == _abi.FLUX_E_ARGUMENT or int(good) > 0:
                continue
            told += 1
            may = (pointer in OPTIONAL or (function, pointer) in PARTS) and (function, pointer) not in NOT_OPTIONAL
            if int(with_null) != (int(good) if may else _abi.FLUX_E_ARGUMENT):
                if (function, pointer) not in PARTS:
                    wrong.append((function, pointer, good, with_null))
        self.assertEqual(wrong, [], "(function, pointer, code, code with NULL): mend it, or say above that NULL is fine")
        self.assertGreater(told, 140)
