# SPDX-License-Identifier: Apache-2.0
"""What a schedule, or a fixed cycle of switch states, does on its workload when compute is not as planned."""
from __future__ import annotations

from ctypes import POINTER, byref, c_uint32, c_uint64, sizeof
from typing import Any, Iterable, List, NamedTuple, Optional, Tuple

from . import _abi, _rows, _values
from ._errors import ArgumentError, raise_for
from ._fabric import Fabric
from ._graph import Graph
from ._library import core, io
from ._objects import Closing, Handle, of_type, used
from ._rows import Rows, Span
from ._schedule import Cancel, Schedule, _packed
from ._values import Path, Time

_held = core.held
ROUTINGS = {"direct": _abi.FLUX_ROTOR_DIRECT, "vlb": _abi.FLUX_ROTOR_VLB}
PHASES = {"aligned": _abi.FLUX_ROTOR_ALIGNED, "staggered": _abi.FLUX_ROTOR_STAGGERED}
SPREADS = {"spray": _abi.FLUX_PACKET_SPRAY, "hash": _abi.FLUX_PACKET_HASH}
MODES = {"clock": _abi.FLUX_REPLAY_CLOCK, "order": _abi.FLUX_REPLAY_ORDER}


class Run(NamedTuple):
    """Figures of one run; times are picoseconds, memory is bytes, shares are fractions. docs/simulate.md defines them.

    ``iteration`` is the end of the last vertex that ran, ``planned`` the schedule's makespan; ``late``, ``latest``,
    ``missed`` and ``stranded`` count what did not go as planned. ``memory`` is the peak of the bytes that were ready
    and not yet sent, ``memory_of_gpu`` the largest peak of one GPU. ``waiting`` is the mean time in which a GPU does
    not compute; ``circuit_share`` and ``port_share`` are how much of the time circuits and ports carry something.
    ``delivered`` are the bytes that arrived, ``forwarded`` those that were stored at a third GPU on the way.
    """

    iteration: int
    planned: int
    late: int
    latest: int
    missed: int
    stranded: int
    memory: int
    memory_of_gpu: int
    reconfigurations: int
    waiting: int
    circuit_share: float
    port_share: float
    delivered: int
    forwarded: int

    @property
    def done(self) -> bool:
        """Whether every vertex ran."""
        return self.stranded == 0


class GpuRun(NamedTuple):
    """What one GPU saw: its peak of bytes ready and not yet sent, and its time with and without compute."""

    memory: int
    computing: int
    waiting: int


class Part(NamedTuple):
    """What a circuit of a cycle carried of ``send`` without a cut; ``src`` and ``dst`` are those of the circuit."""

    start: int
    end: int
    bytes: int
    send: int
    switch: int
    src: int
    dst: int


class Held(NamedTuple):
    """From ``time`` on ``bytes`` are ready at ``gpu`` and not yet sent."""

    time: int
    bytes: int
    gpu: int


_PART = _rows.Table("part", Part, _abi.flux_replay_part, ("bytes",))


class Replay(Closing):
    """A schedule, read and checked once, to be run as often as you like with other compute times.

        replay = libflux.Replay(schedule)
        slowest = max(replay.run(mode="order", jitter=0.05, seed=seed).iteration for seed in range(1000))

    ``Replay.cycle()`` and ``Replay.rotor()`` run a fixed cycle of switch states instead, ``Replay.packet()`` packet
    switches. One thread at a time uses a replay. It is good on its own: graph, fabric and schedule may be closed.
    """

    def __init__(self, schedule: Schedule) -> None:
        of_type(schedule, Schedule, "schedule")
        memory = _rows.memory_of(_rows.SLOT, schedule.slots)
        self._make(schedule.graph, schedule.fabric, core.free.flux_replay_new, _packed(memory), memory.length)

    def _make(self, graph: Graph, fabric: Fabric, function: Any, *arguments: Any) -> None:
        of_type(graph, Graph, "graph"), of_type(fabric, Fabric, "fabric")
        pointer, error = POINTER(_abi.flux_replay)(), _abi.flux_error()
        with used(graph, fabric):
            code = function(graph._pointer, fabric._pointer, *arguments, byref(pointer), byref(error))
        raise_for(code, error, "no replay")
        self._gpus = graph.gpus
        self._handle = Handle(pointer, _held.flux_replay_free)

    @classmethod
    def cycle(
        cls, graph: Graph, fabric: Fabric, states: Iterable[Tuple[int, Time, Iterable[Tuple[int, int]]]]
    ) -> Replay:
        """A fixed cycle: ``states`` are (switch, duration, [(src, dst), ...]), each switch's in their order."""
        of_type(fabric, Fabric, "fabric")
        made: List[Tuple[int, int, int]] = []
        names: List[Tuple[int, int, int]] = []
        for i, (switch, duration, circuits) in enumerate(states):
            k = _values.whole(switch, "switch of state %d" % i, 0, _values.U32)
            before = len(names)
            for src, dst in circuits:
                names.append((k, _values.whole(src, "src in state %d" % i, 0, _values.U32),
                              _values.whole(dst, "dst in state %d" % i, 0, _values.U32)))
            made.append((k, len(names) - before, _values.time(duration, "duration of state %d" % i)))
        rows = (_abi.flux_cycle_state * max(1, len(made)))(*[_abi.flux_cycle_state(*row) for row in made])
        circuits_ = (_abi.flux_circuit_name * max(1, len(names)))(*[_abi.flux_circuit_name(*row) for row in names])
        replay = cls.__new__(cls)
        replay._make(graph, fabric, core.free.flux_replay_new_cycle, rows, len(made), circuits_, len(names))
        return replay

    @classmethod
    def rotor(
        cls, graph: Graph, fabric: Fabric, duty: float = 0.9, *, routing: str = "direct", phase: str = "aligned"
    ) -> Replay:
        """RotorNet: matchings in turn, a slot and the change after it taking delay / (1 - duty) together.

        ``routing`` "vlb" also sends over a third GPU (RotorLB); with ``phase`` "staggered" switches change one after
        the other.
        """
        options = _abi.flux_rotor_options()
        options.size = sizeof(options)
        options.duty_ppm = round(_values.real(duty, "duty", 0.0, 1.0) * _abi.FLUX_PPM)
        options.routing = _values.word(routing, "routing", ROUTINGS)
        options.phase = _values.word(phase, "phase", PHASES)
        replay = cls.__new__(cls)
        replay._make(graph, fabric, core.free.flux_replay_new_rotor, byref(options))
        return replay

    @classmethod
    def packet(
        cls, graph: Graph, fabric: Fabric, *, planes: int = 1, failed: int = 0, spread: str = "spray", seed: int = 0
    ) -> Replay:
        """Packet switches with the same links instead of the circuit switches: sends share them max-min fairly.

        Each of ``planes`` has its part of every GPU's rate, and ``failed`` of them carry nothing. ``spread`` "spray":
        every send uses all planes; "hash": each goes over one, chosen by ``seed``.
        """
        options = _abi.flux_packet_options()
        options.size = sizeof(options)
        options.planes = _values.whole(planes, "planes", 1, _values.U32)
        options.failed = _values.whole(failed, "failed", 0, _values.U32)
        options.spread = _values.word(spread, "spread", SPREADS)
        options.seed = _values.whole(seed, "seed")
        replay = cls.__new__(cls)
        replay._make(graph, fabric, core.free.flux_replay_new_packet, byref(options))
        return replay

    def run(
        self,
        *,
        mode: str = "clock",
        jitter: float = 0.0,
        seed: int = 0,
        factors: Any = None,
        cancel: Optional[Cancel] = None,
    ) -> Run:
        """One run.

        mode: "clock": circuits change at the planned times, whatever happens; "order": switches keep the planned order
            and wait.
        jitter: each compute takes 1 - jitter to 1 + jitter of its time, drawn by ``seed`` and the vertex alone.
        factors: by GPU, how much of their time its computes take: a sequence, or a dict of the GPUs that differ
            (``{3: 1.2}``: GPU 3 is a straggler).
        cancel: stops a run of a cycle, which may be long, from another thread: a CancelledError.
        """
        options = _abi.flux_replay_options()
        options.size = sizeof(options)
        options.mode = _values.word(mode, "mode", MODES)
        options.jitter_ppm = round(_values.real(jitter, "jitter", 0.0, 1.0) * _abi.FLUX_PPM)
        options.seed = _values.whole(seed, "seed")
        if factors is not None:
            rows = self._factors(factors)
            options.factors_ppm, options.factor_count = rows, len(rows)
        if cancel is not None:
            options.cancel = of_type(cancel, Cancel, "cancel")._pointer._as_parameter_
        error = _abi.flux_error()
        _ = self._writable  # one run at a time
        with used(self, *([cancel] if cancel is not None else [])):
            code = core.free.flux_replay_run(self._pointer, byref(options), byref(error))
        raise_for(code, error)
        return self.summary

    def _factors(self, factors: Any) -> Any:
        rows = (c_uint32 * self._gpus)(*([_abi.FLUX_PPM] * self._gpus))
        if hasattr(factors, "items"):
            pairs = [(_values.whole(g, "a GPU of factors", 0, self._gpus - 1), f) for g, f in factors.items()]
        else:
            if isinstance(factors, (str, bytes)) or not hasattr(factors, "__iter__"):
                raise TypeError("factors are numbers by GPU, or a dict of those that differ, not %r" % (factors,))
            pairs = list(enumerate(factors))
            if len(pairs) != self._gpus:
                raise ArgumentError("there are %d factors for %d GPUs" % (len(pairs), self._gpus))
        for gpu, factor in pairs:
            rows[gpu] = round(_values.real(factor, "the factor of GPU %d" % gpu, 0.0, 4294.0) * _abi.FLUX_PPM)
        return rows

    @property
    def summary(self) -> Run:
        """The figures of the last run; ArgumentError before the first."""
        row = _abi.flux_replay_summary()
        row.size = sizeof(row)
        raise_for(_held.flux_replay_summary(self._pointer, byref(row)), text="this replay was not run yet")
        return Run(
            row.iteration, row.planned, row.late, row.latest, row.missed, row.stranded, row.memory, row.memory_of_gpu,
            row.reconfigurations, row.waiting, row.circuit_ppm / _abi.FLUX_PPM, row.port_ppm / _abi.FLUX_PPM,
            row.delivered, row.forwarded,
        )  # fmt: skip

    @property
    def times(self) -> List[Span]:
        """When each vertex ran in the last run: a copy. One that never ran has start and end -1."""
        count = c_uint64()
        with used(self):
            rows = _held.flux_replay_times(self._pointer, byref(count))
            return list(Rows[Span](_rows.SPAN, rows, count.value, None))

    @property
    def ready(self) -> List[int]:
        """When all that each vertex waits for was there, in the last run; -1 where it never was."""
        count = c_uint64()
        with used(self):
            rows = _held.flux_replay_ready(self._pointer, byref(count))
            return list(rows[: count.value]) if count.value else []

    @property
    def gpus(self) -> List[GpuRun]:
        """What each GPU saw in the last run."""
        count = c_uint64()
        with used(self):
            rows = _held.flux_replay_gpus(self._pointer, byref(count))
            return [GpuRun(rows[i].memory, rows[i].computing, rows[i].waiting) for i in range(count.value)]

    @property
    def parts(self) -> List[Part]:
        """What circuits of a cycle carried in the last run, in the order in which it ended: a copy. None of a schedule,
        which carries every send at once."""
        count = c_uint64()
        with used(self):
            rows = _held.flux_replay_parts(self._pointer, byref(count))
            return list(Rows[Part](_PART, rows, count.value, None))

    @property
    def memory(self) -> List[Held]:
        """NIC memory over the last run: a row for each change, by time; of several for one GPU at one time the last
        counts. ArgumentError before the first run."""
        rows, count, error = POINTER(_abi.flux_replay_held)(), c_uint64(), _abi.flux_error()
        _ = self._writable  # the library makes the rows now
        with used(self):
            raise_for(_held.flux_replay_memory(self._pointer, byref(rows), byref(count), byref(error)), error)
            return [Held(rows[i].time, rows[i].bytes, rows[i].gpu) for i in range(count.value)]

    def _write(self, function: str, path: Path, *parts: Any) -> None:
        error, name = _abi.flux_error(), _values.path(path)
        _ = self._writable
        with used(self, *parts):
            arguments = [part._pointer for part in (*parts, self)]
            code = getattr(io().free, function)(name, *arguments, byref(error))
        raise_for(code, error)

    def write_csv(self, path: Path, graph: Graph) -> None:
        """The last run: send,src,dst,bytes,ready_ps,start_ps,end_ps,delay_ps, a row per send of its ``graph``."""
        self._write("flux_write_replay", path, of_type(graph, Graph, "graph"))

    def write_memory(self, path: Path) -> None:
        """NIC memory over the last run: time_ps,gpu,bytes, a row for each change."""
        self._write("flux_write_replay_memory", path)

    def write_perfetto(self, path: Path, graph: Graph, fabric: Fabric) -> None:
        """The last run as a trace for https://ui.perfetto.dev: a lane per GPU, NIC memory and circuits as counters."""
        self._write("flux_write_replay_perfetto", path, of_type(graph, Graph, "graph"), of_type(fabric, Fabric, "fabric"))

    def __repr__(self) -> str:
        return "<libflux.Replay, closed>" if self.closed else "<libflux.Replay: %d GPUs>" % self._gpus
