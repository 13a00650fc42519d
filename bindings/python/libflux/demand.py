# SPDX-License-Identifier: Apache-2.0
"""Traffic matrices over parallel switches, without a DAG: decompositions into matchings, laid out on the switches.

    plan = libflux.demand.schedule([[0, "3us"], ["5us", 0]], switches=1, delay="1us")
    plan.makespan, plan.bound, plan.states
    matrices = libflux.demand.load("matrix.csv")              # or generate("moe-pairs", ports=16)
    plans = [libflux.demand.schedule(matrices.times(i), 2, "10us") for i in range(len(matrices))]

docs/demand.md tells what the algorithms are.
"""
from __future__ import annotations

from ctypes import POINTER, byref, c_uint64
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import _abi, _values
from ._errors import raise_for
from ._library import core, io
from ._matrices import KINDS, Entry, Matrices, entries_of, generate, load, write
from ._objects import Closing, Handle, of_type, used
from ._schedule import gap_of
from ._values import Path, Time

__all__ = ["ALGORITHMS", "KINDS", "Circuit", "Entry", "Matrices", "Plan", "State", "generate", "load", "schedule", "write",
           "write_plans"]  # fmt: skip

_held = core.held


def _algorithms() -> Dict[str, int]:
    found: Dict[str, int] = {}
    while name := _held.flux_demand_name(len(found) + 1):
        found[name.decode()] = len(found) + 1
    return found


#: The names of the algorithms; "best" takes the shortest plan of those that have states.
ALGORITHMS: Tuple[str, ...] = tuple(_algorithms())


class State(NamedTuple):
    """A state of a switch: dark for the delay from ``start`` on, then ``circuits`` (input, output) up for ``time``."""

    switch: int
    start: int
    time: int
    circuits: Tuple[Tuple[int, int], ...]


class Circuit(NamedTuple):
    """A circuit of "sunflow": its two ports are dark for the delay from ``start`` on, then it is up for ``time``."""

    switch: int
    src: int
    dst: int
    start: int
    time: int


class Plan(Closing):
    """States of the switches that serve a demand; it was checked. Made by schedule()."""

    def __init__(self, pointer: Any, ports: int) -> None:
        self._handle = Handle(pointer, _held.flux_demand_plan_free)
        self._ports = ports

    @property
    def makespan(self) -> int:
        """Picoseconds until all is served."""
        return int(_held.flux_demand_plan_makespan(self._pointer))

    @property
    def bound(self) -> int:
        """Picoseconds that no plan beats."""
        return int(_held.flux_demand_plan_bound(self._pointer))

    @property
    def gap(self) -> float:
        """How far this can be from the best, as a fraction of the bound."""
        return gap_of(self.makespan, self.bound)

    @property
    def algorithm(self) -> str:
        """The algorithm it is of; with "best", the one that won."""
        return str(_held.flux_demand_name(_held.flux_demand_plan_algorithm(self._pointer)).decode())

    @property
    def requested(self) -> str:
        """The algorithm that was asked for."""
        return str(_held.flux_demand_name(_held.flux_demand_plan_requested(self._pointer)).decode())

    @property
    def configurations(self) -> int:
        """How often switches are set: states, or circuits where there are none."""
        return int(_held.flux_demand_plan_configurations(self._pointer))

    @property
    def matchings(self) -> List[Tuple[Tuple[int, int], ...]]:
        """The matchings that states refer to, as pairs of input and output."""
        handle = self._pointer
        return [self._matching(handle, i) for i in range(_held.flux_demand_plan_matchings(handle))]

    def _matching(self, handle: Handle, index: int) -> Tuple[Tuple[int, int], ...]:
        outputs = _held.flux_demand_plan_matching(handle, index)
        return tuple((i, outputs[i]) for i in range(self._ports) if outputs[i] != _abi.FLUX_NONE)

    @property
    def circuits(self) -> List[Circuit]:
        """Of "sunflow", whose switches do not change as a whole, and which has no states; none of all others."""
        handle, count = self._pointer, c_uint64()
        rows = _held.flux_demand_plan_circuits(handle, byref(count))
        return [Circuit(r.switch_index, r.src, r.dst, r.start, r.time) for r in (rows[i] for i in range(count.value))]

    @property
    def states(self) -> List[State]:
        """What a controller does, by switch and then by time."""
        handle, count = self._pointer, c_uint64()
        rows, matchings = _held.flux_demand_plan_states(handle, byref(count)), self.matchings
        return [State(rows[i].switch_index, rows[i].start, rows[i].time, matchings[rows[i].matching])
                for i in range(count.value)]

    def __repr__(self) -> str:
        if self.closed:
            return "<libflux.demand.Plan, closed>"
        return "<libflux.demand.Plan: %s, makespan %s, gap %.4g %%>" % (
            self.algorithm, _values.format_time(self.makespan), 100 * self.gap,
        )  # fmt: skip


def schedule(matrix: Any, switches: int = 1, delay: Time = 0, algorithm: str = "best") -> Plan:
    """Lays a demand out on ``switches`` switches.

    ``matrix[i][j]`` is the time that the traffic from i to j needs on one circuit: picoseconds, or texts such as
    ``"3us"``; rows of numbers, or a NumPy array of integers. The diagonal is 0. ``algorithm`` is one of ALGORITHMS.
    """
    kinds = {name: i + 1 for i, name in enumerate(ALGORITHMS)}
    number = _values.word(algorithm, "algorithm", kinds)
    count = _values.whole(switches, "switches", 1, _abi.FLUX_SWITCHES_MAX)
    time = _values.time(delay, "delay")
    ports, flat = entries_of(matrix)
    pointer, error = POINTER(_abi.flux_demand_plan)(), _abi.flux_error()
    code = core.free.flux_demand_schedule(None, ports, flat, count, time, number, byref(pointer), byref(error))
    raise_for(code, error)
    return Plan(pointer, ports)


def write_plans(path: Path, plans: Sequence[Plan], *, per_matrix: Optional[int] = None) -> None:
    """matrix,algorithm,found_by,makespan_ps,bound_ps,ratio,configurations,matchings: a row per plan. Each
    ``per_matrix`` of them belong to one matrix, all of them otherwise."""
    rows = [of_type(plan, Plan, "a plan")._pointer._as_parameter_ for plan in plans]
    each = max(1, len(rows)) if per_matrix is None else _values.whole(per_matrix, "per_matrix", 1)
    table, error = (POINTER(_abi.flux_demand_plan) * max(1, len(rows)))(*rows), _abi.flux_error()
    name = _values.path(path)
    with used(*plans):
        code = io().free.flux_write_demand(name, table, len(rows), each, byref(error))
    raise_for(code, error)
