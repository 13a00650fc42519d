# SPDX-License-Identifier: Apache-2.0
"""The workload: sends, compute, and what waits for what."""
from __future__ import annotations

from ctypes import POINTER, byref, c_uint32, c_uint64
from typing import Any, List, Optional

from . import _abi, _rows, _values
from ._errors import ArgumentError, raise_for
from ._library import core
from ._networkx import from_networkx, to_networkx
from ._objects import Closing, Handle, used
from ._rows import Compute, Edge, Send
from ._values import Size, Time

_held = core.held


class Graph(Closing):
    """A DAG of sends and computes over ``gpus`` GPUs.

    Vertices and GPUs are numbered from 0 in order of creation. Times are picoseconds as int, or texts such as
    ``"10us"``. Any number of threads may use a graph. While one schedules it, changing it is a BusyError.
    """

    def __init__(self, gpus: int) -> None:
        number = _values.whole(gpus, "gpus", 1, _abi.FLUX_GPUS_MAX)
        pointer = POINTER(_abi.flux_graph)()
        raise_for(_held.flux_graph_new(None, number, byref(pointer)), text="no graph of %d GPUs" % number)
        self._handle = Handle(pointer, _held.flux_graph_free)

    @classmethod
    def _of(cls, pointer: Any) -> Graph:
        graph = cls.__new__(cls)
        graph._handle = Handle(pointer, _held.flux_graph_free)
        return graph

    @classmethod
    def from_networkx(cls, digraph: Any, *, gpus: Optional[int] = None) -> Graph:
        """A graph of a ``networkx.DiGraph``; vertices are numbered in the order of its nodes. Needs NetworkX.

        A node is a send with the attributes ``src`` and ``dst``, and ``bytes`` or ``duration``; or a compute with
        ``gpu`` and ``duration``. ``release`` and ``label`` may be there; a node that is a text is its own label. Edges
        may have a ``lag``. ``gpus`` is the attribute of that name of the graph, or one more than the largest GPU.
        """
        return from_networkx(cls, digraph, gpus)

    def to_networkx(self) -> Any:
        """The same as a ``networkx.DiGraph`` whose nodes are the numbers of the vertices: see from_networkx(). Needs
        NetworkX."""
        return to_networkx(self)

    def add_send(
        self,
        src: int,
        dst: int,
        bytes: Size = 0,
        *,
        duration: Time = 0,
        release: Time = 0,
        label: Optional[str] = None,
    ) -> int:
        """Adds a transfer of ``bytes`` (a number, or ``"64MiB"``) from GPU ``src`` to GPU ``dst``; its vertex.

        How long it takes follows from the fabric, unless ``duration`` says. It starts no earlier than ``release``.
        """
        if label is None and duration == 0 and release == 0 and type(src) is type(dst) is type(bytes) is int:
            if 0 <= src <= _values.U32 and 0 <= dst <= _values.U32 and 0 < bytes <= _values.U64:
                vertex = c_uint32()
                if _held.flux_graph_add_send(self._writable, src, dst, bytes, byref(vertex)) == 0:
                    return vertex.value  # the common case; whatever is wrong is told below
        name = None if label is None else self._label(label)
        row = Send(
            _values.whole(src, "src", 0, _values.U32),
            _values.whole(dst, "dst", 0, _values.U32),
            _values.size(bytes, "bytes"),
            _values.time(duration, "duration"),
            _values.time(release, "release"),
        )
        first, error, one = c_uint32(), _abi.flux_error(), _abi.flux_send(*row)
        code = _held.flux_graph_add_sends(self._writable, byref(one), 1, _rows.SEND.size, byref(first), byref(error))
        raise_for(code, error, "no send %r" % (row,))
        if name:
            raise_for(_held.flux_graph_set_label(self._pointer, first.value, name), text="the label was refused")
        return first.value

    def add_compute(self, gpu: int, duration: Time, *, release: Time = 0, label: Optional[str] = None) -> int:
        """Adds ``duration`` of compute on ``gpu``; its vertex. Two computes overlap unless an edge orders them."""
        name = None if label is None else self._label(label)
        row = Compute(
            _values.whole(gpu, "gpu", 0, _values.U32),
            _values.time(duration, "duration"),
            _values.time(release, "release"),
        )
        first, error, one = c_uint32(), _abi.flux_error(), _abi.flux_compute(row.gpu, 0, row.duration, row.release)
        code = _held.flux_graph_add_computes(
            self._writable, byref(one), 1, _rows.COMPUTE.size, byref(first), byref(error)
        )
        raise_for(code, error, "no compute %r" % (row,))
        if name:
            raise_for(_held.flux_graph_set_label(self._pointer, first.value, name), text="the label was refused")
        return first.value

    def add_edge(self, before: int, after: int, lag: Time = 0) -> None:
        """Vertex ``after`` starts no earlier than the end of ``before`` plus ``lag``. Of repeated edges the longest
        counts."""
        if type(before) is type(after) is type(lag) is int:
            if 0 <= before <= _values.U32 and 0 <= after <= _values.U32 and 0 <= lag <= _abi.FLUX_TIME_MAX:
                if _held.flux_graph_add_edge(self._writable, before, after, lag) == 0:
                    return  # the common case; whatever is wrong is told below
        row = Edge(
            _values.whole(before, "before", 0, _values.U32),
            _values.whole(after, "after", 0, _values.U32),
            _values.time(lag, "lag"),
        )
        error, one = _abi.flux_error(), _abi.flux_edge(*row)
        raise_for(_held.flux_graph_add_edges(self._writable, byref(one), 1, _rows.EDGE.size, byref(error)), error)

    def add_sends(
        self, rows: Any = None, *, src: Any = None, dst: Any = None, bytes: Any = None, duration: Any = None,
        release: Any = None,
    ) -> range:  # fmt: skip
        """Many sends, all or none; their vertices.

        ``rows`` is a sequence of Send or tuples, or a structured NumPy array (of ``libflux.dtype("send")``: no copy is
        made). Or give columns: arrays, sequences, or one value for all rows.
        """
        if rows is None and bytes is None and duration is not None:
            bytes = 0
        columns = {"src": src, "dst": dst, "bytes": bytes, "duration": duration, "release": release}
        return self._add(_rows.SEND, _held.flux_graph_add_sends, rows, columns)

    def add_computes(
        self, rows: Any = None, *, gpu: Any = None, duration: Any = None, release: Any = None
    ) -> range:
        """Many computes, all or none; their vertices. Rows or columns as for add_sends()."""
        columns = {"gpu": gpu, "duration": duration, "release": release}
        return self._add(_rows.COMPUTE, _held.flux_graph_add_computes, rows, columns)

    def add_edges(self, rows: Any = None, *, before: Any = None, after: Any = None, lag: Any = None) -> None:
        """Many edges, all or none. Rows or columns as for add_sends()."""
        memory = _rows.memory_of(_rows.EDGE, rows, {"before": before, "after": after, "lag": lag})
        error = _abi.flux_error()
        code = _held.flux_graph_add_edges(self._writable, memory.pointer, memory.length, memory.stride, byref(error))
        raise_for(code, error)

    def _add(self, table: _rows.Table, function: Any, rows: Any, columns: Any) -> range:
        memory = _rows.memory_of(table, rows, columns)
        first, error = c_uint32(), _abi.flux_error()
        pointer = self._writable
        code = function(pointer, memory.pointer, memory.length, memory.stride, byref(first), byref(error))
        raise_for(code, error)
        begin = first.value if memory.length else _held.flux_graph_vertices(pointer)
        return range(begin, begin + memory.length)

    def reserve(self, vertices: int, edges: int = 0) -> None:
        """Room for that many more vertices and edges, so that adding them does not move memory."""
        code = _held.flux_graph_reserve(
            self._writable, _values.whole(vertices, "vertices"), _values.whole(edges, "edges")
        )
        raise_for(code, text="no room for %d vertices and %d edges more" % (vertices, edges))

    def set_duration(self, vertex: int, duration: Time) -> None:
        """A send's own duration, whatever the rate (0: from the fabric again), or a compute's new one."""
        number, span = self._vertex(vertex), _values.time(duration, "duration")
        raise_for(_held.flux_graph_set_duration(self._writable, number, span),
                  text="a send without bytes needs a duration: vertex %d" % number)

    def set_release(self, vertex: int, release: Time) -> None:
        """``vertex`` starts no earlier than ``release``."""
        number, span = self._vertex(vertex), _values.time(release, "release")
        raise_for(_held.flux_graph_set_release(self._writable, number, span), text="vertex %d: no release" % number)

    def set_label(self, vertex: int, label: Optional[str]) -> None:
        """A name for people and files; None or "" takes it away."""
        number, name = self._vertex(vertex), self._label(label or "") if label is not None else b""
        raise_for(_held.flux_graph_set_label(self._writable, number, name), text="vertex %d: no label" % number)

    @staticmethod
    def _label(label: str) -> bytes:
        name = _values.text(label, "label")
        if len(name) > _abi.FLUX_LABEL_MAX:
            raise ArgumentError("the label has %d bytes, and can have %d" % (len(name), _abi.FLUX_LABEL_MAX))
        return name

    def _vertex(self, vertex: Any) -> int:
        count = _held.flux_graph_vertices(self._pointer)
        number = _values.whole(vertex, "vertex", 0, _values.U32)
        if number >= count:
            raise ArgumentError("there is no vertex %d: the graph has %d" % (number, count), vertex=number)
        return number

    @property
    def gpus(self) -> int:
        """How many GPUs."""
        return int(_held.flux_graph_gpus(self._pointer))

    @property
    def vertices(self) -> int:
        """How many vertices: sends and computes. ``len(graph)`` is the same."""
        return int(_held.flux_graph_vertices(self._pointer))

    def __len__(self) -> int:
        return self.vertices

    def __bool__(self) -> bool:
        return True

    @property
    def sends(self) -> int:
        """How many vertices are sends."""
        return int(_held.flux_graph_sends(self._pointer))

    @property
    def edges(self) -> List[Edge]:
        """All edges, in order of addition; a copy."""
        count = c_uint64()
        with used(self):  # the rows move when another thread adds to them
            rows = _held.flux_graph_edges(self._pointer, byref(count))
            return list(_rows.Rows[Edge](_rows.EDGE, rows, count.value, None))

    def is_send(self, vertex: int) -> bool:
        """Whether a vertex is a send; else it is compute."""
        return bool(_held.flux_graph_is_send(self._pointer, self._vertex(vertex)))

    def send(self, vertex: int) -> Send:
        """The send at a vertex."""
        number, row = self._vertex(vertex), _abi.flux_send()
        raise_for(_held.flux_graph_get_send(self._pointer, number, byref(row)), text="vertex %d is no send" % number)
        return Send(row.src, row.dst, row.bytes, row.duration, row.release)

    def compute(self, vertex: int) -> Compute:
        """The compute at a vertex."""
        number, row = self._vertex(vertex), _abi.flux_compute()
        code = _held.flux_graph_get_compute(self._pointer, number, byref(row))
        raise_for(code, text="vertex %d is no compute" % number)
        return Compute(row.gpu, row.duration, row.release)

    def label(self, vertex: int) -> str:
        """The name of a vertex, "" where it has none."""
        return str(_held.flux_graph_label(self._pointer, self._vertex(vertex)).decode("utf-8", "replace"))

    def check(self) -> None:
        """A CycleError, with one cycle named, where the edges close one."""
        error = _abi.flux_error()
        with used(self):
            code = core.free.flux_graph_check(self._pointer, byref(error))
        raise_for(code, error)

    def __repr__(self) -> str:
        if self.closed:
            return "<libflux.Graph, closed>"
        return "<libflux.Graph: %d GPUs, %d vertices, %d of them sends>" % (self.gpus, self.vertices, self.sends)
