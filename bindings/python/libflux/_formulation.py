# SPDX-License-Identifier: Apache-2.0
"""A problem as a mixed-integer program, in a solver's own file format."""
from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, byref, c_char, c_int, c_uint64, c_void_p, sizeof, string_at
from typing import Any, List, NamedTuple, Optional

from . import _abi, _values
from ._errors import raise_for
from ._fabric import Fabric
from ._graph import Graph
from ._library import core
from ._objects import of_type, used
from ._schedule import FORMULATIONS

FORMATS = {"lp": _abi.FLUX_FORMAT_LP, "mps": _abi.FLUX_FORMAT_MPS}
_Write = CFUNCTYPE(c_int, c_void_p, POINTER(c_char), c_uint64)


class Model(NamedTuple):
    """A program as ``text``, and its size. The makespan is the program's objective times ``step`` picoseconds."""

    text: str
    columns: int
    rows: int
    entries: int
    step: int

    def __repr__(self) -> str:
        return "<libflux.Model: %d columns, %d rows, %d entries>" % (self.columns, self.rows, self.entries)


def model(graph: Graph, fabric: Fabric, *, formulation: str = "tight", format: str = "lp") -> Model:
    """The program of ``graph`` on ``fabric``: ``formulation`` "tight" or "paper", ``format`` "lp" or "mps".

    docs/formulation.md says what every column and row is. A TooBigError for what nobody could solve.
    """
    of_type(graph, Graph, "graph"), of_type(fabric, Fabric, "fabric")
    kind, form = _values.word(formulation, "formulation", FORMULATIONS), _values.word(format, "format", FORMATS)
    pieces: List[bytes] = []
    raised: List[BaseException] = []

    def write(user: Optional[int], text: Any, length: int) -> int:
        try:
            pieces.append(string_at(text, length))
        except BaseException as error:  # out of memory, Ctrl-C: ctypes would print it and go on
            raised.append(error)
        return len(raised)

    row, error, callback = _abi.flux_formulation_summary(), _abi.flux_error(), _Write(write)
    row.size = sizeof(row)
    with used(graph, fabric):
        code = core.free.flux_formulation_write(
            graph._pointer, fabric._pointer, kind, form, callback, None, byref(row), byref(error)
        )
    if raised:
        raise raised[0]
    raise_for(code, error)
    return Model(b"".join(pieces).decode(), row.columns, row.rows, row.entries, row.step)
