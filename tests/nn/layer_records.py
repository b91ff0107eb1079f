"""Layers with second sources: what NumPy computes from their parameters and an input.

Each record has a constructor, the sizes of a batch, those of another one, those of a wrong input, and a
function of the module's fields and the batch.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Fields = Mapping[str, Array]
Reference = Callable[[Fields, Array], Array]


@dataclass(frozen=True)
class Layer:
    """One layer; `sample` is true where a batch without its first dimension is an input, too."""

    make: str
    size: tuple[int, ...]
    other: tuple[int, ...]
    reference: Reference
    wrong: tuple[int, ...] = (3,)
    sample: bool = True


def windows(
    size: Sequence[int], kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> tuple[list[int], list[tuple[slice, ...]]]:
    """The sizes of an output, and for each element of a kernel where it reads a padded input."""
    out = [(s - d * (k - 1) - 1) // t + 1 for s, k, t, d in zip(size, kernel, stride, dilation, strict=True)]
    taps = [
        tuple(
            slice(i * d, i * d + (o - 1) * t + 1, t)
            for i, d, o, t in zip(tap, dilation, out, stride, strict=True)
        )
        for tap in itertools.product(*map(range, kernel))
    ]
    return out, taps


def padded(x: Array, pad: Sequence[int], more: Sequence[int] | None = None, value: float = 0) -> Array:
    more = more or [0] * len(pad)
    width = [(0, 0), (0, 0)] + [(p, p + m) for p, m in zip(pad, more, strict=True)]
    return np.pad(x, width, constant_values=value)


def conv(
    kernel: Sequence[int], stride: Sequence[int], pad: Sequence[int], dilation: Sequence[int] | None = None
) -> Reference:
    """A convolution of batch x planes x sizes; weights outputs x planes x kernel."""

    def reference(m: Fields, x: Array) -> Array:
        outputs, weight = m["bias"].size, m["weight"].reshape(m["bias"].size, x.shape[1], -1)
        z = padded(x, pad)
        out, taps = windows(z.shape[2:], kernel, stride, dilation or [1] * len(kernel))
        y = np.zeros((x.shape[0], outputs, *out))
        for i, tap in enumerate(taps):
            y += np.einsum("oi,bi...->bo...", weight[:, :, i], z[(slice(None), slice(None), *tap)])
        return y + m["bias"].reshape(1, -1, *[1] * len(out))

    return reference


def full(kernel: Sequence[int], stride: Sequence[int], pad: Sequence[int], adj: Sequence[int]) -> Reference:
    """A transposed convolution; weights planes x outputs x kernel."""

    def reference(m: Fields, x: Array) -> Array:
        weight = m["weight"].reshape(x.shape[1], m["bias"].size, -1)
        size = [(s - 1) * t + k + a for s, t, k, a in zip(x.shape[2:], stride, kernel, adj, strict=True)]
        y = np.zeros((x.shape[0], m["bias"].size, *size))
        _, taps = windows([s - a for s, a in zip(size, adj, strict=True)], kernel, stride, [1] * len(kernel))
        for i, tap in enumerate(taps):
            y[(slice(None), slice(None), *tap)] += np.einsum("io,bi...->bo...", weight[:, :, i], x)
        inner = tuple(slice(p, s - p) for p, s in zip(pad, size, strict=True))
        return y[(slice(None), slice(None), *inner)] + m["bias"].reshape(1, -1, *[1] * len(kernel))

    return reference


def depth_wise(kernel: Sequence[int], stride: Sequence[int], pad: Sequence[int]) -> Reference:
    def reference(m: Fields, x: Array) -> Array:
        outputs, planes = m["bias"].shape
        weight = m["weight"].reshape(outputs, planes, -1)
        parts = [
            conv(kernel, stride, pad)(
                {"weight": weight[:, i : i + 1], "bias": m["bias"][:, i]}, x[:, i : i + 1]
            )
            for i in range(planes)
        ]
        return np.concatenate(parts, 1)

    return reference


def local(kernel: Sequence[int], stride: Sequence[int], pad: Sequence[int]) -> Reference:
    def reference(m: Fields, x: Array) -> Array:
        z = padded(x, pad)
        out, taps = windows(z.shape[2:], kernel, stride, [1, 1])
        y = np.zeros((x.shape[0], m["bias"].shape[0], *out))
        weight = m["weight"].reshape(*out, m["bias"].shape[0], x.shape[1], -1)
        for i, tap in enumerate(taps):
            y += np.einsum("hwoi,bihw->bohw", weight[..., i], z[(slice(None), slice(None), *tap)])
        return y + m["bias"]

    return reference


def sparse(transposed: bool) -> Reference:
    """Convolutions of pairs of planes: rows of connTable."""

    def reference(m: Fields, x: Array) -> Array:
        table, kernel = m["connTable"].astype(int) - 1, m["weight"].shape[1:]
        parts: dict[int, Array] = {}
        for (i, o), weight in zip(table, m["weight"], strict=True):
            one = {"weight": weight[None, None], "bias": np.zeros(1)}
            how = full(kernel, [1, 1], [0, 0], [0, 0]) if transposed else conv(kernel, [1, 1], [0, 0])
            parts[o] = parts.get(o, 0) + how(one, x[:, i : i + 1])
        return np.concatenate([parts[o] + m["bias"][o] for o in range(m["bias"].size)], 1)

    return reference


def temporal(size: int, stride: int) -> Reference:
    def reference(m: Fields, x: Array) -> Array:
        count = (x.shape[1] - size) // stride + 1
        rows = [x[:, t * stride : t * stride + size].reshape(x.shape[0], -1) for t in range(count)]
        return np.stack([row @ m["weight"].T + m["bias"] for row in rows], 1)

    return reference


def rows(size: int, stride: int, first: bool) -> Reference:
    def reference(m: Fields, x: Array) -> Array:
        z = x if first else x.swapaxes(1, 2)
        weight = m["weight"].reshape(-1, size)
        count = (z.shape[2] - size) // stride + 1
        y = np.stack([(z[:, :, t * stride : t * stride + size] * weight).sum(2) for t in range(count)], 2)
        y += m["bias"][:, None]
        return y if first else y.swapaxes(1, 2)

    return reference


def pool(
    reduce: Callable[[Array], Array],
    kernel: Sequence[int],
    stride: Sequence[int],
    pad: Sequence[int] | None = None,
    more: Sequence[int] | None = None,
    value: float = 0,
    dilation: Sequence[int] | None = None,
) -> Reference:
    """Reduces the first dimension of the stacked elements of all windows."""

    def reference(m: Fields, x: Array) -> Array:
        z = padded(x, pad or [0] * len(kernel), more, value)
        _, taps = windows(z.shape[2:], kernel, stride, dilation or [1] * len(kernel))
        return reduce(np.stack([z[(slice(None), slice(None), *tap)] for tap in taps]))

    return reference


def largest(x: Array) -> Array:
    return np.asarray(x.max(0))


def mean(x: Array) -> Array:
    return np.asarray(x.mean(0))


def defined_mean(x: Array) -> Array:
    return np.asarray(np.nanmean(x, 0))


def norm(p: float) -> Callable[[Array], Array]:
    return lambda x: np.asarray((x**p).sum(0) ** (1 / p))


def adaptive(reduce: Callable[..., Any], height: int, width: int) -> Reference:
    def reference(m: Fields, x: Array) -> Array:
        def bounds(size: int, out: int) -> list[slice]:
            return [slice(i * size // out, -(-(i + 1) * size // out)) for i in range(out)]

        return np.stack(
            [
                np.stack([reduce(x[:, :, r, c], axis=(2, 3)) for c in bounds(x.shape[3], width)], 2)
                for r in bounds(x.shape[2], height)
            ],
            2,
        )

    return reference


def subsampled(kernel: Sequence[int], stride: Sequence[int]) -> Reference:
    def reference(m: Fields, x: Array) -> Array:
        sums = pool(lambda t: np.asarray(t.sum(0)), kernel, stride)(m, x)
        return sums * m["weight"][:, None, None] + m["bias"][:, None, None]

    return reference


def frames(how: Reference) -> Reference:
    """Pooling of planes, for frames x features."""
    return lambda m, x: how(m, x.swapaxes(1, 2)[..., None])[..., 0].swapaxes(1, 2)


def largest_in_order(count: int) -> Reference:
    def reference(m: Fields, x: Array) -> Array:
        places = np.sort(np.argsort(-x, 1)[:, :count], 1)
        return np.take_along_axis(x, places, 1)

    return reference


def pads(width: Sequence[tuple[int, int]], mode: Any) -> Reference:
    return lambda m, x: np.pad(x, [(0, 0), (0, 0), *width], mode=mode)


def linear(size: Sequence[int]) -> Reference:
    """Linear interpolation of the last dimensions, corners on corners; positions are floats, as in Torch7."""

    def reference(m: Fields, x: Array) -> Array:
        y = x
        for d, out in enumerate(size, x.ndim - len(size)):
            last = x.shape[d] - 1
            place = np.float32(last) / np.float32(out - 1) * np.arange(out, dtype=np.float32)
            low = place.astype(int)
            part = (place - low.astype(np.float32)).astype(x.dtype)
            part = part.reshape([-1 if i == d else 1 for i in range(x.ndim)])
            y = np.take(y, low, d) * (1 - part) + np.take(y, np.minimum(low + 1, last), d) * part
        return y

    return reference


def nearest(scale: int, dimensions: int) -> Reference:
    def reference(m: Fields, x: Array) -> Array:
        for d in range(x.ndim - dimensions, x.ndim):
            x = np.repeat(x, scale, d)
        return x

    return reference


def batch(eps: float) -> Reference:
    def reference(m: Fields, x: Array) -> Array:
        over = tuple(d for d in range(x.ndim) if d != 1)
        y = (x - x.mean(over, keepdims=True)) / np.sqrt(x.var(over, keepdims=True) + eps)
        shape = [-1 if d == 1 else 1 for d in range(x.ndim)]
        return y * m["weight"].reshape(shape) + m["bias"].reshape(shape) if "weight" in m else y

    return reference


def across_maps(size: int, alpha: float, beta: float, k: float) -> Reference:
    def reference(m: Fields, x: Array) -> Array:
        half = size // 2
        z = np.pad(x**2, [(0, 0), (half, half), (0, 0), (0, 0)])
        sums = sum(z[:, i : i + x.shape[1]] for i in range(size))
        return np.asarray(x * (k + alpha / size * sums) ** -beta)

    return reference


def around(x: Array, weights: Array) -> Array:
    """Weighted sums of all planes around each pixel, in one plane."""
    kernel = weights if weights.ndim == 2 else np.outer(weights, weights)
    one = {"weight": kernel[None, None], "bias": np.zeros(1)}
    return conv(kernel.shape, [1, 1], [s // 2 for s in kernel.shape])(one, x.sum(1, keepdims=True))


def subtractive(weights: Array) -> Reference:
    def reference(m: Fields, x: Array) -> Array:
        return x - around(x, weights) / around(np.ones_like(x), weights)

    return reference


def divisive(weights: Array, threshold: float = 1e-4) -> Reference:
    def reference(m: Fields, x: Array) -> Array:
        full = weights if weights.ndim == 2 else np.outer(weights, weights)
        k = full / (full.sum() * x.shape[1])
        stds = np.sqrt(around(x**2, k)) / around(np.ones_like(x), k)
        return x / np.where(stds > threshold, stds, threshold)

    return reference


def contrastive(weights: Array) -> Reference:
    return lambda m, x: divisive(weights)(m, subtractive(weights)(m, x))


CONVOLUTIONS = [
    Layer("TemporalConvolution(3, 4, 2)", (2, 6, 3), (3, 9, 3), temporal(2, 1)),
    Layer("TemporalConvolution(2, 3, 3, 2)", (2, 8, 2), (1, 3, 2), temporal(3, 2)),
    Layer("TemporalRowConvolution(3, 2)", (2, 5, 3), (3, 7, 3), rows(2, 1, False)),
    Layer("TemporalRowConvolution(3, 2, 2, true)", (2, 3, 6), (1, 3, 4), rows(2, 2, True)),
    Layer("SpatialConvolution(2, 3, 3, 2)", (2, 2, 5, 6), (3, 2, 4, 4), conv([2, 3], [1, 1], [0, 0])),
    Layer(
        "SpatialConvolution(2, 3, 3, 3, 2, 2, 1, 1)", (2, 2, 6, 7), (1, 2, 3, 3), conv([3, 3], [2, 2], [1, 1])
    ),
    Layer(
        "SpatialConvolution(2, 2, 2, 3, 3, 2, 0, 2)", (2, 2, 6, 8), (1, 2, 3, 3), conv([3, 2], [2, 3], [2, 0])
    ),
    Layer("SpatialConvolution(3, 2, 1, 1)", (2, 3, 4, 5), (1, 3, 2, 2), conv([1, 1], [1, 1], [0, 0])),
    Layer(
        "SpatialConvolutionMM(2, 3, 2, 2, 1, 1, 1)", (3, 2, 3, 4), (1, 2, 5, 5), conv([2, 2], [1, 1], [1, 1])
    ),
    Layer(
        "SpatialDilatedConvolution(2, 3, 3, 2, 1, 2, 1, 2, 2, 3)",
        (2, 2, 7, 8),
        (1, 2, 5, 6),
        conv([2, 3], [2, 1], [2, 1], [3, 2]),
    ),
    Layer(
        "SpatialFullConvolution(2, 3, 3, 2)", (2, 2, 3, 4), (1, 2, 5, 2), full([2, 3], [1, 1], [0, 0], [0, 0])
    ),
    Layer(
        "SpatialFullConvolution(3, 2, 4, 4, 2, 3, 1, 1, 1, 2)",
        (2, 3, 3, 4),
        (1, 3, 2, 2),
        full([4, 4], [3, 2], [1, 1], [2, 1]),
    ),
    Layer(
        "SpatialDepthWiseConvolution(3, 2, 2, 3, 1, 2, 1, 0)",
        (2, 3, 5, 4),
        (1, 3, 3, 3),
        depth_wise([3, 2], [2, 1], [0, 1]),
    ),
    Layer(
        "SpatialDepthWiseConvolution(2, 5, 3, 2, 2, 1, 1, 1)",
        (2, 2, 4, 5),
        (1, 2, 3, 3),
        depth_wise([2, 3], [1, 2], [1, 1]),
    ),
    Layer(
        "SpatialConvolutionLocal(2, 3, 5, 4, 3, 2, 2, 1, 1, 1)",
        (2, 2, 4, 5),
        (1, 2, 4, 5),
        local([2, 3], [1, 2], [1, 1]),
    ),
    Layer(
        "SpatialConvolutionMap(torch.Tensor{{1, 1}, {3, 1}, {2, 2}, {1, 3}, {1, 1}}, 3, 2)",
        (2, 3, 4, 5),
        (1, 3, 3, 3),
        sparse(False),
    ),
    Layer(
        "SpatialFullConvolutionMap(torch.Tensor{{1, 1}, {3, 1}, {2, 2}, {1, 3}}, 2, 2)",
        (2, 3, 3, 4),
        (1, 3, 2, 2),
        sparse(True),
    ),
    Layer(
        "VolumetricConvolution(2, 3, 2, 3, 2, 1, 2, 1, 1, 0, 1)",
        (2, 2, 3, 4, 5),
        (1, 2, 2, 3, 4),
        conv([2, 2, 3], [1, 1, 2], [1, 1, 0]),
    ),
    Layer(
        "VolumetricDilatedConvolution(1, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 2, 2, 1)",
        (2, 1, 3, 3, 4),
        (1, 1, 2, 3, 3),
        conv([2, 2, 2], [1, 1, 1], [1, 1, 1], [2, 1, 2]),
    ),
    Layer(
        "VolumetricFullConvolution(2, 2, 2, 3, 2, 2, 1, 2, 0, 1, 0, 1, 0, 1)",
        (2, 2, 2, 3, 2),
        (1, 2, 1, 2, 3),
        full([2, 2, 3], [2, 2, 1], [0, 0, 1], [1, 1, 0]),
    ),
]

POOLING = [
    Layer("TemporalMaxPooling(2)", (2, 7, 3), (3, 4, 3), frames(pool(largest, [2, 1], [2, 1]))),
    Layer("TemporalMaxPooling(3, 1)", (2, 6, 2), (1, 3, 4), frames(pool(largest, [3, 1], [1, 1]))),
    Layer("SpatialMaxPooling(2, 3)", (2, 3, 7, 6), (1, 2, 3, 4), pool(largest, [3, 2], [3, 2])),
    Layer(
        "SpatialMaxPooling(3, 3, 2, 2, 1, 1)",
        (2, 2, 7, 6),
        (1, 1, 4, 4),
        pool(largest, [3, 3], [2, 2], [1, 1], value=-np.inf),
    ),
    Layer(
        "SpatialMaxPooling(3, 3, 2, 2):ceil()",
        (2, 2, 6, 8),
        (1, 1, 5, 5),
        pool(largest, [3, 3], [2, 2], [0, 0], [1, 1], value=-np.inf),
    ),
    Layer("SpatialMaxPooling(5, 5, 1, 1)", (1, 2, 7, 6), (1, 1, 5, 5), pool(largest, [5, 5], [1, 1])),
    Layer(
        "SpatialDilatedMaxPooling(2, 2, 1, 1, 1, 0, 2, 3)",
        (2, 1, 5, 6),
        (1, 1, 4, 4),
        pool(largest, [2, 2], [1, 1], [0, 1], value=-np.inf, dilation=[3, 2]),
    ),
    Layer("SpatialAveragePooling(2, 3, 2, 1)", (2, 2, 5, 6), (1, 3, 3, 3), pool(mean, [3, 2], [1, 2])),
    Layer(
        "SpatialAveragePooling(3, 3, 2, 2, 1, 1)",
        (2, 2, 5, 7),
        (1, 1, 3, 3),
        pool(mean, [3, 3], [2, 2], [1, 1]),
    ),
    Layer(
        "SpatialAveragePooling(3, 3, 2, 2, 1, 1):setCountExcludePad()",
        (2, 2, 5, 7),
        (1, 1, 3, 3),
        pool(defined_mean, [3, 3], [2, 2], [1, 1], value=np.nan),
    ),
    Layer("SpatialAveragePooling(5, 5, 1, 1)", (1, 2, 6, 7), (1, 1, 5, 5), pool(mean, [5, 5], [1, 1])),
    Layer("SpatialAdaptiveMaxPooling(3, 2)", (2, 2, 5, 7), (1, 1, 4, 4), adaptive(np.max, 2, 3)),
    Layer("SpatialAdaptiveAveragePooling(3, 2)", (2, 2, 5, 7), (1, 1, 4, 4), adaptive(np.mean, 2, 3)),
    Layer("SpatialAdaptiveAveragePooling(3, 2)", (2, 2, 6, 9), (1, 2, 4, 3), adaptive(np.mean, 2, 3)),
    Layer("SpatialSubSampling(2, 3, 2, 1, 2)", (2, 2, 5, 6), (1, 2, 4, 4), subsampled([2, 3], [2, 1])),
    Layer("TemporalSubSampling(3, 2, 2)", (2, 6, 3), (1, 3, 3), frames(subsampled([2, 1], [2, 1]))),
    Layer("TemporalDynamicKMaxPooling(3)", (2, 6, 2), (1, 4, 3), largest_in_order(3)),
    Layer(
        "VolumetricMaxPooling(2, 3, 2)", (2, 2, 4, 5, 6), (1, 1, 2, 3, 3), pool(largest, [2, 2, 3], [2, 2, 3])
    ),
    Layer(
        "VolumetricMaxPooling(2, 2, 2, 1, 1, 1, 1, 1, 1)",
        (1, 2, 3, 3, 4),
        (1, 1, 2, 3, 3),
        pool(largest, [2, 2, 2], [1, 1, 1], [1, 1, 1], value=-np.inf),
    ),
    Layer(
        "VolumetricDilatedMaxPooling(2, 2, 1, 1, 1, 1, 0, 0, 0, 2, 2, 1)",
        (1, 2, 4, 3, 4),
        (1, 1, 3, 3, 3),
        pool(largest, [2, 1, 2], [1, 1, 1], dilation=[2, 1, 2]),
    ),
    Layer(
        "VolumetricAveragePooling(2, 2, 3, 1, 2, 1)",
        (2, 1, 3, 4, 5),
        (1, 2, 2, 3, 3),
        pool(mean, [2, 3, 2], [1, 1, 2]),
    ),
    Layer("SpatialZeroPadding(1, 2, 0, 3)", (2, 2, 3, 4), (1, 3, 2, 2), pads([(0, 3), (1, 2)], "constant")),
    Layer(
        "SpatialZeroPadding(-1, 2, 1, -1)",
        (2, 2, 4, 4),
        (1, 1, 3, 3),
        lambda m, x: np.pad(x[:, :, :-1, 1:], [(0, 0), (0, 0), (1, 0), (0, 2)]),
    ),
    Layer(
        "SpatialReflectionPadding(1, 2, 2, 0)", (2, 2, 3, 4), (1, 1, 4, 3), pads([(2, 0), (1, 2)], "reflect")
    ),
    Layer(
        "SpatialReplicationPadding(3, 0, 1, 2)", (2, 2, 3, 2), (1, 1, 2, 4), pads([(1, 2), (3, 0)], "edge")
    ),
    Layer(
        "VolumetricReplicationPadding(1, 0, 2, 1, 0, 3)",
        (2, 1, 2, 3, 2),
        (1, 2, 1, 2, 2),
        pads([(0, 3), (2, 1), (1, 0)], "edge"),
    ),
    Layer("SpatialUpSamplingNearest(3)", (2, 2, 3, 2), (1, 1, 2, 2), nearest(3, 2)),
    Layer("SpatialUpSamplingBilinear(2)", (2, 2, 3, 4), (2, 2, 3, 4), linear([6, 8])),
    Layer("UpSampling(2, 'nearest')", (2, 1, 2, 3, 2), (1, 1, 2, 2), nearest(2, 3), sample=False),
    Layer(
        "UpSampling({odepth=3, oheight=5, owidth=4}, 'linear')",
        (2, 1, 2, 3, 2),
        (1, 1, 3, 2, 3),
        linear([3, 5, 4]),
        sample=False,
    ),
]

K1, K2 = np.array([1.0, 2, 1]), np.ones((3, 5))

NORMALIZATION = [
    Layer("BatchNormalization(3)", (5, 3), (4, 3), batch(1e-5), (4, 2), sample=False),
    Layer("BatchNormalization(3, 1e-2, 0.1, false)", (5, 3), (4, 3), batch(1e-2), (4, 2), sample=False),
    Layer(
        "SpatialBatchNormalization(3)", (4, 3, 3, 2), (2, 3, 9, 8), batch(1e-5), (2, 2, 3, 3), sample=False
    ),
    Layer("SpatialBatchNormalization(2)", (3, 2, 9, 8), (4, 2, 1, 1), batch(1e-5), (2, 2), sample=False),
    Layer(
        "VolumetricBatchNormalization(2)", (3, 2, 2, 3, 2), (2, 2, 1, 2, 2), batch(1e-5), (2, 2), sample=False
    ),
    Layer("SpatialCrossMapLRN(3, 0.5, 0.75, 2)", (2, 5, 3, 2), (1, 2, 2, 2), across_maps(3, 0.5, 0.75, 2)),
    Layer("SpatialCrossMapLRN(5)", (2, 4, 3, 2), (1, 7, 2, 2), across_maps(5, 1e-4, 0.75, 1)),
    Layer(
        "SpatialSubtractiveNormalization(2, torch.Tensor{1, 2, 1})",
        (2, 2, 5, 4),
        (1, 2, 3, 3),
        subtractive(K1),
    ),
    Layer(
        "SpatialSubtractiveNormalization(2, torch.ones(3, 5))", (2, 2, 5, 6), (1, 2, 3, 5), subtractive(K2)
    ),
    Layer("SpatialDivisiveNormalization(2, torch.Tensor{1, 2, 1})", (2, 2, 5, 4), (1, 2, 3, 3), divisive(K1)),
    Layer(
        "SpatialDivisiveNormalization(2, torch.ones(3, 5), 0.6)",
        (2, 2, 5, 6),
        (1, 2, 3, 5),
        divisive(K2, 0.6),
    ),
    Layer(
        "SpatialContrastiveNormalization(1, torch.ones(3, 5))", (2, 1, 5, 6), (1, 1, 3, 5), contrastive(K2)
    ),
]

LAYERS = CONVOLUTIONS + POOLING + NORMALIZATION
