# SPDX-License-Identifier: Apache-2.0
"""Demand matrices: of the caller, from files, and made as the literature makes them."""
from __future__ import annotations

from ctypes import POINTER, byref, c_int64, c_uint64, sizeof
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

from . import _abi, _rows, _values
from ._errors import ArgumentError, raise_for
from ._library import core, io
from ._objects import Handle
from ._rows import Rows
from ._values import Path, Rate, Time

_LARGEST = 1 << 50
_KINDS = {
    "standard": _abi.FLUX_DEMAND_STANDARD, "moe-multinomial": _abi.FLUX_DEMAND_MOE_MULTINOMIAL,
    "moe-lognormal": _abi.FLUX_DEMAND_MOE_LOGNORMAL, "moe-pairs": _abi.FLUX_DEMAND_MOE_PAIRS,
}  # fmt: skip

#: What generate() makes.
KINDS: Tuple[str, ...] = tuple(_KINDS)


class Entry(NamedTuple):
    """An entry above 0: bytes, or picoseconds."""

    src: int
    dst: int
    value: int


_ENTRY = _rows.Table("entry", Entry, _abi.flux_matrix_entry)


class Matrices:
    """The matrices of a file: a sequence of their entries above 0, each as named tuples or ``numpy.asarray()``.

    ``ports`` is their side; ``are_times`` tells whether entries are picoseconds, not bytes.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self.ports = int(io().held.flux_matrices_ports(handle))
        self.are_times = bool(io().held.flux_matrices_are_times(handle))

    def __len__(self) -> int:
        return int(io().held.flux_matrices_count(self._handle))

    def __getitem__(self, index: int) -> Rows[Entry]:
        count = c_uint64()
        rows = io().held.flux_matrices_entries(self._handle, range(len(self))[index], byref(count))
        return Rows(_ENTRY, rows, count.value, self._handle)

    def __iter__(self) -> Iterator[Rows[Entry]]:
        return map(self.__getitem__, range(len(self)))

    def times(self, index: int = 0, rate: Rate = "800Gbps") -> List[List[int]]:
        """A matrix for schedule(): what each entry takes on a circuit of ``rate``, rounded up to whole picoseconds."""
        speed = _values.rate(rate, "rate")
        matrix = [[0] * self.ports for _ in range(self.ports)]
        for src, dst, value in self[index]:
            matrix[src][dst] = value if self.are_times else -(-value * 8 * 10**12 // speed)
        return matrix

    def __repr__(self) -> str:
        return "<libflux.demand.Matrices: %d of %d ports, %s>" % (
            len(self), self.ports, "times" if self.are_times else "sizes",
        )  # fmt: skip


def load(path: Path, *, unit: Optional[str] = None) -> Matrices:
    """Reads matrices from a file: Matrix Market, or tables with commas, semicolons or spaces between the entries.

    ``unit`` is what an entry of 1 is, such as "MiB" or "us"; otherwise what the file says, else a byte.
    docs/formats.md tells more.
    """
    options = _abi.flux_matrix_options()
    options.size = sizeof(options)
    if unit is not None:
        options.unit = _values.text(unit, "unit")
    pointer, error, name = POINTER(_abi.flux_matrices)(), _abi.flux_error(), _values.path(path)
    raise_for(io().free.flux_matrices_read(None, name, byref(options), byref(pointer), byref(error)), error)
    return Matrices(Handle(pointer, io().held.flux_matrices_free))


def generate(
    kind: str = "standard",
    ports: int = 16,
    *,
    seed: int = 0,
    line: Time = "1ms",
    heavy: int = 4,
    light: int = 12,
    heavy_share: float = 0.7,
    noise: float = 0.003,
    tokens: int = 4096,
    top_k: int = 2,
    sigma: float = 0.5,
) -> List[List[int]]:
    """A matrix for schedule(), in picoseconds; the same options make the same one everywhere.

    kind: "standard" (a few heavy and many light permutations, and noise), or what a mixture of experts sends:
        "moe-multinomial" (experts are chosen evenly), "moe-lognormal" (some are popular), "moe-pairs" (some of them
        with each port).
    line: what a row sums to, about, with what stays at home.
    heavy, light, heavy_share, noise: of "standard": how many permutations, what the heavy ones carry of the line
        together, and the standard deviation of the noise on each entry, of the line.
    tokens, top_k, sigma: of the others: tokens of each port, experts that one goes to, and the standard deviation of
        the logarithm of popularity.
    """
    options, error = _abi.flux_demand_generator(), _abi.flux_error()
    options.size = sizeof(options)
    options.kind = _values.word(kind, "kind", _KINDS)
    options.ports = _values.whole(ports, "ports", 1, _abi.FLUX_DEMAND_PORTS_MAX)
    options.seed = _values.whole(seed, "seed")
    options.line = _values.whole(_values.time(line, "line"), "line", 1, _LARGEST)
    for name, count in (("heavy", heavy), ("light", light), ("tokens", tokens), ("top_k", top_k)):
        setattr(options, name, _values.whole(count, name, 1, _values.U32))
    for name, member, share, most in (("heavy_share", "heavy_ppm", heavy_share, 1.0), ("noise", "noise_ppm", noise, 1.0),
                                      ("sigma", "sigma_ppm", sigma, 4294.0)):  # fmt: skip
        setattr(options, member, round(_values.real(share, name, 1e-6, most) * _abi.FLUX_PPM))  # 0 is the default
    flat = (c_int64 * (options.ports * options.ports))()
    raise_for(core.free.flux_demand_generate(None, byref(options), flat, byref(error)), error)
    return [list(flat[i * options.ports : (i + 1) * options.ports]) for i in range(options.ports)]


def write(path: Path, matrix: Any) -> None:
    """Writes a matrix of times: Matrix Market where the name ends in ".mtx", else a table with commas; load() reads it."""
    ports, flat = entries_of(matrix)
    error, name = _abi.flux_error(), _values.path(path)
    raise_for(io().free.flux_write_matrix(name, ports, flat, byref(error)), error)


def entries_of(matrix: Any) -> Tuple[int, Any]:
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
