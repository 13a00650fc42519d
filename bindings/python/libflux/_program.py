# SPDX-License-Identifier: Apache-2.0
"""A schedule step by step, for simulators and controllers with a loop of their own."""
from __future__ import annotations

from ctypes import POINTER, byref, c_uint32, c_uint64
from typing import Any, Iterator, List, NamedTuple, Optional

from . import _abi, _rows, _values
from ._errors import raise_for
from ._library import core
from ._objects import Closing, Handle, of_type, used
from ._rows import Circuit, Rows
from ._schedule import Schedule
from ._values import Time

_held = core.held
KINDS = {
    _abi.FLUX_EVENT_END: "end", _abi.FLUX_EVENT_DOWN: "down", _abi.FLUX_EVENT_CHANGE: "change",
    _abi.FLUX_EVENT_UP: "up", _abi.FLUX_EVENT_START: "start", _abi.FLUX_EVENT_COMPUTE: "compute",
}  # fmt: skip
_NUMBERS = {word: number for number, word in KINDS.items()}
_NEVER = 2**63 - 1


class Event(NamedTuple):
    """What happens at ``time``, or may from then on.

    ``kind`` is "change", "up" or "down" of a circuit, ``item`` being its row of ``circuits``; or "start" or "end" of a
    send, or "compute", ``item`` being the vertex. ``duration`` is as planned, 0 where a kind has none. ``switch`` is
    None for compute.
    """

    kind: str
    time: int
    item: int
    switch: Optional[int]
    duration: int


class Program(Closing):
    """Goes through a schedule in two ways, side by side. One thread at a time.

    By the clock, a program is an iterator of what the plan says: ``for event in libflux.Program(schedule)``. seek()
    moves the clock, up() tells the circuits of a switch, next_change() when one comes.

    In order, ``take()`` gives the actions that nothing holds back any more, and the caller says with ``done()`` when
    each is over; whatever times it tells, the order of the plan is kept and no rule is broken.
    """

    def __init__(self, schedule: Schedule) -> None:
        of_type(schedule, Schedule, "schedule")
        graph, fabric = schedule.graph, schedule.fabric
        pointer, error = POINTER(_abi.flux_program)(), _abi.flux_error()
        with used(graph, fabric, schedule):
            code = core.free.flux_program_new(
                graph._pointer, fabric._pointer, schedule._pointer, byref(pointer), byref(error)
            )
        raise_for(code, error, "no program")
        self._handle = Handle(pointer, _held.flux_program_free)

    def _event(self, function: Any) -> Optional[Event]:
        row = _abi.flux_event()
        if function(self._pointer, byref(row)) != 1:
            return None
        switch = None if row.switch_index == _abi.FLUX_NONE else row.switch_index
        return Event(KINDS[row.kind], row.time, row.item, switch, row.duration)

    @property
    def circuits(self) -> Rows[Circuit]:
        """The circuits that events name by their row."""
        count, handle = c_uint64(), self._pointer
        return Rows(_rows.CIRCUIT, _held.flux_program_circuits(handle, byref(count)), count.value, handle)

    def circuit_of(self, send: int) -> Optional[int]:
        """The row of the circuit that carries a send; None for other vertices."""
        row = int(_held.flux_program_circuit_of(self._pointer, _values.whole(send, "send", 0, _values.U32)))
        return None if row == _abi.FLUX_NONE else row

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        """The next event by the clock, which moves to it."""
        if (event := self._event(_held.flux_program_step)) is None:
            raise StopIteration
        return event

    def peek(self) -> Optional[Event]:
        """The next event by the clock, which stays; None behind the last."""
        return self._event(_held.flux_program_peek)

    def seek(self, time: Time) -> None:
        """Moves the clock behind the last event at ``time`` or before."""
        raise_for(_held.flux_program_seek(self._pointer, _values.time(time, "time")), text="no such time")

    def rewind(self) -> None:
        """Moves the clock before all events."""
        raise_for(_held.flux_program_seek(self._pointer, -1), text="no such time")

    def up(self, switch: int) -> List[int]:
        """The rows of the circuits that are up on a switch as the clock stands."""
        count = c_uint32()
        rows = _held.flux_program_up(self._pointer, _values.whole(switch, "switch", 0, _values.U32), byref(count))
        return list(rows[: count.value]) if count.value else []

    def next_change(self, switch: Optional[int] = None) -> Optional[int]:
        """When the next circuit changes, comes up or goes down, on that switch or on any; None where none does."""
        number = _abi.FLUX_ALL_SWITCHES if switch is None else _values.whole(switch, "switch", 0, _values.U32)
        time = int(_held.flux_program_next_change(self._pointer, number))
        return None if time == _NEVER else time

    def restart(self) -> None:
        """Forgets what was taken and done: the iteration begins anew."""
        _held.flux_program_restart(self._pointer)

    def take(self) -> Optional[Event]:
        """The next action ("change", "start", "compute") that nothing done so far holds back; None: nothing now."""
        return self._event(_held.flux_program_take)

    def done(self, action: Event, time: Time) -> None:
        """An action that was taken is over at ``time``."""
        of_type(action, Event, "action")
        kind = _values.word(action.kind, "kind", _NUMBERS)
        item = _values.whole(action.item, "item", 0, _values.U32)
        code = _held.flux_program_done(self._pointer, kind, item, _values.time(time, "time"))
        raise_for(code, text="%s %d was not taken, is done already, or cannot be done as early as that"
                             % (action.kind, item))  # fmt: skip

    @property
    def left(self) -> int:
        """How many actions are not done yet; 0: the iteration is over."""
        return int(_held.flux_program_left(self._pointer))

    def __repr__(self) -> str:
        return "<libflux.Program, closed>" if self.closed else "<libflux.Program: %d actions left>" % self.left
