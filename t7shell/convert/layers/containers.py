"""Containers and graphs: the order of modules and the flow of values between them."""

from __future__ import annotations

from typing import Any

from t7shell.convert import ConvertError
from t7shell.convert.graph import Graph, Value
from t7shell.convert.layers.common import dimension
from t7shell.convert.registry import Module, Values, module, rows, unsupported
from t7shell.t7file.model import Object


def _child(g: Graph, m: Module, x: Values) -> Values:
    """The output of the first module inside."""
    return m.run(m.children()[0], x, 1)


rows(
    {
        "Decorator Profile NaN GPU DontCast Serial": _child,
        "Inception FireModule Convert DataParallelTable DataParallel": _child,
        "ConcatTable": lambda g, m, x: _branches(m, x),
        "ParallelTable": lambda g, m, x: [
            m.run(child, part, i) for i, (child, part) in enumerate(zip(m.children(), x, strict=False), 1)
        ],
        "MapTable": lambda g, m, x: [m.run(m.get("module") or m.children()[0], part, 1) for part in x],
        "ReverseTable": lambda g, m, x: x[::-1],
        "ZipTable": lambda g, m, x: [list(parts) for parts in zip(*x, strict=True)],
        # A value paired with each entry of a table.
        "ZipTableOneToMany": lambda g, m, x: [[x[0], y] for y in x[1]],
        "JoinTable": lambda g, m, x: g.concat(x, dimension(x[0], m.dimension, m.get("nInputDims"))),
        **dict.fromkeys(
            (
                "Identity Contiguous Copy GradientReversal L1Penalty ZeroGrad PrintSize WhiteNoise CopyGrad",
                "CategoricalEntropy PCAColorTransform SimpleColorTransform SpatialRegionDropout TotalDropout",
            ),
            lambda g, m, x: x,
        ),
    }
)


@module("Sequential Maxout LayerNormalization SpatialLPPooling")
def sequential(g: Graph, m: Module, x: Values) -> Values:
    """One module after the other."""
    for i, child in enumerate(m.children(), 1):
        x = m.run(child, x, i)
    return x


@module("CReLU")
def crelu(g: Graph, m: Module, x: Value) -> Value:
    """The positive parts of x and of -x, along the first dimension that is no batch."""
    return g.Relu(g.concat([x, g.Neg(x)], int(x.rank == m.nInputDims + 1)))


@module("WeightNorm")
def weight_norm(g: Graph, m: Module, x: Values) -> Values:
    """The weight of the module inside is made from directions `v` and lengths `g`."""
    v, inside = m.array("v"), m.children()[0]
    rows = v * (m.array("g") / ((v * v).sum(1, keepdims=True) + 1e-4) ** 0.5)
    old, axis = inside.fields["weight"], m.get("outputDim", 1) - 1
    weight = rows.reshape(old.swapaxes(0, axis).shape).swapaxes(0, axis)
    return m.run(Object(inside.typename, {**inside.fields, "weight": weight}), x, 1)


@module("Concat")
def concat(g: Graph, m: Module, x: Values) -> Values:
    """The outputs of all modules for the input, concatenated along a dimension."""
    (axis,) = m.sizes("dimension")
    return g.concat(_branches(m, x), axis - 1)


@module("DepthConcat")
def depth_concat(g: Graph, m: Module, x: Values) -> Values:
    """As Concat; smaller outputs are centred and padded with zeros."""
    outputs = _branches(m, x)
    axis = m.sizes("dimension")[0] - 1
    largest = [max(sizes) for sizes in zip(*(y.shape for y in outputs), strict=True)]
    parts = []
    for y in outputs:
        extra = [0 if d == axis else n - y.shape[d] for d, n in enumerate(largest)]
        parts.append(g.pad(y, [n // 2 for n in extra], [n - n // 2 for n in extra]))
    return g.concat(parts, axis)


def _branches(m: Module, x: Values) -> list[Any]:
    return [m.run(child, x, i) for i, child in enumerate(m.children(), 1)]


@module("Parallel")
def parallel(g: Graph, m: Module, x: Values) -> Values:
    """Applies each module to one slice of a dimension of the input."""
    axis, out = m.sizes("inputDimension", "outputDimension")
    parts = [m.run(child, g.select(x, axis - 1, i), i + 1) for i, child in enumerate(m.children())]
    return g.concat(parts, out - 1)


@module("Bottle")
def bottle(g: Graph, m: Module, x: Values) -> Values:
    """The module inside, applied with the first dimensions flattened into one."""
    folds = x.rank - m.get("nInputDim", 2) + 1
    if folds <= 1:
        return m.run(m.children()[0], x, 1)
    y = m.run(m.children()[0], g.reshape(x, (-1, *x.shape[folds:])), 1)
    return g.reshape(y, x.shape[:folds] + y.shape[1:])


@module("gModule")
def graph(g: Graph, m: Module, x: Values) -> Values:
    """A graph of nngraph, whose nodes are in the file in evaluation order."""
    known: dict[int, Values] = {id(m.innode.fields["data"]): x}
    number = {id(child): i for i, child in enumerate(m.children(), 1)}
    finish = m.outnode.fields["data"]
    for node in m.forwardnodes:
        data = node.fields["data"]
        if id(data) in known or data is finish:
            continue
        sources = [known[id(source)] for source in _sources(data)]
        value = sources[0] if len(sources) == 1 else sources
        if data.get("selectindex"):
            value = value[data["selectindex"] - 1]
        elif data.get("module") is not None:
            child = data["module"]
            value = m.run(child, value, number.get(id(child), "module"))
        known[id(data)] = value
    results = [known[id(source)] for source in _sources(finish)]
    return results[0] if len(results) == 1 else results


def _sources(data: Any) -> list[Any]:
    """Returns the data of the source nodes of a node."""
    index = data["mapindex"]
    if isinstance(index, list):
        return index
    return [index[i] for i in range(1, 1 + sum(isinstance(key, int) for key in index))]


@module("SelectTable")
def select_table(g: Graph, m: Module, x: Values) -> Values:
    """One entry of a table; negative numbers count from its end."""
    (index,) = m.sizes("index")
    return x[index - 1 if index > 0 else len(x) + index]


@module("NarrowTable")
def narrow_table(g: Graph, m: Module, x: Values) -> Values:
    """Consecutive entries of a table."""
    first = m.sizes("offset")[0] - 1
    if not 0 <= first <= first + m.length <= len(x):
        raise ConvertError(f"expected a table of {first + m.length} entries (got {len(x)})")
    return x[first : first + m.length]


@module("FlattenTable")
def flatten_table(g: Graph, m: Module, x: Values) -> Values:
    """All tensors of nested tables."""
    return [y for part in x for y in (flatten_table(g, m, part) if isinstance(part, list) else [part])]


@module("SplitTable")
def split_table(g: Graph, m: Module, x: Values) -> Values:
    """The elements of a dimension as a table."""
    axis = dimension(x, m.dimension, m.get("nInputDims"))
    if x.rank == 1:
        return [g.slice(x, 0, i, 1) for i in range(x.shape[0])]
    return [g.select(x, axis, i) for i in range(x.shape[axis])]


@module("Dropout SpatialDropout VolumetricDropout")
def dropout(g: Graph, m: Module, x: Value) -> Value:
    """The input, scaled by the fraction that training keeps, unless training scaled it."""
    if m.get("stochastic_inference", False):
        raise ConvertError("random when evaluating (stochastic_inference)")
    scaled_by_training = m.kind == "Dropout" and m.get("v2", False)
    return x if scaled_by_training or not m.p else g.Mul(x, 1.0 - m.p)


@module("ReinforceBernoulli ReinforceCategorical ReinforceGamma ReinforceNormal")
def reinforce(g: Graph, m: Module, x: Values) -> Value:
    """The mean of the samples drawn in training; the input may be a table of means and deviations."""
    if m.get("stochastic", False):
        raise ConvertError("random when evaluating (stochastic)")
    mean: Value = x[0] if isinstance(x, list) else x
    return g.Mul(mean, float(m.scale)) if m.name.endswith("Gamma") else mean


unsupported("draws random numbers", "SpatialFractionalMaxPooling VolumetricFractionalMaxPooling")
unsupported("only for training", "NCEModule Kmeans ModuleFromCriterion CriterionTable SoftMaxTree")
unsupported("the size of its output depends on values", "MaskedSelect")
unsupported("crops at locations that other modules compute", "SpatialGlimpse")
unsupported("takes sparse tensors", "SparseLinear IndexLinear")
unsupported("an abstract class", "Module Container Reinforce")
