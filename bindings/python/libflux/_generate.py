# SPDX-License-Identifier: Apache-2.0
"""The workload of training a model, from its name, over libflux-io."""
from __future__ import annotations

from ctypes import POINTER, byref, sizeof
from ctypes import pointer as pointer_to
from inspect import signature
from typing import Any, List, Mapping, NamedTuple, Optional

from . import _abi, _values
from ._errors import raise_for
from ._files import ALGORITHMS, Loaded, _loaded
from ._library import io
from ._objects import Handle
from ._values import Path, Size

WORDS = {
    "precision": {
        "bf16": _abi.FLUX_PRECISION_BF16, "fp8": _abi.FLUX_PRECISION_FP8, "tf32": _abi.FLUX_PRECISION_TF32,
    },
    "routing": {
        "expected": _abi.FLUX_ROUTING_EXPECTED, "multinomial": _abi.FLUX_ROUTING_MULTINOMIAL,
        "lognormal": _abi.FLUX_ROUTING_LOGNORMAL, "zipf": _abi.FLUX_ROUTING_ZIPF,
    },
    "recompute": {"none": _abi.FLUX_RECOMPUTE_NONE, "full": _abi.FLUX_RECOMPUTE_FULL},
}  # fmt: skip
FILES = {"models": "models_path", "times": "times_path", "routing_matrix": "routing_path"}
COUNTS = ("tensor", "context", "data", "pipeline", "expert", "interleave", "sequence", "micro_batches", "batch", "repeat",
          "gradient_bytes")  # fmt: skip
PHASES = ("forward", "input", "weight")


class Operation(NamedTuple):
    """What one GPU does in one micro-batch: ``phase`` is "forward", "input" (backward to the input) or "weight";
    ``layers`` of all pipeline stages do it, 1 where it comes once. ``bytes`` are read and written in memory, ``time``
    is picoseconds."""

    name: str
    phase: str
    layers: int
    flops: int
    bytes: int
    time: int


def _options(given: Mapping[str, Any]) -> Any:
    """The arguments of generate() as the library takes them."""
    options, more = _abi.flux_generate_options(), _abi.flux_import_options()
    options.size, more.size = sizeof(options), sizeof(more)
    options.model = _values.text(given["model"], "model")
    if given["gpu"] is not None:
        options.gpu = _values.text(given["gpu"], "gpu")
    for name in ("models", "times", "routing_matrix"):
        if given[name] is not None:
            setattr(options, FILES[name], _values.path(given[name], name))
    for name in COUNTS:
        setattr(options, name, _values.whole(given[name], name, 1, _values.U32))
    if given["layers"] is not None:
        options.layers = _values.whole(given["layers"], "layers", 1, _values.U32)
    options.sequence_parallel = int(bool(given["sequence_parallel"]))
    options.zero = _values.whole(given["zero"], "zero", 0, 3)
    for name, words in WORDS.items():
        setattr(options, name, _values.word(given[name], name, words))
    if given["skew"] is not None:
        options.skew = _values.real(given["skew"], "skew", 0.0, 16.0)
    options.seed = _values.whole(given["seed"], "seed")
    if given["bucket"] is not None:
        options.bucket = _values.size(given["bucket"], "bucket")
    more.chunks = _values.whole(given["chunks"], "chunks", 1, _values.U32)
    if given["node"] is not None:
        more.node = _values.whole(given["node"], "node", 1, _values.U32)
    for name in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
        setattr(more, name, _values.word(given[name], name, ALGORITHMS))
    if given["vertices_max"] is not None:
        more.vertices_max = _values.whole(given["vertices_max"], "vertices_max", 1)
    options.import_ = pointer_to(more)
    return options


def generate(
    model: str,
    *,
    gpu: Optional[str] = None,
    tensor: int = 1,
    context: int = 1,
    data: int = 1,
    pipeline: int = 1,
    expert: int = 1,
    interleave: int = 1,
    layers: Optional[int] = None,
    sequence: int = 2048,
    micro_batches: int = 1,
    batch: int = 1,
    sequence_parallel: bool = False,
    zero: int = 0,
    recompute: str = "none",
    precision: str = "bf16",
    routing: str = "expected",
    routing_matrix: Optional[Path] = None,
    skew: Optional[float] = None,
    seed: int = 0,
    repeat: int = 1,
    bucket: Optional[Size] = None,
    gradient_bytes: int = 2,
    models: Optional[Path] = None,
    times: Optional[Path] = None,
    chunks: int = 1,
    node: Optional[int] = None,
    all_reduce: str = "default",
    all_gather: str = "default",
    reduce_scatter: str = "default",
    all_to_all: str = "default",
    vertices_max: Optional[int] = None,
) -> Loaded:
    """The workload of training ``model``, a name such as "llama3-8b": a Loaded with its graph, notes and counts.

    Options are named and explained as those of the command: docs/generate.md. The same options give the same
    workload on every machine.
    """
    options = _options(locals())
    pointer, error = POINTER(_abi.flux_import)(), _abi.flux_error()
    raise_for(io().free.flux_generate(None, byref(options), byref(pointer), byref(error)), error)
    return _loaded(Handle(pointer, io().held.flux_import_free))


def operations(model: str, **options: Any) -> List[Operation]:
    """What one GPU does in one micro-batch of what generate() makes of the same options, in the first layer or where it
    comes once: a row per operation, ``pandas.DataFrame()`` takes them as they are."""
    given = signature(generate).bind(model, **options)
    given.apply_defaults()
    found: List[Operation] = []
    wanted, row, error = _options(given.arguments), _abi.flux_operation(), _abi.flux_error()
    while not (code := io().free.flux_generate_operation(byref(wanted), len(found), byref(row), byref(error))):
        name = (row.name or b"").decode("utf-8", "replace")
        found.append(Operation(name, PHASES[row.phase], row.layers, row.flops, row.bytes, row.time))
    if code != _abi.FLUX_E_ARGUMENT or error.code:  # an error without a text is the end of the rows
        raise_for(code, error)
    return found
