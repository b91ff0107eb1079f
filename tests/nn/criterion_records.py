"""Criterions with second sources: what NumPy computes from an input and a target.

A record has a constructor, an input and a target as Lua expressions (see module_records.py), the loss as a
function of the tensors of both, and a target or input that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .module_records import Array, softmax


@dataclass(frozen=True)
class Criterion:
    """One criterion; `wrong` is an input and a target that are an error."""

    make: str
    input: str
    target: str
    loss: Callable[..., Any]
    wrong: str


def hinge(x: Array, margin: float = 1) -> Array:
    return np.asarray((margin - x).clip(0))


def class_nll(x: Array, t: Array, w: Array | None = None, mean: bool = True) -> float:
    rows, i = np.arange(len(x)), t.astype(int) - 1
    weights = (np.ones(x.shape[1]) if w is None else w)[i]
    loss = -(weights * x[rows, i]).sum()
    return float(loss / weights.sum() if mean else loss)


def multi_margin(x: Array, t: Array, p: int = 1, margin: float = 1, w: Array | None = None) -> float:
    rows, i = np.arange(len(x)), t.astype(int) - 1
    excess = (margin - x[rows, i][:, None] + x).clip(0) ** p
    excess[rows, i] = 0
    if w is not None:
        excess *= w[i][:, None]
    return float(excess.sum() / x.size)


def multi_label_margin(x: Array, t: Array) -> float:
    total = 0.0
    for row, labels in zip(x, t.astype(int), strict=True):
        right = [c - 1 for c in labels[: list(labels).index(0)]] if 0 in labels else list(labels - 1)
        others = [j for j in range(len(row)) if j not in right]
        total += sum(max(0, 1 - row[c] + row[j]) for c in right for j in others) / len(row)
    return total / len(x)


def cosine(a: Array, b: Array) -> Array:
    return np.asarray((a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1)))


def bce(x: Array, t: Array, w: Any = 1) -> float:
    return float(-(w * (t * np.log(x) + (1 - t) * np.log(1 - x))).mean())


def soft_margin(x: Array, t: Array, w: Any = 1) -> float:
    s = 1 / (1 + np.exp(-x))
    return bce(s, t, w)


W3 = np.array([0.5, 1, 2])
SIZES = "t(3, 4), t(5)"
LOG = "t(3, 4):abs():mul(-1)"
CLASSES = "l{1, 4, 2}"
PROBABILITIES = "t(3, 4):mul(0.2):add(0.5)"
BITS = "t(3, 4):sin():gt(0):double()"
SIGNS = "t(3, 4):sign()"
PAIR = "{t(3, 4), t(3, 4):mul(0.7):cos()}"

CRITERIONS = [
    Criterion("MSECriterion()", "t(3, 4)", "t(3, 4):cos()", lambda x, t: ((x - t) ** 2).mean(), SIZES),
    Criterion("MSECriterion(false)", "t(3, 4)", "t(3, 4):cos()", lambda x, t: ((x - t) ** 2).sum(), SIZES),
    Criterion("AbsCriterion()", "t(3, 4)", "t(3, 4):cos()", lambda x, t: abs(x - t).mean(), SIZES),
    Criterion(
        "SmoothL1Criterion()",
        "t(3, 4)",
        "t(3, 4):cos()",
        lambda x, t: np.where(abs(x - t) < 1, 0.5 * (x - t) ** 2, abs(x - t) - 0.5).mean(),
        SIZES,
    ),
    Criterion("BCECriterion()", PROBABILITIES, BITS, bce, SIZES),
    Criterion(
        "BCECriterion(torch.Tensor{0.5, 1, 2})",
        "t(2, 3):mul(0.2):add(0.5)",
        "t(2, 3):gt(0):double()",
        lambda x, t: bce(x, t, W3),
        "t(2, 2):abs(), t(2, 2)",
    ),
    Criterion(
        "DistKLDivCriterion()",
        LOG,
        "t(3, 4):abs():mul(0.1)",
        lambda x, t: (t * (np.log(t) - x)).mean(),
        SIZES,
    ),
    Criterion("SoftMarginCriterion()", "t(3, 4)", SIGNS, lambda x, t: np.log1p(np.exp(-x * t)).mean(), SIZES),
    Criterion("MarginCriterion(0.7)", "t(3, 4)", SIGNS, lambda x, t: hinge(x * t, 0.7).mean(), SIZES),
    Criterion("MultiLabelSoftMarginCriterion()", "t(3, 4)", BITS, soft_margin, SIZES),
    Criterion(
        "MultiLabelSoftMarginCriterion(torch.Tensor{0.5, 1, 2})",
        "t(2, 3)",
        "t(2, 3):gt(0):double()",
        lambda x, t: soft_margin(x, t, W3),
        "t(2, 2), t(2, 2)",
    ),
    Criterion(
        "WeightedMSECriterion(torch.Tensor{0.5, 1, 2})",
        "t(2, 3)",
        "t(2, 3):cos()",
        lambda x, t: ((x - t * W3) ** 2).mean(),
        "t(2, 2), t(2, 2)",
    ),
    Criterion("ClassNLLCriterion()", LOG, CLASSES, class_nll, f"{LOG}, l{{1, 5, 2}}"),
    Criterion("ClassNLLCriterion()", LOG, "torch.Tensor{1, 4, 2}", class_nll, f"{LOG}, l{{1, 0, 2}}"),
    Criterion(
        "ClassNLLCriterion(torch.Tensor{0.5, 1, 2}, false)",
        "t(2, 3)",
        "l{3, 1}",
        lambda x, t: class_nll(x, t, W3, False),
        "t(2, 3), l{1, 1, 1}",
    ),
    Criterion(
        "ClassNLLCriterion(nil, true, 4)",
        LOG,
        CLASSES,
        lambda x, t: class_nll(x[[0, 2]], t[[0, 2]]),
        f"{LOG}, l{{1, 5, 2}}",
    ),
    Criterion(
        "SpatialClassNLLCriterion()",
        "t(2, 3, 2, 2)",
        "l{{{1, 2}, {3, 1}}, {{2, 2}, {1, 3}}}",
        lambda x, t: class_nll(x.transpose(0, 2, 3, 1).reshape(-1, 3), t.ravel()),
        "t(2, 3, 2, 2), l{{{1, 2}, {3, 1}}, {{2, 2}, {1, 4}}}",
    ),
    Criterion(
        "CrossEntropyCriterion()",
        "t(3, 4)",
        CLASSES,
        lambda x, t: class_nll(np.log(softmax(x)), t),
        "t(3, 4), l{5, 1, 1}",
    ),
    Criterion("MultiMarginCriterion()", "t(3, 4)", CLASSES, multi_margin, "t(3, 4), l{5, 1, 1}"),
    Criterion(
        "MultiMarginCriterion(2, torch.Tensor{0.5, 1, 2}, 0.4)",
        "t(2, 3)",
        "l{3, 1}",
        lambda x, t: multi_margin(x, t, 2, 0.4, W3),
        "t(2, 3), l{0, 1}",
    ),
    Criterion(
        "MultiLabelMarginCriterion()",
        "t(2, 4)",
        "l{{3, 1, 0, 2}, {2, 4, 1, 3}}",
        multi_label_margin,
        "t(2, 4), l{{3, 1, 0, 2}, {2, 5, 1, 3}}",
    ),
    Criterion(
        "HingeEmbeddingCriterion(0.8)",
        "t(12)",
        "t(12):cos():sign()",
        lambda x, t: np.where(t == 1, x, hinge(x, 0.8)).mean(),
        "t(3), torch.Tensor{1, 0, 1}",
    ),
    Criterion("L1HingeEmbeddingCriterion(2)", PAIR, "1", lambda a, b: abs(a - b).sum(), "{t(2), t(2)}, 3"),
    Criterion(
        "CosineEmbeddingCriterion(0.1)",
        PAIR,
        "torch.Tensor{1, -1, -1}",
        lambda a, b, t: np.where(t == 1, 1 - cosine(a, b), (cosine(a, b) - 0.1).clip(0)).mean(),
        "{t(2), t(3)}, 1",
    ),
    Criterion(
        "MarginRankingCriterion(0.3)",
        "{t(5), t(5):cos()}",
        "torch.Tensor{1, -1, 1, 1, -1}",
        lambda a, b, t: (0.3 - t * (a - b)).clip(0).mean(),
        "{t(2), t(3)}, torch.Tensor{1, 1}",
    ),
    Criterion(
        "DistanceRatioCriterion()",
        "{t(5):abs(), t(5):cos():abs()}",
        "1",
        lambda s, d: np.log1p(np.exp(s - d)).mean(),
        "{t(2), t(3)}, 1",
    ),
    Criterion("L1Cost()", "t(5)", "1", lambda x: abs(x).sum(), "{t(2)}, 1"),
    Criterion(
        "MultiCriterion():add(nn.MSECriterion(), 0.5):add(nn.AbsCriterion())",
        "t(3, 4)",
        "t(3, 4):cos()",
        lambda x, t: 0.5 * ((x - t) ** 2).mean() + abs(x - t).mean(),
        SIZES,
    ),
    Criterion(
        "ParallelCriterion():add(nn.MSECriterion(), 0.5):add(nn.ClassNLLCriterion())",
        "{t(2), t(3, 4)}",
        "{t(2):cos(), l{1, 4, 2}}",
        lambda x, y, t, u: 0.5 * ((x - t) ** 2).mean() + class_nll(y, u),
        "t(2), t(2)",
    ),
    Criterion(
        "ModuleCriterion(nn.MSECriterion(), nn.Tanh(), nn.MulConstant(2))",
        "t(3, 4)",
        "t(3, 4):cos()",
        lambda x, t: ((np.tanh(x) - 2 * t) ** 2).mean(),
        SIZES,
    ),
    Criterion(
        "SpatialAutoCropMSECriterion()",
        "t(2, 3, 3)",
        "t(2, 3, 3):cos()",
        lambda x, t: ((x - t) ** 2).mean(),
        "t(2, 3, 3), t(2, 2, 3)",
    ),
]
