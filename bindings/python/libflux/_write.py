# SPDX-License-Identifier: Apache-2.0
"""Graphs, fabrics and schedules to files, over libflux-io; any file appears whole or not at all."""
from __future__ import annotations

from ctypes import POINTER, byref, c_int64, sizeof
from typing import Any, List, Optional

from . import _abi, _values
from ._errors import raise_for
from ._fabric import Fabric
from ._graph import Graph
from ._library import io
from ._objects import Closing, Handle, of_type, used
from ._schedule import Schedule
from ._values import Path, Time


def _optional(value: Optional[Closing], kind: Any, what: str) -> Any:
    return None if value is None else of_type(value, kind, what)._pointer


def write_document(
    path: Path, graph: Optional[Graph] = None, fabric: Optional[Fabric] = None, schedule: Optional[Schedule] = None
) -> None:
    """One native document of the parts that are given: JSON where the name ends in ".json", else YAML."""
    parts = [_optional(graph, Graph, "graph"), _optional(fabric, Fabric, "fabric")]
    parts.append(_optional(schedule, Schedule, "schedule"))
    error, name = _abi.flux_error(), _values.path(path)
    with used(*[part for part in (graph, fabric, schedule) if part is not None]):
        code = io().free.flux_write_document(name, *parts, byref(error))
    raise_for(code, error)


def write_csv(path: Path, schedule: Schedule) -> None:
    """send,src,dst,switch,start_ps,end_ps: a row per send."""
    of_type(schedule, Schedule, "schedule")
    error, name, graph = _abi.flux_error(), _values.path(path), schedule.graph
    with used(graph, schedule):
        code = io().free.flux_write_csv(name, graph._pointer, schedule._pointer, byref(error))
    raise_for(code, error)


def write_perfetto(path: Path, schedule: Schedule) -> None:
    """A trace for https://ui.perfetto.dev: lanes per switch port and per GPU. docs/pictures.md tells more."""
    of_type(schedule, Schedule, "schedule")
    error, name, graph, fabric = _abi.flux_error(), _values.path(path), schedule.graph, schedule.fabric
    with used(graph, fabric, schedule):
        code = io().free.flux_write_perfetto(name, graph._pointer, fabric._pointer, schedule._pointer, byref(error))
    raise_for(code, error)


def write_svg(
    path: Path,
    schedule: Schedule,
    *,
    begin: Time = 0,
    end: Optional[Time] = None,
    width: Optional[int] = None,
    gpu_first: int = 0,
    gpu_count: Optional[int] = None,
) -> None:
    """A timeline from ``begin`` to ``end`` (None: the makespan), ``width`` pixels wide, with a row per GPU from
    ``gpu_first`` on. docs/pictures.md tells how to read it."""
    of_type(schedule, Schedule, "schedule")
    options = _abi.flux_svg_options()
    options.size = sizeof(options)
    options.from_ = _values.time(begin, "begin")
    options.to = 0 if end is None else _values.time(end, "end")
    if width is not None:
        options.width = _values.whole(width, "width", _abi.FLUX_SVG_WIDTH_MIN, _abi.FLUX_SVG_WIDTH_MAX)
    options.gpu_first = _values.whole(gpu_first, "gpu_first", 0, _values.U32)
    if gpu_count is not None:
        options.gpu_count = _values.whole(gpu_count, "gpu_count", 1, _values.U32)
    error, name, graph, fabric = _abi.flux_error(), _values.path(path), schedule.graph, schedule.fabric
    with used(graph, fabric, schedule):
        code = io().free.flux_write_svg(
            name, graph._pointer, fabric._pointer, schedule._pointer, byref(options), byref(error)
        )
    raise_for(code, error)


def _of_graph(function: str, path: Path, graph: Graph, *more: Any) -> None:
    of_type(graph, Graph, "graph")
    error, name = _abi.flux_error(), _values.path(path)
    with used(graph):
        code = getattr(io().free, function)(name, graph._pointer, *more, byref(error))
    raise_for(code, error)


def write_chakra(prefix: Path, graph: Graph, schedule: Optional[Schedule] = None) -> int:
    """Chakra execution traces, PREFIX.0.et, PREFIX.1.et and so on, one for each GPU; by how many picoseconds in sum
    times were rounded to whole microseconds.

    With a schedule each send also waits for the one before it at its source's port. docs/chakra.md tells what is lost.
    """
    of_type(graph, Graph, "graph")
    plan = _optional(schedule, Schedule, "schedule")
    rounded, error, name = c_int64(), _abi.flux_error(), _values.path(prefix, "prefix")
    with used(*[part for part in (graph, schedule) if part is not None]):
        code = io().free.flux_write_chakra(name, graph._pointer, plan, byref(rounded), byref(error))
    raise_for(code, error)
    return rounded.value


def write_goal(path: Path, graph: Graph) -> int:
    """GOAL text, as LogGOPSim and ATLAHS read it; by how many picoseconds in sum times were rounded to whole
    nanoseconds. docs/formats.md tells what is lost."""
    rounded = c_int64()
    _of_graph("flux_write_goal", path, graph, byref(rounded))
    return rounded.value


def write_dot(path: Path, graph: Graph) -> None:
    """What waits for what, in DOT for Graphviz; a TooBigError for what would be no picture any more."""
    _of_graph("flux_write_dot", path, graph)


def write_networkx(path: Path, graph: Graph) -> None:
    """The node-link JSON of NetworkX, with its edges as "edges"; NetworkX is not needed here."""
    _of_graph("flux_write_networkx", path, graph)


def names(graph: Graph) -> List[str]:
    """The id of each vertex in documents and CSV files: its label, or "v7" and the like. All are different."""
    of_type(graph, Graph, "graph")
    pointer, library = POINTER(_abi.flux_names)(), io()
    with used(graph):
        code = library.free.flux_names_new(None, graph._pointer, byref(pointer))
    raise_for(code, text="no names")
    handle = Handle(pointer, library.held.flux_names_free)
    return [library.held.flux_names_of(handle, vertex).decode("utf-8", "replace") for vertex in range(len(graph))]
