# SPDX-License-Identifier: Apache-2.0
"""Exceptions: one class per error code of the library, one per range of codes, and one above them all."""
from __future__ import annotations

from typing import Dict, Optional, Type

from . import _abi
from ._library import core


class Error(Exception):
    """What the library, or this package before it, refuses or fails at.

    ``code`` is the library's number, ``name`` its short name. ``vertex``, ``line``, ``column`` and ``offset`` say
    where, and are None where that is not known. ``text`` is the sentence.
    """

    code: int = 0

    def __init__(
        self,
        text: str = "",
        *,
        code: Optional[int] = None,
        vertex: Optional[int] = None,
        line: Optional[int] = None,
        column: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> None:
        super().__init__(text)
        if code is not None:
            self.code = code
        self.text = text
        self.vertex = vertex
        self.line = line
        self.column = column
        self.offset = offset

    @property
    def name(self) -> str:
        """The library's short name of the code, such as "infeasible"."""
        return str(core.held.flux_error_name(self.code).decode())

    def __str__(self) -> str:
        return self.text or self.name


class CallError(Error):
    """The call is wrong (codes -1 to -99)."""


class ProblemError(Error):
    """The problem is wrong (codes -100 to -199)."""


class RunError(Error):
    """This run failed; trying again may succeed (codes -200 to -299)."""


class ArgumentError(CallError, ValueError):
    """A value out of its range."""

    code = _abi.FLUX_E_ARGUMENT


class AbiError(CallError):
    """A struct of a version that the library does not know."""

    code = _abi.FLUX_E_ABI


class ClosedError(CallError):
    """An object was used after close()."""

    code = _abi.FLUX_E_ARGUMENT


class BusyError(CallError):
    """An object was to be closed or changed while another call uses it: from a progress callback, or another thread."""

    code = _abi.FLUX_E_ARGUMENT


class CycleError(ProblemError):
    """The edges close a cycle; the text names one."""

    code = _abi.FLUX_E_CYCLE


class InfeasibleError(ProblemError):
    """No switch can carry some send: ``vertex``."""

    code = _abi.FLUX_E_INFEASIBLE


class TimeOverflowError(ProblemError, OverflowError):
    """Times add up beyond 2^62 ps."""

    code = _abi.FLUX_E_OVERFLOW


class FormatError(ProblemError):
    """A file is not what it claims to be; ``line`` and ``column``, or ``offset``, tell where."""

    code = _abi.FLUX_E_FORMAT


class MismatchError(ProblemError):
    """Graph, fabric and schedule do not belong together, or a schedule breaks a rule."""

    code = _abi.FLUX_E_MISMATCH


class TooBigError(ProblemError):
    """Larger than a stated limit."""

    code = _abi.FLUX_E_TOO_BIG


class OutOfMemoryError(RunError, MemoryError):
    """The library got no memory."""

    code = _abi.FLUX_E_MEMORY


class CancelledError(RunError):
    """Cancelled before there was any result to return."""

    code = _abi.FLUX_E_CANCELLED


class BackendError(RunError):
    """The solver that was insisted on failed or was not believed."""

    code = _abi.FLUX_E_BACKEND


class FileError(RunError, OSError):
    """A file could not be read or written."""

    code = _abi.FLUX_E_IO


_CLASSES: Dict[int, Type[Error]] = {
    kind.code: kind
    for kind in (
        ArgumentError, AbiError, CycleError, InfeasibleError, TimeOverflowError, FormatError, MismatchError,
        TooBigError, OutOfMemoryError, CancelledError, BackendError, FileError,
    )
}  # fmt: skip


def class_of(code: int) -> Type[Error]:
    """The class of a code, of its range where the code is newer than this package."""
    if code in _CLASSES:
        return _CLASSES[code]
    return CallError if -99 <= code <= -1 else ProblemError if -199 <= code <= -100 else \
        RunError if -299 <= code <= -200 else Error


def raise_for(code: int, error: Optional[_abi.flux_error] = None, text: str = "") -> None:
    """Nothing for 0; else the exception of the code, with what the library said or, where it says nothing, `text`."""
    if code == 0:
        return
    if error is None or error.code != code:
        raise class_of(code)(text, code=code)
    raise class_of(code)(
        error.text.decode("utf-8", "replace") or text,
        code=code,
        vertex=None if error.vertex == _abi.FLUX_NONE else error.vertex,
        line=error.line or None,
        column=error.column or None,
        offset=error.offset or None,
    )
