"""Functions that only calculate, of which the second core may call a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from t7shell import Runtime

# Of one number, where no other is named.
CALCULATE = [
    "function(x) return x * 1.0 end",
    "function(x) return x > 0 and x or 0 end",
    "function(x) if x > 1 then x = x / 2 elseif x == 1 then return end return -x % 3 ^ 2 end",
    "function(x) end",
    "function(x) return math.exp(x) end",
    "function(x) return 1 / (1 + math.exp(-x)) end",
    "function(x) return math.max(0, math.min(x, 1)) end",
    "function(x) return math.sqrt(math.abs(math.sin(x))) end",
    "function(x) return math.pow(2, math.exp(x)) + (math.floor)(x) end",
    "math.exp",
]

DO_MORE = [
    # They see or change what is around them.
    "function(x) n = n + 1 return n end",
    "function(x) k = x return x end",
    "function(x) return x * k end",
    "function(x) return math.random() end",
    "function(x) return torch.uniform() end",
    "function(x) return print(x) end",
    "function(x) return math.exp(print(x)) end",
    "setfenv(function(x) return math.exp(x) end, { math = { exp = print } })",
    "setfenv(function(x) return math.exp(x) end, setmetatable({}, { __index = _G }))",
    "math.random",
    "print",
    # They fail, or give what is no number.
    "function(x, y) return x + y end",
    "function(x) return x > 0 end",
    "function(x) return nil end",
    "function(x) return 'a' end",
    "function(x) return x .. 1 end",
    "function(x) return #x end",
    "function(x) return x.y end",
    "function(x) return { x } end",
    "function(x) return 1LL end",
    "function(x) local a, b = x return b end",
    "function(x) return math.max() end",
    "function(x) return math.atan2(x) end",
    "function(x) return math.pow(math.exp(x)) end",
    "function(x) return math.exp + x end",
    "function(x) return math.exp(math.exp) end",
    "function(x) local a = math.max(x, math.exp) local b, c = 1, 2 local d = math.exp(x) return d end",
    "function(x) local a = math.exp local b = math.sin(x) local c = math.exp(a) return b end",
    "function(x) local f = x > 0 and math.exp or 3 return f + 1 end",
    "function(...) return ... end",
    "math.pow",
    # They may never end.
    "function(x) while true do end end",
    "function(x) for i = 1, 0, 0 do end end",
    "function(x) ::again:: if x > 0 then goto again end return x end",
    # These would do no harm, but that takes more to see.
    "function(x) return x, x end",
    "function(x) math.exp(x) return x end",
    "function(x) local e = math.exp return e(x) end",
    "function(x) return math.max(x > 0 and 1 or 2, x) end",
    "function(x) return math.sqrt(math.modf(x)) end",
]


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    runtime = Runtime()
    runtime.execute("pure = require 'torch.worker.pure'")
    return runtime


@pytest.mark.parametrize("source", CALCULATE)
def test_a_copy_calculates_the_same(runtime: Runtime, source: str) -> None:
    same = """
    local f = %s
    local copy = pure.load(pure.text(f, 1))
    for _, x in ipairs { 0.3, -1, 1, 2, 7.5, 1 / 0 } do
       local a, b = f(x), copy(x)
       if not (a == b or a ~= a and b ~= b) then return false end
    end
    return copy ~= f or f == math.exp
    """
    assert runtime.execute(same % source)


@pytest.mark.parametrize("source", DO_MORE)
def test_others_are_told(runtime: Runtime, source: str) -> None:
    assert runtime.execute(f"local n, k = 0, 2 return pure.text({source}, 1) == nil")


def test_functions_of_two_numbers(runtime: Runtime) -> None:
    assert runtime.execute("return pure.text(function(x, y) return x + 0 * y end, 2) ~= nil")
    assert runtime.execute("return pure.text(math.atan2, 2) ~= nil and pure.text(math.atan2, 1) == nil")


def test_a_library_that_the_program_changed() -> None:
    changed = """
    local pure, f = require 'torch.worker.pure', function(x) return math.exp(x) end
    local before = pure.text(f, 1)
    math.exp = print
    return before ~= nil and pure.text(f, 1) == nil
    """
    assert Runtime().execute(changed)


COUNT = 100003

KINDS = ["Byte", "Char", "Short", "Int", "Long", "Float", "Double", "Half"]


def test_calls_are_shared(runtime: Runtime) -> None:
    work = """
    torch.setnumthreads(2)
    local parallel, types = require 'torch.worker.share', require 'torch.core.types'
    local Double, n = types.by_name.Double, %d
    local loop, x = types.specialise('tensor.apply_loops', Double).contiguous[1], torch.ones(n)
    return parallel.each(loop, Double, 1, x:data(), x:data(), n, math.sqrt)
    """
    assert runtime.execute(work % COUNT)


@pytest.mark.parametrize("kind", KINDS)
def test_shared_calls(runtime: Runtime, kind: str) -> None:
    work = """
    torch.setnumthreads(2)
    local x = torch.range(1, %d):remainder(100):type('torch.%sTensor')
    local y, z = x:clone(), x:clone()
    y:apply(function(v) if v ~= 3 then return v > 50 and v - 20 or v + 1 end end)
    for _ = 1, 20 do z:copy(x):map(y, function(a, b) return math.max(a, b - 9) end) end
    return x, y, z
    """
    x, y, z = (np.array(t, np.float64) for t in runtime.execute(work % (COUNT, kind)))
    assert (y == np.where(x == 3, 3, np.where(x > 50, x - 20, x + 1))).all()
    assert (z == np.maximum(x, y - 9)).all()


def test_neighbours_are_changed_in_order(runtime: Runtime) -> None:
    """Each call sees what the one before it has stored."""
    work = """
    torch.setnumthreads(2)
    local x = torch.ones(%d)
    x:narrow(1, 2, %d):map(x:narrow(1, 1, %d), function(a, b) return a + b end)
    return x
    """
    x: Any = np.array(runtime.execute(work % (COUNT, COUNT - 1, COUNT - 1)))
    assert (x == np.arange(1, COUNT + 1)).all()


def test_calls_in_order_stay_in_order(runtime: Runtime) -> None:
    work = "local n, x = 0, torch.Tensor(%d) return x:apply(function() n = n + 1 return n end)"
    x: Any = np.array(runtime.execute(work % COUNT))
    assert (x == np.arange(1, COUNT + 1)).all()
