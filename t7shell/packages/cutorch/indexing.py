"""Operations with tensors of indices, which count from 1, and with masks of 0 and 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch

from t7shell.packages.cutorch.registry import indices_from, needs

Tensor: TypeAlias = torch.Tensor


def _index_along(x: Tensor, d: int, indices: Tensor, source: Tensor | None = None) -> Tensor:
    """A vector of indices from 0 in a dimension, each for a slice of `source` where there is one."""
    needs(indices.dim() == 1)
    needs(source is None or source.shape == (*x.shape[:d], indices.numel(), *x.shape[d + 1 :]))
    return indices_from(indices, 1, x.size(d))


def _index(x: Tensor, d: float, indices: Tensor) -> Tensor:
    return torch.index_select(x, int(d), _index_along(x, int(d), indices))


def _index_copy(z: Tensor, d: float, indices: Tensor, source: Tensor) -> None:
    rows = _index_along(z, int(d), indices, source)
    # For repeated indices the slice that is kept may differ.
    needs(int(torch.bincount(rows, minlength=z.size(int(d))).max()) <= 1)
    z.index_copy_(int(d), rows, source)


def _index_add(z: Tensor, d: float, indices: Tensor, source: Tensor) -> None:
    z.index_add_(int(d), _index_along(z, int(d), indices, source), source)


def _index_fill(z: Tensor, d: float, indices: Tensor, value: float) -> None:
    z.index_fill_(int(d), _index_along(z, int(d), indices), value)


def _index_each(x: Tensor, d: int, indices: Tensor, exactly: bool) -> Tensor:
    """Indices from 0; in the other dimensions their sizes are `exactly` those of x, or at most."""
    needs(indices.dim() == x.dim())
    pairs = [pair for axis, pair in enumerate(zip(indices.shape, x.shape, strict=True)) if axis != d]
    needs(all(a == b if exactly else a <= b for a, b in pairs))
    return indices_from(indices, 1, x.size(d))


def _gather(x: Tensor, d: float, indices: Tensor) -> Tensor:
    return torch.gather(x, int(d), _index_each(x, int(d), indices, True))


def _scatter(z: Tensor, d: float, indices: Tensor, source: Tensor | float) -> None:
    is_number = not isinstance(source, torch.Tensor)
    each = _index_each(z, int(d), indices, is_number)
    if isinstance(source, torch.Tensor):
        needs(source.dim() == each.dim())
        needs(all(a <= b for a, b in zip(each.shape, source.shape, strict=True)))
        # For repeated indices the CPU keeps the last element, a device any of them.
        counts = torch.zeros(z.shape, dtype=torch.int32, device=z.device)
        counts.scatter_add_(int(d), each, torch.ones_like(each, dtype=torch.int32))
        needs(int(counts.max()) <= 1)
    z.scatter_(int(d), each, source)


def _mask(x: Tensor, mask: Tensor) -> Tensor:
    needs(mask.shape == x.shape and int(mask.max()) <= 1)
    return mask != 0


def _masked_copy(z: Tensor, mask: Tensor, source: Tensor) -> None:
    chosen = _mask(z, mask)
    needs(source.numel() >= int(mask.sum()))
    z.masked_scatter_(chosen, source)


def _masked_fill(z: Tensor, mask: Tensor, value: float) -> None:
    z.masked_fill_(_mask(z, mask), value)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "index": _index,
    "indexCopy": _index_copy,
    "indexAdd": _index_add,
    "indexFill": _index_fill,
    "gather": _gather,
    "scatter": _scatter,
    "maskedSelect": lambda x, mask: torch.masked_select(x, _mask(x, mask)),
    "maskedCopy": _masked_copy,
    "maskedFill": _masked_fill,
    "nonzero": lambda x: torch.nonzero(x) + 1,
}
