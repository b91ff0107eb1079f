"""Criterions against NumPy, finite differences, and themselves."""

from __future__ import annotations

import pytest

from t7shell import Runtime

from .criterion_records import CRITERIONS, Criterion
from .test_modules import arrays

CHECK = """
return function(make, x, target)
   local failures = {}
   local function expect(name, fine) if not fine then failures[#failures + 1] = name end end
   local c = make()
   local loss = c:forward(x, target)
   local g = {}
   for i, t in ipairs(flat(c:backward(x, target))) do g[i] = t:clone() end
   for i, t in ipairs(flat(x)) do
      local cells, eps = t:view(-1), 1e-6
      for j = 1, cells:nElement() do
         local was = cells[j]
         cells[j] = was + eps
         local up = c:forward(x, target)
         cells[j] = was - eps
         local slope = (up - c:forward(x, target)) / (2 * eps)
         cells[j] = was
         expect('gradient', math.abs(slope - g[i]:view(-1)[j]) < 1e-5)
      end
   end
   local function same(other)
      expect('loss again', other:forward(x, target) == loss)
      for i, t in ipairs(flat(other:backward(x, target))) do expect('gradient again', t:eq(g[i]):all()) end
   end
   same(c)
   same(c:clone())
   same(torch.deserialize(torch.serialize(c)))
   -- As in the original, this one keeps no loss.
   expect('output', c.output == (torch.type(c) == 'nn.DistanceRatioCriterion' and 0 or loss))
   local function float(v)
      if torch.isTensor(v) then return v:type() == 'torch.DoubleTensor' and v:float() or v end
      if type(v) ~= 'table' then return v end
      local to = {}
      for i = 1, #v do to[i] = float(v[i]) end
      return to
   end
   local f = c:clone():float()
   expect('float', math.abs(f:forward(float(x), float(target)) - loss) < 1e-4 * (1 + math.abs(loss)))
   expect('float gradient', flat(f:backward(float(x), float(target)))[1]:type() == 'torch.FloatTensor')
   return failures
end
"""

IDS = [record.make for record in CRITERIONS]


@pytest.mark.parametrize("criterion", CRITERIONS, ids=IDS)
def test_criterion(runtime: Runtime, criterion: Criterion) -> None:
    runtime.execute(
        f"make = function() return nn.{criterion.make} end\n"
        f"x, target = {criterion.input}, {criterion.target}\n"
        "given = type(target) == 'number' and { x } or { x, target }\n"
        "c = make() loss = c:forward(x, target)"
    )
    assert runtime.eval("loss") == pytest.approx(float(criterion.loss(*arrays(runtime, "given"))), rel=1e-9)
    runtime.execute(f"failures = (function() {CHECK} end)()(make, x, target)")
    assert runtime.eval("table.concat(failures, '; ')") == ""
    runtime.execute(f"fine, why = pcall(c.forward, c, {criterion.wrong})")
    assert not runtime.eval("fine")
    assert "(got" in runtime.eval("why")
