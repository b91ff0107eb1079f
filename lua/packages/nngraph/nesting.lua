-- Tensors in tables of tables: copies, fills, sums and sizes.

local torch = require 'torch'
local errors = require 'torch.base.errors'

local nesting = {}

-- A copy of a tensor or of a nested table of them.
function nesting.cloneNested(value)
   if torch.isTensor(value) then return value:clone() end
   local copy = {}
   for key, inner in pairs(value) do copy[key] = nesting.cloneNested(inner) end
   return copy
end

function nesting.fillNested(value, number)
   if torch.isTensor(value) then
      value:fill(number)
   else
      for _, inner in pairs(value) do nesting.fillNested(inner, number) end
   end
end

-- Gives `output` the sizes and the keys of `input`: missing parts become copies, others go.
function nesting.resizeNestedAs(output, input)
   if torch.isTensor(output) then
      output:resizeAs(input)
      return
   end
   for key, inner in pairs(input) do
      local own = output[key]
      if own == nil or torch.isTensor(own) ~= torch.isTensor(inner) then
         output[key] = nesting.cloneNested(inner)
      else
         nesting.resizeNestedAs(own, inner)
      end
   end
   for key in pairs(output) do
      if input[key] == nil then output[key] = nil end
   end
end

-- The part of `output` for a key of the input.
local function part(name, output, key)
   if output[key] == nil then errors.raise('%s: key %s is missing in the output', name, tostring(key)) end
   return output[key]
end

-- Copies the elements of nested tensors; both tables must have the same keys.
function nesting.copyNested(output, input)
   if torch.isTensor(output) then
      output:copy(input)
      return
   end
   for key in pairs(input) do part('copyNested', output, key) end
   for key in pairs(output) do
      if input[key] == nil then errors.raise('copyNested: key %s is missing in the input', tostring(key)) end
   end
   for key, inner in pairs(input) do nesting.copyNested(output[key], inner) end
end

-- Adds nested tensors to those of the same keys.
function nesting.addNestedTo(output, input)
   if torch.isTensor(output) then
      output:add(input)
   else
      for key, inner in pairs(input) do nesting.addNestedTo(part('addNestedTo', output, key), inner) end
   end
end

return nesting
