# SPDX-License-Identifier: Apache-2.0
"""Why a bound holds, in a form that anybody can recompute."""
from __future__ import annotations

from ctypes import POINTER, byref, c_int64, c_uint32, c_uint64, sizeof
from typing import Any, Dict, Iterable, List, NamedTuple, Optional

from . import _abi, _values
from ._errors import raise_for
from ._fabric import Fabric
from ._graph import Graph
from ._library import core
from ._objects import Handle, of_type, used
from ._values import Time

_held = core.held
_SIDES = {_abi.FLUX_SIDE_BOTH: "both", _abi.FLUX_SIDE_TRANSMIT: "transmit", _abi.FLUX_SIDE_RECEIVE: "receive"}
_SIDE = {word: number for number, word in _SIDES.items()}


class Lift(NamedTuple):
    """A step of a lifted certificate: what a GPU's side carries before ``vertex`` raises its head (``head`` true), or
    what it carries after raises its tail. docs/certificates.md has the number."""

    vertex: int
    gpu: int
    side: str
    head: bool
    edge: int
    lag: int


def _kinds() -> Dict[str, int]:
    numbers = [number for name, number in vars(_abi).items() if name.startswith("FLUX_CERTIFICATE_")]
    return {_held.flux_certificate_kind_name(number).decode(): number for number in numbers}


def _step(lift: Lift) -> Any:
    of_type(lift, Lift, "a lift")
    return _abi.flux_lift(
        _values.whole(lift.vertex, "the vertex of a lift", 0, _values.U32),
        _values.whole(lift.gpu, "the GPU of a lift", 0, _values.U32),
        _values.word(lift.side, "the side of a lift", _SIDE),
        _abi.FLUX_LIFT_HEAD if lift.head else _abi.FLUX_LIFT_TAIL,
        _values.time(lift.edge, "the edge of a lift"),
        _values.time(lift.lag, "the lag of a lift"),
    )


class Certificate:
    """Why no schedule can be faster than ``bound``: see docs/certificates.md.

    ``kind`` is "critical-path", "port-load", "port-edges", "lifted-path", "lifted-load", "lifted-edges",
    "port-sequence", "port-share", "lifted-share", "subset", "search", "solver" or newer; ``gpu`` is None and ``side``
    "both" where they mean nothing; ``vertices`` are the path, or the sends at the port.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    @classmethod
    def of(
        cls,
        kind: str,
        bound: Time,
        *,
        gpu: Optional[int] = None,
        side: str = "both",
        head: Time = 0,
        tail: Time = 0,
        vertices: Iterable[int] = (),
        lifts: Iterable[Lift] = (),
    ) -> Certificate:
        """A certificate that somebody else wrote down. Nothing is believed of it: check() tells whether it holds."""
        parts, error = _abi.flux_certificate_parts(), _abi.flux_error()
        parts.size = sizeof(parts)
        parts.kind = _values.word(kind, "kind", _kinds())
        parts.bound = _values.time(bound, "bound")
        parts.gpu = _abi.FLUX_NONE if gpu is None else _values.whole(gpu, "gpu", 0, _abi.FLUX_NONE - 1)
        parts.side = _values.word(side, "side", _SIDE)
        parts.head, parts.tail = _values.time(head, "head"), _values.time(tail, "tail")
        numbers = [_values.whole(vertex, "a vertex", 0, _values.U32) for vertex in vertices]
        steps = [_step(lift) for lift in lifts]
        parts.vertices, parts.vertex_count = (c_uint32 * max(1, len(numbers)))(*numbers), len(numbers)
        parts.lifts, parts.lift_count = (_abi.flux_lift * max(1, len(steps)))(*steps), len(steps)
        pointer = POINTER(_abi.flux_certificate)()
        raise_for(_held.flux_certificate_new(None, byref(parts), byref(pointer), byref(error)), error)
        return cls(Handle(pointer, _held.flux_certificate_free))

    @property
    def kind(self) -> str:
        """What kind of bound it is."""
        return str(_held.flux_certificate_kind_name(_held.flux_certificate_kind(self._handle)).decode())

    @property
    def bound(self) -> int:
        """Picoseconds that no schedule beats."""
        return int(_held.flux_certificate_bound(self._handle))

    @property
    def gpu(self) -> Optional[int]:
        """The GPU whose ports are loaded, or None."""
        gpu = int(_held.flux_certificate_gpu(self._handle))
        return None if gpu == _abi.FLUX_NONE else gpu

    @property
    def side(self) -> str:
        """Which side of the ports: "transmit", "receive" or "both"."""
        side = int(_held.flux_certificate_side(self._handle))
        return _SIDES.get(side, str(side))

    @property
    def head(self) -> int:
        """Picoseconds before the window of the sends."""
        return int(_held.flux_certificate_head(self._handle))

    @property
    def tail(self) -> int:
        """Picoseconds after the window of the sends."""
        return int(_held.flux_certificate_tail(self._handle))

    @property
    def vertices(self) -> List[int]:
        """The path, or the sends at the port."""
        count = c_uint64()
        vertices = _held.flux_certificate_vertices(self._handle, byref(count))
        return list(vertices[: count.value]) if count.value else []

    @property
    def lifts(self) -> List[Lift]:
        """The steps of a lifted certificate, in order; none for other kinds."""
        count = c_uint64()
        rows = _held.flux_certificate_lifts(self._handle, byref(count))
        return [
            Lift(r.vertex, r.gpu, _SIDES.get(r.side, str(r.side)), r.end == _abi.FLUX_LIFT_HEAD, r.edge, r.lag)
            for r in (rows[i] for i in range(count.value))
        ]

    def check(self, graph: Graph, fabric: Fabric) -> int:
        """Recomputes the number from graph and fabric alone; MismatchError where it is less than the bound."""
        of_type(graph, Graph, "graph"), of_type(fabric, Fabric, "fabric")
        number, error = c_int64(), _abi.flux_error()
        with used(graph, fabric):
            code = core.free.flux_certificate_check(
                graph._pointer, fabric._pointer, self._handle, byref(number), byref(error)
            )
        raise_for(code, error)
        return number.value

    def __repr__(self) -> str:
        return "<libflux.Certificate: %s, no schedule beats %s>" % (self.kind, _values.format_time(self.bound))
