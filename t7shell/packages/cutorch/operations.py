"""Operations of the device, by name: each takes views of PyTorch, and dimensions from 0.

Those of a row's name return new tensors, one for each result; with `_all` in the name, a number; others write
to their first operand and return nothing. ValueError leaves operands to the CPU, which reports errors, as it
does for operands that PyTorch rejects.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import torch

from t7shell.packages.cutorch import indexing, linear_algebra, ordering
from t7shell.packages.cutorch.registry import guarded, needs

Tensor: TypeAlias = torch.Tensor


def _exact(x: Tensor) -> torch.dtype | None:
    """The type in which elements are summed."""
    return torch.float64 if x.is_floating_point() and x.device.type != "mps" else None


def _dot(x: Tensor, y: Tensor) -> float:
    # Sums of integers wrap around as their type does, on the CPU.
    needs(x.is_floating_point())
    return float(torch.sum(x * y, dtype=_exact(x)))


def _norm(x: Tensor, p: float) -> float:
    # For infinity the CPU computes powers, as Torch7 did; PyTorch returns the largest element.
    needs(math.isfinite(p))
    return float(torch.linalg.vector_norm(x, p, dtype=_exact(x)) if p else (x != 0).sum())


def _norm_along(x: Tensor, p: float, d: float) -> Any:
    needs(math.isfinite(p))
    return torch.linalg.vector_norm(x, p, int(d), keepdim=True)


def _dist(x: Tensor, y: Tensor, p: float) -> float:
    needs(p != 0)
    return _norm(x - y, p)


def _product_of_all(x: Tensor) -> float:
    # The CPU computes products of integers in doubles.
    needs(x.is_floating_point())
    return float(x.prod(dtype=_exact(x)).item())


def _trace(x: Tensor) -> float:
    return float(_matrix(x).diagonal().sum(dtype=_exact(x)).item())


def _matrix(x: Tensor) -> Tensor:
    needs(x.dim() == 2)
    return x


def _variance(x: Tensor, biased: bool | None, root: bool) -> float:
    found = x.to(_exact(x)).var(correction=0 if biased else 1).item()
    return math.sqrt(found) if root else found


def _variance_along(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return lambda x, d, biased: function(x, int(d), correction=0 if biased else 1, keepdim=True)


def _scaled_slices(x: Tensor, p: float, d: float, max_norm: float) -> Tensor:
    needs(0 < p < math.inf and x.dim() > 1 and max_norm >= 0)
    return torch.renorm(x, p, int(d), max_norm)


def _cross(x: Tensor, y: Tensor, d: float | None) -> Any:
    needs(x.shape == y.shape and 3 in x.shape)
    axis = x.shape.index(3) if d is None else int(d)
    return torch.linalg.cross(x, y, dim=axis)


def _bernoulli_each(z: Tensor, p: Tensor) -> None:
    needs(bool(((p >= 0) & (p <= 1)).all()))
    z.copy_(torch.bernoulli(p))


_PRODUCTS: dict[str, Callable[..., Any]] = {
    "product_mv": lambda z, a, b: torch.mv(a, b, out=z),
    "product_mm": lambda z, a, b: torch.mm(a, b, out=z),
    "product_bmm": lambda z, a, b: torch.bmm(a, b, out=z),
    "product_ger": lambda z, a, b: torch.outer(a, b, out=z),
    "product_sum": lambda z, a, b: torch.sum(torch.bmm(a, b), 0, out=z),
}


def _added(function: Callable[..., Any]) -> Callable[..., Any]:
    """z = beta x + alpha a b."""

    def run(z: Tensor, beta: float, x: Tensor, alpha: float, a: Tensor, b: Tensor) -> None:
        function(x, a, b, beta=beta, alpha=alpha, out=z)

    return run


_OPERATIONS: dict[str, Callable[..., Any]] = {
    # Elements.
    "copy": lambda z, x: z.copy_(x),
    "fill": lambda z, value: z.fill_(value),
    "clone": lambda x: x.clone(memory_format=torch.contiguous_format),
    "repeat": lambda x, *counts: x.repeat(*map(int, counts)),
    # Reductions to a number.
    "sum_all": lambda x: x.sum(dtype=_exact(x)).item(),
    "prod_all": _product_of_all,
    "mean_all": lambda x: x.mean(dtype=_exact(x)).item(),
    "max_all": lambda x: x.max().item(),
    "min_all": lambda x: x.min().item(),
    "all_all": lambda x: float(x.min() > 0),
    "any_all": lambda x: float(x.max() > 0),
    "dot_all": _dot,
    "norm_all": _norm,
    "dist_all": _dist,
    "equal_all": lambda x, y: float(torch.equal(x, y)),
    "var_all": lambda x, biased: _variance(x, biased, False),
    "std_all": lambda x, biased: _variance(x, biased, True),
    "trace_all": _trace,
    # Along a dimension, which stays.
    "sum": lambda x, d: torch.sum(x, int(d), keepdim=True, dtype=x.dtype),
    "prod": lambda x, d: torch.prod(x, int(d), keepdim=True, dtype=x.dtype),
    "mean": lambda x, d: torch.mean(x, int(d), keepdim=True),
    "norm": _norm_along,
    "var": _variance_along(torch.var),
    "std": _variance_along(torch.std),
    "cumsum": lambda x, d: torch.cumsum(x, int(d), dtype=x.dtype),
    "cumprod": lambda x, d: torch.cumprod(x, int(d), dtype=x.dtype),
    "renorm": _scaled_slices,
    "cross": _cross,
    # Shapes.
    "cat": lambda z, d, *parts: torch.cat(parts, int(d), out=z),
    "diag": lambda x, k: torch.diag(x, int(k)),
    "tril": lambda x, k: torch.tril(_matrix(x), int(k)),
    "triu": lambda x, k: torch.triu(_matrix(x), int(k)),
    # Random numbers, into the first operand.
    "uniform": lambda z, a, b: z.uniform_(a, b),
    "normal": lambda z, mean, deviation: z.normal_(mean, deviation),
    "bernoulli": lambda z, p: z.bernoulli_(p),
    "bernoulli_each": _bernoulli_each,
    "exponential": lambda z, rate: z.exponential_(rate),
    "cauchy": lambda z, median, sigma: z.cauchy_(median, sigma),
    "geometric": lambda z, p: z.geometric_(p),
    "random": lambda z, low, high: z.random_(int(low), int(high) + 1),
    # Products of matrices.
    **_PRODUCTS,
    "added_mv": _added(torch.addmv),
    "added_mm": _added(torch.addmm),
    "added_bmm": _added(torch.baddbmm),
    "added_ger": _added(torch.addr),
    "added_sum": _added(torch.addbmm),
    **indexing.OPERATIONS,
    **linear_algebra.OPERATIONS,
    **ordering.OPERATIONS,
}

# These write to their first operand, which PyTorch returns.
_WRITING = {"copy", "fill", "cat", "uniform", "normal", "bernoulli", "exponential", "cauchy", "geometric"}
_WRITING |= {"random", *_PRODUCTS}


def operation(name: str) -> Callable[..., Any] | None:
    """The operation of a name; None if there is none."""
    function = _OPERATIONS.get(name)
    return function and guarded(function, name in _WRITING)
