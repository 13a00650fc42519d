# SPDX-License-Identifier: Apache-2.0
"""What the tests share."""
import functools
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(HERE)
ROOT = os.path.dirname(os.path.dirname(PACKAGE))


@functools.lru_cache(None)
def compiler():
    """A C compiler, or None."""
    return next((found for found in map(shutil.which, (os.environ.get("CC", "cc"), "gcc", "clang")) if found), None)


def python(code, limit=60, **environment):
    """Runs a program of Python in a new interpreter that finds the package."""
    env = {**os.environ, "PYTHONPATH": PACKAGE, **environment}
    return subprocess.run([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=limit, check=False)
