"""Small products by the functions below OpenBLAS's gemm: their bits, and when they are used."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy
import scipy.linalg.blas

from t7shell.core import blas_drivers, blas_threads
from tests.numbers import arrays, literal

Lua = Callable[[str], str]
SIZES = [(1, 1, 1), (10, 10, 10), (3, 64, 17), (64, 64, 64), (64, 1, 64), (65, 10, 10), (10, 10, 65)]


def known() -> bool:
    """Whether SciPy's OpenBLAS is one whose drivers are used."""
    versions = map(blas_drivers.version, blas_threads.libraries(scipy))
    used = any(blas_drivers.FIRST_KNOWN <= v <= blas_drivers.LAST_KNOWN for v in versions)
    return used and not blas_threads.small_products()


@pytest.mark.skipif(not known(), reason="another BLAS, or one without locks")
@pytest.mark.parametrize("letter", "ds")
@pytest.mark.parametrize("turned", ["nn", "nt", "tn", "tt"])
def test_a_driver_gives_the_bits_of_gemm(letter: str, turned: str) -> None:
    address = blas_drivers.product_driver(f"{letter}gemm_{turned}")
    assert address is not None
    driver: Any = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 5, ctypes.c_ssize_t)(address)
    random, dtype = np.random.default_rng(1), np.dtype(letter.replace("s", "f"))
    room = np.zeros(2**18, np.uint8)
    start = -(-room.ctypes.data // 4096) * 4096
    for _ in range(100):
        m, n, k = (int(size) for size in random.integers(1, 65, 3))
        alpha, beta = random.choice([0, 1, 0.3]), random.choice([0, 1, -0.7])
        a = np.asfortranarray(random.standard_normal((m, k) if turned[0] == "n" else (k, m)), dtype)
        b = np.asfortranarray(random.standard_normal((k, n) if turned[1] == "n" else (n, k)), dtype)
        c = np.asfortranarray(random.standard_normal((m, n)), dtype)
        gemm = getattr(scipy.linalg.blas, f"{letter}gemm")
        expected = gemm(alpha, a, b, beta, c, trans_a=turned[0] == "t", trans_b=turned[1] == "t")
        scales = np.array([alpha, beta], dtype)
        operands = [x.ctypes.data for x in (a, b, c)]
        at = [scales.ctypes.data, scales.ctypes.data + dtype.itemsize]
        sizes = m, n, k, a.shape[0], b.shape[0], m
        arguments = blas_drivers.Arguments(*operands, None, *at, *sizes, 0, None, 1)
        driver(ctypes.addressof(arguments), None, None, start, start + 2**16, 0)
        assert np.array_equal(c, expected)


@pytest.mark.parametrize("kind", ["Double", "Float"])
@pytest.mark.parametrize("size", SIZES)
def test_products_of_small_sizes(lua: Lua, kind: str, size: tuple[int, int, int]) -> None:
    m, n, k = size
    random = np.random.default_rng(2)
    a, b, c = (random.integers(-5, 6, shape).astype(float) for shape in ((m, k), (k, n), (m, n)))
    source = f"""
local a, b = {literal(a)}:type('torch.{kind}Tensor'), {literal(b)}:type('torch.{kind}Tensor')
local at, bt = a:t():contiguous():t(), b:t():contiguous():t()
local c = {literal(c)}:type('torch.{kind}Tensor')
local plain, nan = torch.mm(a, b), a.new({m}, {n}):fill(0/0)
nan:mm(at, bt)
local left, right = torch.mm(at, b), torch.mm(a, bt)
local scaled = c:clone():addmm(-2, 3, a, b)
local batch = torch.bmm(a:view(1, {m}, {k}):expand(3, {m}, {k}), b:view(1, {k}, {n}):expand(3, {k}, {n}))
"""
    names = ["plain", "nan", "left", "right", "scaled", "batch"]
    *products, scaled, batch = arrays(lua, source, *names)
    for product in products:
        assert np.array_equal(product.reshape(m, n), a @ b)
    assert np.array_equal(scaled.reshape(m, n), 3 * (a @ b) - 2 * c)
    assert np.array_equal(batch.reshape(3, m, n), np.broadcast_to(a @ b, (3, m, n)))


class _Config:
    restype: Any = None

    def __init__(self, text: bytes) -> None:
        self.text = text

    def __call__(self) -> bytes:
        return self.text


@pytest.mark.parametrize(
    ("config", "expected"), [(b"OpenBLAS 0.3.30 DYNAMIC_ARCH", (0, 3, 30)), (b"BLIS 1.0", ())]
)
def test_the_version_of_a_library(config: bytes, expected: tuple[int, ...]) -> None:
    assert blas_drivers.version(SimpleNamespace(openblas_get_config=_Config(config))) == expected
    assert blas_drivers.version(object()) == ()
