"""Helpers that entries of several chapters share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from t7shell.convert import ConvertError
from t7shell.convert.graph import Graph, Value
from t7shell.t7file.model import Array


def dimension(x: Value, number: int, sample_dims: int | None = None) -> int:
    """Returns a dimension of a module, counted from 0: a dimension of the sample if the input is a batch.

    Negative numbers count from the end.
    """
    d = (
        number + x.rank
        if number < 0
        else number - 1 + (sample_dims is not None and x.rank == sample_dims + 1)
    )
    if not 0 <= d < x.rank:
        raise ConvertError(f"expected an input with a dimension {number} (got {'x'.join(map(str, x.shape))})")
    return int(d)


def batched(g: Graph, x: Value, rank: int, work: Callable[[Value], Value]) -> Value:
    """Applies a function of batches, to a batch of one if the input is a single sample."""
    if x.rank == rank:
        return work(x)
    if x.rank != rank - 1:
        raise ConvertError(f"expected an input of {rank} dimensions (got {'x'.join(map(str, x.shape))})")
    y = work(g.reshape(x, (1, *x.shape)))
    return g.reshape(y, y.shape[1:])


def broadcastable(parameter: Array, x: Value) -> Array:
    """Returns a parameter in a shape that broadcasts with the input."""
    if parameter.size == np.prod(x.shape):
        return parameter.reshape(x.shape)
    extra = x.rank - parameter.ndim
    if extra not in (0, 1):
        raise ConvertError(
            f"expected an input of size {'x'.join(map(str, parameter.shape))}, or a batch of such"
        )
    wide: Array = parameter.reshape((1,) * extra + parameter.shape)
    return wide
