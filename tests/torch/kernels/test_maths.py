"""Torch7's mathematics where it differs from NumPy's: constructors, nan, integers, given results, errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from t7shell.engine import Engine
from tests.tied_order import places_of_row

INTEGERS = ["Long", "Int", "Short", "Char", "Byte"]


@pytest.fixture(scope="module")
def run() -> Callable[[str], Any]:
    """Runs Lua source; tensors come back as arrays, several results as a tuple."""
    runtime = Runtime()
    return runtime.execute


def listed(value: Any) -> Any:
    return [listed(item) for item in value] if isinstance(value, tuple) else value.tolist()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("torch.range(2, 9, 3)", [2, 5, 8]),
        ("torch.range(3, 1, -1, 'torch.IntTensor')", [3, 2, 1]),
        ("torch.linspace(0, 1, 5)", [0, 0.25, 0.5, 0.75, 1]),
        ("torch.linspace(4, 4, 1)", [4]),
        ("torch.linspace(0, 1, 50)[50] - 1", 0),
        ("torch.linspace(1, 0, 3, 'torch.FloatTensor')", [1, 0.5, 0]),
        ("torch.eye(2, 3)", [[1, 0, 0], [0, 1, 0]]),
        ("torch.eye('2', '1')", [[1], [0]]),
        ("torch.eye(2, 'torch.ByteTensor')", [[1, 0], [0, 1]]),
        ("torch.zeros('2', 1)", [[0], [0]]),
        ("torch.ones(torch.LongStorage{1, 2})", [[1, 1]]),
        ("torch.diag(torch.Tensor{1, 2})", [[1, 0], [0, 2]]),
        ("torch.diag(torch.Tensor{1, 2}, -1)", [[0, 0, 0], [1, 0, 0], [0, 2, 0]]),
        ("torch.diag(torch.range(1, 6):resize(2, 3):t(), -1)", [2, 6]),
        ("torch.tril(torch.ones(3, 3), -1)", [[0, 0, 0], [1, 0, 0], [1, 1, 0]]),
        ("torch.triu(torch.ones(2, 3), 1)", [[0, 1, 1], [0, 0, 1]]),
        ("torch.triu(torch.ones(3, 3):narrow(2, 2, 2))", [[1, 1], [0, 1], [0, 0]]),
        ("torch.cat(torch.ones(2, 1), torch.zeros(2, 2), 2)", [[1, 0, 0], [1, 0, 0]]),
        ("torch.cat({torch.ones(2), torch.Tensor(), torch.zeros(1)})", [1, 1, 0]),
        ("torch.cat(torch.ones(2), torch.zeros(2), 2)", [[1, 0], [1, 0]]),
        ("torch.cat(torch.range(1, 4):resize(2, 2):t(), torch.zeros(1, 2), 1)", [[1, 3], [2, 4], [0, 0]]),
        ("torch.histc(torch.Tensor{-5, 0, 1, 2, 9}, 2, 0, 2)", [1, 2]),
        ("torch.histc(torch.Tensor{3, 3}, 3)", [0, 2, 0]),
        ("torch.bhistc(torch.Tensor{{1, 2}, {4, 4}}, 2, 1, 4)", [[2, 0], [0, 2]]),
        # Rounded to floats, a tenth is no less than one of ten parts.
        ("torch.histc(torch.range(1, 9):float():div(10), 10, 0, 1)", [0] + [1] * 9),
        ("torch.cross(torch.Tensor{{1, 0, 0}}, torch.Tensor{{0, 1, 0}})", [[0, 0, 1]]),
        ("torch.cross(torch.ByteTensor{1, 2, 3}, torch.ByteTensor{3, 2, 1})", [252, 8, 252]),
        ("torch.renorm(torch.Tensor{{3, 4}, {0, 1}}, 2, 1, 5)", [[3, 4], [0, 1]]),
        ("torch.match(torch.Tensor{{0, 0}}, torch.Tensor{{3, 4}, {1, 0}}, 2)", [[50, 2]]),
        # TH: x - v * floor(x / v), of which the quotient is rounded to the type and the rest not.
        ("torch.Tensor{1, 6, 5.5, -7}:remainder(0.1)", [0, 0, 0, 0]),
        ("torch.Tensor{6, 5.5, -7} % -3", [0, -0.5, -1]),
        ("torch.FloatTensor{1, 2}:cremainder(torch.FloatTensor{0.1, 0.2})", [-(2**-26), -(2**-25)]),
        ("torch.Tensor{5, -5}:remainder(1/0)", [float("nan")] * 2),
        # Bounds are numbers of the type before they are compared.
        ("torch.ByteTensor{0, 5, 252}:clamp(-5, 3)", [251, 251, 3]),
        ("torch.CharTensor{5, 60}:clamp(-200, 3)", [56, 3]),
        ("torch.Tensor{1, 3, -1}:clamp(0/0, 2)", [1, 2, -1]),
        ("torch.Tensor{1, 3, -1}:clamp(0, 0/0)", [1, 3, 0]),
        # A result with as many elements keeps its sizes and strides.
        ("torch.Tensor(2, 3):range(1, 6)", [[1, 2, 3], [4, 5, 6]]),
        ("torch.range(torch.IntTensor(3, 2):t(), 1, 6)", [[1, 2, 3], [4, 5, 6]]),
        ("torch.linspace(torch.Tensor(2, 2), 0, 3, 4)", [[0, 1], [2, 3]]),
        ("torch.logspace(torch.Tensor(2, 2):t(), 0, 3, 4)", [[1, 10], [100, 1000]]),
        ("torch.cat(torch.Tensor{1, 2}, {torch.Tensor(), torch.Tensor()})", [1, 2]),
        ("torch.ones(3, 3):conv2(torch.ones(2, 2))", [[4, 4], [4, 4]]),
        ("torch.histc(torch.Tensor{-1e308, 0, 1e308}, 4)", [2, 0, 0, 1]),
    ],
)
def test_values(run: Callable[[str], Any], source: str, expected: list[Any]) -> None:
    np.testing.assert_allclose(run(f"return {source}"), expected, rtol=1e-6)


def test_renorm_scales_slices_down(run: Callable[[str], Any]) -> None:
    x = np.arange(1.0, 9).reshape(2, 2, 2)
    sums = x.sum(axis=(0, 2), keepdims=True)
    got = run("return torch.renorm(torch.range(1, 8):resize(2, 2, 2), 1, 2, 10)")
    np.testing.assert_allclose(got, x * np.where(sums > 10, 10 / sums, 1), rtol=1e-6)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("torch.trace(torch.range(1, 6):resize(2, 3))", 6),
        ("torch.round(-2.5)", -3),
        ("torch.pow('2', 3)", 8),
        ("torch.norm(torch.Tensor{3, -4}, 1/0)", 1),
        ("torch.norm(torch.Tensor{3, 0, -4}, 0)", 2),
        ("torch.norm(torch.FloatTensor{3e20, 4e20})", 5e20),
        ("torch.FloatTensor(100000):fill(2):norm()", 2 * 100000**0.5),
        ("torch.dist(torch.ones(2), torch.zeros(2), 0)", float("inf")),
        ("torch.FloatTensor(10000):fill(0.1):sum()", 1000.0000149),
        ("torch.ByteTensor{200, 100}:sum()", 300),
        ("torch.ByteTensor{200, 100}:sum(1)[1]", 44),
        ("torch.LongTensor{2^53, 1}:bitor(4):sum()", 2**53 + 9),
        ("torch.Tensor{1, 2, 2}:var(true)", 2 / 9),
    ],
)
def test_numbers(run: Callable[[str], Any], source: str, expected: float) -> None:
    assert run(f"return {source}") == pytest.approx(expected, rel=1e-7)


def test_halves_are_rounded_away_from_zero(run: Callable[[str], Any]) -> None:
    got = run("return torch.round(torch.Tensor{0.5, 2.5, -2.5, 0.49999999999999994, 1/0, -1/0, 2^53 - 1})")
    assert got.tolist() == [1, 3, -3, 0, np.inf, -np.inf, 2**53 - 1]


@pytest.mark.parametrize(("name", "expected"), [("max", [3, 2]), ("min", [3, 2])])
def test_nan_wins_and_ties_go_to_the_first(run: Callable[[str], Any], name: str, expected: list[int]) -> None:
    for padding in (0, 40):
        got = run(
            "local x = torch.Tensor{{1, 5, 0/0, 0/0}, {3, 4, 4, 3}}"
            f" x = torch.cat(x, torch.zeros(2, {padding} + 1):add(3.5))"
            f" x[2][2], x[2][3] = {'4, 4' if name == 'max' else '1, 1'}"
            f" local best, place = x:{name}(2) return best, place, x:{name}()"
        )
        assert got[1][:, 0].tolist() == expected
        assert np.isnan(got[0][0, 0]) and np.isnan(got[2])


def test_nan_counts_as_the_largest_in_order(run: Callable[[str], Any]) -> None:
    for count in (4, 30):
        x = np.arange(count, 0.0, -1)
        x[1] = np.nan
        values, places = run(f"local x = torch.range({count}, 1, -1) x[2] = 0/0 return x:sort()")
        np.testing.assert_array_equal(values, np.sort(x))
        assert places[-1] == 2
        assert run(f"local x = torch.range({count}, 1, -1) x[2] = 0/0 return x:sort(true)")[1][0] == 2


def test_sign_and_cmax_of_nan(run: Callable[[str], Any]) -> None:
    assert run("return torch.Tensor{0/0, -2, 3}:sign()").tolist() == [0, -1, 1]
    assert run("return torch.cmax(torch.Tensor{0/0, 1}, 2)").tolist() == [2, 2]
    assert np.isnan(run("return torch.cmax(torch.Tensor{1}, torch.Tensor{0/0})")[0])
    assert np.isnan(run("return torch.clamp(torch.Tensor{0/0}, 1, 2)")[0])
    assert run("return torch.clamp(torch.Tensor{1, 5, 9}, 6, 2)").tolist() == [6, 6, 2]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8"])
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


@pytest.mark.parametrize("kind", ["Byte", "Char", "Short", "Int", "Long"])
def test_products_of_integers_wrap_as_64_bits(kind: str, run: Callable[[str], Any]) -> None:
    """7^30 modulo 2^64, as a number; 7^31 is negative then."""
    for count in (30, 31):
        wrapped = (7**count + 2**63) % 2**64 - 2**63
        assert run(f"return torch.{kind}Tensor({count}):fill(7):prod()") == float(wrapped)


def test_lgamma_at_its_poles(run: Callable[[str], Any]) -> None:
    for kind in ("Double", "Float"):
        x = f"torch.{kind}Tensor{{0, -1, -3, 1/0, -1/0, -1e35, -0.5, 0/0}}"
        values = run(f"return {x}:lgamma()").tolist()
        assert values[:6] == [np.inf] * 6 and np.isnan(values[7])
        assert values[6] == pytest.approx(math.lgamma(-0.5), rel=1e-6)


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


# What the TH library of PyTorch 1.0 gave, a descendant of Torch7's, for (k^2 + 3k) % 7, k from 0 to 29.
TIED = [(k * k + 3 * k) % 7 for k in range(30)]
TIED_UP = [
    12, 15, 29, 26, 22, 19, 1, 8, 5, 10, 3, 24, 17, 30, 4, 25, 23, 9, 18, 11, 16, 2, 27, 28, 14, 7, 13,
    20, 21, 6,
]
TIED_DOWN = [
    27, 6, 28, 7, 13, 20, 21, 14, 25, 18, 16, 2, 23, 30, 11, 9, 4, 10, 17, 3, 24, 26, 29, 1, 22, 19, 12,
    8, 5, 15,
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


@pytest.mark.parametrize("count", [11, 12, 13, 21, 300, 1000, 20000])
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


def test_best_of_long_rows(run: Callable[[str], Any]) -> None:
    topk = run("return function(x, k, largest) return x:topk(k, 2, largest, true) end")
    x = np.random.default_rng(5).permutation(6000).reshape(20, 300).astype(np.float64)
    for k in (1, 3, 8, 9, 300):
        for largest in (True, False):
            order = np.argsort(-x if largest else x, axis=1)[:, :k]
            values, places = topk(x, float(k), largest)
            assert (places == order + 1).all() and (values == np.take_along_axis(x, order, 1)).all()


def test_selection_moves_equal_elements_as_torch7_did(run: Callable[[str], Any]) -> None:
    assert listed(run("return torch.Tensor{4, 1, 3, 2}:median()")) == [[2], [4]]
    assert listed(run("return torch.Tensor{4, 2, 4, 2, 9}:mode()")) == [[2], [4]]


@pytest.mark.parametrize("name", INTEGERS)
def test_integer_division_by_zero_is_an_error(run: Callable[[str], Any], name: str) -> None:
    for call in (
        "x:div(0)",
        "x:div(0.5)",
        "x:cdiv(y)",
        "x:fmod(0)",
        "x:mod(0)",
        "x:remainder(0)",
        "x:cmod(y)",
        "x:cremainder(y)",
        "x:addcdiv(x, y)",
        "x / 0",
        "x % 0",
    ):
        ok, message = run(
            f"local x, y = torch.{name}Tensor{{1, 2}}, torch.{name}Tensor{{1, 0}}"
            f" return pcall(function() return {call} end)"
        )
        assert not ok and "division by zero" in str(message), call


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_truncate_numbers_and_wrap(run: Callable[[str], Any], name: str) -> None:
    x = f"torch.{name}Tensor{{10, 20}}"
    assert run(f"return {x}:mul(2.5)").tolist() == [20, 40]
    assert run(f"return {x}:div(2.5)").tolist() == [5, 10]
    assert run(f"return {x}:add(0.5, {x})").tolist() == [10, 20]
    assert run(f"return {x}:gt(10.9)").tolist() == [0, 1]
    big = np.iinfo(run(f"return {x}").dtype).max
    if name != "Long":
        assert run(f"return torch.{name}Tensor{{{big}}}:add(1)")[0] == np.iinfo(run(f"return {x}").dtype).min


def test_overlapping_operands_are_read_before_they_are_written(run: Callable[[str], Any]) -> None:
    got = run("local x = torch.range(1, 40) torch.add(x:narrow(1, 2, 39), x:narrow(1, 1, 39), 100) return x")
    assert got.tolist() == [1, *range(101, 140)]
    got = run("local x = torch.range(1, 9):resize(3, 3) x:add(x:t()) return x")
    assert got.tolist() == [[2, 6, 10], [6, 10, 14], [10, 14, 18]]
    assert run("local x = torch.range(1, 3) torch.cumsum(x, x) return x").tolist() == [1, 3, 6]
    assert run("local x = torch.Tensor{3, 1, 2} torch.sort(x, torch.LongTensor(), x) return x").tolist() == [
        1,
        2,
        3,
    ]
    got = run("local x = torch.range(1, 4):resize(2, 2) torch.sum(x, x, 1) return x")
    assert got.tolist() == [[4, 6]]


def test_results_take_the_sizes_of_the_first_operand(run: Callable[[str], Any]) -> None:
    got = run("local r = torch.Tensor(7) torch.add(r, torch.zeros(2, 2), torch.range(1, 4)) return r")
    assert got.tolist() == [[1, 2], [3, 4]]
    got = run("local r = torch.zeros(3, 2):t() torch.add(r, torch.ones(2, 3), 1) return r, r:isContiguous()")
    assert got[0].tolist() == [[2, 2, 2], [2, 2, 2]] and got[1] is False
    got = run("local v, i = torch.Tensor(9), torch.LongTensor() torch.max(v, i, torch.eye(2), 1) return v, i")
    assert listed(got) == [[[1, 1]], [[1, 2]]]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("torch.add(torch.Tensor(2), torch.Tensor(3, 5))", ["[2]", "[3x5]"]),
        ("torch.cdiv(torch.IntTensor(2), torch.IntTensor(3))", ["[2]", "[3]"]),
        ("torch.lt(torch.Tensor(2), torch.Tensor(3))", ["[2]", "[3]"]),
        ("torch.dist(torch.Tensor(2), torch.Tensor(3))", ["[2]", "[3]"]),
        ("torch.cross(torch.Tensor(3), torch.Tensor(3, 1))", ["[3]", "[3x1]"]),
        ("torch.cat(torch.Tensor(2, 2), torch.Tensor(3, 3), 1)", ["[2x2]", "[3x3]"]),
        ("torch.exp(torch.IntTensor(1))", ["torch.IntTensor", "torch.exp"]),
        ("torch.bitand(torch.Tensor(1), 1)", ["bitand", "integer"]),
        ("torch.sum(torch.Tensor(2), 2)", ["sum", "dimension 2"]),
        ("torch.topk(torch.Tensor(2), 3)", ["topk", "3"]),
        ("torch.kthvalue(torch.Tensor(2), 0)", ["kthvalue", "0"]),
        ("torch.Tensor():max()", ["max"]),
        ("torch.ByteTensor():all()", ["all", "empty"]),
        ("torch.ByteTensor():any()", ["any", "empty"]),
        ("torch.histc(torch.Tensor{1}, 0)", ["histc", "0"]),
        (
            "torch.ones(2) < torch.ones(2)",
            ["both torch.DoubleTensor and torch.DoubleTensor have no less-than operator"],
        ),
        ("torch.ones(2) .. 'x'", ["concat operator"]),
        ("torch.ones(2) ^ 2", ["power operator"]),
    ],
)
def test_errors_say_what_was_wrong(run: Callable[[str], Any], source: str, words: list[str]) -> None:
    ok, message = run(f"return pcall(function() return {source} end)")
    assert not ok
    for word in words:
        assert word in str(message)


def test_large_tensors(run: Callable[[str], Any]) -> None:
    """Sizes from which on work is shared, done in blocks or by BLAS."""
    source = np.random.default_rng(8)
    x, y = source.normal(0, 3, (300, 400)), source.normal(0, 3, (400, 300)).T
    for f, expected in [
        ("torch.exp(x)", np.exp(x)),
        ("torch.sigmoid(x)", 1 / (1 + np.exp(-x))),
        ("torch.tanh(x)", np.tanh(x)),
        ("torch.add(x, 0.5, y)", x + 0.5 * y),
        ("torch.sigmoid(y)", 1 / (1 + np.exp(-y))),
        ("torch.clamp(x, 1, -1)", np.where(x < 1, 1, -1)),
        ("torch.lt(x, y)", x < y),
        ("torch.Tensor():lt(x, y)", x < y),
        ("x:std(1)", x.std(axis=0, ddof=1, keepdims=True)),
        ("x:var(2)", x.var(axis=1, ddof=1, keepdims=True)),
        ("x:norm(2, 1)", np.sqrt((x**2).sum(axis=0, keepdims=True))),
        (
            "torch.Tensor{x:norm(), x:var(), x:sum(), y:max()}",
            [np.sqrt((x**2).sum()), x.var(ddof=1), x.sum(), y.max()],
        ),
        ("torch.cumsum(x, 1)", np.cumsum(x, axis=0)),
        ("torch.cumsum(x, 2)", np.cumsum(x, axis=1)),
        ("(x:max(1))", x.max(axis=0, keepdims=True)),
        ("y:sum(1)", y.sum(axis=0, keepdims=True)),
    ]:
        got = run(f"return function(x, y) return {f} end")(x, y)
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9, err_msg=f)


def test_column_sums_stay_right_when_blas_takes_over(run: Callable[[str], Any]) -> None:
    x, into = run(
        "local x = torch.range(1, 400):resize(20, 20) for _ = 1, 4000 do x:sum(1) end"
        " return x, torch.sum(torch.Tensor(1, 20):fill(0/0), x, 1)"
    )
    assert (into == x.sum(axis=0, keepdims=True)).all()
    x[3, 4] = np.inf
    assert run("return function(x) return x:sum(1) end")(x)[0, 4] == np.inf


def test_functions_of_numbers_in_floats_are_rounded_once() -> None:
    """torch.exp(1) is 2.718281745911 in Torch7; NumPy's loop of floats gives the next float."""
    engine = Engine()
    engine.execute("torch.setdefaulttensortype('torch.FloatTensor')")
    for call, expected in (("exp(1)", math.exp(1)), ("tanh(1.5)", math.tanh(1.5)), ("pow(2, 0.5)", 2**0.5)):
        assert engine.execute(f"return torch.{call}").values == [float(np.float32(expected))]


@pytest.mark.parametrize("call", ["indexCopy", "indexAdd"])
def test_slices_match_by_their_number_of_elements(call: str, run: Callable[[str], Any]) -> None:
    """As in TH: the source of an index has slices of as many elements, whatever their shape."""
    source = "torch.range(1, 12):resize(2, 6)"
    x = run(f"return torch.zeros(3, 2, 3):{call}(1, torch.LongTensor{{3, 1}}, {source})")
    assert x.tolist() == [[[7, 8, 9], [10, 11, 12]], [[0] * 3] * 2, [[1, 2, 3], [4, 5, 6]]]


def test_of_options_the_first_letter_counts(run: Callable[[str], Any]) -> None:
    assert run("return torch.potrf(torch.Tensor{{4, 2}, {2, 5}}, 'Lower')").tolist() == [[2, 0], [1, 2]]
    assert run("return torch.conv2(torch.ones(3, 3), torch.ones(2, 2), 'Full'):size(1)") == 4
    assert run("return torch.symeig(torch.eye(2), 'Vectors', 'Upper'):sum()") == 2
