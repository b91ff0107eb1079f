"""Modules and criterions as formulas of PyTorch's functions, whose gradients PyTorch derives.

A formula takes the input, the parameters and numbers. Gradients compute it again, so that no graph has to
survive changes of the tensors in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import torch
from torch.nn import functional

from t7shell.packages.cutorch.registry import indices_from, module_function, needs

Tensor: TypeAlias = torch.Tensor


def _batch_of(dimensions: int, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function of batches, for a single sample of `dimensions`, too."""

    def run(x: Tensor, *rest: Any) -> Tensor:
        needs(x.dim() in (dimensions, dimensions + 1))
        return function(x.unsqueeze(0), *rest).squeeze(0) if x.dim() == dimensions else function(x, *rest)

    return run


def _prelu(x: Tensor, w: Tensor, axis: float) -> Tensor:
    sizes = [1] * x.dim()
    if axis >= 0:
        sizes[int(axis)] = -1
    return torch.where(x > 0, x, x * w.view(sizes))


def _lrn(x: Tensor, size: float, alpha: float, beta: float, k: float) -> Tensor:
    half, maps = int((size - 1) // 2), x.size(1)
    squares = functional.pad(x * x, (0, 0, 0, 0, half, half))
    total = sum((squares.narrow(1, i, maps) for i in range(1, 2 * half + 1)), squares.narrow(1, 0, maps))
    return x / (k + alpha / size * total) ** beta


def _frames(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function of features x time for frames of features."""
    return _batch_of(2, lambda x, *rest: function(x.mT, *rest).mT)


def _adaptive(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def run(x: Tensor, height: float, width: float) -> Tensor:
        for size, out in ((x.size(-2), int(height)), (x.size(-1), int(width))):
            # The ends of windows are rounded as floats are.
            ends = (np.arange(out + 1, dtype=np.float32) / np.float32(out)) * np.float32(size)
            exact = np.arange(out + 1) * size
            needs(bool((np.floor(ends[:-1]) == exact[:-1] // out).all()))
            needs(bool((np.ceil(ends[1:]) == -(-exact[1:] // out)).all()))
        return function(x, (int(height), int(width)))

    return _batch_of(3, run)


def _subsampling(x: Tensor, w: Tensor, b: Tensor, *numbers: float) -> Tensor:
    kernel_h, kernel_w, stride_h, stride_w = map(int, numbers)
    kernel, stride = (kernel_h, kernel_w), (stride_h, stride_w)
    sums = functional.avg_pool2d(x, kernel, stride, divisor_override=1)
    return sums * w.view(-1, 1, 1) + b.view(-1, 1, 1)


def _temporal_subsampling(x: Tensor, w: Tensor, b: Tensor, kernel: float, stride: float) -> Tensor:
    sums = functional.avg_pool1d(x, int(kernel), int(stride)) * int(kernel)
    return sums * w.view(-1, 1) + b.view(-1, 1)


def _padding(mode: str) -> Callable[..., Tensor]:
    def run(x: Tensor, *sides: float) -> Tensor:
        whole = [int(side) for side in sides]
        needs(whole == list(sides))
        return functional.pad(x, whole, mode)

    return run


def _upsampling(x: Tensor, mode: str, *out: float) -> Tensor:
    sizes = [int(size) for size in out]
    return functional.interpolate(x, sizes, mode=mode, align_corners=None if mode == "nearest" else True)


def _average_volumes(x: Tensor, ceil: bool, include: bool, *numbers: float) -> Tensor:
    whole = [int(number) for number in numbers]
    needs(whole == list(numbers))
    return functional.avg_pool3d(x, whole[:3], whole[3:6], whole[6:9], ceil, include)


def _mean_or_sum(average: bool) -> str:
    return "mean" if average else "sum"


def _multi_margin(
    x: Tensor, t: Tensor, weights: Tensor | None, p: float, margin: float, average: bool
) -> Tensor:
    classes = indices_from(t, 1, x.size(-1))
    needs(x.dim() == 2)
    return functional.multi_margin_loss(x, classes, int(p), margin, weights, reduction=_mean_or_sum(average))


def _multi_label_margin(x: Tensor, t: Tensor, _: None, average: bool) -> Tensor:
    needs(x.shape == t.shape and x.dim() == 2)
    classes = indices_from(t, 0, x.size(1))
    return functional.multilabel_margin_loss(x, classes, reduction=_mean_or_sum(average))


_FORMULAS: dict[str, Callable[..., Tensor]] = {
    "PReLU": _prelu,
    "SpatialCrossMapLRN": _batch_of(3, _lrn),
    "TemporalMaxPooling": _frames(lambda x, k, d: functional.max_pool1d(x, int(k), int(d))),
    "SpatialAdaptiveMaxPooling": _adaptive(functional.adaptive_max_pool2d),
    "SpatialAdaptiveAveragePooling": _adaptive(functional.adaptive_avg_pool2d),
    "SpatialSubSampling": _batch_of(3, _subsampling),
    "TemporalSubSampling": _frames(_temporal_subsampling),
    "SpatialZeroPadding": _padding("constant"),
    "SpatialReflectionPadding": _batch_of(3, _padding("reflect")),
    "SpatialReplicationPadding": _batch_of(3, _padding("replicate")),
    "VolumetricReplicationPadding": _batch_of(4, _padding("replicate")),
    "SpatialUpSamplingNearest": _batch_of(3, _upsampling),
    "SpatialUpSamplingBilinear": _batch_of(3, _upsampling),
    "UpSampling": _upsampling,
    "VolumetricAveragePooling": _batch_of(4, _average_volumes),
    "SpatialSoftMax": lambda x: torch.softmax(x, x.dim() - 3),
    "SpatialLogSoftMax": lambda x: torch.log_softmax(x, x.dim() - 3),
    "MultiMarginCriterion": _multi_margin,
    "MultiLabelMarginCriterion": _multi_label_margin,
}


@module_function
def _formula(name: str, *operands: Any) -> Tensor:
    return _FORMULAS[name](*operands)


@module_function
def _formula_input(name: str, g: Tensor, x: Tensor, *rest: Any) -> Tensor:
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        y = _FORMULAS[name](x, *rest)
    needs(y.shape == g.shape)
    return torch.autograd.grad(y, x, g)[0]


@module_function
def _formula_parameters(name: str, count: float, scale: float, g: Tensor, x: Tensor, *rest: Any) -> None:
    """Adds gradients with respect to `count` parameters, which follow the sums in `rest`."""
    n = int(count)
    with torch.enable_grad():
        parameters = [parameter.detach().requires_grad_() for parameter in rest[n : 2 * n]]
        y = _FORMULAS[name](x, *parameters, *rest[2 * n :])
    needs(y.shape == g.shape)
    for target, gradient in zip(rest[:n], torch.autograd.grad(y, parameters, g), strict=True):
        target.add_(gradient.view_as(target), alpha=scale)


@module_function
def _criterion(name: str, *operands: Any) -> float:
    return float(_FORMULAS[name](*operands))


@module_function
def _criterion_input(name: str, x: Tensor, *rest: Any) -> Tensor:
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        loss = _FORMULAS[name](x, *rest)
    return torch.autograd.grad(loss, x)[0]
