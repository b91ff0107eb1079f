"""Linear algebra whose results are unique: solving, inverses and Cholesky factors.

Eigenvectors, singular vectors and reflectors have signs that differ between libraries: they are computed on
the CPU, as are singular matrices, for the error message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch

from t7shell.packages.cutorch.registry import needs

Tensor: TypeAlias = torch.Tensor


def _needs_square(a: Tensor, b: Tensor | None = None) -> None:
    """The matrix of a system, with the right-hand sides where there are some."""
    needs(a.dim() == 2 and a.size(0) == a.size(1))
    needs(b is None or (b.dim() == 2 and b.size(0) == a.size(0)))


def _inverse(a: Tensor) -> Any:
    _needs_square(a)
    r, info = torch.linalg.inv_ex(a)
    needs(int(info) == 0)
    return r


def _gesv(b: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
    _needs_square(a, b)
    factors, pivots, info = torch.linalg.lu_factor_ex(a)
    needs(int(info) == 0)
    return torch.linalg.lu_solve(factors, pivots, b), factors


def _is_upper(which: str | None) -> bool:
    needs(which in (None, "U", "L"))
    return which != "L"


def _potrf(a: Tensor, which: str | None) -> Any:
    upper = _is_upper(which)
    _needs_square(a)
    # Only the named triangle is read.
    half = a.triu().mT if upper else a.tril()
    r, info = torch.linalg.cholesky_ex(half)
    needs(int(info) == 0)
    return r.mT if upper else r


def _potrs(b: Tensor, factor: Tensor, which: str | None) -> Tensor:
    _needs_square(factor, b)
    return torch.cholesky_solve(b, factor, _is_upper(which))


def _potri(factor: Tensor, which: str | None) -> Tensor:
    _needs_square(factor)
    needs(bool((factor.diagonal() != 0).all()))
    return torch.cholesky_inverse(factor, _is_upper(which))


def _by_columns(function: Callable[..., Any]) -> Callable[..., Any]:
    """Transposes the results, so that columns are contiguous as in LAPACK."""

    def run(*operands: Any) -> Any:
        result = function(*operands)
        return tuple(part.mT for part in result) if isinstance(result, tuple) else result.mT

    return run


OPERATIONS: dict[str, Callable[..., Any]] = {
    "inverse": _by_columns(_inverse),
    "gesv": _by_columns(_gesv),
    "potrf": _by_columns(_potrf),
    "potrs": _by_columns(_potrs),
    "potri": _by_columns(_potri),
}
