"""Gradients of modules in Lua, compared with finite differences."""

from __future__ import annotations

# Defines `worst_difference(loss, pairs)` in a runtime with torch.
GRADIENTS = """
-- The most by which gradients differ: loss() is a number, `pairs` a list of { values, their gradient }.
function worst_difference(loss, pairs)
   local worst, step = 0, 1e-5
   for _, pair in ipairs(pairs) do
      local at, found = pair[1]:view(-1), pair[2]:contiguous():view(-1)
      for i = 1, at:size(1) do
         local before = at[i]
         at[i] = before + step local high = loss()
         at[i] = before - step local low = loss()
         at[i] = before
         worst = math.max(worst, math.abs((high - low) / (2 * step) - found[i]))
      end
   end
   return worst
end
"""
