"""Products of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime


@pytest.fixture(scope="module")
def run() -> Callable[[str], Any]:
    """Runs Lua source; tensors come back as arrays, several results as a tuple."""
    runtime = Runtime()
    return runtime.execute


@pytest.mark.parametrize("kind", ["Byte", "Char", "Short", "Int", "Long"])
def test_products_of_integers_wrap_as_64_bits(kind: str, run: Callable[[str], Any]) -> None:
    """7^30 modulo 2^64, as a number; 7^31 is negative then."""
    for count in (30, 31):
        wrapped = (7**count + 2**63) % 2**64 - 2**63
        assert run(f"return torch.{kind}Tensor({count}):fill(7):prod()") == float(wrapped)


TYPES = {"Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64"}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("view", ["m", "m:t():contiguous():t()", "m:narrow(1, 1, 5):narrow(2, 2, 6)"])
def test_products_with_vectors_are_numpys(kind: str, view: str, run: Callable[[str], Any]) -> None:
    """Of contiguous, transposed and narrowed matrices, added to a result and not; all wrap."""
    results = run(f"""
        torch.manualSeed(1)
        local function random(...) return torch.Tensor(...):random(-99, 99):type('torch.{kind}Tensor') end
        local m = random(9, 70)
        m = {view}
        local x, y = random(m:size(2)), random(m:size(1))
        return m, x, y, m * x, torch.ger(y, x), torch.addr(3, m, 2, y, x)
    """)
    m, x, y, product, outer, added = (np.asarray(result) for result in results)
    assert m.dtype == TYPES[kind]
    three, two = m.dtype.type(3), m.dtype.type(2)
    np.testing.assert_array_equal(product, m @ x)
    np.testing.assert_array_equal(outer, np.outer(y, x))
    np.testing.assert_array_equal(added, m * three + np.outer(y, x) * two)


@pytest.mark.parametrize("kind", [*TYPES, "Float", "Double"])
def test_cross_products_are_numpys(kind: str, run: Callable[[str], Any]) -> None:
    """Along each dimension of two and three, into a result and an operand."""
    rows, columns, planes, into, operand = run(f"""
        torch.manualSeed(2)
        local function random(...) return torch.Tensor(...):random(-9, 9):type('torch.{kind}Tensor') end
        a, b = random(40, 3), random(40, 3)
        local r = random(2)
        torch.cross(r, a, b)
        local own = a:clone()
        local planes = torch.cross(a:view(2, 20, 3), b:view(2, 20, 3), 3)
        return torch.cross(a, b), torch.cross(a:t(), b:t()), planes, r, own:cross(own, b)
    """)
    a, b = (np.asarray(run(f"return {name}")) for name in "ab")
    expected = np.cross(a.astype("int64"), b.astype("int64")).astype(a.dtype)
    for result in (rows, np.asarray(columns).T, np.asarray(planes).reshape(40, 3), into, operand):
        np.testing.assert_array_equal(np.asarray(result), expected)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("addmv(1e10, x, 1, m, x)", [8, -(2**31) + 18]),
        ("addmv(1, x, 1e10, m, x)", [2, 3]),
        ("addmv(1, x, 1/0, m, x)", [2, 3]),
        ("addmm(1, m, 1e10, m, m)", [[-(2**31) + 1, 2], [-(2**31) + 3, 4]]),
        ("addmm(1e10, m, 1, m, m)", [[-(2**31) + 7, 10], [-(2**31) + 15, 22]]),
        ("addr(0/0, m, 1, x, x)", [[-(2**31) + 4, 6], [-(2**31) + 6, 9]]),
    ],
)
def test_scales_are_converted_as_elements_are(call: str, expected: Any, run: Callable[[str], Any]) -> None:
    """What no integer of 32 bits is becomes the least one."""
    operands = "local x, m = torch.IntTensor{2, 3}, torch.IntTensor{{1, 2}, {3, 4}}"
    result = run(f"{operands} return torch.{call}")
    assert np.asarray(result).tolist() == expected
