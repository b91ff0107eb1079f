"""Functions of single elements at each level: errors in units in the last place, the same bits anywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from t7shell import native
from t7shell.native import rows
from tests.native.kernels import Array, run

LEVELS = native.runnable()
EXTENDED = np.longdouble

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 1e-45, -1e-45, 2.0**-126, 88.72283, 88.7229]
SPECIAL += [89.415]
SPECIAL += [
    89.4161,
    103.97,
    104,
    709.78,
    709.79,
    710.47,
    710.48,
    745.1,
    745.2,
    746,
    5e-324,
    2.0**-1022,
    1.7e308,
]


def arguments(kind: type, count: int = 30_000) -> Array:
    """Numbers of all magnitudes, ordinary ones, and special ones."""
    random = np.random.default_rng(1)
    size = np.dtype(kind).itemsize
    bits = random.integers(0, 2 ** (8 * size), count, dtype=np.uint64).astype(f"uint{8 * size}").view(kind)
    parts = [np.where(np.isnan(bits), kind(np.nan), bits)]
    parts += [(random.normal(size=count) * scale).astype(kind) for scale in (1e-9, 1e-3, 0.3, 1, 5, 50, 700)]
    with np.errstate(over="ignore"):
        return np.concatenate([*parts, np.array(SPECIAL).astype(kind), -np.array(SPECIAL).astype(kind)])


def error(got: Array, expected: Array) -> float:
    """The greatest error, where results are finite; others, and signs, must be right."""
    with np.errstate(all="ignore"):
        rounded = expected.astype(got.dtype)
    finite, known = np.isfinite(rounded), ~np.isnan(rounded)
    np.testing.assert_array_equal(got[~finite], rounded[~finite])
    np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(rounded[known]))
    unit = np.spacing(np.abs(rounded[finite])).astype(EXTENDED)
    return float(np.max(np.abs(got[finite] - expected[finite]) / unit))


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def rounded(x: Array) -> Array:
    whole = np.trunc(np.abs(x))
    return np.copysign(np.where(np.abs(x) - whole >= 0.5, whole + 1, whole), x)


ONE: dict[str, Callable[[Array], Any]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log1p": np.log1p,
    "sigmoid": sigmoid,
    "tanh": np.tanh,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "arcsin": np.arcsin,
    "arccos": np.arccos,
    "arctan": np.arctan,
    "round": rounded,
    "sqrt": np.sqrt,
}
# Functions of Floats that are computed in doubles are rounded once.
ROUNDED_ONCE = {
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "arctan2",
    "power",
    "fmod",
    "round",
    "sqrt",
}


# Functions that are rounded step by step, as in Torch7 and in the C library of GNU.
STEP_BY_STEP = {"sigmoid", "tanh"}


def limit(name: str, kind: type) -> float:
    if name in ("round", "fmod"):
        return 0
    if name in STEP_BY_STEP:
        return 2.3
    return 1 if kind is np.float64 else 0.51 if name in ROUNDED_ONCE else 2


@pytest.mark.one_in(3)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_operand(name: str, kind: type, level: str) -> None:
    x = arguments(kind)
    with np.errstate(all="ignore"):
        expected = ONE[name](x.astype(EXTENDED))
        if name == "sigmoid":
            # As in Torch7, zero where exp(-x) overflows.
            expected[np.isinf(np.exp(-x))] = 0
    assert error(run(level, f"z = {name}(x)", x), expected) <= limit(name, kind)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_trigonometric_functions(name: str, kind: type, level: str) -> None:
    """Extended precision is enough for small angles; of others mpmath knows the digits of pi."""
    x = arguments(kind)
    small = x[~(np.abs(x) > 1000)]
    expected = getattr(np, name)(small.astype(EXTENDED))
    assert error(run(level, f"z = {name}(x)", small), expected) <= limit(name, kind)
    large = x[np.isfinite(x) & (np.abs(x) > 1000)][:3000]
    with mpmath.workprec(1300):
        exact = [getattr(mpmath, name)(mpmath.mpf(float(v))) for v in large]
        high = [float(v) for v in exact]
        low = [float(v - h) for v, h in zip(exact, high, strict=True)]
    expected = np.array(high, EXTENDED) + np.array(low, EXTENDED)
    assert error(run(level, f"z = {name}(x)", large), expected) <= limit(name, kind)
    infinite = np.array([np.inf, -np.inf, np.nan], kind)
    assert np.isnan(run(level, f"z = {name}(x)", infinite)).all()


@pytest.mark.one_in(5)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["arctan2", "power", "fmod"])
def test_functions_of_two_operands(name: str, kind: type, level: str) -> None:
    x = arguments(kind)
    y = np.random.default_rng(3).permutation(x)
    special = np.array([*SPECIAL, *[-v for v in SPECIAL], 2, 3, -2, -3], np.float64)
    with np.errstate(over="ignore"):
        special = special.astype(kind)
    # Bases of powers are positive as often as not.
    left = np.concatenate([x, np.abs(x), np.repeat(special, len(special))])
    right = np.concatenate([y, y, np.tile(special, len(special))])
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(left.astype(EXTENDED), right.astype(EXTENDED))
    assert error(run(level, f"z = {rows.call(name, ['x', 'y'])}", left, right), expected) <= limit(name, kind)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*ONE, "sin", "cos", "tan", "arctan2", "power", "fmod"])
def test_bits_depend_on_no_place(name: str, kind: type, level: str) -> None:
    """Neighbors, counts and steps do not matter, nor whether the result takes an operand's place."""
    x = np.random.default_rng(5).permutation(arguments(kind, 200))
    operands = [x, x[::-1].copy()] if name in ("arctan2", "power", "fmod") else [x]
    text = f"z = {rows.call(name, ['x', 'y'][: len(operands)])}"
    whole = run(level, text, *operands).view(f"u{x.itemsize}")
    known = ~np.isnan(whole.view(kind))
    for first, count in ((0, 1), (1, 3), (5, 15), (7, 16), (2, 17), (3, 255), (1, 257), (4, 1000)):
        part = [o[first : first + count].copy() for o in operands]
        again = run(level, text, *part).view(whole.dtype)
        same = (again == whole[first : first + count]) | ~known[first : first + count]
        assert same.all()
        again = run(level, text, *part, out=part[0]).view(whole.dtype)
        assert ((again == whole[first : first + count]) | ~known[first : first + count]).all()
    strided = [np.repeat(o, 3)[::3] for o in operands]
    room = np.zeros(2 * len(x), kind)
    again = run(level, text, *strided, out=room[::2]).view(f"u{x.itemsize}")
    assert ((again == whole) | ~known).all()
    assert not room[1::2].any()


@pytest.mark.parametrize("level", LEVELS)
def test_v3_and_later_levels_give_the_same_bits(level: str) -> None:
    if level == "v2" or "v3" not in LEVELS:
        pytest.skip("has no fused multiply-add")
    for kind in (np.float32, np.float64):
        x = arguments(kind, 5000)
        for name in [*ONE, "sin", "cos", "tan"]:
            a, b = run(level, f"z = {name}(x)", x), run("v3", f"z = {name}(x)", x)
            np.testing.assert_array_equal(a, b)
