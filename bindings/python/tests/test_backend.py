# SPDX-License-Identifier: Apache-2.0
"""Solver backends in Python: the suite that every backend passes, on one of a few lines and on HiGHS; and bad ones."""
import ctypes
import glob
import importlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import libflux
from libflux import _abi, _backend
from support import ROOT, at_once, compiler
from test_shape import hard, two_sends

sys.path.append(os.path.join(ROOT, "docs", "examples"))
try:
    importlib.import_module("highspy")
    importlib.import_module("numpy")
    Highs = importlib.import_module("highs_backend").Highs
except ImportError:
    Highs = None
HAS_GLPK = "glpk" in libflux.backends()


class Lower(libflux.Backend):
    """Tries the one point where every column is at its lower bound, as the backend of docs/backends.md does."""

    name = "lower"
    capabilities = ("solves", "deterministic")

    def solve(self, program, run):
        values = list(program.column_lower)
        if run.stop() or not all(map(lambda v: v > float("-inf"), values)):
            return libflux.Solution("unknown")
        for r in range(program.rows):
            entries = range(program.row_first[r], program.row_first[r + 1])
            total = sum(program.entry_value[e] * values[program.entry_column[e]] for e in entries)
            if not program.row_lower[r] <= total <= program.row_upper[r]:
                return libflux.Solution("unknown")
        return libflux.Solution("feasible", values, sum(c * v for c, v in zip(program.cost, values)))


class Suite:
    """tests/support/conformance*.c as a shared library."""

    def __init__(self, folder):
        sources = glob.glob(os.path.join(ROOT, "tests", "support", "conformance*.c"))
        path = os.path.join(folder, "conformance.so")
        subprocess.run(
            [compiler(), "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O1", "-fPIC", "-shared", "-I",
             os.path.join(ROOT, "include"), *sources, os.path.join(ROOT, "tests", "support", "program.c"), "-o", path,
             "-pthread", "-lm"], check=True)  # fmt: skip
        self.library = ctypes.CDLL(path)
        self.library.conformance_name.restype = ctypes.c_char_p

    def verdicts(self, kind):
        table, why = _backend.table_of(kind), ctypes.create_string_buffer(256)
        for index in range(self.library.conformance_count()):
            verdict = self.library.conformance_case(index, ctypes.byref(table), why)
            yield self.library.conformance_name(index).decode(), verdict, why.value.decode("utf-8", "replace")


@unittest.skipUnless(compiler(), "no C compiler")
class Conformance(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.suite = Suite(cls.folder)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def conforms(self, kind):
        cases = 0
        for name, verdict, why in self.suite.verdicts(kind):
            with self.subTest(kind.name + ": " + name):
                self.assertNotEqual(verdict, 1, why)
            cases += verdict == 0
        self.assertGreater(cases, 10)
        self.assertEqual(_backend._tables[kind].instances, {})

    def test_a_few_lines(self):
        self.conforms(Lower)

    @unittest.skipIf(Highs is None, "highspy is not installed: tests/setup.sh gets it from PyPI")
    def test_highs(self):
        self.conforms(Highs)

    def test_the_suite_would_notice(self):
        class Liar(Lower):
            def solve(self, program, run):
                return libflux.Solution("optimal", [0.5] * program.columns, -1e6)

        self.assertTrue(any(verdict == 1 for _, verdict, _ in self.suite.verdicts(Liar)))


@unittest.skipIf(Highs is None, "highspy is not installed: tests/setup.sh gets it from PyPI")
class HighsSchedules(unittest.TestCase):
    @unittest.skipUnless(HAS_GLPK, "no GLPK in this build")
    def test_it_agrees_with_glpk(self):
        used = 0
        for seed in range(12):
            graph, fabric = hard(4, 6, seed)
            by = {}
            for name, backend in (("glpk", "glpk"), ("highs", Highs)):
                by[name] = libflux.schedule(graph, fabric, exact="only", backend=backend)
                self.assertEqual(by[name].check(), by[name].makespan)
                used += name == "highs" and by[name].statistics.backend_used
                self.assertFalse(by[name].statistics.backend_disbelieved)
            self.assertEqual((by["glpk"].status, by["glpk"].makespan), (by["highs"].status, by["highs"].makespan))
        self.assertGreater(used, 6)

    def test_a_limit_of_time(self):
        graph, fabric = hard(8, 60)
        schedule = libflux.schedule(graph, fabric, exact="always", backend=Highs, time_limit="3s")
        self.assertTrue(schedule.statistics.backend_used)
        self.assertEqual(schedule.check(), schedule.makespan)

    def test_parameters(self):
        graph, fabric = hard(4, 8)
        loose = libflux.schedule(graph, fabric, exact="only", backend=Highs, parameters={"highs.mip_gap": 0.5,
                                                                                         "highs.presolve": "off"})
        self.assertEqual(loose.check(), loose.makespan)
        with self.assertRaisesRegex(libflux.ArgumentError, "no parameter speed"):
            libflux.schedule(graph, fabric, exact="only", backend=Highs, parameters={"highs.speed": "1"})


class Brute(libflux.Backend):
    """Solves nothing but remembers what it was given."""

    name = "brute"
    capabilities = ("solves",)
    seen = []

    def solve(self, program, run):
        Brute.seen.append((program.columns, program.rows, len(program.entry_value), run.remaining,
                           threading.current_thread() is threading.main_thread(), list(program.binary)))
        if program.start is not None:
            run.incumbent(program.start, sum(c * v for c, v in zip(program.cost, program.start)))
        return libflux.Solution("unknown")


class Schedules(unittest.TestCase):
    def test_it_is_asked(self):
        graph, fabric = hard(4, 6)
        Brute.seen.clear()
        with self.assertRaises(libflux.BackendError):  # it is asked alone, and says nothing
            libflux.schedule(graph, fabric, exact="only", backend=Brute, time_limit="20s")
        columns, rows, entries, remaining, main, binary = Brute.seen[0]
        self.assertTrue(main and 0 < remaining < 20 and set(binary) == {0, 1} and len(binary) == columns)
        self.assertTrue(rows and entries)

    def test_a_lie_is_found_out(self):
        class Wrong(Lower):
            name = "wrong"

            def solve(self, program, run):
                return libflux.Solution("optimal", [0.0] * program.columns, 0.0, 0.0)

        graph, fabric = hard(4, 6)
        with self.assertRaises(libflux.BackendError):
            libflux.schedule(graph, fabric, exact="only", backend=Wrong)

    def test_what_it_raises_comes_out(self):
        graph, fabric = hard(4, 6)

        def raising(problem, where):
            def fails(self, *arguments):
                raise problem

            return type("Raising", (Lower,), {"name": "raising", where: fails})

        for where, problem in itertools.product(("solve", "__init__"), (ZeroDivisionError("a\nb"), MemoryError(),
                                                                        RuntimeError("\udcff" * 1000))):
            with self.assertRaises(libflux.BackendError) as caught:
                libflux.schedule(graph, fabric, exact="only", backend=raising(problem, where))
            self.assertIs(caught.exception.__cause__, problem)
            self.assertIn(type(problem).__name__, str(caught.exception))
        for problem in (KeyboardInterrupt("x"), SystemExit(3)):
            with self.assertRaises(type(problem)):
                libflux.schedule(graph, fabric, exact="only", backend=raising(problem, "solve"))
        self.assertEqual(libflux.schedule(*two_sends()).makespan, 1352177280)

    def test_bad_answers(self):
        graph, fabric = hard(4, 6)
        for answer in (None, 3, libflux.Solution("solved"), libflux.Solution(1), libflux.Solution("optimal"),
                       libflux.Solution("feasible", [1.0]), libflux.Solution("feasible", ["x"] * 1000),
                       libflux.Solution("unknown", bound=None), libflux.Solution("unknown", bound="x")):
            kind = type("Bad", (Lower,), {"name": "bad", "solve": lambda self, program, run, a=answer: a})
            with self.assertRaises(libflux.BackendError, msg=repr(answer)):
                libflux.schedule(graph, fabric, exact="only", backend=kind)

    def test_numbers_that_are_none(self):
        graph, fabric = hard(4, 6)
        for value in (float("nan"), float("inf"), 1e300):
            kind = type("Odd", (Lower,), {"name": "odd", "solve": lambda self, program, run, v=value:
                                          libflux.Solution("optimal", [v] * program.columns, v, v)})
            with self.assertRaises(libflux.BackendError):
                libflux.schedule(graph, fabric, exact="only", backend=kind)

    def test_no_backend_at_all(self):
        graph, fabric = two_sends()
        for backend in (3, Lower(), libflux.Graph, b"glpk", object, [Lower]):
            self.assertRaises(TypeError, libflux.schedule, graph, fabric, backend=backend)
        for given in ({"name": "a\0b"}, {"capabilities": ("magic",)}):
            kind = type("X", (Lower,), given)
            self.assertRaises(libflux.ArgumentError, libflux.schedule, graph, fabric, backend=kind)
        for name in ("", "Upper", "a b", "a" * 40):
            with self.assertRaises(libflux.Error):
                libflux.schedule(*hard(4, 6), exact="only", backend=type("X", (Lower,), {"name": name}))
        with self.assertRaisesRegex(libflux.BackendError, "NotImplementedError"):
            libflux.schedule(*hard(4, 6), exact="only", backend=type("X", (libflux.Backend,), {"name": "x"}))

    def test_from_many_threads(self):
        class Failing(Lower):
            name = "failing"

            def solve(self, program, run):
                raise ValueError(threading.current_thread().name)

        def work(seed):
            for _ in range(5):
                with self.assertRaises(libflux.BackendError) as caught:
                    libflux.schedule(*hard(4, 6, 1), exact="only", backend=Failing)
                self.assertEqual(str(caught.exception.__cause__), threading.current_thread().name)

        self.assertEqual(at_once(work), [])
        self.assertEqual(_backend._tables[Failing].instances, {})
