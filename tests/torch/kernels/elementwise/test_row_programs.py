"""Programs over rows beside NumPy: rows that are repeated, numbers of rows, and totals of columns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from t7shell import Runtime

SOURCE = """
local programs = require 'torch.kernels.elementwise.row_programs'
local ffi, T = require 'ffi', require('torch.base.types').by_name.%s
local function at(t) return t:data() end
return function(x, y, w, v, q)
   local rows, columns = x:size(1), x:size(2)
   local function result() return T.new_matrix(rows, columns) end
   local affine, scaled, totals = result(), result(), torch.DoubleTensor(columns)
   programs.map('affine', T, 'z = (x - y) * w + r', { 'x', 'y', 'w', 'r' })(
      rows, columns, at(x), columns, at(y), 0, at(w), 0, at(v), 0, at(affine), columns)
   programs.map('scaled', T, 'z = maximum(x, 0) * v', { 'x', 'v' })(
      rows, columns, at(x), columns, at(q), 1, at(scaled), columns)
   programs.totals('squares', T, 'a = x - y; z = a * a', { 'x', 'y' })(
      rows, columns, at(x), columns, at(y), 0, at(totals))
   return affine, scaled, totals
end
"""


@pytest.fixture(scope="module")
def lua() -> Iterator[Runtime]:
    with Runtime() as runtime:
        yield runtime


@pytest.mark.parametrize("name", ["Float", "Double"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (2, 15), (40, 100), (1000, 37), (70, 1000), (3, 90001)])
def test_rows(lua: Runtime, name: str, shape: tuple[int, int]) -> None:
    random, kind = np.random.default_rng(1), np.float32 if name == "Float" else np.float64
    x = random.uniform(-1, 1, shape).astype(kind)
    y, w, v = (random.uniform(-1, 1, shape[1]).astype(kind) for _ in range(3))
    q = random.uniform(-1, 1, shape[0]).astype(kind)
    affine, scaled, totals = lua.execute(SOURCE % name)(x, y, w, v, q)
    np.testing.assert_array_equal(affine, (x - y) * w + v)
    np.testing.assert_array_equal(scaled, np.maximum(x, 0) * q[:, None])
    squares = (x - y) * (x - y)
    np.testing.assert_allclose(totals, squares.astype(np.float64).sum(0), rtol=1e-12)


FIVE = """
local programs = require 'torch.kernels.elementwise.row_programs'
local T = require('torch.base.types').by_name.%s
local function at(t) return t:data() end
return function(x, y, w, v, q)
   local rows, columns = x:size(1), x:size(2)
   local result = T.new_matrix(rows, columns)
   local sums, squares = torch.DoubleTensor(rows), torch.DoubleTensor(rows)
   programs.map('five', T, 'z = (x - y) * u * w + r',
      { 'x', 'y', 'w', 'r', 'u' })(
      rows, columns, at(x), columns, at(y), 0, at(w), 0, at(v), 0, at(q), 1, at(result), columns)
   programs.sums('sums', T, 'z = positive(x)', { 'x' })(rows, columns, at(x), columns, at(sums))
   programs.sums('squares', T, 'a = (x - y) * w; z = a * a', { 'x', 'y', 'w' })(
      rows, columns, at(x), columns, at(y), 0, at(w), 0, at(squares))
   return result, sums, squares
end
"""


@pytest.mark.parametrize("name", ["Float", "Double"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (2, 15), (40, 100), (1000, 37), (70, 1000), (3, 90001)])
def test_sums_of_rows_and_five_operands(lua: Runtime, name: str, shape: tuple[int, int]) -> None:
    random, kind = np.random.default_rng(4), np.float32 if name == "Float" else np.float64
    x = random.uniform(-1, 1, shape).astype(kind)
    y, w, v = (random.uniform(-1, 1, shape[1]).astype(kind) for _ in range(3))
    q = random.uniform(-1, 1, shape[0]).astype(kind)
    result, sums, squares = lua.execute(FIVE % name)(x, y, w, v, q)
    np.testing.assert_array_equal(result, (x - y) * q[:, None] * w + v)
    np.testing.assert_allclose(sums, x.astype(np.float64).sum(1), rtol=1e-9, atol=1e-9)
    terms = ((x - y) * w) ** 2
    np.testing.assert_allclose(squares, terms.astype(np.float64).sum(1), rtol=1e-12)


@pytest.mark.parametrize("columns", [2, 3, 40, 100, 512, 513])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32, np.uint8])
def test_a_row_is_repeated(lua: Runtime, columns: int, kind: type) -> None:
    """Short rows are repeated in memory, so that a loop has work; also of the last, fewer rows."""
    x = np.random.default_rng(2).integers(0, 90, (9001 // columns + 50, columns)).astype(kind)
    row = x[3:4] // 3
    add = lua.execute("return function(x, y) y = y:expandAs(x) return x + y, y:gt(x), x:clone():cmul(y) end")
    total, larger, product = add(x, row)
    np.testing.assert_array_equal(total, x + row)
    np.testing.assert_array_equal(larger, row > x)
    np.testing.assert_array_equal(product, x * row)


@pytest.mark.parametrize("shape", [(1000, 100), (100, 7), (64, 65), (40, 1000)])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32])
def test_a_column_is_repeated(lua: Runtime, shape: tuple[int, int], kind: type) -> None:
    random = np.random.default_rng(3)
    x, column = random.integers(1, 50, shape).astype(kind), random.integers(1, 9, (shape[0], 1)).astype(kind)
    row = random.integers(1, 9, (1, shape[1])).astype(kind)
    source = """return function(x, column, row)
       local c, r = column:expandAs(x), row:expandAs(x)
       return x + c, torch.cmul(c, r), torch.addcmul(x, 2, c, x), torch.mul(c, 3), torch.clamp(c, 2, 5)
    end"""
    total, product, third, scaled, bounded = lua.execute(source)(x, column, row)
    wide = np.broadcast_to(column, shape)
    np.testing.assert_array_equal(total, x + column)
    np.testing.assert_array_equal(product, column * row)
    np.testing.assert_array_equal(third, x + 2 * column * x)
    np.testing.assert_array_equal(scaled, 3 * wide)
    np.testing.assert_array_equal(bounded, np.clip(wide, 2, 5))
