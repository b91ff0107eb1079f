"""Linear algebra whose results are unique: solving, inverses and Cholesky factors.

Eigenvectors, singular vectors and reflectors have signs that differ between libraries: they are left to the
CPU, as are singular matrices, for the error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch

Tensor: TypeAlias = torch.Tensor


def _is_square(a: Tensor) -> bool:
    return bool(a.dim() == 2 and a.size(0) == a.size(1))


def _inverse(a: Tensor) -> Tensor | bool:
    if not _is_square(a):
        return False
    r, info = torch.linalg.inv_ex(a)
    return r if int(info) == 0 else False


def _gesv(b: Tensor, a: Tensor) -> Any:
    if not _is_square(a) or b.dim() != 2 or b.size(0) != a.size(0):
        return False
    factors, pivots, info = torch.linalg.lu_factor_ex(a)
    return (torch.linalg.lu_solve(factors, pivots, b), factors) if int(info) == 0 else False


def _is_upper(which: str | None) -> bool:
    if which not in (None, "U", "L"):
        raise ValueError
    return which != "L"


def _potrf(a: Tensor, which: str | None) -> Tensor | bool:
    upper = _is_upper(which)
    if not _is_square(a):
        return False
    # Only the half that is named counts.
    half = a.triu().mT if upper else a.tril()
    r, info = torch.linalg.cholesky_ex(half)
    return (r.mT if upper else r) if int(info) == 0 else False


def _potrs(b: Tensor, factor: Tensor, which: str | None) -> Tensor | bool:
    upper = _is_upper(which)
    if not _is_square(factor) or b.dim() != 2 or b.size(0) != factor.size(0):
        return False
    return torch.cholesky_solve(b, factor, upper)


def _potri(factor: Tensor, which: str | None) -> Tensor | bool:
    upper = _is_upper(which)
    if not _is_square(factor) or not bool((factor.diagonal() != 0).all()):
        return False
    return torch.cholesky_inverse(factor, upper)


def _by_columns(function: Callable[..., Any]) -> Callable[..., Any]:
    """The results transposed: their columns are to be contiguous, as those of LAPACK are."""

    def turned(result: Any) -> Any:
        return result.mT if isinstance(result, torch.Tensor) else result

    def run(*operands: Any) -> Any:
        result = function(*operands)
        return tuple(map(turned, result)) if isinstance(result, tuple) else turned(result)

    return run


OPERATIONS: dict[str, Callable[..., Any]] = {
    "inverse": _by_columns(_inverse),
    "gesv": _by_columns(_gesv),
    "potrf": _by_columns(_potrf),
    "potrs": _by_columns(_potrs),
    "potri": _by_columns(_potri),
}
