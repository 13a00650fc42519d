# SPDX-License-Identifier: Apache-2.0
"""replan(): the rest of an iteration that is under way, planned anew from where it stands."""
from __future__ import annotations

from ctypes import POINTER, byref, c_int64, c_uint32, c_uint64, sizeof
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Tuple, Union

from . import _abi, _rows, _values
from ._errors import ArgumentError, raise_for
from ._fabric import Fabric
from ._graph import Graph
from ._library import core
from ._objects import Closing, Handle, of_type, used
from ._rows import Rows, Slot, Span
from ._schedule import Cancel, Schedule, _packed
from ._values import Time

_held = core.held
FOUND = {_abi.FLUX_REPLAN_SHIFTED: "shift", _abi.FLUX_REPLAN_ORDER: "order", _abi.FLUX_REPLAN_SEARCH: "search"}


class ReplanSummary(NamedTuple):
    """Times are picoseconds on the iteration's own clock: ``begin`` of what is planned anew, ``makespan`` of the new plan,
    ``shifted`` of the old one right-shifted, and ``bound``, before which no plan from here ends. Then numbers of sends.
    ``found_by`` is "shift", "order" or "search"; ``elapsed`` is in seconds."""

    begin: int
    makespan: int
    shifted: int
    bound: int
    done: int
    under_way: int
    left: int
    constructions: int
    elapsed: float
    found_by: str


class Replan(Closing):
    """What replan() returns: the whole iteration again, and what is left of it as a schedule of its own."""

    def __init__(self, pointer: Any, graph: Graph, fabric: Fabric) -> None:
        self._handle = Handle(pointer, _held.flux_replan_free)
        self._graph, self._fabric = graph, fabric

    @property
    def graph(self) -> Graph:
        """The workload of the whole iteration."""
        return self._graph

    @property
    def fabric(self) -> Fabric:
        """The fabric as it is from now on."""
        return self._fabric

    @property
    def slots(self) -> Rows[Slot]:
        """Of every send, what was and what is planned now, in order of their numbers. Read-only, without a copy."""
        count = c_uint64()
        rows = _held.flux_replan_slots(self._pointer, byref(count))
        return Rows(_rows.SLOT, rows, count.value, self._pointer)

    @property
    def times(self) -> Rows[Span]:
        """When every vertex ran or will run. Read-only, without a copy."""
        count = c_uint64()
        rows = _held.flux_replan_times(self._pointer, byref(count))
        return Rows(_rows.SPAN, rows, count.value, self._pointer)

    @property
    def rest(self) -> Schedule:
        """What is left, as a problem of its own on a clock that begins at ``summary.begin``: a checked schedule with its
        bound and certificate, its graph (to be read, not changed) and its fabric."""
        handle = self._pointer
        graph = Graph.__new__(Graph)
        graph._handle = Handle(_held.flux_replan_graph(handle), None, handle)
        fabric = Fabric._copy_of(_held.flux_replan_fabric(handle))
        return Schedule._part_of(_held.flux_replan_schedule(handle), graph, fabric, handle)

    @property
    def summary(self) -> ReplanSummary:
        """The figures."""
        row = _abi.flux_replan_summary()
        row.size = sizeof(row)
        raise_for(_held.flux_replan_summary(self._pointer, byref(row)))
        return ReplanSummary(
            row.begin, row.makespan, row.shifted, row.bound, row.done, row.under_way, row.left, row.constructions,
            row.elapsed_ns * 1e-9, FOUND.get(row.found, "unknown"),
        )  # fmt: skip

    def __repr__(self) -> str:
        if self.closed:
            return "<libflux.Replan, closed>"
        return "<libflux.Replan: %s ps, %d sends left>" % (self.summary.makespan, self.summary.left)


Ran = Mapping[int, Optional[Tuple[int, Optional[int]]]]


def replan(
    plan: Union[Schedule, Replan],
    now: Time,
    *,
    fabric: Optional[Fabric] = None,
    ran: Optional[Ran] = None,
    factors: Optional[Mapping[int, float]] = None,
    releases: Optional[Mapping[int, Time]] = None,
    time_limit: Optional[Time] = None,
    work_limit: Optional[int] = None,
    seed: int = 0,
    cancel: Optional[Cancel] = None,
) -> Replan:
    """Plans anew what has not begun before ``now``; never worse than the old plan right-shifted.

    plan: a schedule, or what an earlier replan() returned.
    fabric: as it is from now on: a copy of the plan's with dead ports, say. A send under way at a dead port is lost, and
        sent again. None: the plan's.
    ran: by vertex, when it really ran, where that is not as planned: (start, end) in picoseconds, an end of None where it
        is under way without a known one, None where it has not begun. All others went as planned.
    factors: by GPU, how much of their time its computes take that have not begun.
    releases: by vertex, a time before which it does not begin.
    time_limit, work_limit, seed, cancel: as schedule() has them.
    """
    if not isinstance(plan, (Schedule, Replan)):
        raise TypeError("plan is a libflux.Schedule or libflux.Replan, not %r of type %s" % (plan, type(plan).__name__))
    at, graph = _values.time(now, "now"), plan.graph
    changed = plan.fabric if fabric is None else of_type(fabric, Fabric, "fabric")
    options = _abi.flux_replan_options()
    options.size, options.now, options.seed = sizeof(options), at, _values.whole(seed, "seed")
    memory = _rows.memory_of(_rows.SLOT, plan.slots)
    rows, circuits, count = _state(plan, at, changed)
    if ran:
        _ran(rows, ran, at)
        circuits = None
    _lose(rows, plan.slots, graph, changed, at)
    options.times, options.time_count = rows, len(rows)
    if circuits is not None:
        options.circuits, options.circuit_count = circuits, count
    if factors is not None:
        options.factors_ppm, options.factor_count = _factors(factors, graph.gpus), graph.gpus
    if releases is not None:
        options.releases, options.release_count = _releases(releases, len(rows)), len(rows)
    if time_limit is not None:
        options.time_limit_ns = max(1, -(-_values.time(time_limit, "time_limit") // 1000))
    if work_limit is not None:
        options.work_limit = _values.whole(work_limit, "work_limit", 1)
    if cancel is not None:
        options.cancel = of_type(cancel, Cancel, "cancel")._pointer._as_parameter_
    pointer, error = POINTER(_abi.flux_replan)(), _abi.flux_error()
    with used(graph, changed, plan, *([cancel] if cancel is not None else [])):
        code = core.free.flux_replan(graph._pointer, changed._pointer, _packed(memory), memory.length, byref(options),
                                     byref(pointer), byref(error))  # fmt: skip
    raise_for(code, error)
    return Replan(pointer, graph, changed)


def _state(plan: Union[Schedule, Replan], now: int, fabric: Fabric) -> Tuple[Any, Any, int]:
    """Times and circuits if everything went as planned until now; circuits None: those that were used last."""
    vertices = len(plan.graph)
    rows = (_abi.flux_time * max(1, vertices))()
    if isinstance(plan, Replan):
        for v, span in enumerate(plan.times):
            rows[v] = _abi.flux_time(span.start, span.end) if span.start < now else _abi.flux_time(-1, -1)
        return rows, None, 0
    initial, count = c_uint64(), c_uint64()
    _held.flux_fabric_initial(plan.fabric._pointer, byref(initial))
    circuits = (_abi.flux_circuit_state * (len(plan.circuits) + initial.value + 1))()
    code = _held.flux_schedule_state(plan._pointer, plan.fabric._pointer, now, rows, circuits, byref(count))
    raise_for(code, text="no state at that time")
    return rows, circuits, count.value


def _ran(rows: Any, ran: Ran, now: int) -> None:
    if not hasattr(ran, "items"):
        raise TypeError("ran is a dict of vertices, not %r" % (ran,))
    for vertex, span in ran.items():
        v = _values.whole(vertex, "a vertex of ran", 0, len(rows) - 1)
        if span is None:
            rows[v] = _abi.flux_time(-1, -1)
            continue
        start, end = span
        rows[v] = _abi.flux_time(
            _values.time(start, "the start of vertex %d" % v),
            -1 if end is None else _values.time(end, "the end of vertex %d" % v),
        )


def _lose(rows: Any, slots: Iterable[Slot], graph: Graph, fabric: Fabric, now: int) -> None:
    pointer = fabric._pointer
    for slot in slots:
        time = rows[slot.send]
        if time.start < 0 or 0 <= time.end <= now:
            continue
        send = graph.send(slot.send)
        if any(_held.flux_fabric_dead(pointer, gpu, slot.switch) for gpu in (send.src, send.dst)):
            rows[slot.send] = _abi.flux_time(-1, -1)


def _factors(factors: Mapping[int, float], gpus: int) -> Any:
    rows = (c_uint32 * gpus)(*([_abi.FLUX_PPM] * gpus))
    if not hasattr(factors, "items"):
        raise TypeError("factors is a dict of GPUs, not %r" % (factors,))
    for gpu, factor in factors.items():
        g = _values.whole(gpu, "a GPU of factors", 0, gpus - 1)
        rows[g] = round(_values.real(factor, "the factor of GPU %d" % g, 0.0, 4294.0) * _abi.FLUX_PPM)
    return rows


def _releases(releases: Mapping[int, Time], vertices: int) -> Any:
    rows = (c_int64 * vertices)()
    if not hasattr(releases, "items"):
        raise TypeError("releases is a dict of vertices, not %r" % (releases,))
    for vertex, time in releases.items():
        v = _values.whole(vertex, "a vertex of releases", 0, vertices - 1)
        rows[v] = _values.time(time, "the release of vertex %d" % v)
    return rows
