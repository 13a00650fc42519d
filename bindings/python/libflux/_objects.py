# SPDX-License-Identifier: Apache-2.0
"""What every object of the library has in common here: an owner, an end, and no use after that."""
from __future__ import annotations

from contextlib import contextmanager
from types import TracebackType
from typing import Any, Callable, Iterator, Optional, Type, TypeVar

from ._errors import BusyError, ClosedError

_Self = TypeVar("_Self", bound="Closing")


class Handle:
    """Owns one object of the library: it is freed when nothing refers to this any more.

    Given to the library's functions as it is, so that a call keeps it alive, whatever other threads close meanwhile.
    ``users`` counts the calls that run without the interpreter lock. While there are any, the object must not change.
    """

    __slots__ = ("_as_parameter_", "users", "_release", "_keep")

    def __init__(self, pointer: Any, release: Optional[Callable[[Any], None]], keep: Any = None) -> None:
        self._as_parameter_ = pointer
        self.users = 0
        self._release = release
        self._keep = keep  # what must outlive this

    def __del__(self) -> None:
        if getattr(self, "_release", None) is not None:
            self._release(self._as_parameter_)  # type: ignore[misc]
            self._release = None


class Closing:
    """A context manager around a handle. close() may be called twice; everything else afterwards is a ClosedError."""

    _handle: Optional[Handle] = None

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle is None

    def close(self) -> None:
        """Gives the object up. What was read from it, and arrays on its memory, stay good."""
        if self._handle is not None and self._handle.users:
            raise BusyError("this %s cannot be closed while another call uses it" % type(self).__name__)
        self._handle = None

    @property
    def _pointer(self) -> Handle:
        """To read from."""
        if self._handle is None:
            raise ClosedError("this %s is closed" % type(self).__name__)
        return self._handle

    @property
    def _writable(self) -> Handle:
        """To change."""
        handle = self._pointer
        if handle.users:
            raise BusyError("this %s cannot change while another call uses it" % type(self).__name__)
        return handle

    def __enter__(self: _Self) -> _Self:
        _ = self._pointer
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a %s cannot be pickled or copied; write it to a file" % type(self).__name__)


@contextmanager
def used(*objects: Closing) -> Iterator[None]:
    """Marks objects as in use by a call without the interpreter lock."""
    handles = [each._pointer for each in objects]
    for handle in handles:
        handle.users += 1
    try:
        yield
    finally:
        for handle in handles:
            handle.users -= 1


def of_type(value: Any, kind: Type[Any], what: str) -> Any:
    if not isinstance(value, kind):
        raise TypeError("%s is a libflux.%s, not %r of type %s" % (what, kind.__name__, value, type(value).__name__))
    return value
