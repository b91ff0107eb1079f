"""The kernels of element-wise programs as functions of NumPy's arrays, at a level."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from t7shell import native

Array = np.ndarray[Any, Any]

NAMES = {
    "float32": "Float",
    "float64": "Double",
    "int8": "Char",
    "uint8": "Byte",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
}


@cache
def library(level: str) -> ctypes.CDLL:
    opened = ctypes.CDLL(native.library(level))
    opened.t7_find_program.restype = ctypes.c_void_p
    opened.t7_find_program.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]
    return opened


def find(level: str, type_name: str, text: str) -> int | None:
    """The address of a program's kernel."""
    work = ctypes.c_double()
    found = library(level).t7_find_program(type_name.encode(), text.encode(), ctypes.byref(work))
    return found if isinstance(found, int) else None


def run(
    level: str, text: str, *operands: Array, out: Array | None = None, numbers: tuple[float, ...] = ()
) -> Array:
    """The results of a program for tensors, which may have steps, and the numbers v, u, t and s."""
    first = operands[0]
    kernel = find(level, NAMES[first.dtype.name], text)
    assert kernel, text
    z = np.empty(first.shape, first.dtype) if out is None else out
    arrays = [*operands, z]
    pointers = (ctypes.c_void_p * len(arrays))(*[a.ctypes.data for a in arrays])
    steps = (ctypes.c_int64 * len(arrays))(*[a.strides[0] for a in arrays])
    held = [np.array([v], first.dtype) for v in numbers]
    addresses = (ctypes.c_void_p * 4)(*[v.ctypes.data for v in held])
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(kernel)
    count = ctypes.c_int64(len(first))
    call(pointers, ctypes.byref(count), steps, addresses)
    return z
