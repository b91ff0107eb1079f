"""Products of matrices: layouts, edges, and bits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fork_server import run_t7
from tests.numbers import arrays

Lua = Callable[[str], str]

# Rows, columns, inner elements of products that are shared: whole blocks and panels, the least and the most
# that is left over of each, several runs of inner elements, more rows than are taken at once.
SIZES = [
    (8, 16, 1600), (9, 17, 1400), (13, 31, 513), (17, 40, 300), (47, 25, 200), (32, 512, 128), (512, 128, 32),
    (241, 40, 30), (500, 65, 513), (9601, 16, 8), (403, 1030, 260), (733, 259, 31), (16, 31, 64),
    (32, 45, 300), (64, 77, 150), (10, 31, 300), (20, 40, 300),
]  # fmt: skip

NUMBERS = """
local function whole(rows, columns, seed)
   local at = torch.range(0, rows * columns - 1):mul(seed):add(seed)
   return at:apply(function(v) return v * v % 11 - 5 end):view(rows, columns)
end
"""


def whole(rows: int, columns: int, seed: int) -> np.ndarray[Any, Any]:
    """The same numbers as in Lua, of -5 to 5: sums of their products are exact."""
    at = np.arange(rows * columns) * seed + seed
    return (at * at % 11 - 5).reshape(rows, columns).astype(float)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ["Float", "Double"])
def test_products_of_all_layouts(lua: Lua, kind: str, size: tuple[int, int, int]) -> None:
    m, n, k = size
    source = f"""{NUMBERS}
local of = 'torch.{kind}Tensor'
local a, b, c = whole({m}, {k}, 3):type(of), whole({k}, {n}, 5):type(of), whole({m}, {n}, 7):type(of)
local at, bt = a:t():contiguous():t(), b:t():contiguous():t()
local wide = torch.{kind}Tensor({m}, {n} + 3):fill(0/0)
local part = wide:narrow(2, 2, {n})
local plain, left, right, both = torch.mm(a, b), torch.mm(at, b), torch.mm(a, bt), torch.mm(at, bt)
local nan = torch.{kind}Tensor({m}, {n}):fill(0/0)
nan:mm(a, b)
part:mm(a, bt)
local around = wide:ne(wide):sum()
local columns = torch.{kind}Tensor({n}, {m}):fill(0/0):t()
columns:mm(at, b)
local added, scaled = c:clone():addmm(1, 2, a, b), c:clone():addmm(-2, 3, at, bt)
local strided = torch.mm(whole({m}, 2 * {k}, 3):type(of):view({m}, {k}, 2):select(3, 1), b)
"""
    names = ["plain", "left", "right", "both", "nan", "part", "columns"]
    names += ["added", "scaled", "strided", "around"]
    *products, added, scaled, strided, around = arrays(lua, source, *names)
    a, b, c = whole(m, k, 3), whole(k, n, 5), whole(m, n, 7)
    for product in products:
        assert np.array_equal(product, a @ b)
    assert np.array_equal(added, c + 2 * (a @ b))
    assert np.array_equal(scaled, 3 * (a @ b) - 2 * c)
    assert np.array_equal(strided, whole(m, 2 * k, 3).reshape(m, k, 2)[:, :, 0] @ b)
    assert around == 3 * m


# Rows, columns and inner elements: all that may be left over of blocks, of panels, and of squares that are
# turned.
RESTS = [(m, n, 701) for m in range(3, 15) for n in range(4, 33)] + [(12, 20, k) for k in range(36, 53)]


@pytest.mark.parametrize("kind", ["Float", "Double"])
def test_all_rests_of_rows_columns_and_inner_elements(lua: Lua, kind: str) -> None:
    sizes = ", ".join(f"{{ {m}, {n}, {k} }}" for m, n, k in RESTS)
    source = f"""{NUMBERS}
local of, results = 'torch.{kind}Tensor', {{}}
for _, size in ipairs {{ {sizes} }} do
   local m, n, k = unpack(size)
   local a, b = whole(m, k, 3):type(of), whole(k, n, 5):type(of)
   local turned = torch.mm(a:t():contiguous():t(), b:t():contiguous():t())
   results[#results + 1] = torch.cat(torch.mm(a, b):view(-1), turned:view(-1))
end
local joined = torch.cat(results)
"""
    (results,) = arrays(lua, source, "joined")
    expected = []
    for m, n, k in RESTS:
        product = (whole(m, k, 3) @ whole(k, n, 5)).ravel()
        expected += [product, product]
    assert np.array_equal(results, np.concatenate(expected))


@pytest.mark.parametrize("columns", range(1, 7))
@pytest.mark.parametrize("kind", ["Float", "Double"])
def test_short_rows_times_a_vector(lua: Lua, kind: str, columns: int) -> None:
    source = f"""{NUMBERS}
local of = 'torch.{kind}Tensor'
local a, x = whole(37, {columns}, 3):type(of), whole({columns}, 1, 5):type(of):view(-1)
local wide = torch.{kind}Tensor(37, {columns} + 2):fill(0/0)
wide:narrow(2, 2, {columns}):copy(a)
local y, part = torch.mv(a, x), torch.mv(wide:narrow(2, 2, {columns}), x)
local added = torch.ones(37):type(of):addmv(3, 2, a, x)
"""
    y, part, added = arrays(lua, source, "y", "part", "added")
    expected = whole(37, columns, 3) @ whole(columns, 1, 5)[:, 0]
    assert np.array_equal(y, expected)
    assert np.array_equal(part, expected)
    assert np.array_equal(added, 3 + 2 * expected)


@pytest.mark.parametrize("count", [16, 17])
@pytest.mark.parametrize("kind", ["Float", "Double"])
def test_batches_of_all_layouts(lua: Lua, kind: str, count: int) -> None:
    source = f"""{NUMBERS}
local of = 'torch.{kind}Tensor'
local function batch(rows, columns, seed)
   return whole(7 * rows, columns, seed):type(of):view(7, rows, columns)
end
local a, b, c = batch({count}, 34, 3), batch(34, 21, 5), batch({count}, 21, 7)
local at, bt = a:transpose(2, 3):contiguous():transpose(2, 3), b:transpose(2, 3):contiguous():transpose(2, 3)
local plain, left, right, both = torch.bmm(a, b), torch.bmm(at, b), torch.bmm(a, bt), torch.bmm(at, bt)
local nan = c:clone():fill(0/0)
nan:baddbmm(0, nan, 1, a, b)
local columns = torch.{kind}Tensor(7, 21, {count}):fill(0/0):transpose(2, 3)
columns:bmm(at, b)
local added, scaled = c:clone():baddbmm(1, 2, a, b), c:clone():baddbmm(-2, 3, at, bt)
local square = b:narrow(2, 1, 17):narrow(3, 1, 17)
local over = square:clone()
over:bmm(over, over)
local own = torch.bmm(square, square)
"""
    names = ["plain", "left", "right", "both", "nan", "columns", "added", "scaled", "over", "own"]
    *products, added, scaled, over, own = arrays(lua, source, *names)
    a, b, c = (
        whole(7 * rows, columns, seed).reshape(7, rows, columns)
        for rows, columns, seed in [(count, 34, 3), (34, 21, 5), (count, 21, 7)]
    )
    for product in products:
        assert np.array_equal(product, a @ b)
    assert np.array_equal(added, c + 2 * (a @ b))
    assert np.array_equal(scaled, 3 * (a @ b) - 2 * c)
    square = b[:, :17, :17]
    assert np.array_equal(over, square @ square)
    assert np.array_equal(own, square @ square)


GUARDED = Path(__file__).parents[2] / "fuzz" / "?.lua"


@pytest.mark.skipif(sys.platform != "linux", reason="pages are guarded as on Linux")
@pytest.mark.parametrize("kind", ["Float", "Double"])
def test_no_memory_around_the_operands_is_touched(kind: str) -> None:
    # In a process of its own, which would end. NaN stays in the panels of the first product.
    source = f"""
package.path = '{GUARDED};' .. package.path
local guarded, T = require 'guarded', require('torch.base.types').by_name.{kind}
local nan = torch.{kind}Tensor(64, 64):fill(0/0)
torch.mm(nan, nan)
local matrix
function matrix(rows, columns, at_end, turned)
   if turned then return matrix(columns, rows, at_end):t() end
   return torch.{kind}Tensor(guarded.storage(T, rows * columns, at_end)):view(rows, columns):fill(1)
end
local products = 0
local sizes = {{ {{ 8, 32, 64 }}, {{ 3, 4, 701 }}, {{ 13, 21, 37 }}, {{ 17, 9, 61 }}, {{ 130, 11, 9 }} }}
for _, size in ipairs(sizes) do
   local m, n, k = unpack(size)
   for layout = 0, 15 do
      local at_end, a_turned = layout % 2 < 1, layout % 4 < 2
      local b_turned, c_turned = layout % 8 < 4, layout < 8
      local a, b = matrix(m, k, at_end, a_turned), matrix(k, n, at_end, b_turned)
      local c = matrix(m, n, at_end, c_turned)
      c:mm(a, b)
      assert(c:ne(k):sum() == 0)
      products = products + 1
   end
end
print(products)
"""
    run = run_t7("-e", source, timeout=120)
    assert (run.stdout, run.stderr) == ("80\n", "")


@pytest.mark.parametrize("kind", ["Float", "Double"])
def test_any_number_of_threads_gives_the_same_bits(lua: Lua, kind: str) -> None:
    source = f"""
torch.manualSeed(1)
local threads = torch.getnumthreads()
local sizes = {{
   {{ 300, 310, 520 }}, {{ 410, 1030, 260 }}, {{ 1003, 20, 300 }}, {{ 30, 1001, 300 }}, {{ 700, 70, 90 }}
}}
for _, size in ipairs(sizes) do
   local m, n, k = unpack(size)
   local a, b = torch.randn(m, k):type('torch.{kind}Tensor'), torch.randn(k, n):type('torch.{kind}Tensor')
   for _, x in ipairs {{ a, a:t():contiguous():t() }} do
      for _, y in ipairs {{ b, b:t():contiguous():t() }} do
         torch.setnumthreads(1)
         local one = torch.mm(x, y)
         for _, count in ipairs {{ 2, 3, 8 }} do
            torch.setnumthreads(count)
            assert(torch.mm(x, y):equal(one))
         end
      end
   end
end
torch.setnumthreads(threads)
print 'equal'
"""
    assert lua(source) == "equal\n"


@pytest.mark.parametrize("kind", ["Float", "Double"])
def test_nan_and_infinity_stay_in_their_rows_and_columns(lua: Lua, kind: str) -> None:
    source = f"""
local a, b = torch.{kind}Tensor(40, 100):fill(1), torch.{kind}Tensor(100, 41):fill(2)
a[7][3], b[50][40] = 0/0, 1/0
local r = torch.mm(a, b)
"""
    (r,) = arrays(lua, source, "r")
    expected = np.full((40, 41), 200.0)
    expected[:, 39] = np.inf
    expected[6] = np.nan
    assert np.array_equal(r, expected, equal_nan=True)


@pytest.mark.parametrize("kind", ["Float", "Double"])
def test_an_element_has_the_same_bits_wherever_it_is(lua: Lua, kind: str) -> None:
    source = f"""
torch.manualSeed(1)
local of = 'torch.{kind}Tensor'
local row, column = torch.randn(1, 700):type(of), torch.randn(700, 1):type(of)
local distinct = {{}}
local sizes = {{
   {{ 8, 50 }}, {{ 77, 45 }}, {{ 300, 250 }}, {{ 500, 300 }}, {{ 31, 600 }}, {{ 2, 2 }}, {{ 5, 17 }},
   {{ 16, 41 }}, {{ 32, 45 }}, {{ 64, 70 }}, {{ 10, 33 }}, {{ 21, 40 }}
}}
for _, size in ipairs(sizes) do
   local a, b = row:expand(size[1], 700), column:expand(700, size[2])
   for _, x in ipairs {{ a:contiguous(), a:t():contiguous():t() }} do
      for _, y in ipairs {{ b:contiguous(), b:t():contiguous():t() }} do
         local r = torch.mm(x, y)
         distinct[r:min()], distinct[r:max()] = true, true
      end
   end
end
for value in pairs(distinct) do print(('%.17g'):format(value)) end
"""
    assert len(lua(source).splitlines()) == 1
