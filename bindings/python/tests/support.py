# SPDX-License-Identifier: Apache-2.0
"""What the tests share."""
import functools
import os
import shutil
import subprocess
import sys
import threading

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


def at_once(work, count=6):
    """Runs work(0), work(1) and so on, each on a thread of its own; what they raised."""
    wrong = []

    def guarded(number):
        try:
            work(number)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=guarded, args=(number,), name="thread %d" % number) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong
