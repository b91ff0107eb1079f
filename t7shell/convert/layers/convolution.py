"""Convolutions of one, two and three dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from t7shell.convert import ConvertError
from t7shell.convert.graph import Graph, Value
from t7shell.convert.layers.common import batched
from t7shell.convert.registry import Module, Values, module
from t7shell.t7file.model import Array

# Kernel, stride, padding and dilation: names of fields, for images and for volumes.
IMAGES = (("kH", "kW"), ("dH", "dW"), ("padH", "padW"), ("dilationH", "dilationW"))
VOLUMES = (
    ("kT", "kH", "kW"),
    ("dT", "dH", "dW"),
    ("padT", "padH", "padW"),
    ("dilationT", "dilationH", "dilationW"),
)


def conv(
    g: Graph,
    x: Value,
    weight: Value,
    bias: Value | None,
    strides: Sequence[int],
    pads: Sequence[int] = (),
    dilations: Sequence[int] = (),
    group: int = 1,
) -> Value:
    """Adds a convolution of a batch or of a sample.

    The weight is output planes x input planes of a group x kernel.
    """
    n = weight.rank - 2
    pads = list(pads) or [0] * n
    attributes = {
        "kernel_shape": list(weight.shape[2:]),
        "strides": list(strides),
        "pads": pads + pads,
        "dilations": list(dilations) or [1] * n,
        "group": group,
    }
    return batched(g, x, weight.rank, lambda x: g.Conv(x, weight, bias, **attributes))


def _transposed(
    g: Graph, m: Module, x: Value, weight: Value, strides: list[int], pads: list[int], more: list[int]
) -> Value:
    """Adds a transposed convolution of a batch or of a sample; `more` are rows added to its output."""
    attributes = {
        "kernel_shape": list(weight.shape[2:]),
        "strides": strides,
        "pads": pads + pads,
        "dilations": [1] * len(strides),
        "group": m.get("groups", 1),
        "output_padding": more,
    }
    return batched(g, x, weight.rank, lambda x: g.ConvTranspose(x, weight, m.optional_bias(), **attributes))


@module(
    "SpatialBinaryConvolution SpatialConvolution SpatialConvolutionMM SpatialDilatedConvolution "
    "VolumetricConvolution VolumetricDilatedConvolution"
)
def convolution(g: Graph, m: Module, x: Value) -> Value:
    """Plain, dilated and grouped convolutions of images and volumes."""
    kernel, stride, pad, dilation = VOLUMES if "Volumetric" in m.name else IMAGES
    group = m.get("groups", 1)
    shape = (m.nOutputPlane, m.nInputPlane // group, *m.sizes(*kernel))
    if m.name.endswith("BinaryConvolution"):
        weight = g.constant(_binary(m.array("weight").reshape(shape)), "weight")
    else:
        weight = m.parameter("weight", shape)
    # Old files have one field for the padding, or none.
    pads = m.sizes(*pad, default=m.get("padding", 0))
    strides, dilations = m.sizes(*stride, default=1), m.sizes(*dilation, default=1)
    return conv(g, x, weight, m.optional_bias(), strides, pads, dilations, group)


def _binary(weight: Array) -> Array:
    """The signs of a weight times the mean size in each output plane."""
    sizes: Array = np.abs(weight).mean(axis=(1, 2, 3), keepdims=True)
    return np.where(weight >= 0, sizes, -sizes)


@module("SpatialFullConvolution VolumetricFullConvolution")
def full_convolution(g: Graph, m: Module, x: Values) -> Value:
    """Transposed convolutions; the size of the output may be that of a second tensor."""
    kernel, stride, pad, _ = VOLUMES if "Volumetric" in m.name else IMAGES
    weight = m.parameter("weight", (m.nInputPlane, m.nOutputPlane // m.get("groups", 1), *m.sizes(*kernel)))
    strides, pads = m.sizes(*stride, default=1), m.sizes(*pad, default=0)
    more = m.sizes(*(name.replace("pad", "adj") for name in pad), default=0)
    if isinstance(x, list):
        x, like = x
        n = len(strides)
        more = [
            to - ((size - 1) * s - 2 * p + k)
            for to, size, s, p, k in zip(
                like.shape[-n:], x.shape[-n:], strides, pads, weight.shape[2:], strict=True
            )
        ]
    return _transposed(g, m, x, weight, strides, pads, more)


@module("SpatialDepthWiseConvolution")
def depth_wise(g: Graph, m: Module, x: Value) -> Value:
    """Separate kernels for each input plane."""
    n, count = m.nInputPlane, m.nInputPlane * m.nOutputPlane
    weight = (
        m.array("weight").reshape(m.nOutputPlane, n, m.kH, m.kW).swapaxes(0, 1).reshape(count, 1, m.kH, m.kW)
    )
    bias = g.constant(m.array("bias").T.reshape(-1), "bias") if m.get("bias") is not None else None
    strides, pads = m.sizes("dH", "dW"), m.sizes("padH", "padW", default=0)
    return conv(g, x, g.constant(weight, "weight"), bias, strides, pads, group=n)


@module("SpatialConvolutionMap SpatialFullConvolutionMap")
def map_convolution(g: Graph, m: Module, x: Value) -> Value:
    """Kernels for pairs of an input and an output plane; the others are 0."""
    pairs = m.array("connTable").astype(np.int64) - 1
    full = m.name == "nn.SpatialFullConvolutionMap"
    first, second = (pairs[:, 0], pairs[:, 1]) if full else (pairs[:, 1], pairs[:, 0])
    sizes = (m.nInputPlane, m.nOutputPlane) if full else (m.nOutputPlane, m.nInputPlane)
    if pairs.min() < 0 or first.max() >= sizes[0] or second.max() >= sizes[1]:
        raise ConvertError("connections of planes that do not exist")
    dense = np.zeros((*sizes, m.kH, m.kW))
    np.add.at(dense, (first, second), m.array("weight"))
    weight, strides = g.constant(dense, "weight"), m.sizes("dH", "dW")
    if full:
        return _transposed(g, m, x, weight, strides, [0, 0], [0, 0])
    return conv(g, x, weight, m.optional_bias(), strides)


@module("SpatialConvolutionLocal")
def local_convolution(g: Graph, m: Module, x: Value) -> Value:
    """A separate kernel for each pixel: all windows as planes, then a product per pixel."""
    n, taps = m.nInputPlane, m.kH * m.kW
    windows = np.tile(np.eye(taps).reshape(taps, 1, m.kH, m.kW), (n, 1, 1, 1))
    weight = m.parameter("weight", (m.oH, m.oW, m.nOutputPlane, n * taps))
    strides, pads = m.sizes("dH", "dW"), m.sizes("padH", "padW", default=0)

    def work(x: Value) -> Value:
        columns = conv(g, x, g.constant(windows, "windows"), None, strides, pads, group=n)
        return g.Add(g.Einsum(columns, weight, equation="bkhw,hwok->bohw"), m.parameter("bias"))

    return batched(g, x, 4, work)


def frames(g: Graph, x: Value, work: Any) -> Value:
    """Applies a function of planes x frames to an input of frames x planes."""
    return batched(g, x, 3, lambda x: g.swap(work(g.swap(x, 1, 2)), 1, 2))


@module("TemporalConvolution")
def temporal_convolution(g: Graph, m: Module, x: Value) -> Value:
    """Convolutions along the frames of sequences. That of cudnn has frames as the rows of an image."""
    window, step = ("kH", "dH") if m.get("kH") else ("kW", "dW")
    weight = m.array("weight").reshape(m.outputFrameSize, m.get(window), m.inputFrameSize).swapaxes(1, 2)
    pads = [m.get("padH") or 0]
    return frames(
        g, x, lambda x: conv(g, x, g.constant(weight, "weight"), m.optional_bias(), m.sizes(step), pads)
    )


@module("TemporalRowConvolution")
def row_convolution(g: Graph, m: Module, x: Value) -> Value:
    """A separate kernel for each feature."""
    n = m.inputFrameSize
    weight = m.parameter("weight", (n, 1, m.kW))

    def work(x: Value) -> Value:
        return conv(g, x, weight, m.optional_bias(), m.sizes("dW"), group=n)

    return work(x) if m.get("featFirst") else frames(g, x, work)


@module("SpatialSubSampling")
def sub_sampling(g: Graph, m: Module, x: Value) -> Value:
    """Sums of windows, times a weight and with a bias for each plane."""
    return _sums(g, m, x, m.nInputPlane, m.sizes("kH", "kW"), m.sizes("dH", "dW"))


@module("TemporalSubSampling")
def temporal_sub_sampling(g: Graph, m: Module, x: Value) -> Value:
    """As SpatialSubSampling, along frames."""
    return frames(g, x, lambda x: _sums(g, m, x, m.inputFrameSize, m.sizes("kW"), m.sizes("dW")))


def _sums(g: Graph, m: Module, x: Value, n: int, kernel: list[int], strides: list[int]) -> Value:
    weight = np.broadcast_to(m.array("weight").reshape(n, *[1] * (len(kernel) + 1)), (n, 1, *kernel))
    return conv(g, x, g.constant(np.ascontiguousarray(weight), "weight"), m.optional_bias(), strides, group=n)
