"""Extremes, sorting and selection along a dimension, with the indices of the elements from 1.

Indices of equal elements are those of the CPU, which computes where those of PyTorch may differ. NaN counts
as the largest element in sorting.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch

from t7shell.packages.cutorch.registry import needs

Tensor: TypeAlias = torch.Tensor

# Shorter rows are sorted stably by the CPU, too.
_STABLE = 11
# Up to this number of elements of longer rows are sorted on the CPU even if that is not required.
_FEW_BEST, _LONG = 8, 16


def _axis(x: Tensor, d: float | None) -> int:
    return x.dim() - 1 if d is None else int(d)


def _same(a: Tensor, b: Tensor) -> Tensor:
    return (a == b) | ((a != a) & (b != b))


def _has_ties(values: Tensor, d: int) -> bool:
    """Whether sorted rows along d have equal neighbors."""
    n = values.size(d)
    return bool(_same(values.narrow(d, 1, n - 1), values.narrow(d, 0, n - 1)).any()) if n > 1 else False


def _minmax(best: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, Tensor]]:
    """The minima or maxima along a dimension and their first positions: the same on all devices."""

    def run(x: Tensor, d: float) -> tuple[Tensor, Tensor]:
        d = int(d)
        found = best(x, d, keepdim=True)
        numbers = torch.arange(1, x.size(d) + 1, device=x.device).view(-1, *[1] * (x.dim() - 1 - d))
        return found, torch.where(_same(x, found), numbers, x.size(d)).amin(d, keepdim=True)

    return run


def _sort(x: Tensor, d: float | None, down: bool | None) -> tuple[Tensor, Tensor]:
    axis = _axis(x, d)
    values, indices = torch.sort(x, dim=axis, descending=bool(down), stable=True)
    needs(x.size(axis) <= _STABLE or not _has_ties(values, axis))
    return values, indices + 1


def _topk(x: Tensor, k: float, d: float | None, largest: bool | None, ordered: bool | None) -> Any:
    axis = _axis(x, d)
    n, k = x.size(axis), int(k)
    needs(1 <= k <= n and bool(ordered or (n > _LONG and k <= _FEW_BEST)))
    values, indices = torch.topk(x, min(k + 1, n), axis, bool(largest), True)
    needs(not _has_ties(values, axis))
    return values.narrow(axis, 0, k), indices.narrow(axis, 0, k) + 1


def _kthvalue(x: Tensor, k: float, d: float | None) -> Any:
    axis = _axis(x, d)
    needs(1 <= k <= x.size(axis))
    value, index = torch.kthvalue(x, int(k), axis, keepdim=True)
    needs(int(_same(x, value).sum(axis).max()) <= 1)
    return value, index + 1


def _median(x: Tensor, d: float | None) -> Any:
    return _kthvalue(x, (x.size(_axis(x, d)) + 1) // 2, d)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "max": _minmax(torch.amax),
    "min": _minmax(torch.amin),
    "sort": _sort,
    "topk": _topk,
    "kthvalue": _kthvalue,
    "median": _median,
}
