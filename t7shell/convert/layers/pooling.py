"""Pooling of one, two and three dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from t7shell.convert.graph import Graph, Value
from t7shell.convert.layers.common import batched
from t7shell.convert.layers.convolution import IMAGES, VOLUMES, frames
from t7shell.convert.registry import Module, module, unsupported

# The result of a window without elements.
LOWEST = float(np.finfo(np.float32).min)


def _ends(
    sizes: tuple[int, ...], k: list[int], s: list[int], p: list[int], d: list[int], ceil: bool
) -> list[int]:
    """Returns the padding at the end of each dimension that the last windows need."""
    ends = []
    for size, kernel, stride, pad, dilation in zip(sizes, k, s, p, d, strict=True):
        extent = dilation * (kernel - 1) + 1
        steps = (size - extent + 2 * pad) / stride
        count = (math.ceil(steps) if ceil else math.floor(steps)) + 1
        # With padding the last window begins inside the plane or the padding before it.
        if any(p) and (count - 1) * stride >= size + pad:
            count -= 1
        ends.append(max((count - 1) * stride + extent - size - pad, pad))
    return ends


@module("SpatialMaxPooling SpatialDilatedMaxPooling VolumetricMaxPooling VolumetricDilatedMaxPooling")
def max_pooling(g: Graph, m: Module, x: Value) -> Value:
    """The largest elements of windows."""
    kernel, stride, pad, dilation = VOLUMES if "Volumetric" in m.name else IMAGES
    k, s = m.sizes(*kernel), m.sizes(*stride, default=1)
    p, d = m.sizes(*pad, default=0), m.sizes(*dilation, default=1)
    return batched(g, x, len(k) + 2, lambda x: _max(g, x, k, s, p, d, bool(m.get("ceil_mode"))))


def _max(g: Graph, x: Value, k: list[int], s: list[int], p: list[int], d: list[int], ceil: bool) -> Value:
    ends = _ends(x.shape[2:], k, s, p, d, ceil)
    # Runtimes reject padding as large as the kernel.
    low, high = p, ends
    if any(end >= kernel for end, kernel in zip(ends, k, strict=True)):
        x = g.pad(x, p, ends, LOWEST)
        low = high = [0] * len(k)
    return g.MaxPool(x, kernel_shape=k, strides=s, pads=low + high, dilations=d)


@module("TemporalMaxPooling")
def temporal_max_pooling(g: Graph, m: Module, x: Value) -> Value:
    """The largest elements of windows of frames."""
    return frames(g, x, lambda x: _max(g, x, [m.kW], [m.dW], [0], [1], False))


@module("SpatialAveragePooling VolumetricAveragePooling")
def average_pooling(g: Graph, m: Module, x: Value) -> Value:
    """The means of windows, or their sums."""
    kernel, stride, pad, _ = VOLUMES if "Volumetric" in m.name else IMAGES
    k, s, p = m.sizes(*kernel), m.sizes(*stride, default=1), m.sizes(*pad, default=0)
    padded = m.get("count_include_pad", True) is not False
    y = batched(g, x, len(k) + 2, lambda x: _average(g, x, k, s, p, padded, bool(m.get("ceil_mode"))))
    return g.Mul(y, float(np.prod(k))) if m.get("divide", True) is False else y


def _average(g: Graph, x: Value, k: list[int], s: list[int], p: list[int], padded: bool, ceil: bool) -> Value:
    sizes = x.shape[2:]
    ends = _ends(sizes, k, s, p, [1] * len(k), ceil)
    if ends == p:
        return g.AveragePool(
            x, kernel_shape=k, strides=s, pads=p + p, count_include_pad=int(padded or not any(p))
        )
    # The divisor of a window that reaches beyond the padding is the number of its elements inside.
    y = g.AveragePool(
        g.pad(x, p, ends), kernel_shape=k, strides=s, pads=[0] * 2 * len(k), count_include_pad=1
    )
    factor = np.ones(())
    for size, out, kernel, step, pad in zip(sizes, y.shape[2:], k, s, p, strict=True):
        first = np.arange(out) * step - pad
        last = np.minimum(first + kernel, size + pad)
        inside = last - first if padded else np.minimum(last, size) - np.maximum(first, 0)
        factor = factor[..., None] * (kernel / inside)
    return g.Mul(y, g.constant(factor, "divisors"))


def _spans(size: int, out: int) -> list[tuple[int, int]]:
    """Returns the windows of adaptive pooling, rounded as floats are."""

    def at(i: int) -> float:
        return float(np.float32(i / out) * np.float32(size))

    return [(math.floor(at(i)), min(math.ceil(at(i + 1)), size)) for i in range(out)]


@module("SpatialAdaptiveMaxPooling SpatialAdaptiveAveragePooling")
def adaptive_pooling(g: Graph, m: Module, x: Value) -> Value:
    """Pools over windows that follow from the size of the output: along columns, then along rows."""
    pool: Callable[[Graph, Value, int, int], Value] = _largest if "Max" in m.name else _means
    return batched(g, x, 4, lambda x: pool(g, pool(g, x, 2, m.H), 3, m.W))


def _largest(g: Graph, x: Value, axis: int, out: int) -> Value:
    return g.concat(
        [
            g.ReduceMax(g.slice(x, axis, start, end - start), axes=[axis], keepdims=1)
            for start, end in _spans(x.shape[axis], out)
        ],
        axis,
    )


def _means(g: Graph, x: Value, axis: int, out: int) -> Value:
    matrix = np.zeros((x.shape[axis], out))
    for column, (start, end) in enumerate(_spans(x.shape[axis], out)):
        matrix[start:end, column] = 1 / (end - start)
    return g.Einsum(
        x, g.constant(matrix, "windows"), equation="abcd,ce->abed" if axis == 2 else "abcd,de->abce"
    )


unsupported("needs the indices of another module", "SpatialMaxUnpooling VolumetricMaxUnpooling")
unsupported("the size of its output depends on the length of a sequence", "TemporalDynamicKMaxPooling")
