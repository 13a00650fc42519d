# SPDX-License-Identifier: Apache-2.0
"""Schedulers to compare with: what an iteration would take under each of them."""
from __future__ import annotations

from ctypes import POINTER, byref, c_uint64, sizeof
from ctypes import pointer as pointer_to
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from . import _abi, _rows, _values
from ._errors import ArgumentError, raise_for
from ._fabric import Fabric
from ._graph import Graph
from ._library import core, io
from ._objects import Handle, of_type, used
from ._rows import Rows, Span
from ._schedule import EXACT, Cancel, Schedule
from ._values import Path, Time

_held = core.held
_KINDS = {
    _abi.FLUX_SCHEDULER_KIND_SCHEDULE: "schedule", _abi.FLUX_SCHEDULER_KIND_CYCLE: "cycle",
    _abi.FLUX_SCHEDULER_KIND_FORWARD: "forward", _abi.FLUX_SCHEDULER_KIND_PACKET: "packet",
}  # fmt: skip


class _Figures(NamedTuple):
    scheduler: str
    kind: str
    applies: bool
    iteration: Optional[int]
    best: Optional[int]
    bound: int
    memory: Optional[int]
    memory_of_all: Optional[int]
    waiting: Optional[int]
    waiting_mean: Optional[int]
    reconfigurations: Optional[int]
    repeats: Optional[int]
    constructions: Optional[int]
    note: str


class Comparison(_Figures):
    """What one scheduler did to one graph on one fabric; times are picoseconds, memory is bytes.

    ``kind`` is "schedule" (sends as a whole), "cycle" (a fixed cycle that cuts sends where slots end), "forward" (the
    same, over a third GPU too) or "packet". Where the scheduler cannot serve the problem, ``applies`` is false and
    ``note`` says why; ``iteration`` and what follows from it are None. ``bound`` is what no schedule beats.
    ``memory`` is the largest peak at one GPU of bytes ready and not yet sent, ``memory_of_all`` that of all together;
    ``waiting`` the largest peak of bytes ready of which nothing was sent yet, ``waiting_mean`` their mean over time.

    Besides these figures it has the ``schedule`` and the ``times``; they are not part of a copy or a pickle.
    """

    _handle: Optional[Handle] = None
    _problem: Optional[Tuple[Graph, Fabric]] = None
    _delay = 0

    @property
    def schedule(self) -> Optional[Schedule]:
        """The schedule that was made; None of a scheduler that makes none."""
        if self._handle is None or self._problem is None:
            return None
        pointer = _held.flux_comparison_schedule(self._handle)
        return Schedule._part_of(pointer, *self._problem, self._handle) if pointer else None

    @property
    def times(self) -> List[Span]:
        """When each vertex ran; nothing where the scheduler does not apply."""
        replay, count = self._handle and _held.flux_comparison_replay(self._handle), c_uint64()
        rows = _held.flux_replay_times(replay, byref(count)) if replay else None
        return list(Rows[Span](_rows.SPAN, rows, count.value, self._handle))

    def __reduce__(self) -> Any:
        return Comparison, tuple(self)


def _numbers() -> Dict[str, int]:
    names = ((_held.flux_scheduler_name(i).decode(), i) for i in range(1, _held.flux_scheduler_count() + 1))
    return {name: i for name, i in names if name}


def schedulers() -> Dict[str, str]:
    """The names of the schedulers that compare() knows, and where each comes from."""
    return {name: _held.flux_scheduler_source(i).decode("utf-8", "replace") for name, i in _numbers().items()}


def _figures(handle: Handle, name: str, kind: str) -> Comparison:
    row = _abi.flux_comparison_summary()
    row.size = sizeof(row)
    raise_for(_held.flux_comparison_summary(handle, byref(row)), text="no figures")
    note = _held.flux_comparison_note(handle).decode("utf-8", "replace")
    if not row.applies:
        return Comparison(name, kind, False, None, None, row.bound, None, None, None, None, None, None, None, note)
    return Comparison(
        name, kind, True, row.iteration, row.best, row.bound, row.memory, row.memory_of_all, row.waiting,
        row.waiting_mean, row.reconfigurations, row.repeats, row.constructions, note,
    )  # fmt: skip


def _chosen(wanted: Optional[Iterable[str]]) -> List[Tuple[str, int]]:
    known = _numbers()
    if wanted is None:
        return list(known.items())
    names = [wanted] if isinstance(wanted, str) else wanted
    if not hasattr(names, "__iter__"):
        raise TypeError("schedulers are names such as 'flux' and 'bvn', not %r" % (wanted,))
    return [(name, _values.word(name, "a scheduler", known)) for name in names]


def compare(
    graph: Graph,
    fabric: Fabric,
    schedulers: Optional[Iterable[str]] = None,
    *,
    seed: int = 0,
    constructions: Optional[int] = None,
    duty: float = 0.9,
    repeats: Optional[int] = None,
    planes: Optional[int] = None,
    time_limit: Optional[Time] = None,
    work_limit: Optional[int] = None,
    exact: str = "auto",
    cancel: Optional[Cancel] = None,
) -> List[Comparison]:
    """What an iteration would take under each of ``schedulers`` (all of them otherwise), a Comparison each.

    seed, constructions: of "random": its priorities, and how many schedules it makes (as many as "flux" otherwise).
    duty: of the rotors.
    repeats: of the cycle of a demand ("bvn" and the like) per iteration; the best of 1, 4 and 16 otherwise.
    planes: of "multiplane"; 4 otherwise.
    time_limit, work_limit, exact: of "flux", as for schedule().
    cancel: stops the comparison from another thread: a CancelledError.

    ``pandas.DataFrame(libflux.compare(graph, fabric))`` is a table of them.
    """
    of_type(graph, Graph, "graph"), of_type(fabric, Fabric, "fabric")
    chosen, plan, options = _chosen(schedulers), _abi.flux_options(), _abi.flux_compare_options()
    plan.size, options.size = sizeof(plan), sizeof(options)
    if time_limit is not None:
        plan.time_limit_ns = max(1, -(-_values.time(time_limit, "time_limit") // 1000))
    if work_limit is not None:
        plan.work_limit = _values.whole(work_limit, "work_limit", 1)
    plan.exact = _values.word(exact, "exact", EXACT)
    plan.seed = options.seed = _values.whole(seed, "seed")
    if constructions is not None:
        options.constructions = _values.whole(constructions, "constructions", 1, _values.U32)
    if repeats is not None:
        options.repeats = _values.whole(repeats, "repeats", 1, _values.U32)
    if planes is not None:
        options.planes = _values.whole(planes, "planes", 1, _values.U32)
    options.duty_ppm = max(1, round(_values.real(duty, "duty", 1e-6, 1 - 1e-6) * _abi.FLUX_PPM))
    if cancel is not None:
        plan.cancel = of_type(cancel, Cancel, "cancel")._pointer._as_parameter_
    options.schedule = pointer_to(plan)
    found: List[Comparison] = []
    users: List[Any] = [graph, fabric] + ([cancel] if cancel is not None else [])
    for name, number in chosen:
        pointer, error = POINTER(_abi.flux_comparison)(), _abi.flux_error()
        with used(*users):
            code = core.free.flux_compare(
                graph._pointer, fabric._pointer, number, byref(options), byref(pointer), byref(error)
            )
        raise_for(code, error)
        kind = _KINDS.get(_held.flux_scheduler_kind(number), "")
        handle = Handle(pointer, _held.flux_comparison_free)
        row = _figures(handle, name, kind)
        row._handle, row._problem, row._delay = handle, (graph, fabric), fabric.delay(0)
        found.append(row)
    return found


def write_comparisons(path: Path, comparisons: Iterable[Comparison]) -> None:
    """The table of ``flux-ocs compare --csv``: scheduler,delay_ps,iteration_ps,nic_memory_bytes and so on, a row per
    comparison that compare() made; the delay is that of the fabric's first switch."""
    rows: List[Any] = []
    for each in comparisons:
        of_type(each, Comparison, "a comparison")
        if each._handle is None:
            raise ArgumentError("the comparison with %r is a copy: only those that compare() made can be written"
                                % each.scheduler)
        rows.append(_abi.flux_compared(each._handle._as_parameter_, each._delay, 0))
    table, error, name = (_abi.flux_compared * max(1, len(rows)))(*rows), _abi.flux_error(), _values.path(path)
    raise_for(io().free.flux_write_comparisons(name, table, len(rows), byref(error)), error)
