"""The programs of the rows and the kernels of the library: which there are, and what they compute."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from t7shell import Runtime, native
from t7shell.native import rows
from tests.native.kernels import Array, find, run

LUA = Path(__file__).parents[2] / "lua"

# Calls of everything that has programs; `composed` are those that the build did not see.
ALL = """
local nn, optim = require 'nn', require 'optim'
local fused = require 'torch.kernels.elementwise.fused'
local unknown = {}
local function look(value, seen)
   if type(value) == 'string' then
      if value:find '^[%a ;]*%a = ' and value:find 'z = ' then unknown[value] = true end
   elseif type(value) == 'table' and not seen[value] then
      seen[value] = true
      for k, v in pairs(value) do
         look(v, seen)
      end
   end
end
local seen = {}
for _, name in ipairs(require 'torch.ops.chapters') do
   look(type(name) == 'table' and name or require('torch.ops.' .. name), seen)
end
look(require 'nn.transfer.transfer_rows', seen)
look(require 'nn.criterions.criterion_rows', seen)
look(require 'nn.tables.table_rows', seen)
local T = require('torch.base.types').by_name
for text in pairs(unknown) do
   for _, type_name in ipairs { 'Float', 'Double', 'Byte', 'Char', 'Short', 'Int', 'Long' } do
      if fused.find(T[type_name], text) then unknown[text] = nil end
   end
end
for text in pairs(unknown) do print(text) end
for _, name in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor' } do
   torch.setdefaulttensortype(name)
   local x, y = torch.rand(6, 8), torch.rand(6, 8)
   for _, f in ipairs { optim.sgd, optim.adam, optim.adamax, optim.adagrad, optim.adadelta, optim.rmsprop,
      optim.rprop, optim.nag, optim.asgd } do
      f(function() return 1, y end, x:clone(), { learningRate = 0.1, momentum = 0.5, dampening = 0 })
   end
   for _, m in ipairs { nn.LayerNormalization(8), nn.Normalize(2), nn.PReLU(8), nn.BatchNormalization(8),
      nn.SoftMax(), nn.LogSoftMax(), nn.CMaxTable(), nn.CMinTable(), nn.CDivTable(),
      nn.GatedLinearUnit(2) } do
      local input = torch.typename(m):find 'Table' and { x, y } or x
      m:backward(input, m:forward(input))
   end
   torch.linspace(0, 1, 10000) torch.range(0, 9000)
   for _, kind in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double' } do
      local a = torch[kind .. 'Tensor'] { 1, 2, 3 }
      torch.add(a, 2, a) torch.lt(a, 2) torch.lt(a.new(), a, 2) torch.eq(a, a) torch.cumsum(a)
      torch.addcmul(a, 2, a, a) torch.addcdiv(a, 2, a, a) torch.cpow(a, a) torch.cmax(a, 2)
      torch.remainder(a, 2) torch.clamp(a, 1, 2)
   end
end
for text in pairs(fused.composed) do print('composed', text) end
"""


def test_all_programs_of_the_rows_are_compiled() -> None:
    done = subprocess.run([sys.executable, "-m", "t7shell", "-e", ALL], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_the_library_has_the_programs_of_the_sources() -> None:
    programs = rows.programs(LUA)
    assert len(programs) > 180
    for level in native.runnable():
        for text, types in programs.items():
            assert all(find(level, name, text) for name in types), text
        assert not find(level, "Float", "z = nothing(x)")
        assert not find(level, "Half", "z = exp(x)")


@pytest.mark.parametrize(
    ("text", "is_program"),
    [
        ("z = exp(x)", True),
        ("z = x + y * v", True),
        ("wide; z = exp(x) - 1", True),
        ("z = where(x > 0, x, 0)", True),
        ("z = where(q, x, y)", True),
        ("z = a + x", False),
        ("a = exp(x)", False),
        ("z = exp(x); a = exp(x)", False),
        ("z = unknown(x)", False),
        ("z = exp(x, y)", False),
        ("z = (x", False),
        ("z = x y", False),
        ("z = x + ", False),
        ("z = exp x", False),
        ("z = x & y", False),
    ],
)
def test_which_texts_are_programs(text: str, is_program: bool) -> None:
    assert rows.is_program(text) == is_program


def test_constants_are_joined(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    source = (
        "local PART = 'a = exp(x); '\nlocal f = g { PART .. 'z = a + 1' }\nlocal h = g(PART .. unknown)\n"
    )
    (tmp_path / "torch" / "rows.lua").write_text(source)
    assert rows.programs(tmp_path)["a = exp(x); z = a + 1"] == ["Float", "Double"]


@pytest.mark.parametrize("level", native.runnable())
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.int64])
def test_functions_of_integers(kind: type, level: str) -> None:
    limits = np.iinfo(kind)
    special = np.array(
        [limits.min, limits.max, limits.min + 1, 0, 1, 2, 3, 7, *([-1, -2, -3] if limits.min else [])]
    )
    x, y = (part.astype(kind) for part in (np.repeat(special, len(special)), np.tile(special, len(special))))
    wide = x.astype(object), y.astype(object)

    def wrapped(values: Array) -> Array:
        low = [int(v) & (2 ** (8 * limits.dtype.itemsize) - 1) for v in values]
        return np.array(low, object).astype(f"u{limits.dtype.itemsize}").view(kind)

    def results(name: str, *arrays: Array) -> Array:
        return run(level, f"z = {rows.call(name, ['x', 'y'])}", *(arrays or (x, y)))

    for name, f in {"add": np.add, "subtract": np.subtract, "multiply": np.multiply}.items():
        np.testing.assert_array_equal(results(name), wrapped(f(*wide)))
    for name in ("maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"):
        np.testing.assert_array_equal(results(name), getattr(np, name)(x, y))
    some = y != 0
    a, b = wide[0][some], wide[1][some]
    signs = [1 if (p < 0) == (q < 0) else -1 for p, q in zip(a, b, strict=True)]
    quotient = np.abs(a) // np.abs(b) * np.array(signs, object)
    np.testing.assert_array_equal(results("divide", x[some], y[some]), wrapped(quotient))
    np.testing.assert_array_equal(results("fmod", x[some], y[some]), wrapped(a - b * quotient))
    np.testing.assert_array_equal(results("remainder", x[some], y[some]), wrapped(a % b))
    unsigned = f"u{limits.dtype.itemsize}"
    expected = np.left_shift(x.view(unsigned), y.view(unsigned)).view(kind)
    np.testing.assert_array_equal(results("left_shift"), expected)
    expected = np.right_shift(x.view(unsigned), y.view(unsigned)).view(kind)
    np.testing.assert_array_equal(results("right_shift"), expected)
    for name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):
        out = np.zeros(len(x), np.uint8)
        text = f"z = {rows.call(name, ['x', 'y'])}"
        np.testing.assert_array_equal(run(level, text, x, y, out=out), getattr(np, name)(x, y))


def test_programs_that_are_put_together_at_run_time() -> None:
    source = """
    local fused, T = require 'torch.kernels.elementwise.fused', require('torch.base.types').by_name.Double
    local ffi = require 'ffi'
    local v = ffi.new('double[1]', 3)
    local text = 'z = where(x > 0.25, exp(y * v) - 7, x) + y'
    return function(x, y)
       local z = x:clone()
       local run = fused.make('test', T, T, text, { 'x', 'y' }, { v = v })
       run(x:data(), 8 * x:stride(1), y:data(), 8, z:data(), 8, x:size(1))
       return z, fused.composed[text]
    end
    """
    random = np.random.default_rng(2)
    for count in (1, 15, 256, 1000, 100_003):
        x, y = random.normal(size=count), random.normal(size=count) / 9
        z, composed = Runtime().execute(source)(x, y)
        assert composed
        np.testing.assert_allclose(z, np.where(x > 0.25, np.exp(y * 3) - 7, x) + y, rtol=1e-15)
