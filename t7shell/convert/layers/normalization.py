"""Normalization over batches, across planes and around pixels of images."""

from __future__ import annotations

import numpy as np

from t7shell.convert import ConvertError
from t7shell.convert.graph import Graph, Value
from t7shell.convert.layers.common import batched
from t7shell.convert.layers.convolution import conv
from t7shell.convert.registry import Module, module, rows
from t7shell.t7file.model import Array


@module("BatchNormalization SpatialBatchNormalization VolumetricBatchNormalization")
def batch_normalization(g: Graph, m: Module, x: Value) -> Value:
    """Normalizes planes by the running means and variances."""
    eps, mean = float(m.get("eps", 1e-5)), m.parameter("running_mean")
    n = mean.shape[0]
    if m.get("running_std") is not None:
        variance = g.constant(m.array("running_std") ** -2.0 - eps, "running_var")
    else:
        variance = m.parameter("running_var")
    affine = m.get("weight") is not None
    weight = m.parameter("weight") if affine else g.constant(np.ones(n), "weight")
    bias = m.parameter("bias") if affine else g.constant(np.zeros(n), "bias")
    if x.rank < 2 or x.shape[1] != n:
        raise ConvertError(f"expected a batch of {n} planes (got {'x'.join(map(str, x.shape))})")
    return g.BatchNormalization(x, weight, bias, mean, variance, epsilon=eps)


@module("SpatialFeatNormalization")
def feature_normalization(g: Graph, m: Module, x: Value) -> Value:
    """Subtracts a mean from each plane, and divides by a deviation if there is one."""
    planes = m.array("mean").size
    x = g.Sub(x, m.parameter("mean", (planes, 1, 1)))
    return g.Div(x, m.parameter("std", (planes, 1, 1))) if m.get("std") is not None else x


@module("SpatialCrossMapLRN")
def cross_map_lrn(g: Graph, m: Module, x: Value) -> Value:
    """Planes divided by a norm over their neighbours. The number of neighbours is odd."""
    size = 2 * ((m.size - 1) // 2) + 1
    return batched(
        g,
        x,
        4,
        lambda x: g.LRN(x, size=size, alpha=m.alpha / m.size * size, beta=float(m.beta), bias=float(m.k)),
    )


def _window(m: Module) -> Array:
    """The kernel of a local mean; a vector stands for its product with itself."""
    kernel = m.array("kernel")
    return np.outer(kernel, kernel) if kernel.ndim == 1 else kernel


def _local_mean(g: Graph, x: Value, kernel: Array) -> tuple[Value, Value]:
    """The weighted sums of all planes around each pixel, and the share of the weights that lies inside."""
    planes, h, w = x.shape[1:]
    kh, kw = kernel.shape
    weight = np.ascontiguousarray(np.broadcast_to(kernel, (1, planes, kh, kw)))
    sums = conv(g, x, g.constant(weight, "kernel"), None, [1, 1], [kh // 2, kw // 2])
    padded = np.pad(np.full((h, w), float(planes)), ((kh // 2, kh // 2), (kw // 2, kw // 2)))
    share = sum(kernel[i, j] * padded[i : i + h, j : j + w] for i in range(kh) for j in range(kw))
    return sums, g.constant(np.asarray(share)[None, None], "share")


def _divided(g: Graph, x: Value, kernel: Array, threshold: float, value: float) -> Value:
    sums, share = _local_mean(g, g.Mul(x, x), kernel)
    deviation = g.Div(g.Sqrt(g.Relu(sums)), share)
    return g.Div(x, g.Where(g.Greater(deviation, threshold), deviation, value))


rows(
    {
        "SpatialSubtractiveNormalization": lambda g, m, x: batched(
            g, x, 4, lambda x: g.Sub(x, g.Div(*_local_mean(g, x, _window(m))))
        ),
        "SpatialDivisiveNormalization": lambda g, m, x: batched(
            g, x, 4, lambda x: _divided(g, x, _window(m), m.threshold, m.thresval)
        ),
        # Both, one after the other.
        "SpatialContrastiveNormalization": lambda g, m, x: m.run(m.normalizer, x, "normalizer"),
    }
)
