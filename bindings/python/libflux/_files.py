# SPDX-License-Identifier: Apache-2.0
"""Reading workloads, fabrics and schedules from files, over libflux-io."""
from __future__ import annotations

from ctypes import POINTER, byref, c_char_p, c_uint64, sizeof
from fractions import Fraction
from typing import Any, List, NamedTuple, Optional, Sequence, Union

from . import _abi, _rows, _values
from ._certificate import Certificate
from ._errors import ArgumentError, FormatError, MismatchError, raise_for
from ._fabric import Fabric
from ._graph import Graph
from ._library import io
from ._objects import Handle, of_type, used
from ._rows import Rows, Slot
from ._schedule import Schedule
from ._values import Path, Size, Time

DEPS = {"auto": _abi.FLUX_DEPS_AUTO, "data": _abi.FLUX_DEPS_DATA, "data+ctrl": _abi.FLUX_DEPS_DATA_CTRL}
MISSING = {"error": _abi.FLUX_MISSING_ERROR, "warn": _abi.FLUX_MISSING_WARN}
ALGORITHMS = {
    "default": _abi.FLUX_ALGORITHM_DEFAULT, "ring": _abi.FLUX_ALGORITHM_RING, "direct": _abi.FLUX_ALGORITHM_DIRECT,
    "halving-doubling": _abi.FLUX_ALGORITHM_HALVING_DOUBLING,
    "bidirectional-ring": _abi.FLUX_ALGORITHM_BIDIRECTIONAL_RING,
    "recursive-doubling": _abi.FLUX_ALGORITHM_RECURSIVE_DOUBLING, "binomial-tree": _abi.FLUX_ALGORITHM_BINOMIAL_TREE,
    "double-binary-tree": _abi.FLUX_ALGORITHM_DOUBLE_BINARY_TREE, "hierarchical": _abi.FLUX_ALGORITHM_HIERARCHICAL,
}  # fmt: skip
ENDPOINTS = {"rank": _abi.FLUX_ENDPOINTS_RANK, "nic": _abi.FLUX_ENDPOINTS_NIC}


class Loaded(NamedTuple):
    """What a file holds; ``graph``, ``fabric`` and ``slots`` are None where it has none.

    ``warnings`` and ``notes`` say what was assumed, mended or left out. ``counts`` has "ranks", "nodes", "collectives",
    "messages", "bytes", "makespan", "bound", "control_kept" and "control_dropped". ``certificate`` is why the bound of
    the schedule in the file holds, as the file says it: its check() tells whether that is so.
    """

    format: str
    graph: Optional[Graph]
    fabric: Optional[Fabric]
    slots: Optional[Rows[Slot]]
    warnings: List[str]
    notes: List[str]
    counts: "dict[str, int]"
    certificate: Optional[Certificate]

    def schedule(self) -> Schedule:
        """The schedule in the file, checked against graph and fabric in it."""
        if self.graph is None or self.fabric is None or self.slots is None:
            raise MismatchError("the file has no schedule with its workload and fabric")
        return Schedule.from_slots(self.graph, self.fabric, self.slots)


COUNTS = ("ranks", "nodes", "collectives", "messages", "bytes", "makespan", "bound", "control_kept", "control_dropped")


def load(
    path: Path,
    *,
    deps: str = "auto",
    missing_parent: str = "error",
    strict: bool = False,
    ranks: Optional[int] = None,
    size_scale: Union[int, str, Fraction] = 1,
    groups: Optional[Path] = None,
    peak_flops: Optional[float] = None,
    memory_rate: Optional[float] = None,
    overlap_compute: bool = False,
    chunks: int = 1,
    all_reduce: str = "default",
    all_gather: str = "default",
    reduce_scatter: str = "default",
    all_to_all: str = "default",
    broadcast: str = "default",
    node: Optional[int] = None,
    collectives: Optional[Path] = None,
    algorithms: Sequence[Path] = (),
    collective_bytes: Optional[Size] = None,
    endpoints: str = "rank",
    fold: bool = False,
    compute_unit: Optional[Time] = None,
    unit: Optional[str] = None,
    step_compute: Optional[Time] = None,
    vertices_max: Optional[int] = None,
    graph: Optional[Graph] = None,
) -> Loaded:
    """Reads a native document or a trace; formats are recognised by content.

    ``path`` is a file, or the prefix of a trace set (PREFIX.0.et, PREFIX.1.et, ...). ``size_scale`` multiplies message
    sizes: a whole number or a fraction (``"3/2"``). ``graph`` is what a document without a workload of its own is
    about. The other options are for traces and matrices, named and explained as those of the command:
    docs/formats.md, docs/chakra.md, docs/collectives.md.
    """
    library = io()
    options = _abi.flux_import_options()
    options.size = sizeof(options)
    options.deps = _values.word(deps, "deps", DEPS)
    options.missing_parent = _values.word(missing_parent, "missing_parent", MISSING)
    options.strict = int(bool(strict))
    if ranks is not None:
        options.ranks = _values.whole(ranks, "ranks", 1, _values.U32)
    scale = _scale(size_scale)
    options.scale_num = _values.whole(scale.numerator, "size_scale", 1)
    options.scale_den = _values.whole(scale.denominator, "size_scale", 1)
    if groups is not None:
        options.groups_path = _values.path(groups, "groups")
    if peak_flops is not None:
        options.peak_flops = _values.real(peak_flops, "peak_flops", 1.0, 1e300)
    if memory_rate is not None:
        options.memory_rate = _values.real(memory_rate, "memory_rate", 1.0, 1e300)
    options.overlap_compute = int(bool(overlap_compute))
    options.chunks = _values.whole(chunks, "chunks", 1, _values.U32)
    options.all_reduce = _values.word(all_reduce, "all_reduce", ALGORITHMS)
    options.all_gather = _values.word(all_gather, "all_gather", ALGORITHMS)
    options.reduce_scatter = _values.word(reduce_scatter, "reduce_scatter", ALGORITHMS)
    options.all_to_all = _values.word(all_to_all, "all_to_all", ALGORITHMS)
    options.broadcast = _values.word(broadcast, "broadcast", ALGORITHMS)
    if node is not None:
        options.node = _values.whole(node, "node", 1, _values.U32)
    if collectives is not None:
        options.collectives_path = _values.path(collectives, "collectives")
    if isinstance(algorithms, (str, bytes)) or not hasattr(algorithms, "__iter__"):
        raise TypeError("algorithms are paths of MSCCL files, not %r" % (algorithms,))
    if files := [_values.path(each, "algorithms") for each in algorithms]:
        options.algorithms = (c_char_p * len(files))(*files)
        options.algorithm_count = len(files)
    if collective_bytes is not None:
        options.collective_bytes = _values.size(collective_bytes, "collective_bytes")
    options.endpoints = _values.word(endpoints, "endpoints", ENDPOINTS)
    options.fold = int(bool(fold))
    if compute_unit is not None:
        options.compute_unit = _values.time(compute_unit, "compute_unit")
    if unit is not None:
        options.unit = _values.text(unit, "unit")
    if step_compute is not None:
        options.step_compute = _values.time(step_compute, "step_compute")
    if vertices_max is not None:
        options.vertices_max = _values.whole(vertices_max, "vertices_max", 1)
    if graph is not None:
        options.graph = of_type(graph, Graph, "graph")._pointer._as_parameter_
    pointer, error, name = POINTER(_abi.flux_import)(), _abi.flux_error(), _values.path(path)
    with used(*([graph] if graph is not None else [])):
        code = library.free.flux_import(None, name, byref(options), byref(pointer), byref(error))
    raise_for(code, error)
    return _loaded(Handle(pointer, library.held.flux_import_free))


def _scale(value: Any) -> Fraction:
    if isinstance(value, (bool, float)) or not isinstance(value, (int, str, Fraction)):
        raise TypeError("size_scale is a whole number or a fraction such as '3/2', not %r" % (value,))
    try:
        scale = Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise ArgumentError("size_scale is a whole number or a fraction such as '3/2', not %r" % (value,)) from None
    if scale <= 0:
        raise ArgumentError("size_scale is %s, and is above 0" % scale)
    return scale


def _loaded(handle: Handle) -> Loaded:
    held, count = io().held, c_uint64()
    fabric = held.flux_import_fabric(handle)
    slots = held.flux_import_slots(handle, byref(count))
    certificate = held.flux_import_certificate(handle)
    graph = held.flux_import_take_graph(handle)
    return Loaded(
        held.flux_import_format(handle).decode(),
        Graph._of(graph) if graph else None,
        Fabric._copy_of(fabric) if fabric else None,
        Rows(_rows.SLOT, slots, count.value, handle) if slots else None,
        [_text(held.flux_import_warning(handle, i)) for i in range(held.flux_import_warnings(handle))],
        [_text(held.flux_import_note(handle, i)) for i in range(held.flux_import_notes(handle))],
        {name: int(held.flux_import_count(handle, name.encode())) for name in COUNTS},
        Certificate(Handle(certificate, None, handle)) if certificate else None,
    )


class Format(NamedTuple):
    """A format that load() reads: by what a file is taken for it, and the options that matter to it."""

    name: str
    about: str
    recognised: str
    options: str


def formats() -> List[Format]:
    """The formats that load() reads, in the order in which they are tried."""
    found: List[Format] = []
    while row := io().held.flux_import_formats(len(found)):
        found.append(Format(*[_text(getattr(row.contents, name) or b"") for name in Format._fields]))
    return found


def _text(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def load_chakra(prefix: Path, **options: Any) -> Loaded:
    """Reads a set of Chakra traces, as load() does; anything else is a FormatError."""
    loaded = load(prefix, **options)
    if loaded.format != "chakra":
        name = _text(_values.path(prefix))
        raise FormatError("%s holds no Chakra traces: it is a %s document" % (name, loaded.format))
    return loaded
