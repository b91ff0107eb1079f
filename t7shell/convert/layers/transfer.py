"""Transfer functions."""

from __future__ import annotations

import numpy as np

from t7shell.convert.graph import Graph, Value
from t7shell.convert.layers.common import dimension
from t7shell.convert.registry import Module, Values, module, rows

rows(
    {
        "Abs": lambda g, m, x: g.Abs(x),
        "Exp": lambda g, m, x: g.Exp(x),
        "Log": lambda g, m, x: g.Log(x),
        "Sigmoid": lambda g, m, x: g.Sigmoid(x),
        "SoftSign": lambda g, m, x: g.Softsign(x),
        "Sqrt": lambda g, m, x: g.Sqrt(x),
        "Tanh": lambda g, m, x: g.Tanh(x),
        "LogSigmoid": lambda g, m, x: g.Neg(g.Softplus(g.Neg(x))),
        "Square": lambda g, m, x: g.Mul(x, x),
        "TanhShrink": lambda g, m, x: g.Sub(x, g.Tanh(x)),
        "ELU": lambda g, m, x: g.Elu(x, alpha=float(m.get("alpha", 1))),
        "HardTanh Clamp cudnn.ClippedReLU": lambda g, m, x: g.Clip(
            x, min=float(m.get("min_val", -1)), max=float(m.get("max_val", 1))
        ),
        "Clip": lambda g, m, x: g.Clip(x, min=float(m.minval), max=float(m.maxval)),
        "ReLU6": lambda g, m, x: g.Clip(x, min=0.0, max=6.0),
        "LeakyReLU": lambda g, m, x: g.LeakyRelu(x, alpha=float(m.get("negval", 0.01))),
        # In evaluation the slope is the mean of those in training.
        "RReLU": lambda g, m, x: g.LeakyRelu(x, alpha=(m.lower + m.upper) / 2),
        "Power": lambda g, m, x: g.Pow(x, float(m.pow)),
        # A tensor is added to each entry of a table.
        "CAddTensorTable": lambda g, m, x: [g.Add(x[0], g.reshape(other, x[0].shape)) for other in x[1]],
    }
)


@module("HardShrink SoftShrink")
def shrink(g: Graph, m: Module, x: Value) -> Value:
    """0 for |x| up to lambda; beyond that x, or x moved towards 0 by lambda."""
    inside = g.Clip(x, min=-float(m.get("lambda", 0.5)), max=float(m.get("lambda", 0.5)))
    rest = g.Sub(x, inside)
    return rest if m.name.endswith("SoftShrink") else g.Where(g.Equal(rest, 0.0), 0.0, x)


@module("PReLU")
def prelu(g: Graph, m: Module, x: Value) -> Value:
    """x, times a learnt slope if it is negative."""
    planes = m.get("nOutputPlane", 0)
    if not planes:
        return g.PRelu(x, m.parameter("weight", (1,)))
    single = x.rank == 1 or (x.rank == 3 and x.shape[1] != planes and x.shape[0] == planes)
    return g.PRelu(x, m.parameter("weight", (planes, *[1] * (x.rank - 1 - (not single)))))


@module("SoftPlus")
def soft_plus(g: Graph, m: Module, x: Value) -> Value:
    """log(1 + exp(beta x)) / beta."""
    beta = m.get("beta", 1)
    if beta == 1:
        return g.Softplus(x)
    return g.Div(g.Softplus(g.Mul(x, beta)), beta)


@module("Threshold ReLU")
def threshold(g: Graph, m: Module, x: Value) -> Value:
    """x if it is above a threshold, else a fixed value."""
    limit, value = float(m.get("threshold", 0)), float(m.get("val", 0))
    return g.Relu(x) if limit == value == 0 else g.Where(g.Greater(x, limit), x, value)


@module(
    "SoftMax LogSoftMax SpatialSoftMax SpatialLogSoftMax cudnn.VolumetricSoftMax cudnn.VolumetricLogSoftMax "
    "SoftMin"
)
def softmax(g: Graph, m: Module, x: Value) -> Value:
    """Softmax of vectors, of rows, or over the planes of images."""
    axis = 0 if x.rank in (1, 3) else 1
    x = g.Neg(x) if m.name.endswith("SoftMin") else x
    return g.LogSoftmax(x, axis=axis) if "Log" in m.name else g.Softmax(x, axis=axis)


@module("GatedLinearUnit")
def gated_linear_unit(g: Graph, m: Module, x: Value) -> Value:
    """The first half of a dimension times the sigmoid of the second."""
    axis = dimension(x, m.get("dim", x.rank))
    half = x.shape[axis] // 2
    return g.Mul(g.slice(x, axis, 0, half), g.Sigmoid(g.slice(x, axis, half, half)))


_TABLES = {
    "CAddTable": "Add",
    "CSubTable": "Sub",
    "CMulTable": "Mul",
    "CDivTable": "Div",
    "CMaxTable": "Max",
    "CMinTable": "Min",
}


@module(*_TABLES)
def reduce_table(g: Graph, m: Module, x: Values) -> Value:
    """The sum, difference, ... of tensors of the same size."""
    total: Value = x[0]
    for other in x[1:]:
        total = g.add(_TABLES[m.kind], total, g.reshape(other, x[0].shape))
    return total


@module("FeatureLPPooling")
def feature_lp_pooling(g: Graph, m: Module, x: Value) -> Value:
    """The p-norms of windows of features."""
    axis, width = int(bool(m.get("batch_mode"))), m.width
    powers = g.Mul(x, x) if m.power == 2 else g.Pow(x, float(m.power))
    starts = range(0, x.shape[axis] - width + 1, m.stride)
    matrix = np.zeros((x.shape[axis], len(starts)))
    for column, start in enumerate(starts):
        matrix[start : start + width, column] = 1
    letters = "abcd"[: x.rank]
    total = g.Einsum(
        powers,
        g.constant(matrix, "windows"),
        equation=f"{letters},{letters[axis]}z->{letters.replace(letters[axis], 'z')}",
    )
    return g.Sqrt(total) if m.power == 2 else g.Pow(total, 1.0 / m.power)
