"""Modules and criterions on a device of PyTorch: what they give on the CPU, forward and backward."""

from __future__ import annotations

import pytest

from t7shell import Runtime
from tests.backends import DEVICE, running
from tests.nn.criterion_records import CRITERIONS, Criterion
from tests.nn.layer_records import LAYERS
from tests.nn.module_records import MODULES, SET_UP

pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

# compare(tolerance, make, input, other) -> what differs between types, and how often the CPU had to compute.
COMPARE = r"""
require 'cunn'
require 'cudnn'
local function map(value, f)
   if torch.isTensor(value) then return f(value) end
   if type(value) ~= 'table' then return value end
   local to = {}
   for i = 1, #value do to[i] = map(value[i], f) end
   return to
end
local function list(value, to)
   if torch.isTensor(value) then to[#to + 1] = value:double():clone()
   elseif type(value) == 'table' then for i = 1, #value do list(value[i], to) end end
   return to
end
function copied(value) return map(value, function(t) return t.new():resizeAs(t):copy(t):mul(0.5) end) end
function to_kind(value, kind)
   return map(value, function(x)
      if kind == 'Double' then return x end
      return x:type() == 'torch.DoubleTensor' and x:type('torch.' .. kind .. 'Tensor') or x
   end)
end
local function run(make, kind, inputs)
   torch.manualSeed(7)
   local m = make()
   m = m:type('torch.' .. kind .. 'Tensor')
   local p, d = m:parameters()
   for _, q in ipairs(p or {}) do q:copy(torch.range(1, q:nElement()):mul(1.7):cos():abs():add(0.1)) end
   local found = {}
   for _, input in ipairs(inputs) do
      local x = to_kind(map(input, function(t) return t:clone() end), kind)
      m:zeroGradParameters()
      local y = m:forward(x)
      list(y, found)
      local g = map(y, function(t)
         return t:clone():copy(torch.range(1, t:nElement()):mul(0.7):sin())
      end)
      list(m:backward(x, g), found)
      list(d or {}, found)
   end
   m:evaluate()
   list(m:forward(to_kind(map(inputs[1], function(t) return t:clone() end), kind)), found)
   return found
end
function compare_criterion(make, input, target)
   local results = {}
   for _, kind in ipairs { 'Double', 'CudaDouble' } do
      local c, found = make():type('torch.' .. kind .. 'Tensor'), {}
      local x, y = to_kind(input, kind), to_kind(target, kind)
      for _ = 1, 2 do
         found[#found + 1] = torch.DoubleTensor{ c:forward(x, y) }
         list(c:backward(x, y), found)
      end
      results[kind] = found
   end
   for i, wanted in ipairs(results.Double) do
      local got = results.CudaDouble[i]
      if not (got:isSameSizeAs(wanted) and (got - wanted):abs():max() < 1e-9) then return 'result ' .. i end
   end
   return ''
end
function compare(tolerance, make, ...)
   local wanted = run(make, 'Double', { ... })
   cutorch.fallbacks(true)
   local got = run(make, 'CudaDouble', { ... })
   if #got ~= #wanted then return 'another number of results' end
   for i = 1, #got do
      if not got[i]:isSameSizeAs(wanted[i]) then return ('sizes of result %d'):format(i) end
      if got[i]:nElement() > 0 then
         local most = (got[i] - wanted[i]):abs():max()
         local size = math.max(1, wanted[i]:clone():abs():max())
         if not (most < tolerance * size) then return ('result %d by %g'):format(i, most) end
      end
   end
   return ''
end
"""


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    with running(DEVICE):
        made = Runtime()
        made.execute(SET_UP)
        made.execute(COMPARE)
        return made


def is_drawn(make: str) -> bool:
    return any(name in make for name in ("Dropout", "RReLU", "Noise", "Stochastic", "Fractional"))


CASES = [(module.make, module.input, module.other) for module in MODULES] + [
    (layer.make, f"t({', '.join(map(str, layer.size))})", f"t({', '.join(map(str, layer.other))})")
    for layer in LAYERS
]


@pytest.mark.parametrize(
    ("make", "first", "second"),
    [case for case in CASES if not is_drawn(case[0])],
    ids=[f"{case[0]}-{case[1]}" for case in CASES if not is_drawn(case[0])],
)
def test_modules_give_what_they_give_on_the_cpu(runtime: Runtime, make: str, first: str, second: str) -> None:
    # Positions between pixels are floats on the CPU, and doubles on a device.
    tolerance = 1e-6 if "UpSampling" in make else 1e-9
    runtime.execute(f"difference = compare({tolerance}, function() return nn.{make} end, {first}, {second})")
    assert runtime.eval("difference") == ""


# What is left to the CPU, for each class that leaves anything to it; all others leave nothing.
ON_CPU = {
    "LayerNormalization": "CSubTable",
    "SpatialContrastiveNormalization": "SpatialDivisiveNormalization SpatialSubtractiveNormalization",
    "SpatialDivisiveNormalization": "SpatialDivisiveNormalization",
    "SpatialSubtractiveNormalization": "SpatialSubtractiveNormalization",
    "TemporalDynamicKMaxPooling": "TemporalDynamicKMaxPooling",
}
OF_THEMSELVES = {
    "SpatialConvolutionLocal", "SpatialConvolutionMap", "SpatialDepthWiseConvolution",
    "SpatialFullConvolutionMap", "TemporalRowConvolution",
}  # fmt: skip


@pytest.mark.parametrize(("make", "first"), [(case[0], case[1]) for case in CASES])
def test_the_device_computes(runtime: Runtime, make: str, first: str) -> None:
    runtime.execute(
        f"""
        local m, x = nn.{make}:type('torch.CudaDoubleTensor'), to_kind({first}, 'CudaDouble')
        m:zeroGradParameters()
        m:forward(x)
        cutorch.fallbacks(true)
        local g = copied(m:forward(x))
        m:backward(x, g)
        names = {{}}
        for name in pairs(cutorch.fallbacks()) do names[#names + 1] = name end
        table.sort(names)
        names = table.concat(names, ' ')
        """
    )
    names, kind = runtime.eval("names"), make.split("(")[0]
    if kind in OF_THEMSELVES:
        assert names.startswith(kind)
    else:
        assert names == ON_CPU.get(kind, "")


@pytest.mark.parametrize("criterion", CRITERIONS, ids=[f"{c.make}-{c.input}" for c in CRITERIONS])
def test_criterions_give_what_they_give_on_the_cpu(runtime: Runtime, criterion: Criterion) -> None:
    runtime.execute(
        f"""
        local x, y = {criterion.input}, {criterion.target}
        difference = compare_criterion(function() return nn.{criterion.make} end, x, y)
        """
    )
    assert runtime.eval("difference") == ""


# Weights of elements, and classes that do not count.
CRITERIONS_ON_CPU = {
    "BCECriterion(torch.Tensor{0.5, 1, 2})",
    "MultiLabelSoftMarginCriterion(torch.Tensor{0.5, 1, 2})",
    "ClassNLLCriterion(nil, true, 4)",
}


@pytest.mark.parametrize("criterion", CRITERIONS, ids=[f"{c.make}-{c.input}" for c in CRITERIONS])
def test_the_device_computes_criterions(runtime: Runtime, criterion: Criterion) -> None:
    runtime.execute(
        f"""
        local c = nn.{criterion.make}:type('torch.CudaDoubleTensor')
        local x, y = to_kind({criterion.input}, 'CudaDouble'), to_kind({criterion.target}, 'CudaDouble')
        cutorch.fallbacks(true)
        c:forward(x, y)
        c:backward(x, y)
        name = next(cutorch.fallbacks()) or ''
        """
    )
    expected = criterion.make.split("(")[0] if criterion.make in CRITERIONS_ON_CPU else ""
    assert runtime.eval("name") == expected


def test_classes_out_of_range_are_errors(runtime: Runtime) -> None:
    runtime.execute(
        """
        local c = nn.ClassNLLCriterion():cuda()
        local fine, message = pcall(c.forward, c, torch.CudaTensor(2, 3):fill(0.1), torch.CudaTensor{1, 4})
        local lookup = nn.LookupTable(5, 2):cuda()
        local second, other = pcall(lookup.forward, lookup, torch.CudaTensor{1, 6})
        found = tostring(fine) .. message .. tostring(second) .. other
        """
    )
    assert "target must be from 1 to 3 (got 4)" in runtime.eval("found")
    assert "indices must be from 1 to 5 (got 6)" in runtime.eval("found")


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNNReLU", "RNNTanh", "BLSTM", "BGRU"])
@pytest.mark.parametrize("rest", ["1", "2", "2, true", "1, false, 0, true"])
def test_recurrent_networks_give_what_they_give_on_the_cpu(runtime: Runtime, kind: str, rest: str) -> None:
    runtime.execute(
        f"difference = compare(1e-9, function() return cudnn.{kind}(3, 4, {rest}) end,"
        " t(5, 2, 3), t(4, 2, 3))"
    )
    assert runtime.eval("difference") == ""
    runtime.execute(
        f"""
        local m, x = cudnn.{kind}(3, 4, {rest}):cuda(), t(5, 2, 3):cuda()
        cutorch.fallbacks(true)
        m:backward(x, m:forward(x):clone())
        name = next(cutorch.fallbacks()) or ''
        """
    )
    assert runtime.eval("name") == ""
