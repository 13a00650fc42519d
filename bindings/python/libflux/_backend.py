# SPDX-License-Identifier: Apache-2.0
"""Solver backends written in Python, over the same table of functions that one in C fills."""
from __future__ import annotations

import ctypes
import itertools
import threading
from ctypes import addressof, c_char_p, c_double, c_uint8, c_uint32, c_uint64, sizeof
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Type

from . import _abi, _values
from ._errors import ArgumentError

STATUS = {
    "unknown": _abi.FLUX_MILP_UNKNOWN, "feasible": _abi.FLUX_MILP_FEASIBLE, "optimal": _abi.FLUX_MILP_OPTIMAL,
    "infeasible": _abi.FLUX_MILP_INFEASIBLE, "unbounded": _abi.FLUX_MILP_UNBOUNDED,
}  # fmt: skip
CAPABILITIES = {
    "optimal": _abi.FLUX_BACKEND_OPTIMAL, "bound": _abi.FLUX_BACKEND_BOUND, "start": _abi.FLUX_BACKEND_START,
    "cancel": _abi.FLUX_BACKEND_CANCEL, "deterministic": _abi.FLUX_BACKEND_DETERMINISTIC,
    "solves": _abi.FLUX_BACKEND_SOLVES,
}  # fmt: skip
_TEXT = 480  # bytes of a sentence


class BackendParameter(NamedTuple):
    """A setting of a backend: its key without the backend's name, what it takes, its default, and what it does."""

    key: str
    values: str
    preset: str
    about: str


class Solution(NamedTuple):
    """What a backend found.

    ``status`` is "unknown", "feasible" (a point), "optimal" (a point, proven best), "infeasible" (no point below the
    cutoff) or "unbounded". ``values`` is a number per column, ``objective`` their cost; no point costs less than
    ``bound``. ``nodes`` is for the statistics.
    """

    status: str
    values: Any = None
    objective: float = 0.0
    bound: float = float("-inf")
    nodes: int = 0


class Milp:
    """Minimise cost * x, subject to row_lower <= A x <= row_upper and column_lower <= x <= column_upper.

    Arrays are on the library's memory and good until solve() returns: index them, or give them to numpy.asarray(),
    which makes no copy. Entries of row r are ``row_first[r]`` to ``row_first[r + 1] - 1`` of ``entry_column`` and
    ``entry_value``. ``start`` is a point to begin with, or None; only points below ``cutoff`` are wanted.
    """

    def __init__(self, milp: Any) -> None:
        self.columns: int = milp.columns
        self.rows: int = milp.rows
        self.column_lower = _array(milp.column_lower, c_double, milp.columns)
        self.column_upper = _array(milp.column_upper, c_double, milp.columns)
        self.cost = _array(milp.cost, c_double, milp.columns)
        #: 1 for a column that is 0 or 1, else 0
        self.binary = _array(milp.column_kind, c_uint8, milp.columns)
        self.row_lower = _array(milp.row_lower, c_double, milp.rows)
        self.row_upper = _array(milp.row_upper, c_double, milp.rows)
        self.row_first = _array(milp.row_first, c_uint64, milp.rows + 1)
        self.entry_column = _array(milp.entry_column, c_uint32, milp.entries)
        self.entry_value = _array(milp.entry_value, c_double, milp.entries)
        self.start = _array(milp.start, c_double, milp.columns) if milp.start else None
        self.cutoff: float = milp.cutoff


class SolverRun:
    """What a running solve asks, and tells. Its methods may be called on any one thread at a time."""

    def __init__(self, run: Any, columns: int) -> None:
        self._run, self._columns = run, columns
        #: seconds until the deadline, at the begin of the solve; None: there is no deadline
        self.remaining: Optional[float] = None if run.remaining_ns == _values.U64 else run.remaining_ns / 1e9

    def stop(self) -> bool:
        """Whether to come back soon with what there is. Ask every few milliseconds."""
        return bool(self._run.stop and self._run.stop(self._run.user))

    def incumbent(self, values: Any, objective: float) -> None:
        """Tells a better point as it is found."""
        if self._run.incumbent:
            self._run.incumbent(self._run.user, (c_double * self._columns)(*values), objective)


class Backend:
    """A solver for mixed-integer programs, for ``schedule(backend=...)``: derive from it and give the class.

    ``name`` is [a-z][a-z0-9_]*, ``capabilities`` are words: "solves" (it is a solver at all), "optimal" (it can prove
    optimality), "bound" (it has a bound when stopped), "start" (it makes use of Milp.start), "cancel" (it asks
    stop() within 50 ms), "deterministic". An instance serves one solve after another, on one thread at a time; several
    may be at work at once. What solve() returns is not taken on trust. What it raises comes out of schedule().
    """

    name: str = ""
    capabilities: Sequence[str] = ()
    parameters: Sequence[BackendParameter] = ()

    @classmethod
    def version(cls) -> str:
        """The solver's own version."""
        return ""

    def set(self, key: str, value: str) -> None:
        """Takes a parameter: a ValueError with a sentence for a key or a value that it does not know."""
        raise ArgumentError("%s has no parameter %s" % (self.name, key))

    def solve(self, program: Milp, run: SolverRun) -> Solution:
        """Solves a program."""
        raise NotImplementedError("%s has no solve()" % type(self).__name__)


def _array(pointer: Any, kind: Any, count: int) -> Any:
    if not pointer or not count:
        return (kind * 0)()
    return (kind * count).from_address(addressof(pointer.contents))


_raised = threading.local()


def forget() -> None:
    """Before a run on this thread."""
    _raised.error = None


def raised() -> Optional[BaseException]:
    """What a backend raised on this thread since forget()."""
    error: Optional[BaseException] = getattr(_raised, "error", None)
    return error


class _Table:
    """The table of functions of one class, and what keeps it in place."""

    def __init__(self, kind: Type[Backend]) -> None:
        self.kind = kind
        self.instances: Dict[int, Backend] = {}
        self.numbers = itertools.count(1)
        self.version_text = ctypes.create_string_buffer(_values.text(kind.version(), "a backend's version"))
        self.rows = [_abi.flux_backend_parameter(*[_values.text(text, "a parameter's text") for text in row])
                     for row in kind.parameters]  # fmt: skip
        self.struct = _abi.flux_backend()
        self.struct.abi = _abi.FLUX_BACKEND_ABI
        self.struct.size = sizeof(self.struct)
        self.struct.name = _values.text(kind.name, "a backend's name")
        self.struct.capabilities = sum(_values.word(word, "a capability", CAPABILITIES) for word in
                                       set(kind.capabilities))  # fmt: skip
        types: Dict[str, Any] = {row[0]: row[1] for row in self.struct._fields_}
        functions: Dict[str, Callable[..., Any]] = {
            "version": lambda: addressof(self.version_text),
            "describe": lambda i: addressof(self.rows[i]) if i < len(self.rows) else None,
            "open": self.open, "set": self.set, "solve": self.solve, "close": self.close,
        }  # fmt: skip
        for name, function in functions.items():
            setattr(self.struct, name, types[name](function))

    def guarded(self, error: Any, what: str, function: Callable[[], None], refusal: bool = False) -> int:
        """Runs a method of the backend; what it raises becomes a code and a sentence, since C knows no exceptions."""
        try:
            function()
            return 0
        except BaseException as problem:
            said = "%s" % problem or type(problem).__name__
            if refusal and isinstance(problem, ValueError):
                text, code = said, _abi.FLUX_E_ARGUMENT
            else:
                _raised.error = problem
                text = "%s.%s raised %s: %s" % (self.kind.__name__, what, type(problem).__name__, said)
                code = _abi.FLUX_E_MEMORY if isinstance(problem, MemoryError) else _abi.FLUX_E_BACKEND
            error.contents.text = " ".join(text.split()).encode("utf-8", "replace")[:_TEXT]
            return code

    def open(self, env: Any, instance: Any, error: Any) -> int:
        def make() -> None:
            number = next(self.numbers)
            self.instances[number] = self.kind()
            instance[0] = number

        return self.guarded(error, "__init__()", make)

    def set(self, instance: int, key: Any, value: Any, error: Any) -> int:
        texts = [ctypes.cast(text, c_char_p).value or b"" for text in (key, value)]
        name, setting = (text.decode("utf-8", "replace") for text in texts)
        return self.guarded(error, "set()", lambda: self.instances[instance].set(name, setting), refusal=True)

    def solve(self, instance: int, milp: Any, run: Any, result: Any, error: Any) -> int:
        def work() -> None:
            program = Milp(milp.contents)
            found = self.instances[instance].solve(program, SolverRun(run.contents, program.columns))
            status = _values.word(found.status, "status", STATUS)
            row = result.contents
            if status in (_abi.FLUX_MILP_FEASIBLE, _abi.FLUX_MILP_OPTIMAL):
                if found.values is None or len(found.values) != program.columns:
                    raise ValueError("values are a number per column: %d of them" % program.columns)
                _array(row.values, c_double, program.columns)[:] = [float(value) for value in found.values]
                row.objective = float(found.objective)
            row.bound, row.nodes, row.status = float(found.bound), int(found.nodes), status

        return self.guarded(error, "solve()", work)

    def close(self, instance: int) -> None:
        self.instances.pop(instance, None)


_tables: Dict[Type[Backend], _Table] = {}


def table_of(backend: Any) -> Any:
    """The struct flux_backend of a class, made once and kept."""
    if not (isinstance(backend, type) and issubclass(backend, Backend)):
        raise TypeError("backend is a name, or a class derived from libflux.Backend, not %r" % (backend,))
    if backend not in _tables:
        _tables[backend] = _Table(backend)
    return _tables[backend].struct
