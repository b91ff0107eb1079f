"""Sorting, medians and modes: NumPy is the second source, places of equal elements as in the original."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.tied_order import places_along, places_of_row


@pytest.fixture(scope="module")
def run() -> Callable[[str], Any]:
    """Runs Lua source; tensors come back as arrays, several results as a tuple."""
    runtime = Runtime()
    return runtime.execute


def listed(value: Any) -> Any:
    return [listed(item) for item in value] if isinstance(value, tuple) else value.tolist()


def test_nan_counts_as_the_largest_in_order(run: Callable[[str], Any]) -> None:
    for count in (4, 30):
        x = np.arange(count, 0.0, -1)
        x[1] = np.nan
        values, places = run(f"local x = torch.range({count}, 1, -1) x[2] = 0/0 return x:sort()")
        np.testing.assert_array_equal(values, np.sort(x))
        assert places[-1] == 2
        assert run(f"local x = torch.range({count}, 1, -1) x[2] = 0/0 return x:sort(true)")[1][0] == 2


@pytest.mark.parametrize("count", [2**18, 2**18 + 1, 400003])
@pytest.mark.parametrize("down", [False, True])
def test_what_randn_makes_in_order(run: Callable[[str], Any], count: int, down: bool) -> None:
    """Many of its doubles differ in their last bits only."""
    source = f"torch.manualSeed(3) local x = torch.randn({count}) return x, x:sort({str(down).lower()})"
    x, values, places = run(source.replace("x:sort(", "x:sort(1, "))
    np.testing.assert_array_equal(values, np.sort(x)[::-1] if down else np.sort(x))
    np.testing.assert_array_equal(x[places - 1], values)


@pytest.mark.parametrize(
    "dtype",
    ["int8", *(pytest.param(name, marks=pytest.mark.slow) for name in ("float64", "float32", "int64"))],
)
def test_rows_beyond_the_keys_are_sorted(dtype: str, run: Callable[[str], Any]) -> None:
    """More than 2^20 elements: some equal, one far away, so that the others are dealt out more than once."""
    generator = np.random.default_rng(7)
    count = 2**21 + 3
    x = generator.normal(0, 20, count).astype(dtype)
    if x.dtype.kind == "f":
        x[::5] = np.round(x[::5])
        x[1000], x[1001], x[1002], x[1003] = 1e30, np.nan, -np.inf, -0.0
    elif dtype == "int64":
        x[1000], x[1001] = np.iinfo(np.int64).max, np.iinfo(np.int64).min
    sort = run("return function(x, down) return torch.sort(x, 1, down) end")
    order = np.sort(x)
    backwards = order[::-1]
    if x.dtype.kind == "f":
        # NumPy as well puts nan last; the descending order begins with it.
        assert np.isnan(order[-1]) and np.isnan(backwards[0])
    for down, expected in ((False, order), (True, backwards)):
        values, places = sort(x, down)
        np.testing.assert_array_equal(values, expected)
        np.testing.assert_array_equal(x[places - 1], expected)
        assert (np.bincount(places, minlength=count + 1)[1:] == 1).all()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("bits", [1, 20, 45, 62, 64])
def test_longs_of_any_span_are_sorted(bits: int, run: Callable[[str], Any]) -> None:
    """Keys that hold a number and its position, that lose bits, or that are all the same."""
    generator = np.random.default_rng(bits)
    sort = run("return function(x, down) return torch.sort(x, 2, down) end")
    for rows, count in ((50, 40), (3, 9000), (1, 70000), (1, 300000)):
        x = generator.integers(-(2**63), 2**63, (rows, count), dtype=np.int64) >> (64 - bits)
        if bits == 64:
            x[0, :4] = np.iinfo(np.int64).max, np.iinfo(np.int64).min, 0, -1
            # These differ in the bits that are lost.
            x[-1, 5:30] = x[-1, 4] ^ np.arange(25)
        for down in (False, True):
            values, places = sort(x, down)
            expected = np.sort(x, axis=1)[:, ::-1] if down else np.sort(x, axis=1)
            np.testing.assert_array_equal(values, expected)
            np.testing.assert_array_equal(np.take_along_axis(x, places - 1, 1), expected)
            assert (np.sort(places, axis=1) == np.arange(1, count + 1)).all()


def test_close_doubles_are_sorted_exactly(run: Callable[[str], Any]) -> None:
    x = 1 + np.random.default_rng(3).integers(0, 50, 300) * 2.0**-52
    values, places = run("return function(x, down) return torch.sort(x, 1, down) end")(x, False)
    order = places_of_row(x)
    assert (values == np.sort(x)).all() and (places == order + 1).all()


@pytest.mark.parametrize("count", [12, 16, 20, 29, 32, 60])
def test_short_rows_of_unusual_numbers_in_order(run: Callable[[str], Any], count: int) -> None:
    """What a key that is the element and its position in one number cannot tell apart or hold."""
    generator = np.random.default_rng(count)
    sort = run("return function(x, down) return torch.sort(x, 2, down) end")
    scales = 2.0 ** generator.integers(-1074, 1020, (4, count))
    infinities = generator.choice([np.inf, -np.inf, np.nan, -0.0, 0.0, 1.5, -2.5], (4, count))
    close = 1 + generator.integers(0, 200, (4, count)) * 2.0**-52
    large = generator.integers(-(2**62), 2**62, (4, count)) >> 8 << 8
    large += generator.integers(0, 3, (4, count))
    floats = (scales * 1e-5).clip(max=1e38).astype(np.float32)
    for x in (scales, -scales, infinities, close, -close, floats, large):
        for down in (False, True):
            values, places = sort(x, down)
            expected = np.sort(x, axis=1)
            np.testing.assert_array_equal(values, expected[:, ::-1] if down else expected)
            taken = np.take_along_axis(x, places - 1, 1)
            np.testing.assert_array_equal(taken, values)
            # Zeros are equal, but one with a sign goes with its position.
            assert (np.signbit(taken) == np.signbit(values)).all()
            assert (np.sort(places, axis=1) == np.arange(1, count + 1)).all()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("rows", [1, 3, 1000])
@pytest.mark.parametrize("count", [12, 17, 32, 33, 100, 700])
def test_long_rows_in_order(run: Callable[[str], Any], rows: int, count: int) -> None:
    sort = run("return function(x, down) return torch.sort(x, 2, down) end")
    for dtype in (np.float64, np.float32, np.int32, np.uint8, np.int64):
        x = np.random.default_rng(count).integers(0, 100, (rows, count)).astype(dtype)
        for down in (False, True):
            values, places = sort(x, down)
            expected = np.sort(x, axis=1)[:, ::-1] if down else np.sort(x, axis=1)
            assert (values == expected).all() and (np.take_along_axis(x, places - 1, 1) == expected).all()
            assert (np.sort(places, axis=1) == np.arange(1, count + 1)).all()
            for row in {0, rows // 2, rows - 1}:
                assert (places[row] == places_of_row(x[row], down) + 1).all()


@pytest.mark.parametrize("count", [256, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_for_buckets_in_order(run: Callable[[str], Any], dtype: type, count: int) -> None:
    """Elements that spread evenly, or not: with equals, unusual numbers, and spans that overflow."""
    generator = np.random.default_rng(count)
    sort = run("return function(x, down) return torch.sort(x, 2, down) end")
    even = generator.permutation(count).astype(dtype)
    rows = [even, -even, generator.normal(size=count), np.exp(generator.uniform(-60, 60, count))]
    rows += [even * np.finfo(dtype).tiny, (even / count * 2 - 1) * np.finfo(dtype).max]
    for index, number in [(0, 7), (count // 2, np.inf), (5, -np.inf), (count - 1, np.nan), (3, -0.0)]:
        rows.append(even.copy())
        rows[-1][index] = number
    x = np.array(rows).astype(dtype)
    for down in (False, True):
        values, places = sort(x, down)
        expected = places_along(x, 1, down)
        np.testing.assert_array_equal(places, expected + 1)
        np.testing.assert_array_equal(values, np.take_along_axis(x, expected, 1))


# What the TH library of PyTorch 1.0 gave, a descendant of Torch7's, for (k^2 + 3k) % 7, k from 0 to 29.
TIED = [(k * k + 3 * k) % 7 for k in range(30)]


TIED_UP = [
    12,
    15,
    29,
    26,
    22,
    19,
    1,
    8,
    5,
    10,
    3,
    24,
    17,
    30,
    4,
    25,
    23,
    9,
    18,
    11,
    16,
    2,
    27,
    28,
    14,
    7,
    13,
    20,
    21,
    6,
]


TIED_DOWN = [
    27,
    6,
    28,
    7,
    13,
    20,
    21,
    14,
    25,
    18,
    16,
    2,
    23,
    30,
    11,
    9,
    4,
    10,
    17,
    3,
    24,
    26,
    29,
    1,
    22,
    19,
    12,
    8,
    5,
    15,
]


TIED_LARGEST = [7, 6, 20, 21, 28, 27, 14, 13, 11, 25, 9, 16, 18, 2]


TIED_SMALLEST = [12, 15, 29, 26, 22, 19, 1, 8, 24, 17, 5, 10, 3, 23]


# The k largest (True) or smallest of the same, sorted.
TIED_BEST = {
    (3, True): [13, 21, 6],
    (3, False): [22, 29, 12],
    (5, True): [7, 13, 20, 21, 6],
    (5, False): [22, 29, 12, 26, 15],
    (8, True): [27, 28, 14, 7, 13, 20, 21, 6],
    (8, False): [12, 15, 29, 26, 22, 19, 1, 8],
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "int16", "int8", "uint8"])
def test_positions_of_equal_elements(dtype: str, run: Callable[[str], Any]) -> None:
    x = np.array(TIED, dtype=dtype)
    sort = run("return function(x, down) local v, p = torch.sort(x, 1, down) return p end")
    topk = run("return function(x, largest, sorted) local v, p = x:topk(14, 1, largest, sorted) return p end")
    assert sort(x, False).tolist() == TIED_UP and sort(x, True).tolist() == TIED_DOWN
    assert run("return function(x) local v, p = x:mode() return p end")(x).tolist() == [5]
    assert topk(x, True, True).tolist() == TIED_LARGEST
    assert topk(x, False, False).tolist() == TIED_SMALLEST
    few = run("return function(x, k, largest) local v, p = x:topk(k, 1, largest, true) return p end")
    for (k, largest), places in TIED_BEST.items():
        assert few(x, float(k), largest).tolist() == places


@pytest.mark.parametrize("count", [11, 12, 13, 21, 300, 1000, pytest.param(20000, marks=pytest.mark.slow)])
def test_positions_of_equal_elements_in_long_rows(count: int, run: Callable[[str], Any]) -> None:
    """Longer parts are compared in blocks, and parts without ties are left out."""
    sort = run("return function(x, down) local v, p = torch.sort(x, 1, down) return p end")
    generator = np.random.default_rng(count)
    rows = [generator.integers(0, top, count).astype(np.float64) for top in (1, 2, 5, count // 3, 20 * count)]
    rows.append(np.minimum(np.arange(count), count - np.arange(count)) // 2.0)
    rows.append(np.where(np.arange(count) % 5 == 0, np.nan, np.arange(count) % 7))
    rows.append(np.where(np.arange(count) % 5 == 0, np.nan, np.arange(count)))
    for x in rows:
        for down in (False, True):
            assert (sort(x, down) == places_of_row(x, down) + 1).all()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kinds", [1, 3, 20000, 10**9])
def test_positions_of_equal_elements_in_pieces(kinds: int, run: Callable[[str], Any]) -> None:
    """Rows that are shared between cores. Runs of equals lie across pieces; parts become two, one or none."""
    sort = run("return function(x, down) local v, p = torch.sort(x, 1, down) return p end")
    x = np.random.default_rng(kinds).integers(0, kinds, 70001)
    if kinds == 10**9:
        x[60000:] = x[:10001]
    down = kinds == 20000
    expected = places_of_row(x, down) + 1
    assert (sort(x, down) == expected).all()
    threads = run("return torch.getnumthreads()")
    try:
        run("torch.setnumthreads(1)")
        assert (sort(x.astype(np.float32 if kinds < 10**9 else np.float64), down) == expected).all()
    finally:
        run(f"torch.setnumthreads({threads})")


def test_selection_moves_equal_elements_as_torch7_did(run: Callable[[str], Any]) -> None:
    assert listed(run("return torch.Tensor{4, 1, 3, 2}:median()")) == [[2], [4]]
    assert listed(run("return torch.Tensor{4, 2, 4, 2, 9}:mode()")) == [[2], [4]]


def elements(kind: str, dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(13)
    if kind == "all bits" and np.dtype(dtype).kind == "i":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    x = rng.standard_normal(shape) * (3 if kind == "ties" else 1e6)
    if kind == "ties":
        x = np.round(x)
    elif np.dtype(dtype).kind == "f":
        for special in (np.nan, -np.inf, np.inf, -0.0, 0.0):
            x[rng.random(shape) < 0.1] = special
    return x.astype(dtype)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "int16"])
@pytest.mark.parametrize("kind", ["ties", "all bits"])
def test_elements_of_a_rank(run: Callable[[str], Any], kind: str, dtype: str) -> None:
    select = run("return function(x, k, d) return x:kthvalue(k, d) end")
    for shape in [(3, 33), (4, 1000), (2, 5000), (40, 64), (3, 50, 7)]:
        x = elements(kind, dtype, shape)
        for axis, n in enumerate(shape):
            for k in {1, 2, n // 2, n - 1, n} - {0}:
                values, places = select(x, k, axis + 1)
                expected = np.take(np.sort(x, axis), [k - 1], axis)
                np.testing.assert_array_equal(values, expected)
                np.testing.assert_array_equal(np.take_along_axis(x, places - 1, axis), expected)


def test_results_that_share_memory_end_as_the_places(run: Callable[[str], Any]) -> None:
    for rows, n in ((2, 3), (300, 40)):
        made = f"local x = torch.LongTensor({rows}, {n}):random(1, 1000) local _, places = x:sort(2)"
        assert run(f"{made} local r = torch.LongTensor() torch.sort(r, r, x, 2) return r:equal(places)")
        assert run(f"{made} torch.sort(torch.LongTensor(), x, x, 2) return x:equal(places)")
