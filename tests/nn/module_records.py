"""Modules with second sources: containers, simple layers, tables and transfer functions.

A record has a constructor, two inputs and a wrong one as Lua expressions, where `t(2, 3)` makes a tensor
of different values in no order and `l{2, 1}` a LongTensor, and a function of the module's fields, and its
parameters as p1, p2, ..., and of the tensors of the first input. The checks that hold for all modules
follow from it (layers.lua).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Fields = Mapping[str, Array]


_FUNCTIONS = """
require 'nn'
checks = dofile(%r)
function t(...)
   local x = torch.Tensor(...)
   return x:copy(torch.range(1, x:nElement()):mul(12.9898):sin():mul(2))
end
l = torch.LongTensor
function flat(value, to)
   to = to or {}
   if torch.isTensor(value) then to[#to + 1] = value
   else for i = 1, #value do flat(value[i], to) end end
   return to
end
"""
# Defines the functions in expressions of records, and those of layers.lua as `checks`.
SET_UP = _FUNCTIONS % str(Path(__file__).with_name("layers.lua"))


@dataclass(frozen=True)
class Module:
    """One module. `sample` is an input of one sample whose output is the first of the batch's."""

    make: str
    input: str
    other: str
    reference: Callable[..., Array | list[Array]]
    wrong: str = "t(2, 2, 2, 2, 2)"
    sample: str | None = None
    options: str = "{}"
    fields: tuple[str, ...] = ("weight", "bias")


def of(f: Callable[..., Any]) -> Callable[..., Any]:
    """A reference that needs no fields."""
    return lambda m, *x: f(*x)


def each(make: str, f: Callable[[Array], Array], options: str = "{}") -> Module:
    """A function of single elements."""
    return Module(make, "t(3, 4)", "t(2, 5, 2)", of(f), "{t(2)}", "t(3, 4)[1]", options)


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def softmax(x: Array, axis: int = -1) -> Array:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(e / e.sum(axis=axis, keepdims=True))


def norm(x: Array, p: float) -> Array:
    return np.asarray((abs(x) ** p).sum(axis=-1, keepdims=True) ** (1 / p))


ANY = "{any = true}"

TRANSFER = [
    each("Abs()", np.abs),
    each("Exp()", np.exp),
    Module("Log()", "t(3, 4):abs():add(0.1)", "t(2, 2):abs():add(1)", of(np.log), "{1}"),
    each("LogSigmoid()", lambda x: np.log(sigmoid(x))),
    each("Sigmoid()", sigmoid),
    each("SoftSign()", lambda x: x / (1 + abs(x))),
    Module("Sqrt()", "t(3, 4):abs():add(0.1)", "t(2, 2):abs():add(1)", of(np.sqrt), "{1}"),
    each("Square()", np.square),
    each("Tanh()", np.tanh),
    each("TanhShrink()", lambda x: x - np.tanh(x)),
    each("ELU()", lambda x: np.where(x > 0, x, np.exp(x) - 1)),
    each("ELU(0.3)", lambda x: np.where(x > 0, x, 0.3 * (np.exp(x) - 1))),
    each("HardShrink(0.7)", lambda x: np.where(abs(x) > 0.7, x, 0)),
    each("HardTanh()", lambda x: x.clip(-1, 1)),
    each("HardTanh(-0.3, 1.2)", lambda x: x.clip(-0.3, 1.2)),
    each("Clamp(-0.5, 0.25)", lambda x: x.clip(-0.5, 0.25)),
    each("LeakyReLU()", lambda x: np.where(x > 0, x, x / 100)),
    each("LeakyReLU(0.3)", lambda x: np.where(x > 0, x, 0.3 * x)),
    each("Power(2)", np.square),
    each("Power(3)", lambda x: x**3),
    each("Power(4)", lambda x: x**4),
    Module("Power(0.5)", "t(3, 4):abs():add(0.1)", "t(2, 2):abs():add(1)", of(np.sqrt), "{1}"),
    each("ReLU()", lambda x: x.clip(0)),
    each("ReLU6()", lambda x: x.clip(0, 6)),
    each("SoftPlus()", lambda x: np.log1p(np.exp(x))),
    each("SoftPlus(2)", lambda x: np.log1p(np.exp(2 * x)) / 2),
    each("SoftShrink(0.4)", lambda x: np.sign(x) * (abs(x) - 0.4).clip(0)),
    each("Threshold(0.2, -0.1)", lambda x: np.where(x > 0.2, x, -0.1)),
    each("AddConstant(1.5)", lambda x: x + 1.5, ANY),
    each("MulConstant(-2)", lambda x: x * -2, ANY),
    Module("PReLU()", "t(3, 4)", "t(2)", lambda m, x: np.where(x > 0, x, m["weight"] * x), "{1}"),
    Module(
        "PReLU(2)",
        "t(3, 2, 2)",
        "t(4, 2)",
        lambda m, x: np.where(x > 0, x, m["weight"][None, :, None] * x),
        "t(3, 5)",
    ),
    Module("PReLU(5)", "t(37, 5)", "t(5)", lambda m, x: np.where(x > 0, x, m["weight"] * x), "t(3, 4)"),
    Module("SoftMax()", "t(3, 4)", "t(2, 5)", of(softmax), sample="t(3, 4)[1]"),
    Module(
        "SoftMax()", "t(2, 3, 2, 2)", "t(3, 2, 2)", of(lambda x: softmax(x, 1)), sample="t(2, 3, 2, 2)[1]"
    ),
    Module("LogSoftMax()", "t(3, 4)", "t(2, 5)", of(lambda x: np.log(softmax(x))), sample="t(3, 4)[1]"),
    Module("LogSoftMax()", "t(2, 3, 2, 2)", "t(3, 5)", of(lambda x: np.log(softmax(x, 1)))),
    Module(
        "SpatialSoftMax()", "t(2, 3, 2, 2)", "t(3, 2, 1)", of(lambda x: softmax(x, 1)), "t(1, 1, 1, 2, 3)"
    ),
    Module(
        "SpatialLogSoftMax()",
        "t(2, 3, 2, 2)",
        "t(3, 2, 1)",
        of(lambda x: np.log(softmax(x, 1))),
        "torch.Tensor()",
    ),
    Module("SoftMin()", "t(3, 4)", "t(2, 5)", of(lambda x: softmax(-x)), sample="t(3, 4)[1]"),
    Module("CReLU(1)", "t(3, 4)", "t(2, 5)", of(lambda x: np.hstack([x, -x]).clip(0)), "{1}", options=ANY),
    Module(
        "GatedLinearUnit()",
        "t(3, 4)",
        "t(2, 6)",
        of(lambda x: x[:, :2] * sigmoid(x[:, 2:])),
        "t(3, 3)",
    ),
]


def linear(m: Fields, x: Array) -> Array:
    return x @ m["weight"].T + m.get("bias", 0)


def distances(m: Fields, x: Array) -> Array:
    return np.asarray(norm(x[:, None, :] - m["weight"].T[None], 2)[..., 0])


def cosines(a: Array, b: Array) -> Array:
    return np.asarray((a / norm(a, 2)) @ (b / norm(b, 2)).T)


def layer_normalized(x: Array) -> Array:
    # As the original had it: means follow each other element by element, not row by row.
    centred = x - np.tile(x.mean(1), x.shape[1]).reshape(x.shape)
    return np.asarray(centred / np.sqrt((centred**2).mean(1, keepdims=True)))


SIMPLE = [
    Module("Linear(4, 3)", "t(2, 4)", "t(5, 4)", linear, "t(2, 3)", "t(2, 4)[1]"),
    Module("Linear(4, 3, false)", "t(2, 4)", "t(5, 4)", linear, "t(2, 3)", "t(2, 4)[1]"),
    Module(
        "Bilinear(2, 3, 4)",
        "{t(5, 2), t(5, 3)}",
        "{t(2, 2), t(2, 3)}",
        lambda m, a, b: np.einsum("ni,oij,nj->no", a, m["weight"], b) + m["bias"],
        "{t(5, 2), t(4, 3)}",
    ),
    Module(
        "LookupTable(5, 3)",
        "l{{1, 4}, {5, 1}}",
        "l{2, 2, 3}",
        lambda m, x: m["weight"][x.astype(int) - 1],
        "l{6}",
        options=ANY,
    ),
    Module("Add(4)", "t(3, 4)", "t(2, 4)", lambda m, x: x + m["bias"], "t(3, 3)", "t(3, 4)[1]", ANY),
    Module("Add(4, true)", "t(3, 4)", "t(2, 4)", lambda m, x: x + m["bias"], options=ANY),
    Module("CAdd(2, 1)", "t(3, 2, 4)", "t(2, 2, 3)", lambda m, x: x + m["bias"], "t(3, 3, 2)", options=ANY),
    Module("CMul(2, 1)", "t(3, 2, 4)", "t(2, 2, 3)", lambda m, x: x * m["weight"], "t(3, 3, 2)", options=ANY),
    Module("CMul(4)", "t(3, 4)", "t(2, 4)", lambda m, x: x * m["weight"], "t(3, 3)", "t(3, 4)[1]", ANY),
    Module("Mul()", "t(3, 4)", "t(2)", lambda m, x: x * m["weight"], options=ANY),
    Module("Euclidean(4, 3)", "t(2, 4)", "t(5, 4)", distances, "t(2, 3)", "t(2, 4)[1]", ANY),
    Module(
        "WeightedEuclidean(4, 3)",
        "t(2, 4)",
        "t(5, 4)",
        lambda m, x: norm((x[:, None, :] - m["weight"].T[None]) * m["diagCov"].T[None], 2)[..., 0],
        "t(2, 3)",
        "t(2, 4)[1]",
        ANY,
        ("weight", "diagCov"),
    ),
    Module(
        "Cosine(4, 3)",
        "t(2, 4)",
        "t(5, 4)",
        lambda m, x: cosines(x, m["weight"]),
        "t(2, 3)",
        "t(2, 4)[1]",
        ANY,
    ),
    Module(
        "LinearWeightNorm(4, 3)",
        "t(2, 4)",
        "t(5, 4)",
        lambda m, x: x @ (m["g"] * m["v"] / norm(m["v"], 2)).T + m["bias"],
        "t(2, 3)",
        "t(2, 4)[1]",
        fields=("v", "g", "bias"),
    ),
    Module(
        "WeightNorm(nn.Linear(4, 3))",
        "t(2, 4)",
        "t(5, 4)",
        lambda m, x: x @ (m["g"] * m["v"] / np.sqrt(norm(m["v"], 2) ** 2 + 1e-4)).T + m["bias"],
        "t(2, 3)",
        fields=("v", "g", "bias"),
        options="{unscaled = true}",
    ),
    Module("Max(2)", "t(3, 4)", "t(2, 5)", of(lambda x: x.max(1)), "t(3)", options=ANY),
    Module("Min(1, 2)", "t(3, 4, 2)", "t(2, 5, 3)", of(lambda x: x.min(1)), "{1}", "t(3, 4, 2)[1]", ANY),
    Module("Sum(2)", "t(3, 4)", "t(2, 5)", of(lambda x: x.sum(1)), "t(3)", options=ANY),
    Module("Mean(-1)", "t(3, 4)", "t(2, 5)", of(lambda x: x.mean(-1)), "{1}", options=ANY),
    Module(
        "Normalize(2)", "t(3, 4)", "t(2, 5)", of(lambda x: x / norm(x, 2)), "t(2, 2, 2)", "t(3, 4)[1]", ANY
    ),
    Module(
        "Normalize(1)", "t(3, 4)", "t(2, 5)", of(lambda x: x / norm(x, 1)), "t(2, 2, 2)", "t(3, 4)[1]", ANY
    ),
    Module("Normalize(2.5)", "t(3, 4)", "t(2, 5)", of(lambda x: x / norm(x, 2.5)), "t(2, 2, 2)", options=ANY),
    Module(
        "Normalize(1/0)",
        "t(3, 4)",
        "t(2, 5)",
        of(lambda x: x / abs(x).max(1, keepdims=True)),
        "t(2, 2, 2)",
        options=ANY,
    ),
    Module("View(2, 6)", "t(3, 4)", "t(2, 3, 4)", of(lambda x: x.reshape(2, 6)), "t(5)", options=ANY),
    Module(
        "View(-1):setNumInputDims(2)", "t(3, 4, 2)", "t(2, 2)", of(lambda x: x.reshape(3, 8)), options=ANY
    ),
    Module(
        "Reshape(2, 2)", "t(3, 4)", "t(2, 4)", of(lambda x: x.reshape(3, 2, 2)), "t(3, 3)", "t(3, 4)[1]", ANY
    ),
    Module("Narrow(2, 2, 2)", "t(3, 4)", "t(2, 5)", of(lambda x: x[:, 1:3]), "t(3)", options=ANY),
    Module("Select(2, -1)", "t(3, 4)", "t(2, 5)", of(lambda x: x[:, -1]), "t(3)", options=ANY),
    Module("Squeeze()", "t(3, 1, 4)", "t(2, 1)", of(lambda x: x.squeeze()), "{1}", options=ANY),
    Module("Unsqueeze(2)", "t(3, 4)", "t(2, 5)", of(lambda x: x[:, None]), "{1}", options=ANY),
    Module(
        "Replicate(3, 2)", "t(2, 4)", "t(2, 5)", of(lambda x: np.repeat(x[:, None], 3, 1)), "{1}", options=ANY
    ),
    Module("Transpose({1, 2})", "t(3, 4)", "t(2, 5)", of(lambda x: x.T), "t(3)", options=ANY),
    Module(
        "Padding(2, -1, 2, 7)",
        "t(3, 4)",
        "t(2, 5)",
        of(lambda x: np.pad(x, [(0, 0), (1, 0)], constant_values=7)),
        "t(3)",
        options=ANY,
    ),
    Module(
        "Index(1)",
        "{t(4, 3), l{2, 2, 4}}",
        "{t(2, 3), l{1}}",
        of(lambda x, i: x[i.astype(int) - 1]),
        options=ANY,
    ),
    Module(
        "MaskedSelect()",
        "{t(4, 3), t(4, 3):gt(0)}",
        "{t(2), t(2):gt(-9)}",
        of(lambda x, m: x[m.astype(bool)]),
        "{t(2), t(3):gt(0)}",
        options=ANY,
    ),
    Module(
        "PixelShuffle(2)",
        "t(2, 4, 3, 2)",
        "t(8, 2, 2)",
        of(lambda x: x.reshape(2, 1, 2, 2, 3, 2).transpose(0, 1, 4, 2, 5, 3).reshape(2, 1, 6, 4)),
        "t(3, 2, 2)",
        "t(2, 4, 3, 2)[1]",
        ANY,
    ),
    Module(
        "MM()", "{t(2, 3), t(3, 4)}", "{t(2, 2), t(2, 2)}", of(np.matmul), "{t(2, 3), t(2, 3)}", options=ANY
    ),
    Module(
        "MM(true, true)",
        "{t(5, 3, 2), t(5, 4, 3)}",
        "{t(3, 2), t(4, 3)}",
        of(lambda a, b: np.matmul(a.transpose(0, 2, 1), b.transpose(0, 2, 1))),
        options=ANY,
    ),
    Module("MV()", "{t(2, 3), t(3)}", "{t(2, 2, 3), t(2, 3)}", of(np.matmul), "{t(2, 3), t(2)}", options=ANY),
    Module("MV(true)", "{t(3, 2), t(3)}", "{t(4, 2), t(4)}", of(lambda m, v: m.T @ v), options=ANY),
    Module("Identity()", "t(3, 4)", "t(2)", of(lambda x: x), options=ANY),
    Module("Contiguous()", "t(3, 4)", "t(2)", of(lambda x: x), options=ANY),
    Module("Collapse(2)", "t(3, 2, 2)", "t(2, 3, 1)", of(lambda x: x.reshape(3, 4)), "t(3)", options=ANY),
    Module("Copy()", "t(3, 4)", "t(2)", of(lambda x: x), options="{any = true, smooth = false}"),
    Module(
        "Constant(torch.Tensor{1, 2}, 1)",
        "t(3, 4)",
        "t(2, 3)",
        of(lambda x: np.tile([1.0, 2], (3, 1))),
        options=ANY,
    ),
    Module(
        "OneHot(4)", "l{2, 4}", "l{{1, 3}}", of(lambda x: np.eye(4)[x.astype(int) - 1]), "l{5}", options=ANY
    ),
    Module(
        "LayerNormalization(4)",
        "t(3, 4)",
        "t(2, 4)",
        lambda m, x: layer_normalized(x) * m["p1"] + m["p2"],
        "t(3, 3)",
        options=ANY,
    ),
    Module(
        "LayerNormalization(3, 0, 1e-10, false)",
        "t(7, 3)",
        "t(3)",
        of(layer_normalized),
        "t(3, 4)",
        options=ANY,
    ),
    Module(
        "Dropout(0.4)",
        "t(3, 4)",
        "t(2, 5)",
        lambda m, x: x * m["noise"],
        "{1}",
        options="{seeded = true}",
        fields=("noise",),
    ),
    Module(
        "SpatialDropout(0.4)",
        "t(2, 3, 2, 2)",
        "t(3, 2, 2)",
        lambda m, x: x * m["noise"],
        "t(3)",
        options="{seeded = true, any = true}",
        fields=("noise",),
    ),
    Module(
        "WhiteNoise()",
        "t(3, 4)",
        "t(2, 5)",
        lambda m, x: x + m["noise"],
        "{1}",
        options="{seeded = true, any = true}",
        fields=("noise",),
    ),
    Module(
        "RReLU()",
        "t(3, 4)",
        "t(2, 5)",
        lambda m, x: x * m["noise"],
        "{1}",
        options="{seeded = true, any = true}",
        fields=("noise",),
    ),
    Module("L1Penalty(0.1)", "t(3, 4)", "t(2)", of(lambda x: x), options="{any = true, smooth = false}"),
    Module("GradientReversal()", "t(3, 4)", "t(2)", of(lambda x: x), options="{any = true, smooth = false}"),
    Module("ZeroGrad()", "t(3, 4)", "t(2)", of(lambda x: x), options="{any = true, smooth = false}"),
]


def mixture(gate: Array, *experts: Array) -> Array:
    return np.asarray(sum(gate[:, i : i + 1] * e for i, e in enumerate(experts)))


THREE = "{t(2, 3), t(2, 3):mul(0.7):add(0.1), t(2, 3):sin()}"
TWO = "{t(3, 4), t(3, 4):mul(0.7):add(0.1)}"
SMALL = "{t(2), t(2):add(1)}"

TABLES = [
    Module("CAddTable()", THREE, SMALL, of(lambda *x: sum(x)), "{t(2), t(3)}"),
    Module("CMulTable()", THREE, SMALL, of(lambda a, b, c: a * b * c), "{t(2), t(3)}"),
    Module("CSubTable()", TWO, SMALL, of(np.subtract), "{t(2)}"),
    Module("CDivTable()", TWO, SMALL, of(np.divide), "{t(2)}"),
    Module("CMaxTable()", THREE, SMALL, of(lambda *x: np.max(x, 0)), "{t(2), t(3)}", options=ANY),
    Module("CMinTable()", THREE, SMALL, of(lambda *x: np.min(x, 0)), "{t(2), t(3)}", options=ANY),
    Module(
        "CAddTensorTable()",
        "{t(2, 3), {t(2, 3):sin(), t(2, 3):cos()}}",
        "{t(2), {t(2)}}",
        of(lambda a, *x: [a + b for b in x]),
        "{t(2), t(2)}",
        options=ANY,
    ),
    Module(
        "JoinTable(2)",
        "{t(2, 3), t(2, 1)}",
        "{t(1, 2)}",
        of(lambda *x: np.hstack(x)),
        "{t(2), t(2, 2)}",
        options=ANY,
    ),
    Module("SplitTable(2)", "t(2, 3)", "t(2, 2)", of(lambda x: list(x.T)), "t(2)", options=ANY),
    Module("SelectTable(-1)", TWO, SMALL, of(lambda a, b: b), "{}", options=ANY),
    Module("NarrowTable(2, 2)", THREE, "{t(1), t(2), t(3)}", of(lambda a, b, c: [b, c]), SMALL, options=ANY),
    Module("FlattenTable()", "{t(2), {t(3), {t(1)}}}", "{t(2)}", of(lambda *x: list(x)), "t(2)", options=ANY),
    Module(
        "MixtureTable()",
        "{t(2, 2), {t(2, 3), t(2, 3):sin()}}",
        "{t(2), {t(3), t(3)}}",
        of(mixture),
        "{t(3), {t(2)}}",
        options=ANY,
    ),
    Module(
        "PairwiseDistance(1)", TWO, SMALL, of(lambda a, b: abs(a - b).sum(1)), "{t(2), t(3)}", options=ANY
    ),
    Module(
        "PairwiseDistance(3)", TWO, SMALL, of(lambda a, b: norm(a - b, 3)[:, 0]), "{t(2), t(3)}", options=ANY
    ),
    Module("DotProduct()", TWO, SMALL, of(lambda a, b: (a * b).sum(1)), "{t(2), t(3)}", options=ANY),
    Module(
        "CosineDistance()", TWO, SMALL, of(lambda a, b: np.diag(cosines(a, b))), "{t(2), t(3)}", options=ANY
    ),
    Module(
        "ZipTable()",
        "{{t(1), t(2)}, {t(3), t(4)}}",
        "{{t(1)}}",
        of(lambda a, b, c, d: [a, c, b, d]),
        "{t(1)}",
        options=ANY,
    ),
    Module(
        "ZipTableOneToMany()",
        "{t(2), {t(3), t(4)}}",
        "{t(1), {t(1)}}",
        of(lambda a, b, c: [a, b, a, c]),
        "{t(1)}",
        options=ANY,
    ),
]


CONTAINERS = [
    Module(
        "Sequential():add(nn.Linear(4, 3)):add(nn.Tanh()):add(nn.Linear(3, 2))",
        "t(2, 4)",
        "t(5, 4)",
        lambda m, x: np.tanh(x @ m["p1"].T + m["p2"]) @ m["p3"].T + m["p4"],
        "t(2, 3)",
        "t(2, 4)[1]",
    ),
    Module(
        "Concat(2):add(nn.Linear(4, 3)):add(nn.Linear(4, 2))",
        "t(2, 4)",
        "t(5, 4)",
        lambda m, x: np.hstack([x @ m["p1"].T + m["p2"], x @ m["p3"].T + m["p4"]]),
        "t(2, 3)",
    ),
    Module(
        "Parallel(2, 2):add(nn.Linear(4, 3)):add(nn.Linear(4, 2))",
        "t(5, 2, 4)",
        "t(3, 2, 4)",
        lambda m, x: np.hstack([x[:, 0] @ m["p1"].T + m["p2"], x[:, 1] @ m["p3"].T + m["p4"]]),
        "t(2, 3, 4)",
    ),
    Module(
        "ConcatTable():add(nn.Linear(4, 3)):add(nn.Tanh())",
        "t(2, 4)",
        "t(5, 4)",
        lambda m, x: [x @ m["p1"].T + m["p2"], np.tanh(x)],
        "t(2, 3)",
        options=ANY,
    ),
    Module(
        "ParallelTable():add(nn.Linear(4, 3)):add(nn.Tanh())",
        "{t(2, 4), t(5)}",
        "{t(3, 4), t(2)}",
        lambda m, x, y: [x @ m["p1"].T + m["p2"], np.tanh(y)],
        "{t(2, 3), t(2)}",
    ),
    Module(
        "MapTable(nn.Linear(4, 3))",
        "{t(2, 4), t(4)}",
        "{t(3, 4)}",
        lambda m, x, y: [x @ m["p1"].T + m["p2"], y @ m["p1"].T + m["p2"]],
        "{t(2, 3)}",
        options="{any = true, smooth = false}",
    ),
    Module(
        "Bottle(nn.Linear(4, 3))",
        "t(2, 5, 4)",
        "t(3, 4)",
        lambda m, x: x @ m["p1"].T + m["p2"],
        "t(2, 3)",
        options=ANY,
    ),
    Module("Decorator(nn.Tanh())", "t(2, 4)", "t(3)", of(np.tanh), "{1}"),
    Module("NaN(nn.Tanh())", "t(2, 4)", "t(3)", of(np.tanh), "{1}"),
    Module("Profile(nn.Tanh(), 1e9)", "t(2, 4)", "t(3)", of(np.tanh), "{1}", options=ANY),
    Module("GPU(nn.Tanh(), 1)", "t(2, 4)", "t(3)", of(np.tanh), "{1}"),
    Module(
        "Maxout(4, 2, 3)",
        "t(5, 4)",
        "t(2, 4)",
        lambda m, x: (x @ m["p1"].T + m["p2"]).reshape(5, 3, 2).max(1),
        "t(2, 3)",
        options=ANY,
    ),
    Module(
        "PartialLinear(4, 3)",
        "t(2, 4)",
        "t(5, 4)",
        lambda m, x: x @ m["p1"].T + m["p2"],
        "t(2, 3)",
    ),
]

MODULES = TRANSFER + SIMPLE + TABLES + CONTAINERS
