"""Convolutions and pooling of frames, images and volumes on the device.

Geometry is given by the number of dimensions n and these numbers: kernel, stride, padding, dilation and
adjustment, n of each, the last dimension last.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import torch
from torch.nn import functional

from t7shell.packages.cutorch.registry import accumulate, indices_from, module_function, needs

Tensor: TypeAlias = torch.Tensor
aten = torch.ops.aten


def _geometry(n: float, numbers: tuple[float, ...]) -> tuple[list[int], ...]:
    whole = [int(number) for number in numbers]
    needs(whole == list(numbers))
    n = int(n)
    return tuple(whole[i : i + n] for i in range(0, len(whole), n))


def _batch(n: float, *tensors: Tensor) -> tuple[bool, list[Tensor]]:
    """Whether there is one sample without a batch, and the tensors as batches."""
    single = tensors[0].dim() == n + 1
    return single, [t.unsqueeze(0) if single else t for t in tensors]


def _weight(w: Tensor, planes: float, kernel: list[int]) -> Tensor:
    return w.view(int(planes), -1, *kernel)


@module_function
def _convolution(
    x: Tensor, w: Tensor, b: Tensor | None, planes: float, transposed: bool, n: float, *numbers: float
) -> Tensor:
    kernel, stride, padding, dilation, extra = _geometry(n, numbers)
    single, (x,) = _batch(n, x)
    w = _weight(w, planes, kernel)
    y = torch.convolution(x, w, b, stride, padding, dilation, transposed, extra, 1)
    return y.squeeze(0) if single else y


def _back(
    x: Tensor, g: Tensor, w: Tensor, transposed: bool, geometry: tuple[list[int], ...], mask: list[bool]
) -> Any:
    _, stride, padding, dilation, extra = geometry
    biases = [w.size(1) if transposed else w.size(0)]
    return aten.convolution_backward(g, x, w, biases, stride, padding, dilation, transposed, extra, 1, mask)


@module_function
def _convolution_input(
    x: Tensor, g: Tensor, w: Tensor, planes: float, transposed: bool, n: float, *numbers: float
) -> Tensor:
    geometry = _geometry(n, numbers)
    single, (x, g) = _batch(n, x, g)
    w = _weight(w, planes, geometry[0])
    r: Tensor = _back(x, g, w, transposed, geometry, [True, False, False])[0]
    return r.squeeze(0) if single else r


@module_function
def _convolution_parameters(
    x: Tensor,
    g: Tensor,
    gw: Tensor,
    gb: Tensor | None,
    scale: float,
    planes: float,
    transposed: bool,
    n: float,
    *numbers: float,
) -> None:
    geometry = _geometry(n, numbers)
    _, (x, g) = _batch(n, x, g)
    w = _weight(gw, planes, geometry[0])
    _, dw, db = _back(x, g, w, transposed, geometry, [False, True, gb is not None])
    accumulate(gw, dw, scale)
    accumulate(gb, db, scale)


# Frames of features: an element of a frame corresponds to a plane of an image.


def _frames(stride: float) -> tuple[list[int], ...]:
    return [], [int(stride)], [0], [1], [0]


def _frame_weight(w: Tensor, inputs: int) -> Tensor:
    return w.view(w.size(0), -1, inputs).mT


@module_function
def _temporal(x: Tensor, w: Tensor, b: Tensor | None, stride: float) -> Tensor:
    return functional.conv1d(x.mT, _frame_weight(w, x.size(-1)), b, int(stride)).mT


@module_function
def _temporal_input(x: Tensor, g: Tensor, w: Tensor, stride: float) -> Tensor:
    single, (x, g) = _batch(1, x.mT, g.mT)
    back = _back(x, g, _frame_weight(w, x.size(1)), False, _frames(stride), [True, False, False])
    r: Tensor = back[0].mT
    return r.squeeze(0) if single else r


@module_function
def _temporal_parameters(
    x: Tensor, g: Tensor, gw: Tensor, gb: Tensor | None, scale: float, stride: float
) -> None:
    _, (x, g) = _batch(1, x.mT, g.mT)
    mask = [False, True, gb is not None]
    _, dw, db = _back(x, g, _frame_weight(gw, x.size(1)), False, _frames(stride), mask)
    accumulate(gw, dw.mT.contiguous(), scale)
    accumulate(gb, db, scale)


_MAXIMA = {
    2: (aten.max_pool2d_with_indices, aten.max_pool2d_with_indices_backward),
    3: (aten.max_pool3d_with_indices, aten.max_pool3d_with_indices_backward),
}


@module_function
def _max_pool(x: Tensor, ceil: bool, n: float, *numbers: float) -> tuple[Tensor, Tensor]:
    kernel, stride, padding, dilation, _ = _geometry(n, numbers)
    y, indices = _MAXIMA[int(n)][0](x, kernel, stride, padding, dilation, ceil)
    return y, indices + 1


@module_function
def _max_pool_input(x: Tensor, g: Tensor, indices: Tensor, ceil: bool, n: float, *numbers: float) -> Tensor:
    kernel, stride, padding, dilation, _ = _geometry(n, numbers)
    area = x[(0,) * (x.dim() - int(n))].numel()
    needs(indices.shape == g.shape)
    from_zero = indices_from(indices, 1, area)
    r: Tensor = _MAXIMA[int(n)][1](g, x, kernel, stride, padding, dilation, ceil, from_zero)
    return r


@module_function
def _average_pool(x: Tensor, ceil: bool, include: bool, divide: bool, n: float, *numbers: float) -> Tensor:
    kernel, stride, padding, _, _ = _geometry(n, numbers)
    divisor = None if divide else 1
    return functional.avg_pool2d(x, kernel, stride, padding, ceil, include, divisor)


@module_function
def _average_pool_input(
    x: Tensor, g: Tensor, ceil: bool, include: bool, divide: bool, n: float, *numbers: float
) -> Tensor:
    kernel, stride, padding, _, _ = _geometry(n, numbers)
    divisor = None if divide else 1
    r: Tensor = aten.avg_pool2d_backward(g, x, kernel, stride, padding, ceil, include, divisor)
    return r
