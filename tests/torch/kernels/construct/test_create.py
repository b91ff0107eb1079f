"""Tensors made from numbers and from other tensors, in the sizes at which their code takes other paths."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from t7shell import Runtime
from t7shell.engine.engine import Engine

Lua = Callable[[str], str]


@pytest.mark.parametrize("name", ["Double", "Float", "Long", "Byte", "Half"])
def test_fills_of_all_lengths(lua: Lua, name: str) -> None:
    lua(f"""
        for _, n in ipairs{{1, 2, 3, 4, 5, 8, 9, 31, 64, 65, 129, 500, 512, 513, 1025, 5000, 300000}} do
           for value = 0, 3, 3 do
              local x = torch.{name}Tensor(n + 2)
              x:fill(7)
              x:narrow(1, 2, n):fill(value)
              assert(x[1] == 7 and x[n + 2] == 7, n)
              local y = x:narrow(1, 2, n):double()
              assert(y:min() == value and y:max() == value, n)
           end
        end
    """)


def test_filling_keeps_the_sign_of_zero(lua: Lua) -> None:
    assert lua("print(1 / torch.Tensor(3):fill(-0.0)[2], 1 / torch.Tensor(3):fill(0)[2])") == "-inf\tinf\n"


def test_small_sizes_as_numbers(lua: Lua) -> None:
    assert (
        lua("""
        print(torch.zeros(2.7, 3.2):nElement(), torch.ones(3):sum())
        print(torch.zeros(0):dim(), torch.zeros(2, 0):dim())
        print(torch.ones(2, 3, 'torch.FloatTensor'):sum(), torch.zeros(torch.ones(9), 2, 2):nElement())
    """)
        == "6\t3\n0\t1\n6\t4\n"
    )


def test_full_takes_sizes_in_all_forms(lua: Lua) -> None:
    """A type's name may follow, a result may be given, as a method it is the result."""
    assert (
        lua("""
        local function show(x)
           print(x:type():match('torch.(.*)Tensor'), x:size(1), x:dim(), x:min(), x:max())
        end
        show(torch.full(2, 3, 7))
        show(torch.full({2}, -1.5))
        show(torch.full(torch.LongStorage{4, 1, 1, 1, 2}, 1e300))
        show(torch.full({3, 1}, 300, 'torch.ByteTensor'))
        local view = torch.zeros(3, 4):select(2, 2)
        show(torch.full(view, 3, 5))
        show(torch.HalfTensor():full(2, 2, 0.5))
        print(view:storage()[2], view:storage()[1])
    """)
        == "Double\t2\t2\t7\t7\nDouble\t2\t1\t-1.5\t-1.5\nDouble\t4\t5\t1e+300\t1e+300\n"
        "Byte\t3\t2\t44\t44\nDouble\t3\t1\t5\t5\nHalf\t2\t2\t0.5\t0.5\n5\t0\n"
    )


@pytest.mark.parametrize("bounds", ["5", "2, 9", "0, 1, 0.1", "7, -3, -2", "3, 3", "1, 2, 5", "0, 0.3, 0.1"])
def test_arange_ends_before_last(bounds: str) -> None:
    expected = eval(f"np.arange({bounds})")
    for kind, dtype in (("Double", np.float64), ("Float", np.float32), ("Long", np.int64)):
        if kind == "Long" and "." in bounds:
            continue
        made = Runtime().execute(f"return torch.arange({bounds}, 'torch.{kind}Tensor')")
        assert made.dtype == dtype
        np.testing.assert_allclose(made, expected.astype(dtype), rtol=1e-6)


def test_arange_fills_a_result(lua: Lua) -> None:
    program = "local x = torch.zeros(2, 3) x:arange(6) print(x[2][1], x:dim(), torch.arange(x, 2):dim())"
    assert lua(program) == "3\t2\t1\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("torch.arange(0, 1, -1)", "the bounds 0 and 1 do not agree with the step -1"),
        ("torch.arange(0, 1, 0)", "the step must not be 0"),
        ("torch.arange(0, 1e300)", "too many numbers"),
        ("torch.arange()", "arange: invalid arguments"),
        ("torch.full(2)", "full: invalid arguments: number; expected"),
        ("torch.full({2}, 'x')", "full: invalid arguments: table string; expected"),
        ("torch.full({'x'}, 1)", "full: argument 1 must be a number"),
        ("torch.full({}, 1)", "full: invalid arguments"),
        ("torch.diag(torch.ones(2, 1), 1)", "diag: argument 2 must be that of a diagonal (got 1 for [2x1])"),
    ],
)
def test_wrong_bounds_and_sizes_are_errors(engine: Engine, source: str, message: str) -> None:
    result = engine.execute(source)
    assert not result.ok and message in result.report()


def test_sizes_of_a_long_storage(lua: Callable[[str], str]) -> None:
    """Up to four of them have a separate path."""
    source = """
    for _, list in ipairs { {3}, {2, 3}, {1, 2, 3}, {2, 1, 2, 1}, {2, 1, 1, 2, 3}, {}, {2, 0} } do
       local sizes = torch.LongStorage(list)
       local made = { torch.zeros(sizes), torch.Tensor(sizes), torch.FloatTensor(sizes) }
       made[4] = torch.ones(torch.Tensor(2), sizes)
       for k, x in ipairs(made) do made[k] = table.concat(x:size():totable(), 'x') .. ' ' .. x:nElement() end
       print(table.concat(made, ', '))
    end
    """
    # A size of 0 ends them.
    shapes = ["3 3", "2x3 6", "1x2x3 6", "2x1x2x1 4", "2x1x1x2x3 12", " 0", "2 2"]
    assert lua(source).splitlines() == [", ".join([shape] * 4) for shape in shapes]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("first", "step", "count"),
    [(1, 1, 5000), (5, -1, 9007), (-3.5, 2, 4096), (0, 0.1, 300_000), (3, 7, 5_000_000)],
)
def test_long_ranges(dtype: type, first: float, step: float, count: int) -> None:
    """Numbers are computed in doubles, and rounded once."""
    name = "Float" if dtype is np.float32 else "Double"
    last = first + (count - 0.5) * step
    got = Runtime().execute(f"return torch.{name}Tensor():range({first}, {last}, {step})")
    np.testing.assert_array_equal(got, (first + np.arange(count) * np.float64(step)).astype(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("first", "last", "count"),
    [(0, 1, 4096), (-3.3, 7.7, 123_457), pytest.param(5, -5, 20_000_000, marks=pytest.mark.slow)],
)
def test_long_linspaces(dtype: type, first: float, last: float, count: int) -> None:
    """Each step of the arithmetic is rounded to the type."""
    name = "Float" if dtype is np.float32 else "Double"
    got = Runtime().execute(f"return torch.{name}Tensor():linspace({first}, {last}, {count})")
    first, last = dtype(first), dtype(last)
    steps = (np.arange(count, dtype=np.float64) * np.float64(last - first)).astype(dtype)
    parts = (steps.astype(np.float64) / (count - 1)).astype(dtype)
    np.testing.assert_array_equal(got, first + parts)
