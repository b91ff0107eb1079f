"""Operations with tensors of indices, which count from 1, and with masks of 0 and 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch

Tensor: TypeAlias = torch.Tensor


def _are_indices(places: Tensor, size: int) -> bool:
    least, most = torch.aminmax(places)
    return int(least) >= 1 and int(most) <= size


def _are_indices_along(x: Tensor, d: int, places: Tensor) -> bool:
    return places.dim() == 1 and _are_indices(places, x.size(d))


def _differ(places: Tensor, size: int) -> bool:
    """Whether no index of a vector comes twice."""
    return int(torch.bincount(places - 1, minlength=size).max()) <= 1


def _index(x: Tensor, d: float, places: Tensor) -> Tensor | bool:
    d = int(d)
    return torch.index_select(x, d, places - 1) if _are_indices_along(x, d, places) else False


def _fits(x: Tensor, d: int, places: Tensor, source: Tensor) -> bool:
    sizes = list(x.shape)
    sizes[d] = places.numel()
    return _are_indices_along(x, d, places) and list(source.shape) == sizes


def _index_copy(z: Tensor, d: float, places: Tensor, source: Tensor) -> bool | None:
    d = int(d)
    if not _fits(z, d, places, source) or not _differ(places, z.size(d)):
        return False
    z.index_copy_(d, places - 1, source)
    return None


def _index_add(z: Tensor, d: float, places: Tensor, source: Tensor) -> bool | None:
    d = int(d)
    if not _fits(z, d, places, source):
        return False
    z.index_add_(d, places - 1, source)
    return None


def _index_fill(z: Tensor, d: float, places: Tensor, value: float) -> bool | None:
    d = int(d)
    if not _are_indices_along(z, d, places):
        return False
    z.index_fill_(d, places - 1, value)
    return None


def _reaches(x: Tensor, d: int, places: Tensor, exactly: bool) -> bool:
    """Whether the sizes of indices but for d are those of x, or smaller."""
    pairs = [pair for axis, pair in enumerate(zip(places.shape, x.shape, strict=False)) if axis != d]
    same = all(a == b if exactly else a <= b for a, b in pairs)
    return places.dim() == x.dim() and same and _are_indices(places, x.size(d))


def _gather(x: Tensor, d: float, places: Tensor) -> Tensor | bool:
    d = int(d)
    return torch.gather(x, d, places - 1) if _reaches(x, d, places, True) else False


def _scatter(z: Tensor, d: float, places: Tensor, source: Tensor | float) -> bool | None:
    d = int(d)
    if not isinstance(source, torch.Tensor):
        if not _reaches(z, d, places, True):
            return False
        z.scatter_(d, places - 1, source)
        return None
    if not _reaches(z, d, places, False) or source.dim() != places.dim():
        return False
    if any(a > b for a, b in zip(places.shape, source.shape, strict=True)):
        return False
    # Which of several elements for one index stays is the last on the CPU, and any on a device.
    counts = torch.zeros(z.shape, dtype=torch.int32, device=z.device)
    counts.scatter_add_(d, places - 1, torch.ones_like(places, dtype=torch.int32))
    if int(counts.max()) > 1:
        return False
    z.scatter_(d, places - 1, source)
    return None


def _is_mask(x: Tensor, mask: Tensor) -> bool:
    return mask.shape == x.shape and int(mask.max()) <= 1


def _masked_select(x: Tensor, mask: Tensor) -> Tensor | bool:
    if not _is_mask(x, mask):
        return False
    return torch.masked_select(x, mask != 0)


def _masked_copy(z: Tensor, mask: Tensor, source: Tensor) -> bool | None:
    if not _is_mask(z, mask) or source.numel() < int(mask.sum()):
        return False
    z.masked_scatter_(mask != 0, source)
    return None


def _masked_fill(z: Tensor, mask: Tensor, value: float) -> bool | None:
    if not _is_mask(z, mask):
        return False
    z.masked_fill_(mask != 0, value)
    return None


OPERATIONS: dict[str, Callable[..., Any]] = {
    "index": _index,
    "indexCopy": _index_copy,
    "indexAdd": _index_add,
    "indexFill": _index_fill,
    "gather": _gather,
    "scatter": _scatter,
    "maskedSelect": _masked_select,
    "maskedCopy": _masked_copy,
    "maskedFill": _masked_fill,
    "nonzero": lambda x: torch.nonzero(x) + 1,
}
