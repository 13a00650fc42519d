# SPDX-License-Identifier: Apache-2.0
"""The package is typed to the letter, what is public tells what it does, and the metadata names its extras."""
import inspect
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import libflux
from libflux import _extras
from support import PACKAGE

MYPY = next((found for found in map(shutil.which, ("mypy", "/usr/bin/mypy")) if found), None)

USE = '''import libflux

graph = libflux.Graph(2)
vertex: int = graph.add_send(0, 1, "1MiB", release=5)
schedule: libflux.Schedule = libflux.schedule(graph, libflux.Fabric(2), progress=lambda told: told.gap is None)
ends: "list[int]" = [slot.end for slot in schedule.slots]
first: libflux.Slot = schedule.slots[0]
run: libflux.Run = libflux.Replay(schedule).run(mode="order", jitter=0.05)
plan: libflux.demand.Plan = libflux.demand.schedule([[0, "3us"], [5, 0]], switches=1)
'''


@unittest.skipIf(MYPY is None, "no mypy here")
class Mypy(unittest.TestCase):
    def run_on(self, *arguments):
        with tempfile.TemporaryDirectory() as cache:
            return subprocess.run([MYPY, "--strict", "--cache-dir", cache, *arguments], cwd=PACKAGE, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def test_strict(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8") as use:
            use.write(USE)
            use.flush()
            done = self.run_on("--config-file", "pyproject.toml", "libflux", use.name)
            self.assertEqual(done.returncode, 0, done.stdout)
            use.write('wrong: str = graph.add_send(0, 1, 5)\nschedule.makespan = 3\n')
            use.flush()
            done = self.run_on("--config-file", "pyproject.toml", use.name)
            self.assertEqual(len(re.findall("error: ", done.stdout)), 2, done.stdout)


class Told(unittest.TestCase):
    def test_everything_public_has_a_docstring(self):
        silent = []

        def look(thing, name):
            if not inspect.getdoc(thing):
                silent.append(name)

        for module in (libflux, libflux.demand):
            for name in module.__all__:
                thing = getattr(module, name)
                if not (inspect.isclass(thing) or inspect.isfunction(thing) or inspect.ismodule(thing)):
                    continue
                look(thing, name)
                for member, inside in vars(thing).items() if inspect.isclass(thing) else ():
                    if member.startswith("_") or member in getattr(thing, "_fields", ()):
                        continue
                    if callable(inside) or isinstance(inside, (property, classmethod, staticmethod)):
                        look(getattr(inside, "__func__", inside), "%s.%s" % (name, member))
        self.assertEqual(silent, [])

    def test_every_public_name_is_on_the_page(self):
        with open(os.path.join(PACKAGE, "..", "..", "docs", "python.md"), encoding="utf-8") as file:
            page = file.read()
        missing = [n for n in libflux.__all__ if not re.search(r"\b%s\b" % n, page)]
        self.assertEqual(missing, [])

    def test_extras_are_those_of_the_sentences(self):
        with open(os.path.join(PACKAGE, "pyproject.toml"), encoding="utf-8") as file:
            project = file.read()
        with open(os.path.join(PACKAGE, "make_wheel.py"), encoding="utf-8") as file:
            wheel = file.read()
        for name, (_, extra) in _extras.EXTRAS.items():
            top = name.split(".")[0]
            self.assertRegex(project, r'(?m)^%s = \[.*"%s"' % (extra, top))
            self.assertRegex(wheel, r'"%s": \(.*"%s"' % (extra, top))
