# SPDX-License-Identifier: Apache-2.0
"""Packages that are not needed: imported when a method that uses one is called, and named where one is missing."""
from __future__ import annotations

import importlib
from typing import Any

EXTRAS = {
    "numpy": ("NumPy", "numpy"),
    "networkx": ("NetworkX", "networkx"),
    "pandas": ("pandas", "pandas"),
    "matplotlib": ("Matplotlib", "plot"),
    "matplotlib.figure": ("Matplotlib", "plot"),
    "matplotlib.collections": ("Matplotlib", "plot"),
    "matplotlib.patches": ("Matplotlib", "plot"),
    "matplotlib.pyplot": ("Matplotlib", "plot"),
}


class MissingPackageError(ImportError):
    """A method was called that needs a package which is not installed; the text says how to get it."""


def package(name: str, what: str) -> Any:
    """Imports ``name``; where it is missing, a sentence that tells what ``what`` (such as "Schedule.plot()") needs."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        title, extra = EXTRAS[name]
        top = name.split(".")[0]
        if error.name is not None and error.name.split(".")[0] != top:  # it is there, and lacks something itself
            raise
        raise MissingPackageError(
            "%s needs %s: pip install 'libflux[%s]', or pip install %s" % (what, title, extra, top), name=top
        ) from None
