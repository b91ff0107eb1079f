"""C pointers to NumPy's inner loops and to SciPy's BLAS and LAPACK, each tested before use.

Both come from public interfaces. A ufunc object begins with the struct ``PyUFuncObject`` of NumPy's C API
(``numpy/ufuncobject.h``): ``functions[i]`` with ``data[i]`` is the inner loop for ``ufunc.types[i]``.
``scipy.linalg.cython_blas`` and ``cython_lapack`` publish PyCapsules for use from other compiled code.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.machinery import ExtensionFileLoader, PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from t7shell.host import blas_threads

INNER_LOOP = ctypes.CFUNCTYPE(
    None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_ssize_t), ctypes.POINTER(ctypes.c_ssize_t),
    ctypes.c_void_p,
)


_LOADING = threading.RLock()


class _UFunc(ctypes.Structure):
    """The leading fields of NumPy's ufunc struct."""

    _fields_ = [
        ("ob_refcnt", ctypes.c_ssize_t), ("ob_type", ctypes.c_void_p),
        ("nin", ctypes.c_int), ("nout", ctypes.c_int), ("nargs", ctypes.c_int), ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)), ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
    ]


def _find(name: str) -> Any:
    ufunc = getattr(np, name, None)
    # NumPy has vecdot from version 2 on, SciPy does not.
    if ufunc is None and name != "vecdot":
        import scipy.special

        ufunc = getattr(scipy.special, name)
    return ufunc


def _sample(dtype: np.dtype[Any], shift: int) -> np.ndarray[Any, Any]:
    """Nineteen values, wider than any vector register, on which every tested function is defined."""
    steps = np.arange(19)
    if dtype.kind == "f":
        return (0.03 + 0.05 * ((steps + shift) % 19)).astype(dtype)
    return (1 + (steps * 3 + shift) % 7).astype(dtype)


def _works(ufunc: Any, function: int, data: int, dtypes: list[np.dtype[Any]]) -> bool:
    if ufunc.signature is not None:
        return ufunc.signature == "(n),(n)->()" and _sums_products(function, data, dtypes)
    inputs = [_sample(dtype, 5 * k) for k, dtype in enumerate(dtypes[:-1])]
    result = np.zeros(19, dtypes[-1])
    operands = [*inputs, result]
    args = (ctypes.c_void_p * len(operands))(*[a.ctypes.data for a in operands])
    count = (ctypes.c_ssize_t * 1)(19)
    steps = (ctypes.c_ssize_t * len(operands))(*[a.itemsize for a in operands])
    INNER_LOOP(function)(args, count, steps, data)
    expected = ufunc(*inputs, dtype=None, casting="unsafe")
    return bool(np.allclose(result, expected.astype(result.dtype), rtol=1e-6))


def _sums_products(function: int, data: int, dtypes: list[np.dtype[Any]]) -> bool:
    """Tests a loop of ``vecdot``, which takes the number of products, their length, and steps for both."""
    x, y, result = _sample(dtypes[0], 0), _sample(dtypes[1], 5), np.zeros(1, dtypes[2])
    args = (ctypes.c_void_p * 3)(*[a.ctypes.data for a in (x, y, result)])
    sizes, steps = (ctypes.c_ssize_t * 2)(1, 19), (ctypes.c_ssize_t * 5)(0, 0, 0, x.itemsize, y.itemsize)
    INNER_LOOP(function)(args, sizes, steps, data)
    return bool(np.allclose(result[0], (x * y).sum(), rtol=1e-6))


def inner_loop(name: str, signature: str) -> tuple[int, int] | None:
    """Addresses of a ufunc's loop and its data for comma-separated dtypes, inputs first; None without one."""
    ufunc = _find(name)
    if ufunc is None:
        return None
    dtypes = [np.dtype(part) for part in signature.split(",")]
    codes = "".join(d.char for d in dtypes[:-1]) + "->" + dtypes[-1].char
    if codes not in ufunc.types:
        # Integers of one width have several letters; the platform decides which one is in the table.
        same = [t for t in ufunc.types if [np.dtype(c) for c in t.replace("->", "") if c != "O"] == dtypes]
        if not same:
            return None
        codes = same[0]
    struct = _UFunc.from_address(id(ufunc))
    if struct.nargs != len(dtypes) or struct.nout != 1:
        return None
    index = ufunc.types.index(codes)
    function = struct.functions[index]
    if not function:
        return None
    data = struct.data[index] or 0
    return (function, data) if _works(ufunc, function, data, dtypes) else None


def in_vectors(name: str, signature: str) -> bool:
    """Whether a loop of floats or doubles is vectorized here, as NumPy reports since version 2.2."""
    dtypes = [np.dtype(part) for part in signature.split(",")]
    floats = dtypes[0] == np.float32
    try:
        from numpy.lib.introspect import opt_func_info
    except ImportError:
        return floats
    codes = "".join(dtype.char for dtype in dtypes)
    used = opt_func_info(f"^{name}$").get(name, {}).get(codes, {}).get("current", "baseline")
    return not used.startswith("baseline") if floats else used.startswith(("X86_V4", "AVX512"))


def has_wide_vectors() -> bool:
    """Whether NumPy uses AVX2 and FMA on this processor; NPY_DISABLE_CPU_FEATURES=X86_V3 turns them off."""
    try:
        features = import_module("numpy._core._multiarray_umath").__cpu_features__
    except (ImportError, AttributeError):
        return False
    return bool(features.get("X86_V3", features.get("AVX2", False) and features.get("FMA3", False)))


def run_ufunc(name: str, signature: str, count: int, *addresses_and_steps: int) -> None:
    """Runs a ufunc by Python instead: operands as (address, step in bytes), inputs first."""
    from t7shell.host.memory import vector

    dtypes = signature.split(",")
    operands = [
        vector(int(addresses_and_steps[2 * k]), dtype, int(count), int(addresses_and_steps[2 * k + 1]))
        for k, dtype in enumerate(dtypes)
    ]
    _find(name)(*operands[:-1], out=operands[-1], casting="unsafe")


@cache
def extension(library: str) -> ModuleType:
    """``scipy.linalg.cython_blas`` or ``cython_lapack``, where possible without the package around it.

    ``scipy.linalg`` imports most of SciPy and of NumPy's tools: 0.2 s before the first product of a program.
    The module keeps its name, so that the package finds it when it is imported later.
    """
    name = f"scipy.linalg.cython_{library}"
    # Another thread must not find a partially initialized module.
    with _LOADING:
        if name not in sys.modules:
            blas_threads.require_room()
        import scipy

        if name not in sys.modules and "scipy.linalg" not in sys.modules:
            spec = PathFinder.find_spec(name, [str(Path(folder) / "linalg") for folder in scipy.__path__])
            if spec is not None and isinstance(spec.loader, ExtensionFileLoader):
                # If it cannot be loaded alone, the package loads it.
                with suppress(ImportError), blas_threads.loading():
                    module = module_from_spec(spec)
                    spec.loader.exec_module(module)
                    sys.modules[name] = module
        with blas_threads.loading():
            module = import_module(name)
        blas_threads.use_one()
        blas_threads.take_buffers()
        return module


def routine(library: str, name: str) -> int | None:
    """Address of a routine of ``cython_blas`` or ``cython_lapack``; None if SciPy lacks it."""
    capsule = extension(library).__pyx_capi__.get(name)
    if capsule is None:
        return None
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address: int = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
    return address
