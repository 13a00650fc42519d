# SPDX-License-Identifier: Apache-2.0
"""Tables of the library as sequences of tuples and as NumPy arrays, and tables of the caller for the library.

NumPy is never imported here unless a NumPy array, or something that makes one of itself, comes in.
"""
from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from typing import (
    Any, Callable, Dict, Generic, Iterable, Iterator, List, NamedTuple, Optional, Tuple, TypeVar, overload,
)  # fmt: skip

from . import _abi, _values
from ._errors import ArgumentError
from ._extras import package

Row = TypeVar("Row")


class Send(NamedTuple):
    """A transfer of ``bytes`` from GPU ``src`` to GPU ``dst``. ``duration`` 0: it follows from the fabric."""

    src: int
    dst: int
    bytes: int
    duration: int = 0
    release: int = 0


class Compute(NamedTuple):
    """Time on a GPU."""

    gpu: int
    duration: int
    release: int = 0


class Edge(NamedTuple):
    """Vertex ``after`` starts no earlier than the end of vertex ``before`` plus ``lag``."""

    before: int
    after: int
    lag: int = 0


class Slot(NamedTuple):
    """When and on which switch a send goes."""

    send: int
    switch: int
    start: int
    end: int


class Circuit(NamedTuple):
    """A circuit that is set up: its ports change from ``begin`` to ``up``, it serves ``sends`` sends until ``down``."""

    switch: int
    src: int
    dst: int
    sends: int
    changed: int
    begin: int
    up: int
    down: int


class Span(NamedTuple):
    """When a vertex runs."""

    start: int
    end: int


class Port(NamedTuple):
    """A circuit by name: a switch, a source and a destination."""

    switch: int
    src: int
    dst: int


Check = Callable[[Any, str], int]


def _u32(value: Any, what: str) -> int:
    return _values.whole(value, what, 0, _values.U32)


class Field(NamedTuple):
    name: str
    offset: int
    size: int
    signed: bool
    check: Check
    most: int
    needed: bool

    @property
    def code(self) -> str:
        return "<%s%d" % ("i" if self.signed else "u", self.size)


class Table:
    """How a row of the library looks: its tuple here, its struct there."""

    def __init__(self, name: str, row: Any, struct: Any, sizes: Tuple[str, ...] = (), optional: int = 0) -> None:
        self.name, self.row, self.struct = name, row, struct
        self.size = ctypes.sizeof(struct)
        self.fields: List[Field] = []
        self.hidden = 0  # offset of `reserved`, which must be 0; at 0 there is always something else
        self.members = [member for member, _ in struct._fields_ if member != "reserved"]
        names = list(row._fields)
        for member, kind in struct._fields_:
            offset = getattr(struct, member).offset
            if member == "reserved":
                self.hidden = offset
                continue
            field, width = names.pop(0), ctypes.sizeof(kind)
            if width == 4:
                check, most, signed = _u32, _values.U32, False
            elif field in sizes:
                check, most, signed = _values.size, _values.U64, False
            else:
                check, most, signed = _values.time, _abi.FLUX_TIME_MAX, True
            self.fields.append(
                Field(field, offset, width, signed, check, most, field not in row._field_defaults)
            )

    def dtype(self, numpy: Any) -> Any:
        names, formats, offsets = [], [], []
        for field in self.fields:
            names.append(field.name)
            formats.append(field.code)
            offsets.append(field.offset)
        if self.hidden:
            names.append("reserved")
            formats.append("<u4")
            offsets.append(self.hidden)
        return numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": self.size})

    def description(self) -> List[Tuple[str, str]]:
        cells = [(field.offset, field.name, field.code) for field in self.fields]
        if self.hidden:
            cells.append((self.hidden, "reserved", "<u4"))
        return [(name, code) for _, name, code in sorted(cells)]


SEND = Table("send", Send, _abi.flux_send, ("bytes",))
COMPUTE = Table("compute", Compute, _abi.flux_compute)
EDGE = Table("edge", Edge, _abi.flux_edge)
SLOT = Table("slot", Slot, _abi.flux_slot)
CIRCUIT = Table("circuit", Circuit, _abi.flux_circuit)
SPAN = Table("span", Span, _abi.flux_time)
PORT = Table("port", Port, _abi.flux_circuit_name)
TABLES = {table.name: table for table in (SEND, COMPUTE, EDGE, SLOT, CIRCUIT, SPAN, PORT)}


def dtype(name: str) -> Any:
    """The NumPy type of a row: ``"send"``, ``"compute"``, ``"edge"``, ``"slot"``, ``"circuit"`` or ``"span"``.

    Arrays of it go into the library as they are, without a copy.
    """
    numpy = package("numpy", "dtype()")
    if name not in TABLES:
        raise ArgumentError("there are rows of %s, not %r" % (", ".join(TABLES), name))
    return TABLES[name].dtype(numpy)


class Rows(Sequence, Generic[Row]):  # type: ignore[type-arg]
    """A table that the library made: a sequence of named tuples. ``numpy.asarray(rows)`` is an array on the same
    memory, read-only, without a copy; it stays good whatever is closed."""

    def __init__(self, table: Table, pointer: Any, count: int, owner: Any) -> None:
        self._table, self._pointer, self._count, self._owner = table, pointer, count, owner

    def __len__(self) -> int:
        return self._count

    def _row(self, index: int) -> Row:
        row = self._pointer[index]
        made: Row = self._table.row(*[getattr(row, member) for member in self._table.members])
        return made

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> List[Row]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._row(i) for i in range(*index.indices(self._count))]
        return self._row(range(self._count)[index])

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, range(self._count))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Rows, list, tuple)):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = [repr(row) for row in self[:4]] + (["... %d more" % (self._count - 4)] if self._count > 4 else [])
        return "[%s]" % ", ".join(shown)

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        memory = ctypes.cast(self._pointer, ctypes.c_void_p).value or ctypes.addressof(_NOTHING)
        return {
            "version": 3,
            "shape": (self._count,),
            "typestr": "|V%d" % self._table.size,
            "descr": self._table.description(),
            "data": (memory, True),
        }


_NOTHING = ctypes.create_string_buffer(64)


class Memory(NamedTuple):
    """Rows for the library: their place, and what keeps them alive."""

    pointer: Any
    length: int
    stride: int
    keep: Any


def _numpy_for(values: Iterable[Any]) -> Any:
    """NumPy, where one of the values is an array or makes one of itself."""
    if any(hasattr(value, "__array__") for value in values):
        import numpy

        return numpy
    return None


def _at(table: Table, address: int, count: int, stride: int, keep: Any) -> Memory:
    return Memory(ctypes.cast(address, ctypes.POINTER(table.struct)), count, stride, keep)


def _as_it_is(table: Table, array: Any) -> Optional[Memory]:
    """A structured array without a copy, where its records begin with the library's row or contain it."""
    fields = array.dtype.fields
    wanted = [(field.name, field.code, field.offset) for field in table.fields]
    if table.hidden:
        wanted.append(("reserved", "<u4", table.hidden))
    if any(name not in fields or fields[name][0].str != code for name, code, _ in wanted):
        return None
    first = fields[wanted[0][0]][1] - wanted[0][2]
    if any(fields[name][1] - offset != first for name, _, offset in wanted):
        return None
    stride, address = array.strides[0], array.ctypes.data + first
    if stride < table.size or stride % 8 or address % 8:
        return None
    return _at(table, address, len(array), stride, array)


_BLOCK = 8192  # rows


def _column(numpy: Any, field: Field, values: Any) -> Any:
    array = numpy.asarray(values)
    if array.dtype.kind == "U" and not hasattr(values, "__array__"):  # numbers among texts stay numbers
        array = numpy.asarray(values, object)
    if array.ndim > 1:
        raise TypeError("%s has %d dimensions, and a column has one" % (field.name, array.ndim))
    if array.dtype.kind in "OU":
        items = enumerate(array.reshape(-1).tolist())
        whole = [field.check(value, "%s of row %d" % (field.name, i)) for i, value in items]
        return numpy.array(whole, field.code).reshape(array.shape)
    if array.dtype.kind not in "iu":
        if array.size:
            raise TypeError("%s is an array of whole numbers, not of %s" % (field.name, array.dtype))
        return array.astype(field.code)
    return array


def _check_range(numpy: Any, field: Field, array: Any) -> None:
    """An ArgumentError that names the first row whose number is out of range. What is below 0 looks larger than any
    time to an unsigned eye, so that one look is enough."""
    kind = array.dtype
    most = 256 ** kind.itemsize - 1
    if not array.size or (kind.kind == "u" and most <= field.most):
        return
    unsigned = array.view("%su%d" % (kind.byteorder if kind.byteorder in "<>" else "=", kind.itemsize))
    limit = min(field.most, most // 2) if kind.kind == "i" else field.most
    for begin in range(0, len(unsigned), _BLOCK):
        if int(unsigned[begin : begin + _BLOCK].max()) > limit:
            index = begin + int(numpy.argmax(unsigned[begin : begin + _BLOCK] > limit))
            raise ArgumentError("%s of row %d is %d, and can be 0 to %d"
                                % (field.name, index, array[index], field.most))


def _from_arrays(table: Table, numpy: Any, columns: Dict[str, Any]) -> Memory:
    arrays = {field: _column(numpy, field, columns[field.name]) for field in table.fields if field.name in columns}
    lengths = {field.name: len(array) for field, array in arrays.items() if array.ndim}
    if len(set(lengths.values())) > 1:
        raise ArgumentError("columns have different lengths: %s" % ", ".join("%s %d" % p for p in lengths.items()))
    count = next(iter(lengths.values()))
    rows = (numpy.empty if len(arrays) == len(table.fields) and not table.hidden else numpy.zeros)(
        count, table.dtype(numpy)
    )
    for field, array in arrays.items():
        _check_range(numpy, field, array.reshape(-1))
    for begin in range(0, count, _BLOCK):  # a block at a time stays in the processor's own memory
        block = rows[begin : begin + _BLOCK]
        for field, array in arrays.items():
            block[field.name] = array[begin : begin + _BLOCK] if array.ndim else array
    return _at(table, rows.ctypes.data, count, table.size, rows)


def _from_tuples(table: Table, rows: Iterable[Any]) -> Memory:
    made: List[Tuple[int, ...]] = []
    least = sum(field.needed for field in table.fields)
    for i, row in enumerate(rows):
        if isinstance(row, (str, bytes)) or not isinstance(row, Sequence):
            raise TypeError("row %d is %r, not a %s" % (i, row, table.row.__name__))
        if not least <= len(row) <= len(table.fields):
            raise TypeError("row %d has %d values: a %s has %s"
                            % (i, len(row), table.row.__name__, ", ".join(table.row._fields)))
        made.append(tuple(f.check(v, "%s of row %d" % (f.name, i)) for f, v in zip(table.fields, row)))
    memory = (table.struct * len(made))()
    for target, values in zip(memory, made):
        for member, value in zip(table.members, values):
            setattr(target, member, value)
    return _at(table, ctypes.addressof(memory), len(made), table.size, memory)


def memory_of(table: Table, rows: Any, columns: Optional[Dict[str, Any]] = None) -> Memory:
    """The caller's rows, or columns, as the library takes them."""
    columns = {name: value for name, value in (columns or {}).items() if value is not None}
    if (rows is None) == (not columns):
        raise TypeError("give rows or columns (%s)" % ", ".join(field.name for field in table.fields))
    if rows is not None:
        return _of_rows(table, rows)
    missing = [field.name for field in table.fields if field.needed and field.name not in columns]
    if missing:
        raise TypeError("the column %s is missing" % missing[0])
    numpy = _numpy_for(columns.values())
    if numpy:
        return _from_arrays(table, numpy, columns)
    many: Dict[str, List[Any]] = {}
    for name, value in columns.items():
        if not isinstance(value, (int, str)) and not hasattr(value, "__index__"):
            if isinstance(value, (bytes, bytearray)) or not hasattr(value, "__iter__"):
                raise TypeError("%s is %r: not a number and not a column of numbers" % (name, value))
            many[name] = list(value)
    lengths = {name: len(value) for name, value in many.items()}
    if len(set(lengths.values())) > 1:
        raise ArgumentError("columns have different lengths: %s" % ", ".join("%s %d" % p for p in lengths.items()))
    if not many:
        raise TypeError("at least one column has more than a number")
    count = next(iter(lengths.values()))
    whole = [many.get(f.name, [columns.get(f.name, 0)] * count) for f in table.fields]
    return _from_tuples(table, zip(*whole))


def _of_rows(table: Table, rows: Any) -> Memory:
    if isinstance(rows, Rows) and rows._table is table:
        return Memory(rows._pointer, len(rows), table.size, rows)
    numpy = _numpy_for([rows])
    if not numpy and "numpy" in sys.modules and isinstance(rows, Rows):
        numpy = sys.modules["numpy"]
    if not numpy:
        if isinstance(rows, (str, bytes)) or not hasattr(rows, "__iter__"):
            raise TypeError("rows are a sequence of %s, not %r" % (table.row.__name__, rows))
        return _from_tuples(table, rows)
    array = numpy.asarray(rows)
    if array.ndim != 1 or array.dtype.names is None:
        raise TypeError("rows as an array have one dimension and a dtype with the fields %s: see libflux.dtype(%r)"
                        % (", ".join(table.row._fields), table.name))
    if memory := _as_it_is(table, array):
        return memory
    known = [field.name for field in table.fields]
    unknown = [n for n in array.dtype.names if n not in known and n != "reserved"]
    missing = [f.name for f in table.fields if f.needed and f.name not in array.dtype.names]
    if missing:
        there = "; there is " + ", ".join(unknown) if unknown else ""
        raise TypeError("the field %s is missing%s" % (missing[0], there))
    return _from_arrays(table, numpy, {name: array[name] for name in array.dtype.names if name in known})
