"""The layers of Caffe that have modules here, each as a list of the layers that Lua makes modules of.

A layer is a dictionary of `kind`, `name`, the numbers that its module takes, and `weight` and `bias` where it
has them. Kinds are the functions of `make` in `lua/packages/loadcaffe/init.lua`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from t7shell.packages.loadcaffe import weighted_layers
from t7shell.packages.loadcaffe.steps import Blob, Step, integer_of, number_of, one, view_of, window_of
from t7shell.packages.loadcaffe.text_format import Message

# Kinds whose output may be overwritten: their gradients do not need it.
IN_PLACE_AFTER = {
    "add", "batchnorm", "concat", "convolution", "deconvolution", "dropout", "linear", "pooling", "scale",
}  # fmt: skip


def _pooling(step: Step) -> Blob:
    fields = step.param("pooling")
    method = str(one(fields, "pool", "MAX"))
    if method not in ("MAX", "AVE", "0", "1"):
        raise step.error(f"pool must be MAX or AVE (got {method})")
    whole = bool(one(fields, "global_pooling", False))
    ceil = str(one(fields, "round_mode", "CEIL")) in ("CEIL", "0")
    window = {} if whole else window_of(fields)
    return step.make("pooling", average=method in ("AVE", "1"), whole=whole, ceil=ceil, **window)


def _lrn(step: Step) -> Blob:
    fields = step.param("lrn")
    if str(one(fields, "norm_region", "ACROSS_CHANNELS")) not in ("ACROSS_CHANNELS", "0"):
        raise step.error("expected normalization across channels")
    return step.make(
        "lrn", size=number_of(fields, "local_size", 5), alpha=number_of(fields, "alpha", 1),
        beta=number_of(fields, "beta", 0.75), k=number_of(fields, "k", 1),
    )  # fmt: skip


def _flatten(step: Step) -> Blob:
    fields = step.param("flatten")
    if (integer_of(fields, "axis", 1), integer_of(fields, "end_axis", -1)) != (1, -1):
        raise step.error("all dimensions but the first expected to become one")
    if step.source.rank == 2:
        return Blob(rank=2, channels=step.source.channels)
    return Blob([view_of(step, step.name)], rank=2)


def _reshape(step: Step) -> Blob:
    fields = step.param("reshape")
    shape = one(fields, "shape", {})
    sizes = shape.get("dim", []) if isinstance(shape, dict) else []
    if (integer_of(fields, "axis", 0), integer_of(fields, "num_axes", -1)) != (0, -1) or len(sizes) < 2:
        raise step.error("expected the sizes of all dimensions")
    if not all(isinstance(n, int) and -1 <= n < 2**31 for n in sizes):
        raise step.error(f"whole numbers expected as sizes (got {sizes})")
    rest = list(sizes[1:])
    if rest[0] == 0 and step.source.channels:
        rest[0] = step.source.channels
    if sizes[0] not in (0, -1) or 0 in rest or sizes.count(-1) > 1:
        raise step.error(f"expected sizes such as 0, 3, -1, of which the first is the batch (got {sizes})")
    channels = rest[0] if rest[0] > 0 else None
    made = step.make("reshape", rank=len(sizes), sizes=rest, keeps=sizes[0] == 0, before=step.source.rank)
    made.channels = channels
    return made


def _power(step: Step) -> Blob:
    fields = step.param("power")
    scale, shift = number_of(fields, "scale", 1), number_of(fields, "shift", 0)
    return step.make("power", power=number_of(fields, "power", 1), scale=scale, shift=shift)


def _base(step: Step, kind: str) -> Blob:
    """Exp and Log: of scale * x + shift, by a base; -1 is e."""
    fields = step.param(kind)
    base = number_of(fields, "base", -1)
    if base != -1 and (base <= 0 or base == 1):
        raise step.error(f"base must be -1, or positive and not 1 (got {base})")
    scale, shift = number_of(fields, "scale", 1), number_of(fields, "shift", 0)
    return step.make(kind, scale=scale, shift=shift, factor=1 if base == -1 else math.log(base))


def _axis(step: Step, fields: Message, old: str, source: Blob) -> int:
    axis = integer_of(fields, "axis" if "axis" in fields or old not in fields else old, 1)
    axis += source.rank if axis < 0 else 0
    if not 1 <= axis < source.rank:
        raise step.error(f"axis must be from 1 to {source.rank - 1} (got {axis})")
    return axis


def _same_rank(step: Step) -> int:
    ranks = {source.rank for source in step.sources}
    if len(ranks) > 1:
        raise step.error(f"expected inputs of the same number of dimensions (got {sorted(ranks)})")
    return ranks.pop()


def _concat(step: Step) -> Blob:
    rank = _same_rank(step)
    axis = _axis(step, step.param("concat"), "concat_dim", step.source)
    made = step.make("concat", axis=axis, rank=rank, before=rank)
    if axis == 1:
        counts = [source.channels for source in step.sources]
        made.channels = sum(n for n in counts if n) if all(counts) else None
    return made


def _eltwise(step: Step) -> Blob:
    fields = step.param("eltwise")
    _same_rank(step)
    operation = {"PROD": "multiply", "SUM": "add", "MAX": "max", "0": "multiply", "1": "add", "2": "max"}.get(
        str(one(fields, "operation", "SUM"))
    )
    if operation is None:
        raise step.error(f"operation must be PROD, SUM or MAX (got {one(fields, 'operation', None)})")
    factors = fields.get("coeff", [])
    if factors and (
        operation != "add"
        or len(factors) != len(step.sources)
        or any(isinstance(n, bool) or not isinstance(n, (int, float)) for n in factors)
    ):
        raise step.error(f"expected one coefficient per input of the sum (got {factors})")
    return step.make(operation, factors=factors)


def slices(layer: Message, name: str, source: Blob, count: int) -> list[Blob]:
    """The parts of a layer that slices its input into `count` ones."""
    step = Step(layer, name, [], [source])
    fields = step.param("slice")
    axis = _axis(step, fields, "slice_dim", source)
    points = fields.get("slice_point", [])
    if not points and count > 1:
        if axis != 1 or not source.channels or source.channels % count:
            raise step.error(f"expected slice_point, or a known size that is a multiple of {count}")
        points = [source.channels // count * i for i in range(1, count)]
    bounds = [0, *points]
    if len(points) != count - 1 or not all(isinstance(n, int) for n in points):
        raise step.error(f"{count - 1} numbers expected as slice_point (got {points})")
    if any(low >= high for low, high in pairwise(bounds)):
        raise step.error(f"slice_point must increase (got {points})")
    whole = source.channels if axis == 1 else None
    if whole and bounds[-1] >= whole:
        raise step.error(f"slice_point must be below {whole} (got {points})")
    made = []
    for low, high in zip(bounds, [*points, whole], strict=True):
        length = high - low if high else -1
        # From the last dimension, which is the same for a sample and a batch.
        part = step.make("slice", axis=axis - source.rank, offset=low + 1, length=length)
        if axis == 1:
            part.channels = length if length > 0 else None
        made.append(part)
    return made


def _softmax(step: Step) -> Blob:
    axis = _axis(step, step.param("softmax"), "axis", step.source)
    if axis != 1:
        raise step.error(f"the axis of a softmax must be 1 (got {axis})")
    return step.make("softmax")


KINDS: dict[str, Callable[[Step], Blob]] = {
    "ABSVAL": lambda step: step.make("abs"),
    "BATCHNORM": weighted_layers.batch_norm,
    "BIAS": weighted_layers.bias_layer,
    "BNLL": lambda step: step.make("softplus"),
    "CONCAT": _concat,
    "CONVOLUTION": weighted_layers.convolution,
    "DECONVOLUTION": weighted_layers.deconvolution,
    "DROPOUT": lambda step: step.make(
        "dropout", ratio=number_of(step.param("dropout"), "dropout_ratio", 0.5)
    ),
    "ELTWISE": _eltwise,
    "ELU": lambda step: step.make("elu", alpha=number_of(step.param("elu"), "alpha", 1)),
    "EXP": lambda step: _base(step, "exp"),
    "FLATTEN": _flatten,
    "INNERPRODUCT": weighted_layers.linear,
    "LOG": lambda step: _base(step, "log"),
    "LRN": _lrn,
    "POOLING": _pooling,
    "POWER": _power,
    "PRELU": weighted_layers.prelu,
    "RELU": lambda step: step.make(
        "relu", slope=number_of(step.param("relu"), "negative_slope", 0), inplace=step.alone
    ),
    "RESHAPE": _reshape,
    "SCALE": weighted_layers.scale,
    **dict.fromkeys(("SIGMOID", "SIGMOIDCROSSENTROPYLOSS"), lambda step: step.make("sigmoid")),
    **dict.fromkeys(("SOFTMAX", "SOFTMAXLOSS", "SOFTMAXWITHLOSS"), _softmax),
    "SPLIT": lambda step: Blob(rank=step.source.rank, channels=step.source.channels),
    "TANH": lambda step: step.make("tanh"),
}
