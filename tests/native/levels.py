"""The libraries of this processor, called by ctypes: to compare the bits that levels give."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from t7shell import native

# Numbers of the types in torch.base.types.
TYPES = {"float64": 1, "float32": 2, "int64": 3, "uint8": 4, "int32": 5, "int8": 6, "int16": 7}


def libraries() -> dict[str, ctypes.CDLL]:
    """The libraries that run here, by their level."""
    return {name: ctypes.CDLL(native.library(name)) for name in native.runnable()}


def pointer(x: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(x.ctypes.data)


def long(value: int) -> ctypes.c_int64:
    return ctypes.c_int64(value)
