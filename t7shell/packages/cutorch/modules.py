"""Functions of neural networks on the device, for `lua/packages/cunn/device_modules.lua`.

Tensors come as views. A function gives new tensors, or adds to those that accumulate and returns True. It
gives False if PyTorch rejects the operands: then the module's own kernels compute on the CPU.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import torch
from torch.nn import functional

from t7shell.packages.cutorch.registry import accumulate, indices_from, module_function, needs

Tensor: TypeAlias = torch.Tensor
aten = torch.ops.aten


def sizes(tensor: Tensor) -> tuple[int, ...]:
    """The sizes of a tensor."""
    return tuple(tensor.shape)


def assign(target: Tensor, source: Tensor) -> None:
    """Copies elements."""
    target.copy_(source)


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
    needs(gb is None or gb.numel() == g.size(1))
    gw.addmm_(g.t(), x, alpha=scale)
    if gb is not None:
        gb.add_(g.sum(0), alpha=scale)


def _suits_cudnn(x: Tensor, w: Tensor | None, train: bool) -> bool:
    """Whether cuDNN normalizes a batch, in half the time of PyTorch's own kernels."""
    return train and x.is_cuda and w is not None and x.dim() > 2 and x.dtype == torch.float32


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
    if _suits_cudnn(x, w, train):
        return tuple(aten.cudnn_batch_norm(x.contiguous(), w, b, mean, var, True, momentum, eps)[:3])
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
    if _suits_cudnn(x, w, train):
        # The reserve space of cuDNN is empty for the layout NCHW.
        reserve = x.new_empty(0, dtype=torch.uint8)
        r, dw, db = aten.cudnn_batch_norm_backward(
            x.contiguous(), g.contiguous(), w, mean, var, saved, inverse, eps, reserve
        )
    else:
        r, dw, db = aten.native_batch_norm_backward(
            g, x, w, mean, var, saved, inverse, train, eps, [True, affine, affine]
        )
    if affine:
        accumulate(gw, dw, scale)
        accumulate(gb, db, scale)
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
    """Targets from 0."""
    needs(target.shape == (x.size(0), *x.shape[2:]))
    return indices_from(target, 1, x.size(1))


@module_function
def _class_nll(x: Tensor, target: Tensor, weights: Tensor | None) -> tuple[float, float]:
    x = x.unsqueeze(0) if x.dim() == 1 else x
    classes = _classes(x, target)
    chosen = x.gather(1, classes.unsqueeze(1)).squeeze(1)
    if weights is None:
        return -float(chosen.sum()), float(classes.numel())
    each = weights[classes]
    return -float((chosen * each).sum()), float(each.sum())


@module_function
def _class_nll_input(x: Tensor, target: Tensor, weights: Tensor | None, divisor: float) -> Tensor:
    scores = x.unsqueeze(0) if x.dim() == 1 else x
    classes = _classes(scores, target).unsqueeze(1)
    each = torch.ones_like(classes, dtype=x.dtype) if weights is None else weights[classes]
    return torch.zeros_like(scores).scatter_(1, classes, each / -divisor).view(x.shape)


@module_function
def _lookup(indices: Tensor, w: Tensor) -> Tensor:
    return functional.embedding(indices_from(indices, 1, w.size(0)), w)


@module_function
def _lookup_parameters(indices: Tensor, g: Tensor, gw: Tensor, scale: float, padding: float) -> None:
    rows = indices_from(indices, 1, gw.size(0)).reshape(-1)
    g = g.reshape(rows.numel(), gw.size(1))
    if padding > 0:
        g = g * (rows != int(padding) - 1).unsqueeze(1)
    gw.index_add_(0, rows, g, alpha=scale)


@module_function
def _total(z: Tensor) -> float:
    return float(z.sum(dtype=None if z.device.type == "mps" else torch.float64))
