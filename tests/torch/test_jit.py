"""LuaJIT compiles the loops that programs are made of: interpreted code costs a hundred times more.

A loop counts as compiled when a trace that begins at it goes round and back to its own start.
"""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime
from t7shell.engine.engine import Engine

# Runs `body` in a separate loop, twice, and reports the traces that began in it.
WATCH = """
local util = require 'jit.util'
return function(setup, body)
   local source = setup .. ' return function(n) local s = 0 for i = 1, n do ' .. body .. ' end return s end'
   local run = assert(loadstring(source, '=loop'))()
   local roots, links, aborts = {}, {}, {}
   local function watch(what, trace, func, pc, other, reason)
      if what == 'start' and not other and debug.getinfo(func, 'S').source == '=loop' then roots[trace] = true
      elseif what == 'stop' and roots[trace] then links[#links + 1] = trace
      elseif what == 'abort' and roots[trace] then
         roots[trace] = nil
         local at = util.funcinfo(func, pc)
         aborts[#aborts + 1] = (at.loc or 'C') .. ' error ' .. tostring(other)
      end
   end
   jit.flush()
   jit.attach(watch, 'trace')
   local ok, message = pcall(function() run(500) return run(5000) end)
   jit.attach(watch)
   local types = {}
   for i, trace in ipairs(links) do types[i] = (util.traceinfo(trace) or {}).linktype or 'gone' end
   return ok, tostring(message), table.concat(types, ' '), table.concat(aborts, '; ')
end
"""

VECTOR = "local x = torch.range(1, 100) "
MATRIX = "local x = torch.zeros(100, 100) "
PAIR = "local a, b = torch.rand(4, 4), torch.rand(4, 4) "

LOOPS = [
    ("x[i]", VECTOR, "s = s + x[i % 100 + 1]"),
    ("x[i] = v", VECTOR, "x[i % 100 + 1] = i"),
    ("x[-1]", VECTOR, "s = s + x[-1]"),
    ("x[i][j]", MATRIX, "s = s + x[i % 100 + 1][3]"),
    ("x[i][j] = v", MATRIX, "x[i % 100 + 1][3] = i"),
    ("x[{i, j}]", MATRIX, "s = s + x[{i % 100 + 1, 3}]"),
    ("x[{i, j}] = v", MATRIX, "x[{i % 100 + 1, 3}] = i"),
    ("x[{{a, b}, {c, d}}]", MATRIX, "local v = x[{{2, 5}, {3, 4}}] s = s + v:size(1)"),
    ("s[i]", "local x = torch.DoubleStorage(100) ", "s = s + x[i % 100 + 1]"),
    ("s[i] = v", "local x = torch.DoubleStorage(100) ", "x[i % 100 + 1] = i"),
    ("#s", "local x = torch.DoubleStorage(100) ", "s = s + #x"),
    ("FloatTensor x[i]", "local x = torch.FloatTensor(100) ", "s = s + x[i % 100 + 1]"),
    ("LongTensor x[i]", "local x = torch.LongTensor(100) ", "s = s + x[i % 100 + 1]"),
    ("ByteTensor x[i] = v", "local x = torch.ByteTensor(100) ", "x[i % 100 + 1] = i % 2"),
    ("x:size(d)", MATRIX, "s = s + x:size(1)"),
    ("x:narrow", MATRIX, "local v = x:narrow(1, i % 50 + 1, 10) s = s + v:size(1)"),
    ("x:select", MATRIX, "local v = x:select(2, i % 50 + 1) s = s + v:size(1)"),
    ("x:t", MATRIX, "local v = x:t() s = s + v:size(1)"),
    ("x:transpose", MATRIX, "local v = x:transpose(1, 2) s = s + v:size(1)"),
    ("a:add(v)", PAIR, "a:add(1)"),
    ("a:add(b)", PAIR, "a:add(b)"),
    ("a:mul(v)", PAIR, "a:mul(0.5)"),
    ("a:cmul(b)", PAIR, "a:cmul(b)"),
    ("a:add(v, b)", PAIR, "a:add(0.5, b)"),
    ("torch.add(a, b)", PAIR, "local c = torch.add(a, b)"),
    ("a + b", PAIR, "local c = a + b"),
    ("a * 2", PAIR, "local c = a * 2"),
    ("a:copy(b)", PAIR, "a:copy(b)"),
    ("a:copy(b:t())", PAIR + "local t = b:t() ", "a:copy(t)"),
    ("f:copy(a)", PAIR + "local f = torch.FloatTensor(4, 4) ", "f:copy(a)"),
    ("a:fill(v)", PAIR, "a:fill(i)"),
    ("a:zero()", PAIR, "a:zero()"),
    ("torch.zeros(n)", "", "local c = torch.zeros(4) s = s + c[1]"),
    ("a:clone()", PAIR, "local c = a:clone()"),
    ("torch.Tensor(n)", "", "local c = torch.Tensor(4) s = s + c[1]"),
    ("a:dot(b)", PAIR, "s = s + a:dot(b)"),
    ("torch.zeros(s)", PAIR, "local c = torch.zeros(a:size()) s = s + c[1][1]"),
    ("torch.Tensor(s)", PAIR, "local c = torch.Tensor(a:size()) s = s + c:size(1)"),
    ("torch.zeros(n, m, k)", "", "local c = torch.zeros(2, 3, 4) s = s + c:size(1)"),
    ("torch.Tensor(n, m, k, l)", "", "local c = torch.Tensor(2, 3, 4, 5) s = s + c:size(1)"),
    ("torch.Tensor(storage, ...)", PAIR + "local x = a:storage() ", "local c = torch.Tensor(x, 2, 3)"),
    ("a:resize(n, m)", PAIR, "a:resize(2, 8):resize(4, 4)"),
    ("torch.random(a, b)", "", "s = s + torch.random(1, 6)"),
    ("torch.uniform()", "", "s = s + torch.uniform()"),
    ("a:view(n, -1)", PAIR, "local c = a:view(2, -1) s = s + c:size(2)"),
    ("a:reshape(n, m)", PAIR, "local c = a:reshape(2, 8) s = s + c:size(2)"),
    ("a:expandAs(b)", PAIR + "local x = torch.rand(1, 4) ", "local c = x:expandAs(a) s = s + c:size(1)"),
    ("a:squeeze()", "local x = torch.rand(3, 1, 2) ", "local c = x:squeeze() s = s + c:size(1)"),
    ("torch.cat(a, b, d)", PAIR, "local c = torch.cat(a, b, 1) s = s + c:size(1)"),
    ("column:sum()", PAIR, "s = s + a:select(2, 1):sum()"),
    ("column + v", PAIR, "local c = a:select(2, 1) + 1 s = s + c:size(1)"),
    ("a:t():sum()", PAIR, "s = s + a:t():sum()"),
    ("torch.trace(a)", PAIR, "s = s + torch.trace(a)"),
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


@pytest.mark.parametrize(("setup", "body"), [row[1:] for row in LOOPS], ids=[row[0] for row in LOOPS])
def test_loop_is_compiled(engine: Engine, setup: str, body: str) -> None:
    watch = engine.execute(WATCH).values[0]
    seen = []
    # Where the compiler begins is a matter of chance: now and then another function becomes hot first.
    for _ in range(3):
        ok, message, links, aborts = engine.call(watch, setup, body).values
        assert ok, message
        if "loop" in links.split():
            return
        seen.append(f"traces: {links or 'none'}; aborted at {aborts or 'nothing'}")
    pytest.fail("; ".join(seen))


def test_a_product_of_matrices_ends_a_trace_and_the_next_goes_on() -> None:
    """A loop with many operations between products would need more exits than one trace may have."""
    engine = Engine()
    watch = engine.execute(WATCH.replace(" and debug.getinfo(func, 'S').source == '=loop'", "")).values[0]
    ok, message, links, _ = engine.call(watch, PAIR, "torch.mm(a, b) torch.mm(b, a)").values
    assert ok, message
    assert "stitch" in links.split()


# What programs do often in loops that cannot be compiled. A function or a loop of the library given up there
# is not compiled anywhere else (docs/decisions/0014-aborted-traces.md).
FREQUENT = [
    "local v = m[{2, {1, 2}}] m[{{}, 3}] = 1 local w = d[{{}, 2}]",
    pytest.param(
        "pcall(function() return x[200] end) pcall(function() l[200] = 1 end)", marks=pytest.mark.slow
    ),
    "local a, b = x[3], l[2] l[3] = 4 x[1] = 2",
    "local n, k = m:size(), m:size()[1] local same = x == l",
    "local a, b, c = l:sum(), m:norm(), m:std(1)",
    "torch.addbmm(q, c, c:transpose(2, 3)) torch.bmm(c, c:transpose(2, 3))",
    pytest.param(
        "local a = torch.ones(1, 2, 1, 2, 1):expand(2, 2, 2, 2, 2) d:fill(1) d:transpose(1, 4):add(1)",
        marks=pytest.mark.slow,
    ),
    "local r = torch.randn(2, 3) r:bernoulli(0.5)",
    pytest.param("torch.deserialize(text)", marks=pytest.mark.slow),
    "m:t():apply(function(v) return v + 1 end) h:add(1)",
    "local a = c:index(2, k) m:gather(1, g)",
]
PREPARED = """
local x, l, m, q = torch.ones(100), torch.LongTensor(100):fill(1), torch.ones(3, 4), torch.ones(3, 3)
local c, d, h = torch.ones(2, 3, 4), torch.ones(2, 2, 2, 2, 2), torch.ones(4):half()
local k, g, text = torch.LongTensor{1, 2}, torch.LongTensor(1, 4):fill(1), torch.serialize(m)
"""
LATER = [
    (VECTOR, "s = s + x[i % 100 + 1] x[3] = i"),
    ("local x = torch.LongTensor(100):fill(1) ", "s = s + x[i % 100 + 1] x[3] = i"),
    (MATRIX, "s = s + x[2][3] + x:size(1) + x:size()[1] + x:narrow(1, 2, 2):dim()"),
    (PAIR, "local c = torch.cmul(a, b) c:fill(1) s = s + c:sum()"),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("body", FREQUENT)
def test_nothing_is_given_up(body: str) -> None:
    engine = Engine()
    source = f"{PREPARED} for i = 1, 150000 do local f = function() return i end {body} end"
    result = engine.execute(source)
    assert result.ok, result.message
    for setup, later in LATER:
        test_loop_is_compiled(engine, setup, later)


@pytest.mark.parametrize("kind", ["Byte", "Char", "Short", "Int", "Long"])
@pytest.mark.parametrize(
    "store",
    [
        "for i = 1, n do y[i] = x[i] + f(x[i]) end",
        "for i = 1, n do s[i] = s[i] + f(s[i]) end",
        "y:apply(function(v) return v - math.cos(v) end)",
    ],
)
def test_sums_are_truncated_when_they_are_stored(kind: str, store: str) -> None:
    """As C does it, not term by term: 3 + -0.5 becomes 2."""
    work = f"""
    local n, f = 3000, function(v) return -math.cos(v) end
    local x = torch.range(1, n):remainder(100):type('torch.{kind}Tensor')
    local y = x:clone()
    local s = y:storage()
    {store}
    return x, y
    """
    x, y = (np.array(t, np.float64) for t in Runtime().execute(work))
    expected = np.trunc(x - np.cos(x))
    assert (y == expected % 256 if kind == "Byte" else y == expected).all()


def test_what_runs_once_is_not_compiled() -> None:
    """Compiling the loops that load an operation or a layer takes longer than they do."""
    source = """
    local begun = 0
    jit.attach(function(what) if what == 'start' then begun = begun + 1 end end, 'trace')
    require 'nn'
    local l = nn.Linear(2, 3)
    l:forward(torch.rand(2)) l:backward(torch.rand(2), torch.rand(3))
    torch.rand(3, 3):sort() torch.rand(3):exp():float():sum()
    local on = jit.status()
    jit.off()
    torch.rand(3):sigmoid()
    return begun, on, (jit.status())
    """
    assert Engine().execute(source).values == [0, True, False]


def test_no_trace_leads_through_what_loads_once() -> None:
    """Such a trace of the function that gets hot would end there, in the way of all later calls."""
    source = """
    local kept, loads = 0, false
    jit.attach(function(what)
       if what == 'stop' and loads then kept = kept + 1 end
       if what == 'start' then loads = false end
    end, 'trace')
    jit.attach(function(_, f)
       loads = loads or debug.getinfo(f, 'S').source:find('jit/loader.lua', 1, true) ~= nil
    end, 'record')
    for _, kind in ipairs { 'Double', 'Float', 'Long', 'Int', 'Short', 'Char', 'Byte' } do
       local x = torch[kind .. 'Tensor'](4, 4)
       for i, name in ipairs { 'add', 'mul', 'div', 'abs', 'pow', 'eq', 'sum', 'max', 'cumsum', 'sort' } do
          -- A function gets hot at about its 112th call.
          local calls, read = 106 + i, loadstring 'local x, key = ... return x[key]'
          for k = 1, calls do pcall(read, x, k == calls and name or 'size') end
       end
    end
    return kept
    """
    assert Engine().execute(source).values == [0]
