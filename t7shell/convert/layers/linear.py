"""Layers of vectors: products with weights, lookups, distances, and parameters for each element."""

from __future__ import annotations

import numpy as np

from t7shell.convert import ConvertError
from t7shell.convert.graph import Graph, Value
from t7shell.convert.layers.common import batched, broadcastable
from t7shell.convert.registry import Module, Values, module, rows

rows(
    {
        "SAdd": lambda g, m, x: (
            g.Neg(g.Add(x, float(m.addend))) if m.get("negate") else g.Add(x, float(m.addend))
        ),
        "Linear LinearNoBias": lambda g, m, x: _product(g, m, x, m.parameter("weight")),
        "CAdd": lambda g, m, x: g.Add(x, g.constant(broadcastable(m.array("bias"), x), "bias")),
        "Mul": lambda g, m, x: g.Mul(x, m.parameter("weight", (1,))),
        "CMul": lambda g, m, x: g.Mul(x, g.constant(broadcastable(m.array("weight"), x), "weight")),
        "MulConstant": lambda g, m, x: g.Mul(x, m.constant_scalar),
        "DotProduct": lambda g, m, x: _dot(g, *_pairs(g, x)),
        "PairwiseDistance": lambda g, m, x: _norm(g, g.Sub(*_pairs(g, x)), m.get("norm", 2), 0.0, keep=0),
        # Rows divided by their p-norm.
        "Normalize": lambda g, m, x: batched(
            g, x, 2, lambda x: g.Div(x, _norm(g, x, m.p, m.get("eps", 1e-10), keep=1))
        ),
    }
)


def _product(g: Graph, m: Module, x: Value, weight: Value) -> Value:
    return batched(g, x, 2, lambda x: g.Gemm(x, weight, m.optional_bias(), transB=1))


@module("LinearWeightNorm")
def linear_weight_norm(g: Graph, m: Module, x: Value) -> Value:
    """Linear with a weight that is made from directions `v` and lengths `g`."""
    v = m.array("v")
    norms = np.linalg.norm(v, axis=1, keepdims=True).clip(m.get("eps", 1e-16))
    return _product(g, m, x, g.constant(v * (m.array("g") / norms), "weight"))


@module("PartialLinear")
def partial_linear(g: Graph, m: Module, x: Value) -> Value:
    """Linear for some of the outputs, whose rows are in a lookup table."""
    rows = m.array("partition").astype(np.int64) - 1
    weight = m.network.fields["modules"][0].fields["modules"][1].fields["weight"][rows]
    bias = g.constant(m.array("bias")[0, rows], "bias") if m.get("bias") is not None else None
    return g.Gemm(x, g.constant(weight, "weight"), bias, transB=1)


@module("Bilinear")
def bilinear(g: Graph, m: Module, x: Values) -> Value:
    """x1 W x2 for each output."""
    y, bias = g.Einsum(x[0], m.parameter("weight"), x[1], equation="bi,oij,bj->bo"), m.optional_bias()
    return g.Add(y, bias) if bias else y


@module("LookupTable")
def lookup_table(g: Graph, m: Module, x: Value) -> Value:
    """Rows of the weight, whose norms are limited to maxNorm."""
    weight = m.array("weight")
    limit = m.get("maxNorm")
    if limit:
        norms = np.linalg.norm(weight, m.get("normType", 2), axis=1, keepdims=True)
        weight = np.where(norms > limit, weight * (limit / (norms + 1e-7)), weight)
    return g.Gather(g.constant(weight, "weight"), g.indices(x, weight.shape[0]), axis=0)


@module("Add")
def add(g: Graph, m: Module, x: Value) -> Value:
    """The input and a bias, which may be a single number."""
    bias = m.array("bias")
    return g.Add(x, g.constant(bias.reshape(-1)[:1] if m.get("scalar") else broadcastable(bias, x), "bias"))


@module("AddConstant")
def add_constant(g: Graph, m: Module, x: Value) -> Value:
    """The input and a fixed number or tensor."""
    constant = m.constant_scalar
    if isinstance(constant, np.ndarray):
        constant = g.constant(broadcastable(constant, x), "constant")
    return g.Add(x, constant)


@module("Constant")
def constant(g: Graph, m: Module, x: Value) -> Value:
    """A fixed tensor, for each sample where the input is a batch."""
    value = m.array("value")
    if not m.get("nInputDim") or x.rank <= m.nInputDim:
        return g.Reshape(g.constant(value, "value"), shape=list(value.shape))
    first = g.reshape(g.slice(g.reshape(x, (x.shape[0], -1)), 1, 0, 1), (x.shape[0], *[1] * value.ndim))
    # The condition is always false: it only has the size of the batch.
    return g.Where(g.Less(first, first), 0.0, g.constant(value[None], "value"))


@module("Cosine")
def cosine(g: Graph, m: Module, x: Value) -> Value:
    """The cosines between the input and the rows of the weight."""
    weight = m.array("weight")
    rows = weight / (np.linalg.norm(weight, axis=1, keepdims=True) + 1e-12)

    def work(x: Value) -> Value:
        lengths = g.Add(g.Sqrt(g.ReduceSum(g.Mul(x, x), axes=[1], keepdims=1)), 1e-12)
        return g.Div(g.Gemm(x, g.constant(rows, "weight"), None, transB=1), lengths)

    return batched(g, x, 2, work)


@module("Euclidean WeightedEuclidean")
def euclidean(g: Graph, m: Module, x: Value) -> Value:
    """The distances of the input from the columns of the weight."""
    weight = m.parameter("weight", (1, *m.array("weight").shape))
    scale = m.parameter("diagCov", weight.shape) if m.name == "nn.WeightedEuclidean" else None

    def work(x: Value) -> Value:
        d = g.Sub(g.reshape(x, (*x.shape, 1)), weight)
        d = g.Mul(d, scale) if scale else d
        return g.Sqrt(g.ReduceSum(g.Mul(d, d), axes=[1], keepdims=0))

    return batched(g, x, 2, work)


@module("MM")
def mm(g: Graph, m: Module, x: Values) -> Value:
    """The product of two matrices, or of batches of them."""
    a, b = x
    a = g.swap(a, -2, -1) if m.get("transA") else a
    return g.MatMul(a, g.swap(b, -2, -1) if m.get("transB") else b)


@module("MV")
def mv(g: Graph, m: Module, x: Values) -> Value:
    """The product of a matrix and a vector, or of batches of them."""
    a, v = x
    a = g.swap(a, -2, -1) if m.get("trans") else a
    y = g.MatMul(a, g.reshape(v, (*v.shape, 1)))
    return g.reshape(y, y.shape[:-1])


def _pairs(g: Graph, x: Values) -> tuple[Value, Value]:
    """Two vectors, or two batches of them, as batches."""
    a, b = x
    if a.rank not in (1, 2) or a.shape != b.shape:
        raise ConvertError("expected two vectors or matrices of the same size")
    return g.reshape(a, (-1, a.shape[-1])), g.reshape(b, (-1, b.shape[-1]))


def _dot(g: Graph, a: Value, b: Value) -> Value:
    return g.ReduceSum(g.Mul(a, b), axes=[1], keepdims=0)


@module("CosineDistance")
def cosine_distance(g: Graph, m: Module, x: Values) -> Value:
    """The cosine between two vectors."""
    a, b = _pairs(g, x)
    lengths = g.Mul(g.Add(_dot(g, a, a), 1e-12), g.Add(_dot(g, b, b), 1e-12))
    return g.Div(_dot(g, a, b), g.Sqrt(lengths))


def _norm(g: Graph, x: Value, p: float, eps: float, keep: int) -> Value:
    """The p-norms of rows; eps is added before the root."""
    powers = g.Abs(x) if p in (1, np.inf) else g.Mul(x, x) if p == 2 else g.Pow(g.Abs(x), float(p))
    reduce = g.ReduceMax if p == np.inf else g.ReduceSum
    total = reduce(powers, axes=[1], keepdims=keep)
    total = g.Add(total, eps) if eps else total
    return total if p in (1, np.inf) else g.Sqrt(total) if p == 2 else g.Pow(total, 1.0 / p)


@module("MixtureTable")
def mixture_table(g: Graph, m: Module, x: Values) -> Value:
    """The sum of experts, weighted by a gater."""
    gate, experts = x
    if not isinstance(experts, list):
        axis = m.get("dim", gate.rank) - 1
        experts = [g.select(experts, axis, i) for i in range(experts.shape[axis])]
    if len(experts) != gate.shape[-1]:
        raise ConvertError(f"expected {gate.shape[-1]} experts (got {len(experts)})")
    total: Value | None = None
    for i, expert in enumerate(experts):
        weight = g.slice(gate, gate.rank - 1, i, 1)
        weight = g.reshape(weight, (*weight.shape[:-1], *[1] * (expert.rank - gate.rank + 1)))
        part = g.Mul(expert, weight)
        total = part if total is None else g.Add(total, part)
    if total is None:
        raise ConvertError("expected experts (got none)")
    return total


@module("OneHot")
def one_hot(g: Graph, m: Module, x: Value) -> Value:
    """Ones at indices, zeros elsewhere."""
    (count,) = m.sizes("outputSize")
    index = g.reshape(g.indices(x, count), (*x.shape, 1))
    return g.Cast(g.Equal(index, g.constant(np.arange(count), dtype="int64")), to="float")
