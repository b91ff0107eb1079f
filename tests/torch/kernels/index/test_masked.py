"""Elements by masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.conftest import Run
from tests.runtimes import runtime_fixture

LENGTHS = [*range(1, 19), 31, 32, 33, 63, 64, 65, 129, 1023, 1025, 9000]


lua = runtime_fixture()


def call(lua: Runtime, source: str, x: np.ndarray[Any, Any]) -> Any:
    lua.globals()["x"] = x
    return lua.execute(source)


def test_masks_of_few_and_of_many_elements(lua: Runtime) -> None:
    for n in LENGTHS:
        x = np.random.default_rng(n).standard_normal(n)
        lua.globals()["m"] = (x > 0.3).astype("uint8")
        np.testing.assert_array_equal(np.asarray(call(lua, "return x:maskedSelect(m)", x)), x[x > 0.3])
        wrong = (x > 0.3).astype("uint8")
        wrong[-1] = 2
        lua.globals()["m"] = wrong
        assert call(lua, "return pcall(function() return x:maskedSelect(m) end)", x)[0] is False


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "int8", "int16", "int32", "int64"])
def test_many_elements_by_masks(dtype: str, lua: Runtime) -> None:
    rng = np.random.default_rng(11)
    for shape in [(5,), (1023,), (1025, 3), (40, 7, 50)]:
        x, y = (rng.random((2, *shape)) * 100 - (30 if dtype[0] != "u" else 0)).astype(dtype)
        x[rng.random(shape) < 0.3] = 0
        mask = rng.random(shape) < 0.5
        lua.globals()["x"], lua.globals()["y"], lua.globals()["m"] = x, y, mask.astype("uint8")
        source = """
           local source = y[m]
           source = source:dim() > 0 and source or y
           return x:nonzero(), x:clone():maskedFill(m, 7), x:clone():maskedCopy(m, source),
              torch.where(m, x, y), torch.where(m * 2, x, 5), torch.where(m, 5, y)"""
        places, filled, copied, either, first, second = (np.asarray(part) for part in lua.execute(source))
        np.testing.assert_array_equal(places, np.argwhere(x) + 1)
        np.testing.assert_array_equal(filled, np.where(mask, 7, x))
        np.testing.assert_array_equal(copied, np.where(mask, y, x))
        np.testing.assert_array_equal(either, np.where(mask, x, y))
        np.testing.assert_array_equal(first, np.where(mask, x, 5))
        np.testing.assert_array_equal(second, np.where(mask, 5, y))


def test_copies_end_with_the_source(lua: Runtime) -> None:
    source = """
       local mask = torch.ByteTensor(100):zero()
       mask:narrow(1, 41, 3):fill(1)
       return torch.zeros(100):maskedCopy(mask, torch.Tensor{1, 2, 3})"""
    expected = np.zeros(100)
    expected[40:43] = [1, 2, 3]
    np.testing.assert_array_equal(np.asarray(lua.execute(source)), expected)


def test_a_result_without_elements_keeps_its_storage(lua: Runtime) -> None:
    source = """
       local r = torch.range(1, 4)
       local part = r:narrow(1, 3, 2):maskedSelect(r, torch.ByteTensor(4):zero())
       return part:dim(), part:storageOffset(), #part:storage()"""
    assert lua.execute(source) == (0, 3, 4)


@pytest.mark.parametrize("strides", ["0, 1", "1, 0", "0, 0", "1, 1", "0, 5", "7, 1"])
def test_elements_that_share_memory_get_what_one_of_them_gets(strides: str, lua: Runtime) -> None:
    """As a loop over the elements in order writes them, the last one last."""
    source = """
       local function new() return torch.Tensor(torch.range(1, 40):storage(), 3, 4, S, 3, T) end
       local mask = torch.ByteTensor{{0, 1, 0}, {1, 0, 0}, {0, 0, 0}, {0, 1, 0}}
       local fill, copy, loop, source = new(), new(), new(), torch.Tensor{-1, -2, -3}
       fill[mask] = -5
       copy[mask] = source
       local filled, k = new(), 0
       for i = 1, 4 do
          for j = 1, 3 do
             if mask[i][j] == 1 then
                k = k + 1
                loop[i][j], filled[i][j] = source[k], -5
             end
          end
       end
       return fill:equal(filled) and copy:equal(loop)"""
    first, second = strides.split(", ")
    assert lua.execute(f"local S, T = {first}, {second} {source}") is True


# What C's strtol(text, 0, 0) gives, by its definition: digits at the beginning, with 0x and 0 as prefixes.
TEXTS = [("7", 7), ("7.9", 7), (" -3x", -3), ("0x10", 16), ("010", 8), ("1e1", 1), ("", 0), ("__nan__", 0)]


@pytest.mark.filterwarnings("ignore:.*counts as")
@pytest.mark.parametrize("kind", ["Char", "Int", "Long"])
@pytest.mark.parametrize(("text", "number"), TEXTS)
def test_integers_take_text_as_the_original(kind: str, text: str, number: int, lua: Runtime) -> None:
    source = f"""
       local x, text = torch.{kind}Tensor{{1, 2, 3}}, '{text}'
       x:maskedFill(torch.ByteTensor{{0, 1, 0}}, text):indexFill(1, torch.LongTensor{{3}}, text)
       x:storage()[1] = text
       return x[1], x[2], x[3]"""
    assert lua.execute(source) == (number,) * 3


def test_other_text_for_a_number_is_an_error_or_a_warning(t7: Run) -> None:
    source = """
       local mask = torch.ByteTensor{1}
       print(pcall(function() return torch.Tensor(1):maskedFill(mask, 'x') end))
       print(pcall(function() return torch.IntTensor(1):fill('x') end))
       print(torch.IntTensor(1):maskedFill(mask, 'x')[1])"""
    result = t7("-e", source)
    first, second, third = result.stdout.splitlines()
    assert first.startswith("false") and first.endswith(
        "expected (self first) DoubleTensor ByteTensor number"
    )
    assert second.startswith("false") and "fill: argument 1 must be a number (got 'x')" in second
    assert third == "0"
    assert "warning: maskedFill: 'x' counts as 0, as in the original" in result.stderr
