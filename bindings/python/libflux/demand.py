# SPDX-License-Identifier: Apache-2.0
"""One traffic matrix over parallel switches, without a DAG: decompositions into matchings, laid out on the switches.

    plan = libflux.demand.schedule([[0, "3us"], ["5us", 0]], switches=1, delay="1us")
    plan.makespan, plan.bound, plan.states

docs/demand.md tells what the algorithms are.
"""
from __future__ import annotations

from ctypes import POINTER, byref, c_int64, c_uint64
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from . import _abi, _values
from ._errors import ArgumentError, raise_for
from ._library import core
from ._objects import Closing, Handle
from ._schedule import gap_of
from ._values import Time

__all__ = ["ALGORITHMS", "Circuit", "Plan", "State", "schedule"]

_held = core.held
_LARGEST = 1 << 50


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


def _entries(matrix: Any) -> Tuple[int, Any]:
    """The matrix as the library takes it: its side, and row after row."""
    shape: Optional[Tuple[int, ...]] = getattr(matrix, "shape", None)
    if shape is not None and len(shape) != 2:
        raise ArgumentError("the demand has %d dimensions, and is a square matrix" % len(shape))
    if shape is not None and matrix.dtype.kind in "fcbSmMV":
        raise TypeError("the demand is an array of whole numbers (picoseconds), not of %s" % matrix.dtype)
    if isinstance(matrix, (str, bytes)) or not hasattr(matrix, "__iter__"):
        raise TypeError("the demand is a square matrix of times, not %r" % (matrix,))
    rows = matrix.tolist() if shape is not None else [list(row) for row in matrix]
    ports = len(rows)
    if not 1 <= ports <= _abi.FLUX_DEMAND_PORTS_MAX:
        raise ArgumentError("the demand has %d rows, and can have 1 to %d" % (ports, _abi.FLUX_DEMAND_PORTS_MAX))
    flat = (c_int64 * (ports * ports))()
    for i, row in enumerate(rows):
        if len(row) != ports:
            raise ArgumentError("row %d of the demand has %d entries: the matrix has %d rows" % (i, len(row), ports))
        for j, value in enumerate(row):
            if type(value) is not int or not 0 <= value <= _LARGEST:
                value = _values.time(value, "the demand from %d to %d" % (i, j))
                _values.whole(value, "the demand from %d to %d" % (i, j), 0, _LARGEST)
            flat[i * ports + j] = value
    return ports, flat


def schedule(matrix: Any, switches: int = 1, delay: Time = 0, algorithm: str = "best") -> Plan:
    """Lays a demand out on ``switches`` switches.

    ``matrix[i][j]`` is the time that the traffic from i to j needs on one circuit: picoseconds, or texts such as
    ``"3us"``; rows of numbers, or a NumPy array of integers. The diagonal is 0. ``algorithm`` is one of ALGORITHMS.
    """
    kinds = {name: i + 1 for i, name in enumerate(ALGORITHMS)}
    number = _values.word(algorithm, "algorithm", kinds)
    count = _values.whole(switches, "switches", 1, _abi.FLUX_SWITCHES_MAX)
    time = _values.time(delay, "delay")
    ports, flat = _entries(matrix)
    pointer, error = POINTER(_abi.flux_demand_plan)(), _abi.flux_error()
    code = core.free.flux_demand_schedule(None, ports, flat, count, time, number, byref(pointer), byref(error))
    raise_for(code, error)
    return Plan(pointer, ports)
