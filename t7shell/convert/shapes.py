"""Shapes of the first results of operators, from the shapes of their inputs and their attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from t7shell.convert import ConvertError

Shape = tuple[int, ...]
Attributes = dict[str, Any]


def shape_of(op: str, inputs: list[Shape | None], attributes: Attributes) -> Shape:
    """Returns the shape of the result of an operator. Raises ConvertError if the inputs do not fit."""
    rule = _RULES.get(op)
    try:
        found = (
            rule(inputs, attributes) if rule else np.broadcast_shapes(*(s for s in inputs if s is not None))
        )
    except (ValueError, IndexError, ZeroDivisionError) as reason:
        shown = ", ".join("x".join(map(str, s)) for s in inputs if s is not None)
        raise ConvertError(f"sizes do not fit ({op} of {shown}: {reason})") from None
    shape = tuple(int(n) for n in found)
    if any(n < 0 for n in shape):
        raise ConvertError(f"input too small ({op} would give sizes {shape})")
    return shape


def _conv(inputs: list[Any], a: Attributes) -> Any:
    x, w = inputs[0], inputs[1]
    if x[1] != w[1] * a["group"]:
        raise ValueError(f"expected {w[1] * a['group']} planes")
    return (x[0], w[0], *_windows(x[2:], a))


def _conv_transpose(inputs: list[Any], a: Attributes) -> Any:
    x, w = inputs[0], inputs[1]
    if x[1] != w[0]:
        raise ValueError(f"expected {w[0]} planes")
    n = len(x) - 2
    sizes = [
        (size - 1) * s - low - high + k + more
        for size, s, low, high, k, more in zip(
            x[2:],
            a["strides"],
            a["pads"][:n],
            a["pads"][n:],
            a["kernel_shape"],
            a["output_padding"],
            strict=True,
        )
    ]
    return (x[0], w[1] * a["group"], *sizes)


def _windows(sizes: Shape, a: Attributes) -> list[int]:
    n = len(sizes)
    dilations = a.get("dilations", [1] * n)
    return [
        (size + low + high - (k - 1) * d - 1) // s + 1
        for size, low, high, k, s, d in zip(
            sizes, a["pads"][:n], a["pads"][n:], a["kernel_shape"], a["strides"], dilations, strict=True
        )
    ]


def _gemm(inputs: list[Any], a: Attributes) -> Any:
    x, w = inputs[0], inputs[1]
    if len(x) != 2 or x[1] != w[1]:
        raise ValueError(f"expected {w[1]} columns")
    return (x[0], w[0])


def _matmul(inputs: list[Any], a: Attributes) -> Any:
    x, y = inputs
    if x[-1] != y[-2]:
        raise ValueError("inner sizes differ")
    return (*np.broadcast_shapes(x[:-2], y[:-2]), x[-2], y[-1])


def _reshape(inputs: list[Any], a: Attributes) -> Any:
    if np.prod(a["shape"], dtype=object) != np.prod(inputs[0], dtype=object):
        raise ValueError(f"cannot become {'x'.join(map(str, a['shape']))}")
    return a["shape"]


def _slice(inputs: list[Any], a: Attributes) -> Any:
    shape = list(inputs[0])
    for axis, start, end in zip(a["axes"], a["starts"], a["ends"], strict=True):
        shape[axis] = end - start
    return shape


def _concat(inputs: list[Any], a: Attributes) -> Any:
    axis, shape = a["axis"], list(inputs[0])
    for other in inputs[1:]:
        if len(other) != len(shape) or any(
            m != n for d, (m, n) in enumerate(zip(shape, other, strict=True)) if d != axis
        ):
            raise ValueError("sizes differ in another dimension")
    shape[axis] = sum(other[axis] for other in inputs)
    return shape


def _reduce(inputs: list[Any], a: Attributes) -> Any:
    kept = [1 if d in a["axes"] else n for d, n in enumerate(inputs[0])]
    return [n for d, n in enumerate(kept) if a["keepdims"] or d not in a["axes"]]


def _einsum(inputs: list[Any], a: Attributes) -> Any:
    sources, result = a["equation"].split("->")
    sizes: dict[str, int] = {}
    for letters, shape in zip(sources.split(","), inputs, strict=True):
        for letter, n in zip(letters, shape, strict=True):
            if sizes.setdefault(letter, n) != n:
                raise ValueError("sizes differ")
    return [sizes[letter] for letter in result]


def _pad(inputs: list[Any], a: Attributes) -> Any:
    n = len(inputs[0])
    return [
        size + low + high for size, low, high in zip(inputs[0], a["pads"][:n], a["pads"][n:], strict=True)
    ]


def _depth_to_space(inputs: list[Any], a: Attributes) -> Any:
    n, c, h, w = inputs[0]
    r = a["blocksize"]
    if c % (r * r):
        raise ValueError(f"expected a multiple of {r * r} planes")
    return (n, c // (r * r), h * r, w * r)


def _recurrent(inputs: list[Any], a: Attributes) -> Any:
    length, batch, _ = inputs[0]
    directions, hidden = inputs[1][0], a["hidden_size"]
    return (length, directions, batch, hidden)


_RULES: dict[str, Callable[[list[Any], Attributes], Any]] = {
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    **dict.fromkeys(
        ("MaxPool", "AveragePool"), lambda inputs, a: [*inputs[0][:2], *_windows(inputs[0][2:], a)]
    ),
    "Gemm": _gemm,
    "MatMul": _matmul,
    "Reshape": _reshape,
    "Transpose": lambda inputs, a: [inputs[0][d] for d in a["perm"]],
    "Slice": _slice,
    "Concat": _concat,
    "Gather": lambda inputs, a: [*inputs[0][: a["axis"]], *inputs[1], *inputs[0][a["axis"] + 1 :]],
    "ArgMax": lambda inputs, a: _reduce(inputs, {"axes": [a["axis"]], **a}),
    "Expand": lambda inputs, a: np.broadcast_shapes(inputs[0], tuple(a["shape"])),
    "Einsum": _einsum,
    "Pad": _pad,
    "Resize": lambda inputs, a: [*inputs[0][:2], *a["sizes"]],
    "DepthToSpace": _depth_to_space,
    **dict.fromkeys(("BatchNormalization", "LRN", "PRelu"), lambda inputs, a: inputs[0]),
    **dict.fromkeys(("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin"), _reduce),
    **dict.fromkeys(("LSTM", "GRU", "RNN"), _recurrent),
}
