"""Elements along a dimension, an index for each."""

from __future__ import annotations

from typing import Any

import numpy as np

from t7shell import Runtime
from tests.runtimes import runtime_fixture

lua = runtime_fixture()

ALL = ["float32", "float64", "uint8", "int8", "int16", "int32", "int64"]


def call(lua: Runtime, source: str, x: np.ndarray[Any, Any]) -> Any:
    lua.globals()["x"] = x
    return lua.execute(source)


def test_many_elements_along_a_dimension(lua: Runtime) -> None:
    rng = np.random.default_rng(8)
    for dtype in ALL:
        x = (rng.random((40, 7, 50)) * 100).astype(dtype)
        for dim, shape in [(0, (90, 7, 50)), (1, (40, 64, 50)), (2, (40, 7, 33))]:
            places = rng.integers(0, x.shape[dim], shape)
            lua.globals()["places"] = places + 1
            expected = np.take_along_axis(x, places, dim)
            for view, right in (("x", "places"), ("x:transpose(1, 3)", "places:transpose(1, 3)")):
                at = dim if view == "x" else 2 - dim
                got = np.asarray(call(lua, f"return {view}:gather({at + 1}, {right})", x))
                np.testing.assert_array_equal(got, expected if view == "x" else expected.swapaxes(0, 2))


def test_many_elements_put_along_a_dimension(lua: Runtime) -> None:
    rng = np.random.default_rng(9)
    for dtype in ALL:
        x = (rng.random((40, 7, 50)) * 100).astype(dtype)
        for dim in range(3):
            # Each place once, so that the order does not matter.
            places = rng.permuted(
                np.broadcast_to(np.arange(x.shape[dim]), np.moveaxis(x, dim, 2).shape), axis=2
            )
            places = np.ascontiguousarray(np.moveaxis(places, 2, dim))
            values = (rng.random(x.shape) * 100).astype(dtype)
            lua.globals()["places"], lua.globals()["values"] = places + 1, values
            expected = x.copy()
            np.put_along_axis(expected, places, values, dim)
            source = f"""
               local turned = x:transpose(1, 2):clone():transpose(1, 2)
               return x:clone():scatter({dim + 1}, places, values), turned:scatter({dim + 1}, places, values),
                  x:clone():scatter({dim + 1}, places, 3)"""
            plain, turned, filled = (np.asarray(part) for part in call(lua, source, x))
            np.testing.assert_array_equal(plain, expected)
            np.testing.assert_array_equal(turned, expected)
            np.testing.assert_array_equal(filled, np.full(x.shape, 3))


def test_the_last_of_equal_places_wins(lua: Runtime) -> None:
    source = """
       local places, values = torch.LongTensor(1, 50):fill(2), torch.range(1, 50):view(1, 50)
       return torch.zeros(1, 50):scatter(2, places, values)[1][2]"""
    assert lua.execute(source) == 50


def test_gathered_into_a_longer_result(lua: Runtime) -> None:
    """As in Torch7, a given result may be longer than the indices along the dimension: the rest stays."""
    source = """
       local x, text = torch.Tensor{{7, 8}, {9, 10}}, {}
       local function add(r, ...)
          text[#text + 1] = table.concat(torch.gather(r, ...):contiguous():view(-1):totable(), ' ')
       end
       add(torch.range(1, 6):view(3, 2), x, 1, torch.LongTensor{{2, 1}})
       add(torch.range(1, 6):view(3, 2):t(), x, 2, torch.LongTensor{{2}, {1}})
       add(x, x, 2, torch.LongTensor{{2}, {2}})
       add(torch.LongTensor{1, 2, 3}, torch.LongTensor{5, 6}, 1, torch.LongTensor{2})
       for _, r in ipairs{torch.Tensor(2, 2), torch.Tensor(3, 4)} do
          local ok = pcall(torch.gather, r, torch.zeros(3, 3), 1, torch.LongTensor(3, 3):fill(1))
          text[#text + 1] = tostring(ok)
       end
       return table.concat(text, '; ')"""
    assert lua.execute(source) == "9 8 3 4 5 6; 8 3 5 9 4 6; 8 8 10 10; 6 2 3; false; false"


def test_slices_of_vectors_of_any_stride(lua: Runtime) -> None:
    places = "torch.LongTensor{5, 1, 1, 7}"
    for dtype in ALL:
        x = np.arange(30).reshape(10, 3).astype(dtype)
        for change in (
            f"indexFill(1, {places}, 9)",
            f"indexCopy(1, {places}, x:narrow(1, 1, 4):select(2, 3))",
            f"indexAdd(1, {places}, x:narrow(1, 1, 4):select(2, 3))",
        ):
            source = f"local y = x:clone() y:select(2, 2):{change} return y:select(2, 2):clone()"
            found = call(lua, source, x)
            wanted = call(lua, f"return x:select(2, 2):clone():{change}", x)
            np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))
