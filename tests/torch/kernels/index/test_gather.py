"""Elements by index tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.runtimes import runtime_fixture

lua = runtime_fixture()


def call(lua: Runtime, code: str, x: np.ndarray[Any, Any], source: np.ndarray[Any, Any] | None = None) -> Any:
    lua.globals().update({"x": x, "source": source})
    return lua.execute(code)


def test_rows_by_index(lua: Runtime) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    source = """
       local places = torch.LongTensor{2, 1, 2}
       local own = x:clone()
       own.index(own, own, 1, places)
       return x:index(1, places), x:index(2, places), x:transpose(1, 3):index(3, places), own"""
    rows, columns, moved, own = (np.asarray(part) for part in call(lua, source, x))
    np.testing.assert_array_equal(rows, x[[1, 0, 1]])
    np.testing.assert_array_equal(columns, x[:, [1, 0, 1]])
    np.testing.assert_array_equal(moved, x.transpose(2, 1, 0)[:, :, [1, 0, 1]])
    np.testing.assert_array_equal(own, x[[1, 0, 1]])


def test_columns_by_index(lua: Runtime) -> None:
    shapes = [(1, 9), (3, 40), (50, 2), (2, 3, 20), (1, 1)]
    # One index, whole groups of four, groups and some that are left, and more than go by groups.
    counts = [(shape, 7) for shape in shapes] + [((20, 9), count) for count in (1, 4, 8, 11, 15, 16)]
    for shape, count in counts:
        x = np.random.default_rng(5).standard_normal(shape)
        chosen = np.random.default_rng(6).integers(0, shape[-1], count)
        lua.globals()["places"] = chosen + 1
        source = """
           local given = torch.Tensor(2)
           given.index(given, x, x:dim(), places)
           return x:index(x:dim(), places), given"""
        for result in call(lua, source, x):
            np.testing.assert_array_equal(np.asarray(result), x[..., chosen])


ALL = ["float32", "float64", "uint8", "int8", "int16", "int32", "int64"]


def test_slices_of_inner_dimensions_and_of_other_layouts(lua: Runtime) -> None:
    for dtype in ALL:
        x = (np.random.default_rng(7).random((4, 50, 6)) * 100).astype(dtype)
        lua.globals()["places"] = np.arange(50, 0, -1)
        inner, lines, turned, column = call(
            lua,
            """local t = x:select(3, 2)
               local one = places:narrow(1, 7, 1)
               return x:index(2, places), t:index(2, places), t:t():index(1, places), t:index(2, one)
            """,
            x,
        )
        np.testing.assert_array_equal(np.asarray(inner), x[:, ::-1])
        np.testing.assert_array_equal(np.asarray(lines), x[:, ::-1, 1])
        np.testing.assert_array_equal(np.asarray(turned), x[:, ::-1, 1].T)
        np.testing.assert_array_equal(np.asarray(column), x[:, [43], 1])


SHAPES = [(7,), (5, 9), (40, 33), (3, 4, 5), (2, 3, 4, 5), (90, 301)]
LAYOUTS = ["", ":t():clone():t()", ":transpose(1, x:dim()):clone():transpose(1, x:dim())"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", [*ALL, "float16"])
def test_slices_are_put_in_order(lua: Runtime, dtype: str) -> None:
    rng = np.random.default_rng(11)
    for shape in SHAPES:
        x = rng.integers(0, 50, shape).astype(dtype)
        for d in range(len(shape)):
            # More than a turn of the loops, with places that come twice.
            places = rng.integers(0, shape[d], max(1, shape[d] * 7 // 10))
            source = rng.integers(0, 50, (*shape[:d], len(places), *shape[d + 1 :])).astype(dtype)
            copied, added, filled = x.copy(), x.copy(), x.copy()
            at = (slice(None),) * d
            for k, place in enumerate(places):
                copied[(*at, place)] = source[(*at, k)]
                added[(*at, place)] += source[(*at, k)]
                filled[(*at, place)] = 7
            lua.globals().update({"x": x, "places": places + 1, "source": source, "d": d + 1})
            for layout in LAYOUTS if len(shape) > 1 else [""]:
                if layout == LAYOUTS[1] and len(shape) != 2:
                    continue
                got = lua.execute(f"""
                   local a, b, c, s = x:clone(){layout}, x:clone(){layout}, x:clone(){layout}, source{layout}
                   return a:indexCopy(d, places, s), b:indexAdd(d, places, s), c:indexFill(d, places, 7)""")
                for result, expected in zip(got, (copied, added, filled), strict=True):
                    np.testing.assert_array_equal(np.asarray(result), expected)


def test_slices_of_another_shape_with_as_many_elements_are_put(lua: Runtime) -> None:
    x, source = np.zeros((2, 5, 6)), np.arange(24.0).reshape(3, 2, 4)
    result = np.asarray(call(lua, "return x:clone():indexCopy(2, torch.LongTensor{4, 1}, source)", x, source))
    np.testing.assert_array_equal(result[:, 3], source[:, 0].reshape(2, 6))
    np.testing.assert_array_equal(result[:, 0], source[:, 1].reshape(2, 6))
