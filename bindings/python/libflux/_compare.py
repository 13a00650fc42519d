# SPDX-License-Identifier: Apache-2.0
"""Schedulers to compare with: what an iteration would take under each of them."""
from __future__ import annotations

from ctypes import POINTER, byref, sizeof
from ctypes import pointer as pointer_to
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from . import _abi, _values
from ._errors import raise_for
from ._fabric import Fabric
from ._graph import Graph
from ._library import core
from ._objects import Handle, of_type, used
from ._schedule import EXACT, Cancel
from ._values import Time

_held = core.held
_KINDS = {
    _abi.FLUX_SCHEDULER_KIND_SCHEDULE: "schedule", _abi.FLUX_SCHEDULER_KIND_CYCLE: "cycle",
    _abi.FLUX_SCHEDULER_KIND_FORWARD: "forward", _abi.FLUX_SCHEDULER_KIND_PACKET: "packet",
}  # fmt: skip


class Comparison(NamedTuple):
    """What one scheduler did to one graph on one fabric; times are picoseconds, memory is bytes.

    ``kind`` is "schedule" (sends as a whole), "cycle" (a fixed cycle that cuts sends where slots end), "forward" (the
    same, over a third GPU too) or "packet". Where the scheduler cannot serve the problem, ``applies`` is false and
    ``note`` says why; ``iteration`` and what follows from it are None. ``bound`` is what no schedule beats.
    ``memory`` is the largest peak at one GPU of bytes ready and not yet sent, ``memory_of_all`` that of all together.
    """

    scheduler: str
    kind: str
    applies: bool
    iteration: Optional[int]
    best: Optional[int]
    bound: int
    memory: Optional[int]
    memory_of_all: Optional[int]
    waiting: Optional[int]
    reconfigurations: Optional[int]
    repeats: Optional[int]
    constructions: Optional[int]
    note: str


def _numbers() -> Dict[str, int]:
    names = ((_held.flux_scheduler_name(i).decode(), i) for i in range(1, _held.flux_scheduler_count() + 1))
    return {name: i for name, i in names if name}


def schedulers() -> Dict[str, str]:
    """The names of the schedulers that compare() knows, and where each comes from."""
    return {name: _held.flux_scheduler_source(i).decode("utf-8", "replace") for name, i in _numbers().items()}


def _comparison(handle: Handle, name: str, kind: str) -> Comparison:
    row = _abi.flux_comparison_summary()
    row.size = sizeof(row)
    raise_for(_held.flux_comparison_summary(handle, byref(row)), text="no figures")
    note = _held.flux_comparison_note(handle).decode("utf-8", "replace")
    if not row.applies:
        return Comparison(name, kind, False, None, None, row.bound, None, None, None, None, None, None, note)
    return Comparison(
        name, kind, True, row.iteration, row.best, row.bound, row.memory, row.memory_of_all, row.waiting,
        row.reconfigurations, row.repeats, row.constructions, note,
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
    time_limit: Optional[Time] = None,
    work_limit: Optional[int] = None,
    exact: str = "auto",
    cancel: Optional[Cancel] = None,
) -> List[Comparison]:
    """What an iteration would take under each of ``schedulers`` (all of them otherwise), a Comparison each.

    seed, constructions: of "random": its priorities, and how many schedules it makes (as many as "flux" otherwise).
    duty: of the rotors.
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
        found.append(_comparison(Handle(pointer, _held.flux_comparison_free), name, kind))
    return found
