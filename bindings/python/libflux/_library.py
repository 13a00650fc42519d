# SPDX-License-Identifier: Apache-2.0
"""Finds libflux, makes sure that it is the version these declarations are of, and gives every function its types.

Looked for in this order; the first one that is there must also be right:

1. what the environment variable LIBFLUX_LIBRARY names, a file or a folder (LIBFLUX_IO_LIBRARY for libflux-io);
2. for libflux-io, the folder in which libflux was found;
3. the folder ``lib`` of this package, where a wheel has its copy;
4. the name libflux.so.0, wherever the dynamic linker looks.
"""
from __future__ import annotations

import ctypes
import os
import sys
from typing import Any, Dict, List, Optional, Tuple

from . import _abi

_HERE = os.path.dirname(os.path.abspath(__file__))
_SONAME = "lib%s.so." + str(_abi.FLUX_VERSION_MAJOR)


class LibraryError(ImportError):
    """libflux could not be loaded, or it is not the version that this package is made for."""


def version_text(number: int) -> str:
    return "%d.%d.%d" % (number // 1000000, number // 1000 % 1000, number % 1000)


def _fits(number: int) -> bool:
    """Before 1.0 a new minor version may change anything; from then on only a new major one may."""
    major, minor = divmod(number // 1000, 1000)
    if major != _abi.FLUX_VERSION_MAJOR:
        return False
    return minor == _abi.FLUX_VERSION_MINOR if major == 0 else minor >= _abi.FLUX_VERSION_MINOR


def _candidates(name: str, variable: str, beside: Optional[str]) -> List[Tuple[str, str]]:
    """Files to try, with the words for each. What the user named is the only candidate."""
    soname = _SONAME % name
    if chosen := os.environ.get(variable):
        return [(os.path.join(chosen, soname) if os.path.isdir(chosen) else chosen, variable)]
    found = []
    if beside:
        found.append((os.path.join(beside, soname), "beside libflux"))
    found.append((os.path.join(_HERE, "lib", soname), "inside the package"))
    found = [pair for pair in found if os.path.exists(pair[0])]
    return found + [(soname, "by name")]


class _Address(ctypes.Structure):
    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def _file_of(function: Any, otherwise: str) -> str:
    """The file that a loaded function is in."""
    try:
        dladdr = ctypes.CDLL(None).dladdr
    except (OSError, AttributeError, TypeError):
        return otherwise
    dladdr.argtypes, dladdr.restype = (ctypes.c_void_p, ctypes.POINTER(_Address)), ctypes.c_int
    address = _Address()
    if not dladdr(ctypes.cast(function, ctypes.c_void_p), ctypes.byref(address)) or not address.file:
        return otherwise
    return os.path.abspath(os.fsdecode(address.file))


def _open(name: str, variable: str, beside: Optional[str] = None) -> Tuple[str, str]:
    """The file and how it was found. It is loaded by then, so that opening it again costs nothing."""
    failures = []
    for path, how in _candidates(name, variable, beside):
        try:
            ctypes.CDLL(path)
            return path, how
        except OSError as error:
            failures.append("%s (%s): %s" % (path, how, error))
    raise LibraryError(
        "%s is not to be found. Install it, or say where it is with %s. Tried %s"
        % (_SONAME % name, variable, "; ".join(failures))
    )


def _type(library: ctypes.CDLL, functions: Dict[str, Tuple[Any, Tuple[Any, ...]]], path: str) -> None:
    for name, (result, arguments) in functions.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise LibraryError(
                "%s has no %s(): it is older than this package, which is for libflux %s"
                % (path, name, version_text(_abi.FLUX_VERSION))
            ) from None
        function.argtypes = arguments
        function.restype = result


class Library:
    """One of the two libraries, opened twice.

    ``held`` keeps the interpreter lock: for calls that take no time, which then need no lock of their own against other
    threads. ``free`` gives it up: for calls that compute, read or write.
    """

    def __init__(self, name: str, variable: str, functions: Dict[str, Any], beside: Optional[str] = None) -> None:
        opened, self.how = _open(name, variable, beside)
        self.held: Any = ctypes.PyDLL(opened)
        self.free: Any = ctypes.CDLL(opened)
        self.version = self.version_of(self.free, opened) if name == "flux" else 0
        for library in (self.held, self.free):
            _type(library, functions, opened)
        self.path = _file_of(getattr(self.free, next(iter(functions))), opened)

    @staticmethod
    def version_of(library: Any, path: str) -> int:
        try:
            function = library.flux_version
        except AttributeError:
            raise LibraryError("%s is not libflux: it has no flux_version()" % path) from None
        function.argtypes, function.restype = (), ctypes.c_uint32
        number = int(function())
        if not _fits(number):
            raise LibraryError(
                "%s is libflux %s, and this package is for libflux %s: install the two of the same version"
                % (path, version_text(number), version_text(_abi.FLUX_VERSION))
            )
        return number


if sys.byteorder != "little" or ctypes.sizeof(ctypes.c_void_p) != 8:
    raise LibraryError("libflux for Python needs a 64-bit little-endian machine")

core = Library("flux", "LIBFLUX_LIBRARY", _abi.CORE)
_io: Optional[Library] = None


def io() -> Library:
    """libflux-io, loaded when a file is first read or written."""
    global _io
    if _io is None:
        _io = Library("flux-io", "LIBFLUX_IO_LIBRARY", _abi.IO, os.path.dirname(core.path))
    return _io
