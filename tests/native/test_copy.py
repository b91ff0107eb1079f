"""Copies in C: conversions between all types, and layouts."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from t7shell import native
from tests.native.kernels import NAMES, Array, library

LEVELS = native.runnable()
KINDS = [np.dtype(name) for name in NAMES]
SPECIAL = [
    0,
    1,
    -1,
    1.5,
    -1.5,
    255,
    256,
    127,
    128,
    -128,
    -129,
    32767,
    32768,
    65535,
    2**31 - 1,
    2**31,
    -(2**31),
]
SPECIAL += [2**51 - 1, 2**51, -(2**51), -(2**51) - 1, 2**53 + 1, 2**60 + 2**36 + 1]
SPECIAL += [-(2**31) - 1, 2**53, 2**62, -(2**62), 3e9, -3e9, 1e18, 0.999, -0.999, 254.999]
BEYOND = [np.nan, np.inf, -np.inf, 1e300, -1e300, 2.0**63, -(2.0**64)]


def converted(x: Array, kind: np.dtype[np.generic]) -> Array:
    """As x86-64 does: what does not fit 64 bits, or 32 whose lowest stay, is their least integer."""
    if kind.kind == "f" or x.dtype.kind != "f":
        with np.errstate(over="ignore"):
            return x.astype(kind)
    least = -(2**63 if kind.itemsize == 8 else 2**31)
    whole = [int(v) if least - 1 < v < -least else least for v in x.astype(np.float64)]
    low = [v & (2 ** (8 * kind.itemsize) - 1) for v in whole]
    return np.array(low, f"u{kind.itemsize}").view(kind)


def convert(level: str, x: Array, z: Array) -> Array:
    opened = library(level)
    opened.t7_find_conversion.restype = ctypes.c_void_p
    kernel = opened.t7_find_conversion(NAMES[z.dtype.name].encode(), NAMES[x.dtype.name].encode())
    assert kernel
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(kernel)
    pointers = (ctypes.c_void_p * 2)(x.ctypes.data, z.ctypes.data)
    steps = (ctypes.c_int64 * 2)(x.strides[0], z.strides[0])
    count = ctypes.c_int64(len(x))
    call(pointers, ctypes.byref(count), steps, None)
    return z


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("to", KINDS, ids=str)
@pytest.mark.parametrize("source", KINDS, ids=str)
def test_conversions(source: np.dtype[np.generic], to: np.dtype[np.generic], level: str) -> None:
    if source == to:
        pytest.skip("is no conversion")
    random = np.random.default_rng(1)
    if source.kind == "f":
        small = random.uniform(-300, 300, 1000)
        parts = [small, np.array(SPECIAL + BEYOND), random.uniform(-3e9, 3e9, 500)]
        with np.errstate(over="ignore"):
            x = np.concatenate([part.astype(source) for part in parts])
    else:
        bits = random.integers(0, 256, 1500 * source.itemsize, dtype=np.uint8).view(source)
        x = np.concatenate([bits, random.integers(0, 100, 500).astype(source)])
        if source == np.int64:
            edges = np.array([v + k for v in (2**31, 2**51, 2**53, -(2**51), -(2**53)) for k in range(-2, 3)])
            x = np.concatenate([x, random.integers(-(2**54), 2**54, 640), np.repeat(edges, 7)])
    expected = converted(x, to)
    for part in (slice(0), slice(1), slice(3, 20), slice(None)):
        np.testing.assert_array_equal(convert(level, x[part], np.zeros(len(x[part]), to)), expected[part])
    room = np.zeros(3 * len(x), to)
    np.testing.assert_array_equal(convert(level, np.repeat(x, 2)[::2], room[::3]), expected)
    assert not room[1::3].any() and not room[2::3].any()


class Nest(ctypes.Structure):
    _fields_ = [
        ("to", ctypes.c_void_p),
        ("from_", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("loops", ctypes.c_int64),
        ("count", ctypes.c_int64 * 4),
        ("to_step", ctypes.c_int64 * 4),
        ("from_step", ctypes.c_int64 * 4),
    ]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32, np.float64])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (1, 0, 3, 2), (3, 2, 1, 0), (0, 2, 3, 1)])
def test_copies_between_layouts(order: tuple[int, ...], kind: type, level: str) -> None:
    for size in ((1, 1, 1, 1), (2, 3, 5, 7), (4, 1, 37, 40), (3, 2, 17, 16), (1, 1, 300, 200)):
        source = np.random.default_rng(1).integers(0, 100, size).astype(kind).transpose(order)
        target = np.zeros(source.shape, kind)
        reversed_ = range(3, -1, -1)
        nest = Nest(target.ctypes.data, source.ctypes.data, target.itemsize, 4)
        nest.count[:] = [source.shape[k] for k in reversed_]
        nest.to_step[:] = [target.strides[k] for k in reversed_]
        nest.from_step[:] = [source.strides[k] for k in reversed_]
        library(level).t7_copy_nest(ctypes.byref(nest), 1)
        np.testing.assert_array_equal(target, source)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("total", [32, 33, 63, 64, 1000, 200_001])
def test_fills_repeat_the_first_bytes(total: int, level: str) -> None:
    memory = np.arange(total + 5, dtype=np.int64).astype(np.uint8)
    expected = np.concatenate([np.resize(memory[:32], total), memory[total:]])
    library(level).t7_fill(ctypes.c_void_p(memory.ctypes.data), ctypes.c_int64(total))
    np.testing.assert_array_equal(memory, expected)
