# SPDX-License-Identifier: Apache-2.0
"""What pictures and tables of a schedule are made of: who does what when, vertex by vertex and port by port."""
from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING, Iterator, List, NamedTuple, Tuple

from . import _abi
from ._library import core
from ._rows import Send

if TYPE_CHECKING:
    from ._schedule import Schedule

# By the partner's number modulo 8: full, as in write_svg(), for what is sent, pale for what is received.
FULL = ("#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#bbcc33", "#aaaa00")
PALE = ("#b0ceeb", "#f5baa6", "#f5ebba", "#ffcdd7", "#c4ebff", "#93d8c4", "#d8e289", "#cece6b")
INK, GREY, CHANGE, BAND = "#1f2933", "#5f6b7a", "#7b8794", "#eceff3"


class Bar(NamedTuple):
    """A transfer at one of its two ports; ``out`` is 1 at its source."""

    gpu: int
    switch: int
    begin: int
    end: int
    partner: int
    out: int


def sends_of(schedule: Schedule) -> List[Send]:
    """The send of each slot, in the order of the slots."""
    pointer, row = schedule.graph._pointer, _abi.flux_send()
    get, rows, found = core.held.flux_graph_get_send, schedule.slots, []
    for i in range(len(rows)):
        get(pointer, rows._pointer[i].send, byref(row))
        found.append(Send(row.src, row.dst, row.bytes, row.duration, row.release))
    return found


def bars(schedule: Schedule) -> Iterator[Bar]:
    """Every transfer twice: at its source and at its destination."""
    for slot, send in zip(schedule.slots, sends_of(schedule)):
        yield Bar(send.src, slot.switch, slot.start, slot.end, send.dst, 1)
        yield Bar(send.dst, slot.switch, slot.start, slot.end, send.src, 0)


def changes(schedule: Schedule) -> Iterator[Tuple[int, int, int, int]]:
    """GPU, switch, begin and end of each time in which a port changes."""
    for circuit in schedule.circuits:
        if circuit.up > circuit.begin:
            yield circuit.src, circuit.switch, circuit.begin, circuit.up
            yield circuit.dst, circuit.switch, circuit.begin, circuit.up


def short(time: int) -> str:
    """A time to four digits, for a person."""
    for unit, name in ((10**12, "s"), (10**9, "ms"), (10**6, "µs"), (10**3, "ns")):
        if time >= unit:
            return "%.4g %s" % (time / unit, name)
    return "%d ps" % time if time else "0"


def verdict(schedule: Schedule) -> str:
    """How good a schedule is, in words."""
    return "proven best" if schedule.optimal else "at most %.3g %% above the best" % (100 * schedule.gap)
