"""Elements by index tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from t7shell import Runtime
from tests.runtimes import runtime_fixture

lua = runtime_fixture()


def call(lua: Runtime, source: str, x: np.ndarray[Any, Any]) -> Any:
    lua.globals()["x"] = x
    return lua.execute(source)


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
