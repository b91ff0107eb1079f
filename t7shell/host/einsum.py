"""torch.einsum by NumPy."""

from __future__ import annotations

from contextlib import nullcontext
from functools import lru_cache
from typing import Any

import numpy as np

from t7shell.host import blas_threads
from t7shell.host.memory import array

_EXACT = 2.0**53

# For fewer products of two operands the preparation for BLAS takes longer than NumPy's own loop.
_FEW = 1 << 14

# Sums of more float32 products are computed in float64: NumPy adds them up one after the other.
_LONG_SUM = 1 << 16

Layout = tuple[tuple[int, ...], tuple[int, ...]]


@lru_cache(1000)
def _layouts(text: str, item_size: int) -> list[Layout | None]:
    """Shapes and strides in bytes, from "size stride,size stride;..."; None for a number."""
    layouts: list[Layout | None] = []
    for term in text.split(";"):
        pairs = [tuple(map(int, pair.split())) for pair in term.split(",") if pair and pair != "number"]
        layout = tuple(size for size, _ in pairs), tuple(stride * item_size for _, stride in pairs)
        layouts.append(None if term == "number" else layout)
    return layouts


@lru_cache(1000)
def _path(equation: str, shapes: tuple[tuple[int, ...], ...]) -> Any:
    """The order of the contractions; False for a single one that is not a matrix product.

    It depends on the equation and the shapes only.
    """
    terms, _, output = equation.partition("->")
    labels = [set(term) for term in terms.split(",")]
    if len(labels) == 1:
        return False
    first, second = labels[:2]
    sizes = dict(zip(terms.replace(",", ""), (size for shape in shapes for size in shape), strict=True))
    is_matrices = first - second and second - first and first & second - set(output)
    if len(labels) == 2 and (not is_matrices or np.prod(list(sizes.values()), dtype=float) <= _FEW):
        return False
    operands = [np.broadcast_to(np.float64(0), shape) for shape in shapes]
    return np.einsum_path(equation, *operands, optimize="greedy")[0]


def _is_exact(equation: str, operands: list[Any]) -> bool:
    """Tells whether all sums of products of integers are exact in float64, for which there is BLAS."""
    inputs = equation.partition("->")[0].replace(",", "")
    sizes = dict(zip(inputs, (size for x in operands for size in x.shape), strict=True))
    bound = float(np.prod([float(size) for size in sizes.values()]))
    for operand in operands:
        bound *= max(abs(float(operand.max())), abs(float(operand.min())))
    return bound <= _EXACT


def _working_type(kind: Any, path: Any, equation: str, result: Any, operands: list[Any]) -> Any:
    if kind == np.float16:
        return np.float32
    if kind == np.float32 and not path and max(x.size for x in operands) > _LONG_SUM * result.size:
        return np.float64
    return np.float64 if kind.kind in "iu" and path and _is_exact(equation, operands) else kind


def einsum(equation: str, dtype: str, layouts: str, address: int, *values: float) -> None:
    """Writes the result at an address; ``values`` are addresses of operands, or numbers.

    ``layouts`` are those of the result and of the operands, see `_layouts`. The equation has letters alone,
    each of one size and once in a tensor. The result shares no memory with the operands.
    """
    kind = np.dtype(dtype)
    target, *given = _layouts(layouts, kind.itemsize)
    assert target is not None
    result = array(int(address), dtype, *target)
    number = int if kind.kind in "iu" else float
    operands: list[Any] = [
        array(int(value), dtype, *layout) if layout else np.asarray(number(value))
        for value, layout in zip(values, given, strict=True)
    ]
    path = _path(equation, tuple(x.shape for x in operands))
    working = _working_type(kind, path, equation, result, operands)
    operands = [x.astype(working, copy=False) for x in operands]
    with blas_threads.numpy_on_one() if path else nullcontext(), np.errstate(all="ignore"):
        if working == kind:
            np.einsum(equation, *operands, out=result, optimize=path)
        else:
            found = np.asarray(np.einsum(equation, *operands, optimize=path))
            # Integers wrap as those of 64 bits do.
            result[...] = (found.astype(np.int64) if kind.kind in "iu" else found).astype(kind)
