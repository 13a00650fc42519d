# SPDX-License-Identifier: Apache-2.0
"""Schedules as pandas tables."""
from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple

from . import _abi
from ._extras import package
from ._lanes import sends_of
from ._library import core

if TYPE_CHECKING:
    from ._schedule import Schedule


class Frames(NamedTuple):
    """A schedule as pandas tables; times are picoseconds.

    ``sends``: a row per send, by its vertex: label, src, dst, bytes, switch, start, end. ``states``: a row per circuit
    that is set up, in the order of the circuit program: switch, src, dst, sends, changed, begin, up, down.
    ``timelines``: a row per vertex, sends and compute alike, by when it starts: kind, label, gpu (a send's source),
    partner (a send's destination, -1 for compute), switch (-1 for compute), start, end.
    """

    sends: Any
    states: Any
    timelines: Any


def to_pandas(schedule: Schedule) -> Frames:
    """The work of Schedule.to_pandas()."""
    pandas = package("pandas", "Schedule.to_pandas()")
    numpy = package("numpy", "Schedule.to_pandas()")
    slots, circuits = numpy.asarray(schedule.slots), numpy.asarray(schedule.circuits)
    found, graph = sends_of(schedule), schedule.graph
    vertex = slots["send"].astype("int64")
    sends = pandas.DataFrame(
        {
            "label": [graph.label(int(v)) for v in vertex],
            "src": numpy.array([s.src for s in found], "int64"),
            "dst": numpy.array([s.dst for s in found], "int64"),
            "bytes": numpy.array([s.bytes for s in found], "uint64"),
            "switch": slots["switch"].astype("int64"),
            "start": slots["start"].copy(),
            "end": slots["end"].copy(),
        },
        index=pandas.Index(vertex, name="send"),
    )
    states: Dict[str, Any] = {n: circuits[n].astype("int64") for n in ("switch", "src", "dst", "sends")}
    states["changed"] = circuits["changed"].astype(bool)
    states.update({n: circuits[n].copy() for n in ("begin", "up", "down")})
    return Frames(sends, pandas.DataFrame(states), _timelines(schedule, pandas, numpy, sends))


def _timelines(schedule: Schedule, pandas: Any, numpy: Any, sends: Any) -> Any:
    times, graph = numpy.asarray(schedule.times), schedule.graph
    gpus = numpy.full(len(times), -1, "int64")
    partners, switches = gpus.copy(), gpus.copy()
    gpus[sends.index], partners[sends.index], switches[sends.index] = sends["src"], sends["dst"], sends["switch"]
    row, pointer = _abi.flux_compute(), graph._pointer
    labels: List[str] = [graph.label(v) for v in range(len(times))]
    for compute in numpy.flatnonzero(gpus < 0).tolist():
        core.held.flux_graph_get_compute(pointer, compute, byref(row))
        gpus[compute] = row.gpu
    table = pandas.DataFrame(
        {
            "kind": pandas.Categorical.from_codes((partners < 0).astype("int8"), ["send", "compute"]),
            "label": labels, "gpu": gpus, "partner": partners, "switch": switches,
            "start": times["start"].copy(), "end": times["end"].copy(),
        },
        index=pandas.RangeIndex(len(times), name="vertex"),
    )  # fmt: skip
    return table.sort_values(["start", "end"], kind="stable")
