# SPDX-License-Identifier: Apache-2.0
"""schedule(), what it takes, and what comes back."""
from __future__ import annotations

import importlib
import signal
import threading
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_int64, c_uint64, c_void_p, cast, sizeof
from ctypes import pointer as pointer_to
from types import FrameType
from typing import Any, Callable, Dict, Iterable, Mapping, NamedTuple, Optional, Tuple, Type, Union

from . import _abi, _rows, _values
from ._backend import Backend, forget, raised, table_of
from ._certificate import Certificate
from ._errors import BackendError, raise_for
from ._fabric import Fabric
from ._graph import Graph
from ._library import core
from ._objects import Closing, Handle, of_type, used
from ._rows import Circuit, Rows, Slot, Span
from ._tables import Frames, to_pandas
from ._values import Path, Time

_held = core.held
_Progress = CFUNCTYPE(c_int, c_void_p, POINTER(_abi.flux_progress))
_PPM = 1000000
try:  # without the enumerations that the module wraps around them, which cost more than a small schedule
    _signals: Any = importlib.import_module("_signal")
except ImportError:
    _signals = signal
_SIGINT = int(signal.SIGINT)

OBJECTIVES = {
    "reconfigurations": _abi.FLUX_OBJECTIVE_RECONFIGURATIONS, "memory": _abi.FLUX_OBJECTIVE_MEMORY,
    "slack": _abi.FLUX_OBJECTIVE_SLACK,
}  # fmt: skip
EXACT = {
    "auto": _abi.FLUX_EXACT_AUTO, "never": _abi.FLUX_EXACT_NEVER,
    "always": _abi.FLUX_EXACT_ALWAYS, "only": _abi.FLUX_EXACT_ONLY,
}  # fmt: skip
FORMULATIONS = {"tight": _abi.FLUX_FORMULATION_TIGHT, "paper": _abi.FLUX_FORMULATION_PAPER}


def backends() -> Dict[str, str]:
    """The solver backends that were compiled in, the default first, with their versions."""
    found: Dict[str, str] = {}
    while backend := _held.flux_backend_builtin(len(found)):
        row = backend.contents
        version = cast(row.version(), c_char_p).value if row.version else None
        found[row.name.decode()] = version.decode() if version else ""
    return found


def gap_of(makespan: int, bound: int) -> float:
    return (makespan - bound) / bound if bound > 0 else 0.0


class Progress(NamedTuple):
    """What a progress callback is told. ``makespan`` is None before the first schedule; ``elapsed`` is in seconds."""

    phase: str
    makespan: Optional[int]
    bound: int
    work: int
    elapsed: float

    @property
    def gap(self) -> Optional[float]:
        """How far the best schedule so far can be from the best there is, as a fraction of the bound."""
        return None if self.makespan is None else gap_of(self.makespan, self.bound)


class Statistics(NamedTuple):
    """Where the time went (seconds), and how the search ended. What stands behind ``second`` (seconds spent on second
    objectives) is of the schedule that the search for the makespan left (``..._before``) and of the one that was
    returned, and 0 where no second objectives were asked for: ``memory`` is the peak at the fullest NIC in bytes,
    ``slack`` in picoseconds how much later a send could start, on average (-1: not measured)."""

    build: float
    bound: float
    construct: float
    improve: float
    exact: float
    check: float
    work: int
    constructions: int
    rule: str
    stopped: str
    backend_used: bool
    backend_disbelieved: bool
    second: float
    reconfigurations_before: int
    reconfigurations: int
    memory_before: int
    memory: int
    slack_before: int
    slack: int


class Cancel(Closing):
    """A flag that stops a schedule() from another thread. One flag may serve several runs at once, and be reset."""

    def __init__(self) -> None:
        pointer = POINTER(_abi.flux_cancel)()
        raise_for(_held.flux_cancel_new(None, byref(pointer)), text="no flag")
        self._handle = Handle(pointer, _held.flux_cancel_free)

    def request(self) -> None:
        """Runs with this flag end soon, with the best schedule so far."""
        _held.flux_cancel_request(self._pointer)

    def reset(self) -> None:
        """The flag is down again."""
        _held.flux_cancel_reset(self._pointer)

    @property
    def requested(self) -> bool:
        """Whether the flag is up."""
        return bool(_held.flux_cancel_requested(self._pointer))


class Schedule(Closing):
    """Which send goes when, on which switch, and how good that is. It was checked, and never changes."""

    def __init__(self, pointer: Any, graph: Graph, fabric: Fabric, interrupted: bool = False) -> None:
        self._handle = Handle(pointer, _held.flux_schedule_free)
        self._graph, self._fabric = graph, fabric
        self._interrupted = interrupted

    @classmethod
    def from_slots(cls, graph: Graph, fabric: Fabric, slots: Any) -> Schedule:
        """A schedule of anyone's slots (Slot tuples, rows of another schedule, a structured array), one per send:
        checked, with circuits, times and our bound. MismatchError with the first violation."""
        of_type(graph, Graph, "graph"), of_type(fabric, Fabric, "fabric")
        memory = _rows.memory_of(_rows.SLOT, slots)
        pointer, error = POINTER(_abi.flux_schedule)(), _abi.flux_error()
        with used(graph, fabric):
            code = core.free.flux_schedule_from_slots(
                graph._pointer, fabric._pointer, _packed(memory), memory.length, byref(pointer), byref(error)
            )
        raise_for(code, error)
        return cls(pointer, graph, fabric)

    @classmethod
    def _part_of(cls, pointer: Any, graph: Graph, fabric: Fabric, keep: Handle) -> Schedule:
        schedule = cls.__new__(cls)
        schedule._handle = Handle(pointer, None, keep)
        schedule._graph, schedule._fabric, schedule._interrupted = graph, fabric, False
        return schedule

    @property
    def graph(self) -> Graph:
        """What was scheduled."""
        return self._graph

    @property
    def fabric(self) -> Fabric:
        """On what it was scheduled."""
        return self._fabric

    @property
    def status(self) -> str:
        """"optimal": proven, see the certificate. "feasible": checked, not proven best."""
        return "optimal" if _held.flux_schedule_status(self._pointer) == _abi.FLUX_OPTIMAL else "feasible"

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no schedule is faster."""
        return self.status == "optimal"

    @property
    def makespan(self) -> int:
        """Picoseconds until everything has ended."""
        return int(_held.flux_schedule_makespan(self._pointer))

    @property
    def bound(self) -> int:
        """Picoseconds that no schedule beats."""
        return int(_held.flux_schedule_bound(self._pointer))

    @property
    def gap(self) -> float:
        """How far this can be from the best, as a fraction of the bound."""
        return gap_of(self.makespan, self.bound)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search."""
        return self._interrupted

    @property
    def certificate(self) -> Certificate:
        """Why the bound holds."""
        handle = self._pointer
        return Certificate(Handle(_held.flux_schedule_certificate(handle), None, keep=handle))

    @property
    def reconfigurations(self) -> int:
        """How many circuits are set up after another one on one of their ports."""
        return int(_held.flux_schedule_reconfigurations(self._pointer))

    def _rows(self, table: _rows.Table, function: Any) -> Any:
        count, handle = c_uint64(), self._pointer
        return Rows(table, function(handle, byref(count)), count.value, handle)

    @property
    def slots(self) -> Rows[Slot]:
        """A row per send, by number of the send."""
        return self._rows(_rows.SLOT, _held.flux_schedule_slots)  # type: ignore[no-any-return]

    @property
    def circuits(self) -> Rows[Circuit]:
        """A row per circuit that is set up, by switch, then ``up``, then source: the program of a controller."""
        return self._rows(_rows.CIRCUIT, _held.flux_schedule_circuits)  # type: ignore[no-any-return]

    @property
    def times(self) -> Rows[Span]:
        """When each vertex runs, sends and computes alike."""
        return self._rows(_rows.SPAN, _held.flux_schedule_times)  # type: ignore[no-any-return]

    @property
    def statistics(self) -> Statistics:
        """Where the time went."""
        row = _abi.flux_statistics()
        row.size = sizeof(row)
        raise_for(_held.flux_schedule_statistics(self._pointer, byref(row)), text="no statistics")
        return Statistics(
            row.build_ns / 1e9, row.bound_ns / 1e9, row.construct_ns / 1e9, row.improve_ns / 1e9, row.exact_ns / 1e9,
            row.check_ns / 1e9, row.work, row.constructions, _held.flux_search_name(row.rule).decode(),
            _held.flux_stopped_name(row.stopped).decode(), bool(row.backend_used), bool(row.backend_disbelieved),
            row.second_ns / 1e9, row.reconfigurations_before, row.reconfigurations, row.memory_before, row.memory,
            row.slack_before, row.slack,
        )  # fmt: skip

    def check(self) -> int:
        """Checks it again against graph and fabric as they are now; the makespan, or a MismatchError."""
        return check(self._graph, self._fabric, self.slots)

    def write_document(self, path: Path) -> None:
        """Workload, fabric and schedule as one document: JSON where the name ends in ".json", else YAML."""
        from ._write import write_document

        write_document(path, self._graph, self._fabric, self)

    def write_csv(self, path: Path) -> None:
        """A row per send."""
        from ._write import write_csv

        write_csv(path, self)

    def write_perfetto(self, path: Path) -> None:
        """A trace for https://ui.perfetto.dev."""
        from ._write import write_perfetto

        write_perfetto(path, self)

    def write_svg(self, path: Path, **window: Any) -> None:
        """A timeline: see write_svg() of the module for ``begin``, ``end``, ``width``, ``gpu_first`` and
        ``gpu_count``."""
        from ._write import write_svg

        write_svg(path, self, **window)

    def to_pandas(self) -> Frames:
        """Sends, states of the switches and timelines as pandas tables: see Frames. Needs pandas."""
        return to_pandas(self)

    def plot(
        self,
        panels: Iterable[str] = ("timeline", "utilisation", "memory"),
        *,
        begin: Time = 0,
        end: Optional[Time] = None,
        gpus: Optional[Iterable[int]] = None,
        figure: Any = None,
    ) -> Any:
        """Draws it, and returns the Matplotlib figure.

        panels: "timeline" (what each port does: colours are partners, grey is a change), "utilisation" (how many of all
            ports are busy or changing) and "memory" (bytes that are ready and not yet sent), from top to bottom.
        begin, end: the part of time that is shown; all of it otherwise.
        gpus: whose ports and memory are shown; the first 16 otherwise.
        figure: a Matplotlib figure or subfigure to draw into; a new one otherwise.
        """
        from ._plot import plot

        return plot(self, panels, begin, end, gpus, figure)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from ._picture import html

        return html(self)

    def __repr__(self) -> str:
        if self.closed:
            return "<libflux.Schedule, closed>"
        return "<libflux.Schedule: %s, makespan %s, gap %.4g %%>" % (
            self.status, _values.format_time(self.makespan), 100 * self.gap,
        )  # fmt: skip


def _packed(memory: _rows.Memory) -> Any:
    """Slots are taken without a stride: rows inside larger records are copied."""
    if memory.stride == _rows.SLOT.size or not memory.length:
        return memory.pointer
    names = [field.name for field in _rows.SLOT.fields]
    return _rows.memory_of(_rows.SLOT, None, {name: memory.keep[name] for name in names}).pointer


_phases: Dict[int, str] = {}


def _phase_name(phase: int) -> str:
    if phase not in _phases:
        _phases[phase] = _held.flux_phase_name(phase).decode()
    return _phases[phase]


class _Watch:
    """The callback of one run: hands progress on, keeps what it raises, and turns Ctrl-C into an early end.

    An interpreter lets signals in when Python code runs, and during a solve none does but this callback. Its own
    handler stands in for the one that raises KeyboardInterrupt, which would be lost in the middle of a callback.
    """

    def __init__(self, progress: Optional[Callable[[Progress], Any]]) -> None:
        self.progress = progress
        self.raised: Optional[BaseException] = None
        self.interrupts = 0
        self.catches = (
            threading.current_thread() is threading.main_thread()
            and _signals.getsignal(_SIGINT) is signal.default_int_handler
        )
        self.callback: Any = _Progress(self.told)

    def interrupt(self, number: int, frame: Optional[FrameType]) -> None:
        self.interrupts += 1

    def told(self, user: Any, row: Any) -> int:
        try:
            if self.progress is not None and self.raised is None:
                told = row.contents
                news = Progress(
                    _phase_name(told.phase), None if told.makespan < 0 else told.makespan,
                    told.bound, told.work, told.elapsed_ns / 1e9,
                )  # fmt: skip
                if self.progress(news):
                    return 1
        except BaseException as error:  # ctypes would print it and go on
            self.raised = error
        return int(self.raised is not None or self.interrupts > 0)

    def __enter__(self) -> _Watch:
        if self.catches:
            _signals.signal(_SIGINT, self.interrupt)
        return self

    def __exit__(self, *unused: Any) -> None:
        if self.catches:
            _signals.signal(_SIGINT, signal.default_int_handler)
        self.callback = None  # it refers to this


def _parameters(parameters: Optional[Mapping[str, Any]]) -> Tuple[Any, int]:
    if parameters is None:
        return None, 0
    if not isinstance(parameters, Mapping):
        raise TypeError("parameters is a mapping such as {'glpk.mip_gap': '0.01'}, not %r" % (parameters,))
    rows = (_abi.flux_parameter * max(1, len(parameters)))()
    for row, (key, value) in zip(rows, parameters.items()):
        row.key = _values.text(key, "a parameter's name")
        row.value = _values.text(str(value), "parameter %s" % key)
    return rows, len(parameters)


def schedule(
    graph: Graph,
    fabric: Fabric,
    *,
    time_limit: Optional[Time] = None,
    work_limit: Optional[int] = None,
    seed: int = 0,
    gap: float = 0.0,
    threads: int = 1,
    exact: str = "auto",
    formulation: str = "tight",
    backend: Union[str, Type[Backend], None] = None,
    parameters: Optional[Mapping[str, Any]] = None,
    second: Union[str, Iterable[str]] = (),
    progress: Optional[Callable[[Progress], Any]] = None,
    cancel: Optional[Cancel] = None,
) -> Schedule:
    """Schedules ``graph`` on ``fabric``.

    time_limit, work_limit: what may be spent on better schedules than the first one; None: no limit. A time is
        picoseconds as int, or a text such as ``"10s"``; work is counted in vertices placed, the same on every machine.
    seed: for the random choices of the search.
    gap: good enough, as a fraction: 0.01 stops at one percent.
    exact: "auto", "never", "always" or "only": when a solver backend is asked. ``backend`` names one, or is a class
        derived from Backend; ``parameters`` are for it: ``{"glpk.mip_gap": "0.01"}``.
    second: second objectives, one or several of "reconfigurations" (fewer), "memory" (a lower peak at the fullest NIC)
        and "slack" (more against delays): of schedules of one makespan the best by these, in this order.
    progress: called with a Progress about every 10 ms and when something improves; what is true ends the search. What
        it raises ends it as well, and comes out of schedule().
    cancel: a Cancel that another thread may request.

    Ctrl-C ends the search, and the best schedule so far is returned, with ``interrupted`` true; pressed twice, it is a
    KeyboardInterrupt. Other threads run meanwhile.
    """
    of_type(graph, Graph, "graph"), of_type(fabric, Fabric, "fabric")
    options = _abi.flux_options()
    options.size = sizeof(options)
    if time_limit is not None:
        options.time_limit_ns = max(1, -(-_values.time(time_limit, "time_limit") // 1000))
    if work_limit is not None:
        options.work_limit = _values.whole(work_limit, "work_limit", 1)
    options.seed = _values.whole(seed, "seed")
    options.gap_ppm = int(_values.real(gap, "gap", 0.0, 4294.0) * _PPM)
    options.threads = _values.whole(threads, "threads", 1, _values.U32)
    options.exact = _values.word(exact, "exact", EXACT)
    options.formulation = _values.word(formulation, "formulation", FORMULATIONS)
    if isinstance(backend, str):
        options.backend_name = _values.text(backend, "backend")
    elif backend is not None:
        options.backend = pointer_to(table_of(backend))
        forget()
    for objective in (second,) if isinstance(second, str) else second:
        options.objectives |= _values.word(objective, "second", OBJECTIVES)
    rows, options.parameter_count = _parameters(parameters)
    if rows is not None:
        options.parameters = rows
    if progress is not None and not callable(progress):
        raise TypeError("progress is a function, not %r" % (progress,))
    if cancel is not None:
        options.cancel = of_type(cancel, Cancel, "cancel")._pointer._as_parameter_
    watch = _Watch(progress)
    if progress is not None or watch.catches:
        options.progress = watch.callback
    pointer, error = POINTER(_abi.flux_schedule)(), _abi.flux_error()
    with used(graph, fabric, *([cancel] if cancel is not None else [])), watch:
        code = core.free.flux_schedule(graph._pointer, fabric._pointer, byref(options), byref(pointer), byref(error))
    made = Schedule(pointer, graph, fabric, watch.interrupts > 0) if code == 0 else None
    if watch.raised is not None:
        raise watch.raised
    if watch.interrupts > 1 or (watch.interrupts and made is None):
        raise KeyboardInterrupt
    if options.backend and (problem := raised()) is not None:
        if not isinstance(problem, Exception):
            raise problem
        text = error.text.decode("utf-8", "replace") or repr(problem)
        raise BackendError(text, code=code or _abi.FLUX_E_BACKEND) from problem
    raise_for(code, error)
    assert made is not None
    return made


def bound(graph: Graph, fabric: Fabric) -> Certificate:
    """The best lower bound that is found without scheduling, with its certificate."""
    of_type(graph, Graph, "graph"), of_type(fabric, Fabric, "fabric")
    pointer, error = POINTER(_abi.flux_certificate)(), _abi.flux_error()
    with used(graph, fabric):
        code = core.free.flux_bound(graph._pointer, fabric._pointer, byref(pointer), byref(error))
    raise_for(code, error)
    return Certificate(Handle(pointer, _held.flux_certificate_free))


def check(graph: Graph, fabric: Fabric, slots: Any) -> int:
    """The makespan of anyone's slots, in any order, one per send; MismatchError with the first violation."""
    of_type(graph, Graph, "graph"), of_type(fabric, Fabric, "fabric")
    memory = _rows.memory_of(_rows.SLOT, slots)
    makespan, error = c_int64(), _abi.flux_error()
    with used(graph, fabric):
        code = core.free.flux_check(
            graph._pointer, fabric._pointer, _packed(memory), memory.length, byref(makespan), byref(error)
        )
    raise_for(code, error)
    return makespan.value
