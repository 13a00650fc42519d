# SPDX-License-Identifier: Apache-2.0
"""The switches: how fast, how slow to change, and what shares a port."""
from __future__ import annotations

from ctypes import POINTER, byref, c_int64, c_uint64
from typing import Any, List, Optional

from . import _abi, _rows, _values
from ._errors import ArgumentError, raise_for
from ._library import core
from ._objects import Closing, Handle, used
from ._rows import Port
from ._values import Rate, Size, Time

_held = core.held

RULES = {"paper": _abi.FLUX_RULE_PAPER, "duplex": _abi.FLUX_RULE_DUPLEX, "simplex": _abi.FLUX_RULE_SIMPLEX}
BLOCKING = {"port": _abi.FLUX_BLOCKING_PORT, "switch": _abi.FLUX_BLOCKING_SWITCH}


def _word(words: Any, number: int) -> str:
    return next((word for word, value in words.items() if value == number), str(number))


class Fabric(Closing):
    """``switches`` optical circuit switches; every one of ``gpus`` GPUs has a port on each.

    ``rate`` is bits per second (``"800Gbps"``), ``delay`` the time to change a circuit (``"10us"``, or picoseconds),
    ``rule`` one of "paper", "duplex", "simplex", ``blocking`` one of "port", "switch". What is left out: 800 Gbps, no
    delay, "paper", "port", no dwell, no propagation delay. Where a method takes ``switch`` or ``gpu``, None means all
    of them.
    """

    def __init__(
        self,
        gpus: int,
        switches: int = 1,
        *,
        rate: Optional[Rate] = None,
        delay: Optional[Time] = None,
        rule: Optional[str] = None,
        blocking: Optional[str] = None,
        dwell: Optional[Time] = None,
        propagation: Optional[Time] = None,
    ) -> None:
        ports = _values.whole(gpus, "gpus", 1, _abi.FLUX_GPUS_MAX)
        count = _values.whole(switches, "switches", 1, _abi.FLUX_SWITCHES_MAX)
        pointer = POINTER(_abi.flux_fabric)()
        raise_for(_held.flux_fabric_new(None, ports, count, byref(pointer)), text="no fabric")
        self._handle = Handle(pointer, _held.flux_fabric_free)
        if rate is not None:
            self.set_rate(rate)
        if delay is not None:
            self.set_delay(delay)
        if rule is not None:
            self.set_rule(rule)
        if blocking is not None:
            self.set_blocking(blocking)
        if dwell is not None:
            self.set_dwell(dwell)
        if propagation is not None:
            self.set_propagation(propagation)

    def copy(self) -> Fabric:
        """Another fabric that is the same."""
        with used(self):
            return self._copy_of(self._pointer)

    @classmethod
    def _copy_of(cls, other: Any) -> Fabric:
        gpus, switches = _held.flux_fabric_gpus(other), _held.flux_fabric_switches(other)
        fabric = cls(gpus, switches)
        new, count = fabric._pointer, c_uint64()
        _held.flux_fabric_set_rule(new, _held.flux_fabric_rule(other))
        for k in range(switches):
            _held.flux_fabric_set_delay(new, k, _held.flux_fabric_delay(other, k))
            _held.flux_fabric_set_blocking(new, k, _held.flux_fabric_blocking(other, k))
            _held.flux_fabric_set_dwell(new, k, _held.flux_fabric_dwell(other, k))
            for g in range(gpus):
                rate = _held.flux_fabric_rate(other, g, k)
                if rate != _abi.FLUX_RATE_DEFAULT:
                    raise_for(_held.flux_fabric_set_rate(new, g, k, rate))
                if _held.flux_fabric_dead(other, g, k):
                    raise_for(_held.flux_fabric_set_dead(new, g, k, 1))
        forbidden = _held.flux_fabric_forbidden(other, byref(count))
        for i in range(count.value):
            row = forbidden[i]
            raise_for(_held.flux_fabric_set_forbidden(new, row.switch_index, row.src, row.dst, 1))
        initial = _held.flux_fabric_initial(other, byref(count))
        for i in range(count.value):
            row = initial[i]
            raise_for(_held.flux_fabric_add_initial(new, row.switch_index, row.src, row.dst))
        rule = _abi.flux_propagation()
        for i in range(_held.flux_fabric_propagation_rules(other)):
            raise_for(_held.flux_fabric_propagation_rule(other, i, byref(rule)))
            raise_for(_held.flux_fabric_set_propagation(new, rule.src, rule.dst, rule.time))
        return fabric

    def _gpu(self, gpu: Any, what: str = "gpu") -> int:
        number, count = _values.whole(gpu, what, 0, _values.U32), self.gpus
        if number >= count:
            raise ArgumentError("%s is %d: the fabric has %d GPUs" % (what, number, count))
        return number

    def _switch(self, switch: Any) -> int:
        number, count = _values.whole(switch, "switch", 0, _values.U32), self.switches
        if number >= count:
            raise ArgumentError("switch is %d: the fabric has %d" % (number, count))
        return number

    def _gpu_or_all(self, gpu: Any, what: str = "gpu") -> int:
        return _abi.FLUX_ALL_GPUS if gpu is None else self._gpu(gpu, what)

    def _switch_or_all(self, switch: Any) -> int:
        return _abi.FLUX_ALL_SWITCHES if switch is None else self._switch(switch)

    def set_rule(self, rule: str) -> None:
        """Which sends share a port: "paper", "duplex" or "simplex"."""
        number = _values.word(rule, "rule", RULES)
        raise_for(_held.flux_fabric_set_rule(self._writable, number), text="no rule %r" % rule)

    def set_rate(self, rate: Rate, *, gpu: Optional[int] = None, switch: Optional[int] = None) -> None:
        """Bits per second of a port; a send runs at the smaller of its two ports' rates."""
        number = _values.rate(rate, "rate")
        code = _held.flux_fabric_set_rate(self._writable, self._gpu_or_all(gpu), self._switch_or_all(switch), number)
        raise_for(code, text="no rate %r" % (rate,))

    def set_delay(self, delay: Time, switch: Optional[int] = None) -> None:
        """The time to change a circuit."""
        time = _values.time(delay, "delay")
        raise_for(_held.flux_fabric_set_delay(self._writable, self._switch_or_all(switch), time), text="no delay")

    def set_blocking(self, blocking: str, switch: Optional[int] = None) -> None:
        """What a change darkens: its ports ("port") or all the switch ("switch")."""
        number = _values.word(blocking, "blocking", BLOCKING)
        code = _held.flux_fabric_set_blocking(self._writable, self._switch_or_all(switch), number)
        raise_for(code, text="no blocking")

    def set_dwell(self, dwell: Time, switch: Optional[int] = None) -> None:
        """Two changes of one switch begin at the same time or this far apart."""
        time = _values.time(dwell, "dwell")
        raise_for(_held.flux_fabric_set_dwell(self._writable, self._switch_or_all(switch), time), text="no dwell")

    def set_dead(self, gpu: int, switch: Optional[int] = None, dead: bool = True) -> None:
        """A dead port carries no circuit."""
        code = _held.flux_fabric_set_dead(self._writable, self._gpu(gpu), self._switch_or_all(switch), int(bool(dead)))
        raise_for(code, text="no dead port")

    def set_forbidden(self, switch: Optional[int], src: int, dst: int, forbidden: bool = True) -> None:
        """A circuit that a switch cannot set up; under "duplex" in both directions."""
        code = _held.flux_fabric_set_forbidden(
            self._writable, self._switch_or_all(switch), self._gpu(src, "src"), self._gpu(dst, "dst"),
            int(bool(forbidden)),
        )
        raise_for(code, text="no circuit from GPU %d to GPU %d" % (src, dst))

    def add_initial(self, switch: int, src: int, dst: int) -> None:
        """A circuit that is up at time 0."""
        code = _held.flux_fabric_add_initial(
            self._writable, self._switch(switch), self._gpu(src, "src"), self._gpu(dst, "dst")
        )
        raise_for(code, text="no circuit from GPU %d to GPU %d" % (src, dst))

    def set_propagation(self, time: Time, src: Optional[int] = None, dst: Optional[int] = None) -> None:
        """How long light travels: what waits for a send at another GPU than its source starts this much later."""
        span = _values.time(time, "time")
        code = _held.flux_fabric_set_propagation(
            self._writable, self._gpu_or_all(src, "src"), self._gpu_or_all(dst, "dst"), span
        )
        raise_for(code, text="no propagation from %r to %r" % (src, dst))

    @property
    def gpus(self) -> int:
        """How many GPUs."""
        return int(_held.flux_fabric_gpus(self._pointer))

    @property
    def switches(self) -> int:
        """How many switches."""
        return int(_held.flux_fabric_switches(self._pointer))

    @property
    def rule(self) -> str:
        """The circuit rule."""
        return _word(RULES, _held.flux_fabric_rule(self._pointer))

    def rate(self, gpu: int, switch: int) -> int:
        """Bits per second of a port."""
        return int(_held.flux_fabric_rate(self._pointer, self._gpu(gpu), self._switch(switch)))

    def delay(self, switch: int) -> int:
        """Picoseconds to change a circuit."""
        return int(_held.flux_fabric_delay(self._pointer, self._switch(switch)))

    def blocking(self, switch: int) -> str:
        """What a change darkens."""
        return _word(BLOCKING, _held.flux_fabric_blocking(self._pointer, self._switch(switch)))

    def dwell(self, switch: int) -> int:
        """Picoseconds between the begins of two changes."""
        return int(_held.flux_fabric_dwell(self._pointer, self._switch(switch)))

    def dead(self, gpu: int, switch: int) -> bool:
        """Whether a port carries no circuit."""
        return bool(_held.flux_fabric_dead(self._pointer, self._gpu(gpu), self._switch(switch)))

    def is_forbidden(self, switch: int, src: int, dst: int) -> bool:
        """Whether a switch cannot set up a circuit."""
        return bool(_held.flux_fabric_is_forbidden(
            self._pointer, self._switch(switch), self._gpu(src, "src"), self._gpu(dst, "dst")
        ))  # fmt: skip

    @property
    def forbidden(self) -> List[Port]:
        """All circuits that cannot be."""
        return self._ports(_held.flux_fabric_forbidden)

    @property
    def initial(self) -> List[Port]:
        """All circuits that are up at time 0."""
        return self._ports(_held.flux_fabric_initial)

    def _ports(self, function: Any) -> List[Port]:
        count = c_uint64()
        with used(self):  # the rows move when another thread adds to them
            rows = function(self._pointer, byref(count))
            return list(_rows.Rows[Port](_rows.PORT, rows, count.value, None))

    def propagation(self, src: int, dst: int) -> int:
        """Picoseconds that light travels from one GPU to another."""
        return int(_held.flux_fabric_propagation(self._pointer, self._gpu(src, "src"), self._gpu(dst, "dst")))

    def duration(self, switch: int, src: int, dst: int, bytes: Size) -> int:
        """Picoseconds that a send of ``bytes`` takes."""
        time = c_int64()
        code = _held.flux_fabric_duration(
            self._pointer, self._switch(switch), self._gpu(src, "src"), self._gpu(dst, "dst"),
            _values.size(bytes, "bytes"), byref(time),
        )  # fmt: skip
        raise_for(code, text="%r bytes from GPU %d to GPU %d have no duration" % (bytes, src, dst))
        return time.value

    def __repr__(self) -> str:
        if self.closed:
            return "<libflux.Fabric, closed>"
        return "<libflux.Fabric: %d GPUs, %d switches, rule %s>" % (self.gpus, self.switches, self.rule)
