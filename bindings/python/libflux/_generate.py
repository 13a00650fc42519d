# SPDX-License-Identifier: Apache-2.0
"""The workload of training a model, from its name, over libflux-io."""
from __future__ import annotations

from ctypes import POINTER, byref, sizeof
from ctypes import pointer as pointer_to
from typing import Optional

from . import _abi, _values
from ._errors import raise_for
from ._files import ALGORITHMS, Loaded, _loaded
from ._library import io
from ._objects import Handle
from ._values import Path, Size

PRECISIONS = {
    "bf16": _abi.FLUX_PRECISION_BF16, "fp8": _abi.FLUX_PRECISION_FP8, "tf32": _abi.FLUX_PRECISION_TF32,
}  # fmt: skip
ROUTINGS = {
    "expected": _abi.FLUX_ROUTING_EXPECTED, "multinomial": _abi.FLUX_ROUTING_MULTINOMIAL,
    "lognormal": _abi.FLUX_ROUTING_LOGNORMAL, "zipf": _abi.FLUX_ROUTING_ZIPF,
}  # fmt: skip
RECOMPUTES = {"none": _abi.FLUX_RECOMPUTE_NONE, "full": _abi.FLUX_RECOMPUTE_FULL}


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
    options, more = _abi.flux_generate_options(), _abi.flux_import_options()
    options.size, more.size = sizeof(options), sizeof(more)
    options.model = _values.text(model, "model")
    options.gpu = None if gpu is None else _values.text(gpu, "gpu")
    options.models_path = None if models is None else _values.path(models, "models")
    options.times_path = None if times is None else _values.path(times, "times")
    for name, value in (
        ("tensor", tensor), ("context", context), ("data", data), ("pipeline", pipeline), ("expert", expert),
        ("interleave", interleave), ("sequence", sequence), ("micro_batches", micro_batches), ("batch", batch),
        ("repeat", repeat), ("gradient_bytes", gradient_bytes),
    ):  # fmt: skip
        setattr(options, name, _values.whole(value, name, 1, _values.U32))
    if layers is not None:
        options.layers = _values.whole(layers, "layers", 1, _values.U32)
    options.sequence_parallel = int(bool(sequence_parallel))
    options.zero = _values.whole(zero, "zero", 0, 3)
    options.recompute = _values.word(recompute, "recompute", RECOMPUTES)
    options.precision = _values.word(precision, "precision", PRECISIONS)
    options.routing = _values.word(routing, "routing", ROUTINGS)
    if skew is not None:
        options.skew = _values.real(skew, "skew", 0.0, 16.0)
    options.seed = _values.whole(seed, "seed")
    if bucket is not None:
        options.bucket = _values.size(bucket, "bucket")
    more.chunks = _values.whole(chunks, "chunks", 1, _values.U32)
    if node is not None:
        more.node = _values.whole(node, "node", 1, _values.U32)
    for name, word in (("all_reduce", all_reduce), ("all_gather", all_gather), ("reduce_scatter", reduce_scatter),
                       ("all_to_all", all_to_all)):  # fmt: skip
        setattr(more, name, _values.word(word, name, ALGORITHMS))
    if vertices_max is not None:
        more.vertices_max = _values.whole(vertices_max, "vertices_max", 1)
    options.import_ = pointer_to(more)
    pointer, error = POINTER(_abi.flux_import)(), _abi.flux_error()
    raise_for(io().free.flux_generate(None, byref(options), byref(pointer), byref(error)), error)
    return _loaded(Handle(pointer, io().held.flux_import_free))
