"""The parts that layers of Caffe are made from: blobs, steps, and readers of the fields of a description."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from t7shell.host.memory import Array
from t7shell.packages.loadcaffe.text_format import FormatError, Message

Layer = dict[str, Any]


@dataclass
class Blob:
    """The output of a layer: the chain of layers that computes it, and its sizes as far as they are known.

    Without layers it is the input itself. `rank` counts the batch, `channels` is the size of the second
    dimension. `index` and `view_of` are the graph's.
    """

    layers: list[Layer] = field(default_factory=list)
    rank: int = 4
    channels: int | None = None
    index: int = 0
    view_of: int | None = None

    @property
    def is_view(self) -> bool:
        """Whether it shares the memory of the input."""
        return all(layer["kind"] in ("view", "reshape") for layer in self.layers)


@dataclass
class Step:
    """A layer of the description with its blobs of parameters, and its inputs.

    `alone`: nothing else reads the input, so the output may overwrite it.
    """

    layer: Message
    name: str
    found: list[Array]
    sources: Sequence[Blob]
    alone: bool = False

    @property
    def source(self) -> Blob:
        return self.sources[0]

    def param(self, name: str) -> Message:
        """The message of parameters of this name."""
        return param(self.layer, name)

    def error(self, problem: str) -> FormatError:
        return FormatError(f"layer '{self.name}': {problem}")

    def make(self, kind: str, *, rank: int | None = None, channels: int | None = None, **fields: Any) -> Blob:
        """A blob of one layer, of the sizes of the first input unless others are given."""
        layer = {"kind": kind, "name": self.name, "sources": [x.index for x in self.sources], **fields}
        return Blob([layer], rank or self.source.rank, channels or self.source.channels)


def view_of(step: Step, name: str) -> Layer:
    """A layer that makes all dimensions but the first one of the input of a step."""
    return {"kind": "view", "name": name, "sources": [step.source.index], "rank": step.source.rank}


def one(fields: Message, name: str, default: Any) -> Any:
    """The effective value of a field: the last one."""
    return fields.get(name, [default])[-1]


def param(layer: Message, name: str) -> Message:
    """The message of parameters of this name; empty where there is none."""
    value = one(layer, f"{name}_param", {})
    if not isinstance(value, dict):
        raise FormatError(f"layer '{one(layer, 'name', '')}': {name}_param must be a message")
    return value


def number_of(fields: Message, name: str, default: float) -> float:
    value = one(fields, name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise FormatError(f"{name} must be a number (got {value!r})")
    return value


def integer_of(fields: Message, name: str, default: int) -> int:
    value = number_of(fields, name, default)
    if not isinstance(value, int):
        raise FormatError(f"{name} must be a whole number (got {value})")
    return value


def pair_of(fields: Message, name: str, short: str, default: int | None) -> list[int]:
    """Height and width, which may be one number, two, or in two fields."""
    values = fields.get(name, [])
    if f"{short}_h" in fields or f"{short}_w" in fields:
        values = [one(fields, f"{short}_h", default), one(fields, f"{short}_w", default)]
    values = values or [default]
    if len(values) > 2 or any(
        isinstance(n, bool) or not isinstance(n, int) or not 0 <= n < 2**31 for n in values
    ):
        raise FormatError(f"{name} must be one or two whole numbers (got {values})")
    return [values[0], values[-1]]


def window_of(fields: Message) -> Layer:
    kernel, stride = pair_of(fields, "kernel_size", "kernel", None), pair_of(fields, "stride", "stride", 1)
    pad = pair_of(fields, "pad", "pad", 0)
    sizes = zip(("k", "d", "pad"), (kernel, stride, pad), strict=True)
    return {f"{name}{axis}": size for name, pair in sizes for axis, size in zip("HW", pair, strict=True)}


def weights_of(step: Step, shape: list[int], bias: bool) -> Layer:
    """The parameters of a layer; -1 in the shape of the weight is inferred from the file."""
    found = step.found
    if len(found) != 1 + bias:
        raise step.error(f"expected {1 + bias} blobs in the caffemodel (got {len(found)})")
    weight = found[0]
    known = math.prod(n for n in shape if n != -1)
    if not weight.size or known < 1 or weight.size % known or (-1 not in shape and weight.size != known):
        raise step.error(f"expected weights of {shape} (got {list(weight.shape)})")
    return {"weight": weight.reshape(shape), **(bias_of(step, found[1], bias and shape[0]) if bias else {})}


def bias_of(step: Step, bias: Array, count: int) -> Layer:
    if bias.size != count:
        raise step.error(f"expected {count} biases (got {bias.size})")
    return {"bias": bias.reshape(-1)}
