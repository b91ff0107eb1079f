"""Modules that change shapes, select, repeat, pad and reduce."""

from __future__ import annotations

import numpy as np

from t7shell.convert import ConvertError
from t7shell.convert.graph import Graph, Value
from t7shell.convert.layers.common import batched, dimension
from t7shell.convert.registry import Module, Values, module, rows, unsupported

rows(
    {
        "PixelShuffle": lambda g, m, x: batched(
            g, x, 4, lambda x: g.DepthToSpace(x, blocksize=m.upscaleFactor, mode="CRD")
        )
    }
)


def _count(sizes: tuple[int, ...] | list[int]) -> int:
    return int(np.prod(sizes, dtype=np.int64))


@module("View")
def view(g: Graph, m: Module, x: Value) -> Value:
    """Changes sizes; remaining dimensions are the batch."""
    size = [int(n) for n in m.size]
    sample = x.shape[max(x.rank - m.get("numInputDims", x.rank), 0) :]
    batch = _count(x.shape) // _count(sample)
    if -1 not in size:
        batch *= _count(sample) // _count(size)
    single = batch == 1 and (m.get("numInputDims") is None or x.rank <= m.numInputDims)
    return g.reshape(x, size if single else [batch, *size])


@module("Reshape")
def reshape(g: Graph, m: Module, x: Value) -> Value:
    """Other sizes, for each sample where the input is a batch."""
    size, mode = [int(n) for n in m.size], m.get("batchMode")
    single = mode is False or (mode is None and _count(x.shape) == _count(size) and x.shape[0] != 1)
    return g.reshape(x, size if single else [x.shape[0], *size])


@module("Collapse")
def collapse(g: Graph, m: Module, x: Value) -> Value:
    """All dimensions as one, but for the first of a batch."""
    # Files written by early versions of this library have another name for the field.
    batch = int(x.rank > (m.get("nInputDim") or m.nInputDims))
    return g.reshape(x, (*x.shape[:batch], _count(x.shape[batch:])))


@module("Squeeze")
def squeeze(g: Graph, m: Module, x: Value) -> Value:
    """Without dimensions of size 1."""
    dims = range(x.rank) if m.get("dim") is None else [dimension(x, m.dim, m.get("numInputDims"))]
    return g.reshape(x, [n for d, n in enumerate(x.shape) if n != 1 or d not in dims] or [1])


@module("Unsqueeze")
def unsqueeze(g: Graph, m: Module, x: Value) -> Value:
    """With one more dimension of size 1."""
    d = x.rank - m.get("numInputDims", x.rank) + m.pos - 1
    return g.reshape(x, (*x.shape[:d], 1, *x.shape[d:]))


@module("Replicate")
def replicate(g: Graph, m: Module, x: Value) -> Value:
    """With one more dimension, along which the input is repeated."""
    d = m.get("dim", 1) - 1 + (m.get("ndim") is not None and x.rank == m.ndim + 1)
    wide = g.reshape(x, (*x.shape[:d], 1, *x.shape[d:]))
    return g.Expand(wide, shape=[m.nfeatures if i == d else 1 for i in range(wide.rank)])


@module("Transpose")
def transpose(g: Graph, m: Module, x: Value) -> Value:
    """Pairs of dimensions exchanged."""
    offset = x.rank - m.get("numInputDims", x.rank) - 1
    order = list(range(x.rank))
    for a, b in m.permutations:
        order[a + offset], order[b + offset] = order[b + offset], order[a + offset]
    return g.transpose(x, order)


@module("Select")
def select(g: Graph, m: Module, x: Value) -> Value:
    """One element of a dimension."""
    axis = dimension(x, m.dimension)
    index = m.index - 1 if m.index > 0 else x.shape[axis] + m.index
    return g.slice(x, 0, index, 1) if x.rank == 1 else g.select(x, axis, index)


@module("Narrow")
def narrow(g: Graph, m: Module, x: Value) -> Value:
    """A part of a dimension; a negative length counts from the end."""
    axis, index, length = dimension(x, m.dimension), m.index, m.length
    if length < 0:
        length = x.shape[axis] - index + length + 2
    if index < 0:
        index, length = 1, x.shape[axis] - length
    return g.slice(x, axis, index - 1, length)


@module("Index")
def index(g: Graph, m: Module, x: Values) -> Value:
    """Elements of a dimension, given by a vector of indices."""
    data, which = x
    axis = dimension(data, m.dimension)
    return g.Gather(data, g.indices(which, data.shape[axis]), axis=axis)


@module("Padding")
def padding(g: Graph, m: Module, x: Value) -> Value:
    """Elements of one value before an element of a dimension, counted from the side that is padded."""
    (dim, pad) = m.sizes("dim", "pad")
    axis = dim - 1 + (m.get("nInputDim") is not None and x.rank != m.nInputDim)
    size, first = x.shape[axis], m.get("index", 1)
    before = size - first + 1 if pad > 0 else first - 1
    if not 0 <= before <= size:
        raise ConvertError(f"expected an input of at least {first - 1} elements in dimension {axis + 1}")
    low, high = [0] * x.rank, [0] * x.rank
    (high if before else low)[axis] = abs(pad)
    padded = g.pad(g.slice(x, axis, 0, before or size), low, high, m.get("value", 0))
    return g.concat([padded, g.slice(x, axis, before, size - before)], axis) if 0 < before < size else padded


@module("Sum Mean Max Min")
def reduce(g: Graph, m: Module, x: Value) -> Value:
    """The sum, mean, minimum or maximum along a dimension."""
    axis = dimension(x, m.dimension, m.get("nInputDims"))
    op = "Mean" if m.kind == "Sum" and m.get("sizeAverage") else m.kind
    keep = x.rank == 1 or (op in ("Sum", "Mean") and m.get("squeeze", True) is False)
    return g.add(f"Reduce{op}", x, axes=[axis], keepdims=int(keep))


@module("ArgMax")
def arg_max(g: Graph, m: Module, x: Value) -> Value:
    """The index of the largest element along a dimension, from 1."""
    axis = m.dim - 1 + (x.rank > m.get("nInputDim", x.rank))
    found = g.ArgMax(x, axis=axis, keepdims=int(x.rank == 1))
    index = g.Add(found, g.constant(1, dtype="int64"))
    return index if m.get("asLong", True) else g.Cast(index, to="float")


unsupported("draws a part of its input, in evaluation, too", "SpatialUniformCrop")

_PADS = {
    "SpatialZeroPadding": ("constant", ("pad_t", "pad_l"), ("pad_b", "pad_r")),
    "SpatialReflectionPadding": ("reflect", ("pad_t", "pad_l"), ("pad_b", "pad_r")),
    "SpatialReplicationPadding": ("edge", ("pad_t", "pad_l"), ("pad_b", "pad_r")),
    "VolumetricReplicationPadding": ("edge", ("pfront", "ptop", "pleft"), ("pback", "pbottom", "pright")),
}


@module(*_PADS)
def pad_frame(g: Graph, m: Module, x: Value) -> Value:
    """Images and volumes with zeros, a mirror image or their edges around them."""
    mode, low, high = _PADS[m.kind]
    before, after = m.sizes(*low, default=0), m.sizes(*high, default=0)
    return batched(g, x, len(low) + 2, lambda x: g.pad(x, before, after, mode=mode))


@module("SpatialUpSamplingNearest SpatialUpSamplingBilinear UpSampling")
def upsampling(g: Graph, m: Module, x: Value) -> Value:
    """Images and volumes enlarged."""
    nearest = "Nearest" in m.name or (m.get("mode", "nearest") == "nearest" and "Bilinear" not in m.name)

    def work(x: Value) -> Value:
        given = [m.get("odepth"), m.get("oheight"), m.get("owidth")][5 - x.rank :]
        factor = m.get("scale_factor")
        sizes = [n * factor if factor else to or n for n, to in zip(x.shape[2:], given, strict=True)]
        return g.Resize(x, sizes=sizes, mode="nearest" if nearest else "linear")

    return work(x) if x.rank == 5 else batched(g, x, 4, work)
