# SPDX-License-Identifier: Apache-2.0
"""The notebooks of docs/examples, cell by cell as a notebook runs them, and the snippets of docs/python.md."""
import ast
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

import libflux
from support import PACKAGE, ROOT
from test_ecosystem import matplotlib, networkx, numpy, pandas

EXAMPLES = os.path.join(ROOT, "docs", "examples")
needs_all = unittest.skipIf(None in (matplotlib, networkx, numpy, pandas), "not all of the extras are here")


def cells(path):
    """The code cells of a script in percent format, and the words of the others."""
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"(?m)^# %%(.*)\n", file.read())
    return [(mark.strip(), text) for mark, text in zip(parts[1::2], parts[2::2])]


def run(code, names):
    """Runs a cell; the value of its last expression, or None."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None


@needs_all
class Notebooks(unittest.TestCase):
    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(ROOT)
        matplotlib.use("agg")

    def shown(self, name):
        """What each cell shows, as a notebook would, and the names that are left."""
        names, shown, words = {"__name__": "__main__"}, [], 0
        for mark, text in cells(os.path.join(EXAMPLES, name)):
            if mark == "[markdown]":
                self.assertTrue(all(line.startswith("#") for line in text.splitlines() if line), text)
                words += 1
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                value, stdout = None, sys.stdout
                sys.stdout = io.StringIO()
                try:
                    value = run(text, names)
                finally:
                    said, sys.stdout = sys.stdout.getvalue(), stdout
            if hasattr(value, "savefig"):
                picture = io.BytesIO()
                value.savefig(picture, format="png")
                self.assertGreater(len(picture.getvalue()), 10000)
                if folder := os.environ.get("PICTURES"):
                    value.savefig(os.path.join(folder, "%s-%d.png" % (name, len(shown))), dpi=80)
                value = "figure"
            elif hasattr(value, "_repr_html_"):
                value = value._repr_html_()
            shown.append(value if value is not None else said)
        self.assertGreater(words, 2)
        return shown, names

    def test_look_at_a_trace(self):
        shown, names = self.shown("look_at_a_trace.py")
        self.assertEqual(shown.count("figure"), 2)
        self.assertTrue(any("<svg" in text for text in shown) and any("<table" in text for text in shown))
        self.assertRegex(shown[-1], r"planned [\d.]+ ms, median")
        self.assertEqual(names["schedule"].check(), names["schedule"].makespan)

    def test_sweep_delay(self):
        shown, names = self.shown("sweep_delay.py")
        self.assertEqual(shown.count("figure"), 1)
        iterations = names["iterations"]
        self.assertEqual(iterations.shape, (4, len(names["SCHEDULERS"])))
        self.assertTrue((iterations.min(axis=1) == iterations["flux"]).all())
        bounds = names["table"].set_index("scheduler").loc["flux", "bound"]
        self.assertTrue((bounds.to_numpy() <= iterations["flux"].to_numpy()).all())


class Page(unittest.TestCase):
    """Each block of docs/python.md runs after those before it; what it prints is in the block of text behind it."""

    @needs_all
    def test_docs_python_md(self):
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
            page = file.read()
        blocks = re.findall(r"(?ms)^```(python|text)\n(.*?)^```$", page)
        self.assertGreater(len(blocks), 8)
        outside = re.sub(r"(?ms)^```(python|text)\n(.*?)^```$", "", page)
        self.assertIsNone(re.search(r"(?m)^    (import|from|def|class|with|\w+ = )", outside))  # all that is there is run
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        code = "".join(text + ("print('>>>')\n" if language == "python" else "") for language, text in blocks
                       if language == "python")  # fmt: skip
        wanted, after = [], None
        for language, text in blocks:
            if language == "python":
                wanted.append("")
            else:
                wanted[-1] = text
        done = subprocess.run([sys.executable, "-c", code], cwd=folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120, check=False,
                              env={**os.environ, "PYTHONPATH": PACKAGE, "MPLBACKEND": "agg"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split(">>>\n")[:-1], wanted)
