"""Inputs of networks: arrays and nested lists of numbers as arrays of the network's type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def dtype_of(name: str) -> np.dtype[Any]:
    """The type of the elements of the tensors of a network, by its name, such as 'torch.FloatTensor'."""
    return np.dtype("float64" if name == "torch.DoubleTensor" else "float32")


def of_type(x: Any, dtype: np.dtype[Any]) -> Any:
    """An input whose arrays of floats, and nested lists of numbers, are arrays of this type."""
    if isinstance(x, np.ndarray):
        return x.astype(dtype) if x.dtype.kind == "f" and x.dtype != dtype else x
    if isinstance(x, (list, tuple)):
        return _array(x, dtype) if _is_numbers(x) else [of_type(item, dtype) for item in x]
    if isinstance(x, Mapping):
        return {key: of_type(item, dtype) for key, item in x.items()}
    return x


def _array(x: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    try:
        return np.array(x, dtype)
    except ValueError:
        raise ValueError("input: the lists of a nested list must have one length") from None


def _is_numbers(x: Any) -> bool:
    """Whether a nested list has numbers only."""
    if isinstance(x, (list, tuple)):
        return bool(x) and all(map(_is_numbers, x))
    return isinstance(x, (int, float, np.number))
