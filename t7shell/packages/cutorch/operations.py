"""Operations of the device, by name: each takes views of PyTorch, the result first, and dimensions from 0.

An operation returns True, a number where that is its result, or False where PyTorch refuses the operands:
then the caller uses the CPU, which reports what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import torch

from t7shell.packages.cutorch.elementwise import refused

Tensor: TypeAlias = torch.Tensor


def _exact(x: Tensor) -> torch.dtype | None:
    """The type that sums of elements are made in."""
    return torch.float64 if x.is_floating_point() and x.device.type != "mps" else None


def _product_kinds() -> dict[str, Callable[..., Any]]:
    return {
        "mv": lambda z, a, b: torch.mv(a, b, out=z),
        "mm": lambda z, a, b: torch.mm(a, b, out=z),
        "bmm": lambda z, a, b: torch.bmm(a, b, out=z),
        "ger": lambda z, a, b: torch.outer(a, b, out=z),
        "sum": lambda z, a, b: torch.sum(torch.bmm(a, b), 0, out=z),
    }


def _added(kind: str) -> Callable[..., Any]:
    """z = beta x + alpha a b."""
    functions = {"mv": "addmv", "mm": "addmm", "bmm": "baddbmm", "ger": "addr", "sum": "addbmm"}
    function = getattr(torch, functions[kind])

    def run(z: Tensor, beta: float, x: Tensor, alpha: float, a: Tensor, b: Tensor) -> None:
        function(x, a, b, beta=beta, alpha=alpha, out=z)

    return run


def _index(z: Tensor, x: Tensor, d: float, places: Tensor) -> bool:
    d = int(d)
    if places.numel() == 0 or int(places.min()) < 1 or int(places.max()) > x.size(d):
        return False
    torch.index_select(x, d, places - 1, out=z)
    return True


def _dot(x: Tensor, y: Tensor) -> float | bool:
    # Sums of integers wrap around as their type does, on the CPU.
    return float(torch.sum(x * y, dtype=_exact(x))) if x.is_floating_point() else False


def _masked_fill(z: Tensor, mask: Tensor, value: float) -> bool:
    if int(mask.max()) > 1:
        return False
    z.masked_fill_(mask != 0, value)
    return True


def _extreme(best: Callable[..., Tensor]) -> Callable[..., None]:
    """The extremes along a dimension and the first positions of them, from 1: the same on all devices."""

    def run(z: Tensor, places: Tensor, x: Tensor, d: float) -> None:
        d = int(d)
        found = best(x, d, keepdim=True)
        is_best = (x == found) | ((x != x) & (found != found))
        numbers = torch.arange(1, x.size(d) + 1, device=x.device).view(-1, *[1] * (x.dim() - 1 - d))
        places.copy_(torch.where(is_best, numbers, x.size(d)).amin(d, keepdim=True))
        z.copy_(found)

    return run


def _norm(x: Tensor, p: float) -> float | bool:
    if not math.isfinite(p):
        # The CPU raises to the power, as Torch7 did; PyTorch takes the largest.
        return False
    if p == 0:
        return float((x != 0).sum())
    return float(torch.linalg.vector_norm(x, p, dtype=_exact(x)))


def _uniform(z: Tensor, a: float, b: float) -> None:
    z.uniform_(a, b)


_OPERATIONS: dict[str, Callable[..., Any]] = {
    # Elements.
    "copy": lambda z, x: z.copy_(x),
    "fill": lambda z, value: z.fill_(value),
    # Reductions to a number.
    "sum": lambda x: x.sum(dtype=_exact(x)).item(),
    "prod": lambda x: x.prod(dtype=_exact(x)).item(),
    "mean": lambda x: x.mean(dtype=_exact(x)).item(),
    "largest": lambda x: x.max().item(),
    "smallest": lambda x: x.min().item(),
    "dot": _dot,
    "norm": _norm,
    "dist": lambda x, y, p: _norm(x - y, p),
    "equal": lambda x, y: 1 if torch.equal(x, y) else 0,
    "variance": lambda x, biased: x.var(correction=0 if biased else 1).item(),
    # Along a dimension, which stays.
    "sum_along": lambda z, x, d: torch.sum(x, int(d), keepdim=True, out=z),
    "prod_along": lambda z, x, d: torch.prod(x, int(d), keepdim=True, out=z),
    "mean_along": lambda z, x, d: torch.mean(x, int(d), keepdim=True, out=z),
    "largest_along": _extreme(torch.amax),
    "smallest_along": _extreme(torch.amin),
    "cumsum": lambda z, x, d: torch.cumsum(x, int(d), out=z),
    "cumprod": lambda z, x, d: torch.cumprod(x, int(d), out=z),
    "norm_along": lambda z, x, p, d: torch.linalg.vector_norm(x, p, int(d), keepdim=True, out=z),
    "cat": lambda z, d, *parts: torch.cat(parts, int(d), out=z),
    # Index tensors, from 1, and masks.
    "index": _index,
    "masked_fill": _masked_fill,
    # Random numbers.
    "uniform": _uniform,
    "normal": lambda z, mean, deviation: z.normal_(mean, deviation),
    "bernoulli": lambda z, p: z.bernoulli_(p),
    "exponential": lambda z, rate: z.exponential_(rate),
    **{f"product_{kind}": f for kind, f in _product_kinds().items()},
    **{f"added_{kind}": _added(kind) for kind in ("mv", "mm", "bmm", "ger", "sum")},
}


def operation(name: str) -> Callable[..., Any] | None:
    """The operation of a name; None if there is none."""
    function = _OPERATIONS.get(name)
    return function and _guarded(function)


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*operands: Any) -> Any:
        try:
            result = function(*operands)
        except RuntimeError as reason:
            return refused(reason)
        return True if result is None or isinstance(result, torch.Tensor) else result

    return run
