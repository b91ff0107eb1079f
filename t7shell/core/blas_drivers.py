"""The functions of OpenBLAS below ``dgemm`` and ``sgemm``, for small products on several threads.

``dgemm`` takes a lock of the process twice in each call, around the buffer for copies of its operands. In
products of 10x10 threads wait for that lock most of the time. ``dgemm_nn``
and the other drivers below it take that memory as arguments, so that each thread can have its own.

These functions are not a public interface. Their arguments have not changed for years, but they are used only
in the versions below, and a test compares them with ``dgemm`` bit by bit.
"""

from __future__ import annotations

import ctypes
import re
from functools import cache
from typing import Any

import numpy as np

from t7shell.core import blas_threads

FIRST_KNOWN, LAST_KNOWN = (0, 3, 21), (0, 3, 30)

# Bytes of the buffer for copies of an operand, and its alignment.
_ROOM, _PAGE = 2**16, 2**12


class Arguments(ctypes.Structure):
    """``blas_arg_t`` of OpenBLAS's ``common.h``: BLASLONG is as long as a pointer."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("a", "b", "c", "d", "alpha", "beta")),
        *((name, ctypes.c_ssize_t) for name in ("m", "n", "k", "lda", "ldb", "ldc", "ldd")),
        ("common", ctypes.c_void_p),
        ("threads", ctypes.c_ssize_t),
        ("others", ctypes.c_ssize_t * 8),
    ]


def version(library: Any) -> tuple[int, ...]:
    """The version of an OpenBLAS; () if it does not report one."""
    for name in ("scipy_openblas_get_config", "openblas_get_config"):
        config = getattr(library, name, None)
        if config:
            config.restype = ctypes.c_char_p
            found = re.match(rb"OpenBLAS (\d+)\.(\d+)\.(\d+)", config())
            return tuple(map(int, found.groups())) if found else ()
    return ()


@cache
def product_driver(name: str) -> int | None:
    """Address of ``dgemm_nn`` or its like in the OpenBLAS of SciPy's wheel; None where it is not known.

    None also where OpenBLAS computes small products without copies and locks.
    """
    import scipy

    if blas_threads.small_products():
        return None
    for library in blas_threads.libraries(scipy):
        if FIRST_KNOWN <= version(library) <= LAST_KNOWN:
            function = getattr(library, name, None)
            if function and _works(function, name):
                return ctypes.cast(function, ctypes.c_void_p).value
    return None


def _works(function: Any, name: str) -> bool:
    """Tests a driver on a product of 3x5 by 5x2, in columns."""
    element = np.dtype(np.float64 if name[0] == "d" else np.float32)
    numbers = np.arange(1, 16).astype(element)
    a, b = numbers.reshape(3, 5), numbers[:10].reshape(5, 2)
    stored = [x if letter == "t" else x.T.copy() for x, letter in zip((a, b), name[-2:], strict=True)]
    result, scales = np.ones((2, 3), element), np.array([2, 3], element)
    room = np.zeros(2 * _ROOM + _PAGE, np.uint8)
    operands = [x.ctypes.data for x in (*stored, result)]
    scale = scales.ctypes.data
    columns = (x.shape[1] for x in (*stored, result))
    arguments = Arguments(*operands, None, scale, scale + element.itemsize, 3, 2, 5, *columns, 0, None, 1)
    function.argtypes, function.restype = [ctypes.c_void_p] * 5 + [ctypes.c_ssize_t], ctypes.c_int
    start = -(-room.ctypes.data // _PAGE) * _PAGE
    function(ctypes.byref(arguments), None, None, start, start + _ROOM, 0)
    # Without `@`, for which the BLAS of NumPy would take memory.
    return bool(np.array_equal(result.T, 2 * (a[:, :, None] * b).sum(1) + 3))
