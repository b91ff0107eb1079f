"""Functions of elements where they differ from NumPy's: nan, integers, given results, numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from t7shell.engine.engine import Engine

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


def test_sign_and_cmax_of_nan(run: Callable[[str], Any]) -> None:
    assert run("return torch.Tensor{0/0, -2, 3}:sign()").tolist() == [0, -1, 1]
    assert run("return torch.cmax(torch.Tensor{0/0, 1}, 2)").tolist() == [2, 2]
    assert np.isnan(run("return torch.cmax(torch.Tensor{1}, torch.Tensor{0/0})")[0])
    assert np.isnan(run("return torch.clamp(torch.Tensor{0/0}, 1, 2)")[0])
    assert run("return torch.clamp(torch.Tensor{1, 5, 9}, 6, 2)").tolist() == [6, 6, 2]


def test_lgamma_at_its_poles(run: Callable[[str], Any]) -> None:
    for kind in ("Double", "Float"):
        x = f"torch.{kind}Tensor{{0, -1, -3, 1/0, -1/0, -1e35, -0.5, 0/0}}"
        values = run(f"return {x}:lgamma()").tolist()
        assert values[:6] == [np.inf] * 6 and np.isnan(values[7])
        assert values[6] == pytest.approx(math.lgamma(-0.5), rel=1e-6)


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


def test_functions_of_numbers_in_floats_are_rounded_once() -> None:
    """torch.exp(1) is 2.718281745911 in Torch7; NumPy's loop of floats gives the next float."""
    engine = Engine()
    engine.execute("torch.setdefaulttensortype('torch.FloatTensor')")
    for call, expected in (("exp(1)", math.exp(1)), ("tanh(1.5)", math.tanh(1.5)), ("pow(2, 0.5)", 2**0.5)):
        assert engine.execute(f"return torch.{call}").values == [float(np.float32(expected))]


@pytest.mark.parametrize("number", ["1e10", "0/0", "-1/0", "2^31"])
def test_functions_of_numbers_in_integers_convert_as_elements_are(number: str) -> None:
    """What no integer of 32 bits is becomes the least one, whose negative it is as well."""
    engine = Engine()
    engine.execute("torch.setdefaulttensortype('torch.IntTensor')")
    assert engine.execute(f"return torch.abs({number}), torch.abs(-3.7)").values == [-(2**31), 3]


@pytest.mark.parametrize("type_name", ["Byte", "Short", "Int", "Long", "Half", "Float", "Double"])
@pytest.mark.parametrize("count", [1, 63, 64, 65, 1024, 1025, 30000])
def test_limits_by_numbers_of_any_count(run: Callable[[str], Any], type_name: str, count: int) -> None:
    numbers = np.arange(count) * 7 % 23
    got = run(
        f"local x = torch.range(0, {count - 1}):mul(7):fmod(23):type('torch.{type_name}Tensor')\n"
        "return torch.cat({torch.cmax(x, 9), torch.cmin(x, 9), torch.clamp(x, 5, 11)}, 1):double()"
    )
    expected = np.concatenate([np.maximum(numbers, 9), np.minimum(numbers, 9), np.clip(numbers, 5, 11)])
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("kind", ["Double", "Float"])
@pytest.mark.parametrize("method", ["add", "csub"])
def test_nothing_of_a_tensor_is_added_to_self(lua: Callable[[str], str], kind: str, method: str) -> None:
    """What Torch7 gave: contiguous tensors are added to self by BLAS, which skips a scale of 0."""
    printed = lua(f"""
        local T = torch.{kind}Tensor
        local x, y, columns = T{{-0.0, 2, 3}}, T{{1/0, 0/0, 3}}, T{{{{1/0, 1}}, {{0/0, 2}}, {{3, 3}}}}
        local function text(t) return (string.gsub(table.concat(t:totable(), ' '), '%-?nan', 'nan')) end
        print(text(x:clone():{method}(0, y)))
        print(text(torch.{method}(x, 0, y)), text(x:clone():{method}(0, columns:select(2, 1))))
    """)
    assert printed == "-0 2 3\nnan nan 3\tnan nan 3\n"
