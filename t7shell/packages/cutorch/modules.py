"""Functions of neural networks on the device, for `lua/cunn/device_modules.lua`.

Tensors come as views. A function gives new tensors, or adds to those that accumulate and returns True. It
gives False where PyTorch refuses the operands: then the module's own kernels compute on the CPU.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import torch
from torch.nn import functional

from t7shell.packages.cutorch.registry import module_function

Tensor: TypeAlias = torch.Tensor
aten = torch.ops.aten


def sizes(tensor: Tensor) -> tuple[int, ...]:
    """The sizes of a tensor."""
    return tuple(tensor.shape)


def assign(target: Tensor, source: Tensor) -> None:
    """Copies elements."""
    target.copy_(source)


def _add(target: Tensor | None, source: Tensor, scale: float) -> None:
    if target is not None:
        target.add_(source.view_as(target), alpha=scale)


@module_function
def _linear(x: Tensor, w: Tensor, b: Tensor | None) -> Tensor:
    return functional.linear(x, w, b)


@module_function
def _linear_input(g: Tensor, w: Tensor) -> Tensor:
    return g @ w


@module_function
def _linear_parameters(x: Tensor, g: Tensor, gw: Tensor, gb: Tensor | None, scale: float) -> None:
    if x.dim() == 1:
        x, g = x.unsqueeze(0), g.unsqueeze(0)
    if gb is not None and gb.numel() != g.size(1):
        raise ValueError
    gw.addmm_(g.t(), x, alpha=scale)
    if gb is not None:
        gb.add_(g.sum(0), alpha=scale)


def _geometry(numbers: tuple[float, ...]) -> tuple[list[int], ...]:
    """Pairs (kernel, stride, padding, dilation, adjustment, each h and w) of a convolution or a pooling."""
    whole = [int(number) for number in numbers]
    if any(number != given for number, given in zip(whole, numbers, strict=True)):
        raise ValueError
    return tuple(whole[i : i + 2] for i in range(0, len(whole), 2))


def _batch(*tensors: Tensor) -> tuple[bool, list[Tensor]]:
    single = tensors[0].dim() == 3
    return single, [t.unsqueeze(0) if single else t for t in tensors]


def _weight(w: Tensor, planes: float, kernel: list[int]) -> Tensor:
    return w.view(int(planes), -1, *kernel)


@module_function
def _convolution(
    x: Tensor, w: Tensor, b: Tensor | None, planes: float, turned: bool, *numbers: float
) -> Tensor:
    kernel, stride, padding, dilation, extra = _geometry(numbers)
    single, (x,) = _batch(x)
    w = _weight(w, planes, kernel)
    y = torch.convolution(x, w, b, stride, padding, dilation, turned, extra, 1)
    return y.squeeze(0) if single else y


def _back(x: Tensor, g: Tensor, w: Tensor, turned: bool, numbers: tuple[float, ...], mask: list[bool]) -> Any:
    _, stride, padding, dilation, extra = _geometry(numbers)
    biases = [w.size(1) if turned else w.size(0)]
    return aten.convolution_backward(g, x, w, biases, stride, padding, dilation, turned, extra, 1, mask)


@module_function
def _convolution_input(
    x: Tensor, g: Tensor, w: Tensor, planes: float, turned: bool, *numbers: float
) -> Tensor:
    single, (x, g) = _batch(x, g)
    w = _weight(w, planes, _geometry(numbers)[0])
    r: Tensor = _back(x, g, w, turned, numbers, [True, False, False])[0]
    return r.squeeze(0) if single else r


@module_function
def _convolution_parameters(
    x: Tensor,
    g: Tensor,
    gw: Tensor,
    gb: Tensor | None,
    scale: float,
    planes: float,
    turned: bool,
    *numbers: float,
) -> None:
    _, (x, g) = _batch(x, g)
    w = _weight(gw, planes, _geometry(numbers)[0])
    _, dw, db = _back(x, g, w, turned, numbers, [False, True, gb is not None])
    gw.add_(dw.view_as(gw), alpha=scale)
    _add(gb, db, scale)


@module_function
def _max_pool(x: Tensor, ceil: bool, *numbers: float) -> tuple[Tensor, Tensor]:
    kernel, stride, padding, dilation, _ = _geometry(numbers)
    y, indices = aten.max_pool2d_with_indices(x, kernel, stride, padding, dilation, ceil)
    return y, indices + 1


@module_function
def _max_pool_input(x: Tensor, g: Tensor, indices: Tensor, ceil: bool, *numbers: float) -> Tensor:
    kernel, stride, padding, dilation, _ = _geometry(numbers)
    if indices.shape != g.shape or int(indices.min()) < 1 or int(indices.max()) > x.size(-1) * x.size(-2):
        raise ValueError
    r: Tensor = aten.max_pool2d_with_indices_backward(
        g, x, kernel, stride, padding, dilation, ceil, indices - 1
    )
    return r


@module_function
def _average_pool(x: Tensor, ceil: bool, include: bool, divide: bool, *numbers: float) -> Tensor:
    kernel, stride, padding, _, _ = _geometry(numbers)
    divisor = None if divide else 1
    return functional.avg_pool2d(x, kernel, stride, padding, ceil, include, divisor)


@module_function
def _average_pool_input(
    x: Tensor, g: Tensor, ceil: bool, include: bool, divide: bool, *numbers: float
) -> Tensor:
    kernel, stride, padding, _, _ = _geometry(numbers)
    divisor = None if divide else 1
    r: Tensor = aten.avg_pool2d_backward(g, x, kernel, stride, padding, ceil, include, divisor)
    return r


@module_function
def _batch_norm(
    x: Tensor,
    w: Tensor | None,
    b: Tensor | None,
    mean: Tensor,
    var: Tensor,
    train: bool,
    momentum: float,
    eps: float,
) -> Any:
    return tuple(aten.native_batch_norm(x, w, b, mean, var, train, momentum, eps))


@module_function
def _batch_norm_back(
    x: Tensor,
    g: Tensor,
    w: Tensor | None,
    mean: Tensor,
    var: Tensor,
    saved: Tensor | None,
    inverse: Tensor | None,
    train: bool,
    eps: float,
    gw: Tensor | None,
    gb: Tensor | None,
    scale: float,
) -> Tensor:
    affine = gw is not None
    r: Tensor
    r, dw, db = aten.native_batch_norm_backward(
        g, x, w, mean, var, saved, inverse, train, eps, [True, affine, affine]
    )
    if affine:
        _add(gw, dw, scale)
        _add(gb, db, scale)
    return r


def _softmax_dimension(x: Tensor) -> int:
    return 0 if x.dim() in (1, 3) else 1


@module_function
def _softmax(x: Tensor) -> Tensor:
    return torch.softmax(x, _softmax_dimension(x))


@module_function
def _softmax_input(y: Tensor, g: Tensor) -> Tensor:
    r: Tensor = aten._softmax_backward_data(g, y, _softmax_dimension(y), y.dtype)
    return r


@module_function
def _log_softmax(x: Tensor) -> Tensor:
    return torch.log_softmax(x, _softmax_dimension(x))


@module_function
def _log_softmax_input(y: Tensor, g: Tensor) -> Tensor:
    r: Tensor = aten._log_softmax_backward_data(g, y, _softmax_dimension(y), y.dtype)
    return r


def _classes(x: Tensor, target: Tensor) -> Tensor:
    """Targets from 0; raises ValueError for an invalid class."""
    classes = target.long() - 1
    if classes.shape != x.shape[:1] or int(classes.min()) < 0 or int(classes.max()) >= x.size(1):
        raise ValueError
    return classes


@module_function
def _class_nll(x: Tensor, target: Tensor, weights: Tensor | None) -> tuple[float, float]:
    classes = _classes(x, target)
    chosen = x.gather(1, classes.unsqueeze(1)).squeeze(1)
    if weights is None:
        return -float(chosen.sum()), float(x.size(0))
    each = weights[classes]
    return -float((chosen * each).sum()), float(each.sum())


@module_function
def _class_nll_input(x: Tensor, target: Tensor, weights: Tensor | None, divisor: float) -> Tensor:
    classes = _classes(x, target).unsqueeze(1)
    each = torch.ones_like(classes, dtype=x.dtype) if weights is None else weights[classes]
    return torch.zeros_like(x).scatter_(1, classes, each / -divisor)


def _rows(indices: Tensor, count: int) -> Tensor:
    rows = indices.long() - 1
    if int(rows.min()) < 0 or int(rows.max()) >= count:
        raise ValueError
    return rows


@module_function
def _lookup(indices: Tensor, w: Tensor) -> Tensor:
    return functional.embedding(_rows(indices, w.size(0)), w)


@module_function
def _lookup_parameters(indices: Tensor, g: Tensor, gw: Tensor, scale: float, padding: float) -> None:
    rows = _rows(indices, gw.size(0)).reshape(-1)
    g = g.reshape(rows.numel(), gw.size(1))
    if padding > 0:
        g = g * (rows != int(padding) - 1).unsqueeze(1)
    gw.index_add_(0, rows, g, alpha=scale)


@module_function
def _total(z: Tensor) -> float:
    return float(z.sum(dtype=None if z.device.type == "mps" else torch.float64))
