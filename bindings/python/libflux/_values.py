# SPDX-License-Identifier: Apache-2.0
"""Numbers, times, sizes, rates and words from Python, checked before the library sees them.

A wrong type is a TypeError, a value out of range an ArgumentError (which is a ValueError); both name the argument. A
float is never taken for a whole number: what is meant by 1e-5 cannot be known, and picoseconds do not fit.
"""
from __future__ import annotations

import operator
import os
from ctypes import byref, c_int64, c_uint64, create_string_buffer
from typing import Any, Mapping, SupportsIndex, Union

from . import _abi
from ._errors import ArgumentError, raise_for
from ._library import core

Time = Union[int, str, SupportsIndex]
Size = Union[int, str, SupportsIndex]
Rate = Union[int, str, SupportsIndex]
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

U32 = 2**32 - 1
U64 = 2**64 - 1


def whole(value: Any, what: str, least: int = 0, most: int = U64) -> int:
    """A whole number; anything with __index__ (NumPy's integers too), but no bool."""
    if type(value) is not int:
        if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
            raise TypeError("%s is a number, not a truth value" % what)
        try:
            value = operator.index(value)
        except TypeError:
            raise TypeError("%s is a whole number, not %r of type %s" % (what, value, type(value).__name__)) from None
    if not least <= value <= most:
        raise ArgumentError("%s is %d, and can be %d to %d" % (what, value, least, most))
    return int(value)


def _parsed(value: Any, what: str, function: str, kind: Any, most: int, least: int, example: str) -> int:
    if type(value) is not int:
        if isinstance(value, str):
            number, error = kind(), _abi.flux_error()
            code = getattr(core.held, function)(text(value, what), byref(number), byref(error))
            if code:
                error.text = ("%s: %s" % (what, error.text.decode("utf-8", "replace"))).encode()[:480]
                raise_for(code, error)
            value = number.value
        elif not hasattr(value, "__index__"):
            raise TypeError("%s is a whole number or a text such as %s, not %r of type %s"
                            % (what, example, value, type(value).__name__))
    return whole(value, what, least, most)


def time(value: Any, what: str) -> int:
    """Picoseconds: an int, or a text with a unit."""
    return _parsed(value, what, "flux_time_parse", c_int64, _abi.FLUX_TIME_MAX, 0, "'10us'")


def size(value: Any, what: str) -> int:
    """Bytes: an int, or a text with a unit."""
    return _parsed(value, what, "flux_bytes_parse", c_uint64, U64, 0, "'64MiB'")


def rate(value: Any, what: str) -> int:
    """Bits per second: an int, or a text with a unit."""
    return _parsed(value, what, "flux_rate_parse", c_uint64, U64, 1, "'800Gbps'")


def real(value: Any, what: str, least: float, most: float) -> float:
    """A finite number within bounds."""
    if isinstance(value, (bool, str, bytes)):
        raise TypeError("%s is a number, not %r" % (what, value))
    try:
        number = float(value)
    except OverflowError:
        raise ArgumentError("%s is too large" % what) from None
    except (TypeError, ValueError):
        raise TypeError("%s is a number, not %r" % (what, value)) from None
    if not least <= number <= most:  # NaN as well
        raise ArgumentError("%s is %r, and can be %g to %g" % (what, value, least, most))
    return number


def text(value: Any, what: str) -> bytes:
    if not isinstance(value, str):
        raise TypeError("%s is a text, not %r of type %s" % (what, value, type(value).__name__))
    if "\0" in value:
        raise ArgumentError("%s has a NUL character in it" % what)
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise ArgumentError("%s has half of a surrogate pair in it" % what) from None


def path(value: Any, what: str = "path") -> bytes:
    name = os.fsencode(value)  # TypeError for what is no path
    if b"\0" in name:
        raise ArgumentError("%s has a NUL character in it" % what)
    return name


def word(value: Any, what: str, words: Mapping[str, int]) -> int:
    """One of a few words."""
    if not isinstance(value, str):
        raise TypeError("%s is one of %s, not %r" % (what, ", ".join(map(repr, words)), value))
    if value not in words:
        raise ArgumentError("%s is one of %s, not %r" % (what, ", ".join(map(repr, words)), value))
    return words[value]


def _formatted(function: str, number: int) -> str:
    buffer = create_string_buffer(_abi.FLUX_UNITS_TEXT)
    return str(getattr(core.held, function)(number, buffer, len(buffer)).decode())


def format_time(picoseconds: Time) -> str:
    """The shortest exact text of a time: ``format_time(10_000_000)`` is ``'10us'``."""
    return _formatted("flux_time_format", time(picoseconds, "time"))


def format_size(size_: Size) -> str:
    """The shortest exact text of a size: ``format_size(1 << 26)`` is ``'64MiB'``."""
    return _formatted("flux_bytes_format", size(size_, "size"))


def format_rate(bits_per_second: Rate) -> str:
    """The shortest exact text of a rate: ``format_rate(800 * 10**9)`` is ``'800Gbps'``."""
    return _formatted("flux_rate_format", rate(bits_per_second, "rate"))


def parse_time(text_: Time) -> int:
    """Picoseconds of a text with a unit; a whole number is picoseconds already."""
    return time(text_, "time")


def parse_size(text_: Size) -> int:
    """Bytes of a text with a unit; a whole number is bytes already."""
    return size(text_, "size")


def parse_rate(text_: Rate) -> int:
    """Bits per second of a text with a unit; a whole number is bits per second already."""
    return rate(text_, "rate")
