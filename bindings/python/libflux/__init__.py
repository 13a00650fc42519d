# SPDX-License-Identifier: Apache-2.0
"""Schedules optical circuit switches from the dependency graph of a training iteration.

    import libflux
    graph = libflux.Graph(4)
    a = graph.add_send(0, 1, 64 << 20)
    b = graph.add_send(1, 2, 64 << 20)
    graph.add_edge(a, b, "10us")                  # or picoseconds as int
    fabric = libflux.Fabric(4, switches=2, rate="800Gbps", delay="10us")
    schedule = libflux.schedule(graph, fabric, time_limit="10s")
    schedule.status, schedule.makespan, schedule.bound, schedule.gap

Times are picoseconds, sizes bytes and rates bits per second, all of them whole numbers, or texts with a unit.
docs/python.md tells more.
"""
from . import demand
from ._backend import Backend, BackendParameter, Milp, Solution, SolverRun
from ._certificate import Certificate, Lift
from ._compare import Comparison, compare, schedulers, write_comparisons
from ._errors import (
    AbiError,
    ArgumentError,
    BackendError,
    BusyError,
    CallError,
    CancelledError,
    ClosedError,
    CycleError,
    Error,
    FileError,
    FormatError,
    InfeasibleError,
    MismatchError,
    OutOfMemoryError,
    ProblemError,
    RunError,
    TimeOverflowError,
    TooBigError,
)
from ._extras import MissingPackageError
from ._fabric import Fabric
from ._files import Format, Loaded, formats, load, load_chakra
from ._formulation import Model, model
from ._generate import Operation, generate, operations
from ._graph import Graph
from ._library import LibraryError, core as _core, version_text as _version_text
from ._program import Event, Program
from ._replan import Replan, ReplanSummary, replan
from ._replay import GpuRun, Held, Part, Replay, Run
from ._rows import Circuit, Compute, Edge, Port, Rows, Send, Slot, Span, dtype
from ._schedule import Cancel, Progress, Schedule, Statistics, backends, bound, check, schedule
from ._tables import Frames
from ._values import format_rate, format_size, format_time, parse_rate, parse_size, parse_time
from ._write import (
    names,
    write_chakra,
    write_csv,
    write_document,
    write_dot,
    write_goal,
    write_networkx,
    write_perfetto,
    write_svg,
)

__version__ = _version_text(_core.version)

__all__ = [
    "AbiError", "ArgumentError", "Backend", "BackendError", "BackendParameter", "BusyError", "CallError", "Cancel",
    "CancelledError", "Certificate", "Circuit", "ClosedError", "Comparison", "Compute", "CycleError", "Edge", "Error",
    "Event", "Fabric", "FileError", "Format", "FormatError", "Frames", "GpuRun", "Graph", "Held", "InfeasibleError",
    "LibraryError", "Lift", "Loaded", "Milp", "MismatchError", "MissingPackageError", "Model", "Operation",
    "OutOfMemoryError", "Part", "Port", "ProblemError", "Program", "Progress", "Replan", "ReplanSummary", "Replay",
    "Rows", "Run", "RunError", "Schedule", "Send", "Slot", "Solution", "SolverRun", "Span", "Statistics",
    "TimeOverflowError", "TooBigError", "backends", "bound", "check", "compare", "demand", "dtype", "format_rate",
    "format_size", "format_time", "formats", "generate", "load", "load_chakra", "model", "names", "operations",
    "parse_rate", "parse_size", "parse_time", "replan", "schedule", "schedulers", "write_chakra", "write_comparisons",
    "write_csv", "write_document", "write_dot", "write_goal", "write_networkx", "write_perfetto", "write_svg",
]  # fmt: skip
