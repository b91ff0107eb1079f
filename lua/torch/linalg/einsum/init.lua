-- torch.einsum: sums of products of the elements of tensors, by an equation. `equation` reads it, `plan` says what is
-- to be done for operands of given sizes, `order` which two of them come first, and `run` does it for a type.

local concat, ipairs, rawequal, require, select, type = table.concat, ipairs, rawequal, require, select, type
local abs, max = math.abs, math.max
local check, element = require 'torch.core.check', require 'torch.core.element'
local errors, geometry = require 'torch.core.errors', require 'torch.core.geometry'
local loader, types = require 'torch.core.loader', require 'torch.core.types'
local minmax = require 'torch.kernels.minmax'
local finish_trace = require('torch.core.trace').finish
local plans = require 'torch.linalg.einsum.plan'

local einsum = {}

-- Plans by equation and sizes; all are forgotten when there are too many.
local MOST_PLANS = 1000
local kept, kept_count = {}, 0

local function plan_of(name, text, operands)
   local parts = { text }
   for i, operand in ipairs(operands) do
      parts[i + 1] = operand.number and 'number' or geometry.shape(operand.tensor)
   end
   local key = concat(parts, ';')
   if not kept[key] then
      local plan = plans.make(name, text, operands)
      if kept_count == MOST_PLANS then kept, kept_count = {}, 0 end
      kept[key], kept_count = plan, kept_count + 1
   end
   return kept[key]
end

-- The operands as { tensor = t } or { number = v }; a table of them is read once.
local function operands_of(name, T, count, first, ...)
   local given = { first, ... }
   if count == 1 and type(first) == 'table' then
      given, count = {}, 0
      for i, value in ipairs(first) do given[i], count = value, i end
   end
   local list = {}
   for i = 1, count do
      local value = given[i]
      list[i] = type(value) == 'number' and { number = value }
         or { tensor = check.tensor(name, 'operand ' .. i, value, T) }
   end
   if count == 0 then check.fail(name, 'operands expected behind the equation (got none)') end
   return list
end

local EXACT = 2 ^ 53

local made = {}

-- What carries out plans for a type.
local function runner(T)
   made[T] = made[T] or loader.specialise('torch.linalg.einsum.run', T)
   return made[T]
end

-- A tensor of type S with the elements of t, of type T.
local function converted(S, T, t)
   local r = S.new_like(t)
   S.copy_from(r, T, t)
   return r
end

-- The operands as tensors of S, which is Float for Halfs.
local function tensors_of(name, T, S, operands)
   local list = {}
   for i, operand in ipairs(operands) do
      local t = operand.tensor
      if operand.number then
         t = S.fill(S.new_vector(1), T.integer and errors.integer(name, i + 1, operand.number) or operand.number)
      elseif S ~= T then
         t = converted(S, T, t)
      end
      list[i] = t
   end
   return list
end

local extremes = {}

-- The largest absolute value of an operand.
local function largest(name, T, operand)
   if operand.number then return abs(operand.number) end
   local found = extremes[T]
   if not found then
      found = { minmax.all(name, T, { ufunc = 'maximum', sign = '<=' }),
         minmax.all(name, T, { ufunc = 'minimum', sign = '>=' }) }
      extremes[T] = found
   end
   return max(abs(found[1](operand.tensor)), abs(found[2](operand.tensor)))
end

local Double, Float, Half, Long = types.by_name.Double, types.by_name.Float, types.by_name.Half, types.by_name.Long

-- The type to compute in: Float for Halfs, and Double for integers whose products and sums are exact in it, as BLAS
-- knows no integers.
local function working_type(name, T, plan, operands)
   if #operands == 1 and plan.operands[1].summed == 0 then return T end
   if T == Half then return Float end
   if not T.integer or not plan.has_sums then return T end
   local most = plan.terms
   for _, operand in ipairs(operands) do most = most * largest(name, T, operand) end
   return most <= EXACT and Double or T
end

-- The result that is given, with the sizes of a plan, where the last step may write into it at once; else nil.
local function target_of(T, plan, operands, r)
   if not r or #operands == 1 then return nil end
   for _, operand in ipairs(operands) do
      if operand.tensor and T.shares(r, operand.tensor) then return nil end
   end
   return T.resize_to(r, #plan.sizes > 0 and plan.sizes or { 1 })
end

local function compute(name, T, plan, operands, r)
   if plan.is_empty then return T.new_tensor() end
   if plan.is_zero then return (T.fill(T.new_contiguous(#plan.sizes > 0 and plan.sizes or { 1 }), 0)) end
   local S = working_type(name, T, plan, operands)
   local target = S == T and target_of(T, plan, operands, r) or nil
   local found = runner(S).execute(plan, tensors_of(name, T, S, operands), target)
   if S == T then return found end
   -- Whole numbers wrap as those of 64 bits do.
   if S == Double and T ~= Long then return converted(T, Long, converted(Long, S, found)) end
   return converted(T, S, found)
end

local function stored(T, r, found)
   if T.shares(r, found) then found = T.clone(found) end
   T.resize_as(r, found)
   if found._dim > 0 then T.copy_from(r, T, found) end
   return r
end

-- einsum([result,] equation, tensor, ...) and einsum([result,] equation, list).
function einsum.make(T, _, name)
   local get = element.getter(T)

   local function einsum_into(r, count, text, ...)
      check.kind(name, 'the equation', text, 'string')
      local operands = operands_of(name, T, count - 1, ...)
      local plan = plan_of(name, text, operands)
      local found = compute(name, T, plan, operands, r)
      if rawequal(found, r) then return r end
      if r then return (stored(T, r, found)) end
      if #plan.sizes == 0 then return (get(found._memory._data, found._offset)) end
      return found
   end

   return function(...)
      finish_trace()
      local first = ...
      if types.of_tensor(first) == T then return (einsum_into(first, select('#', ...) - 1, select(2, ...))) end
      return (einsum_into(nil, select('#', ...), ...))
   end
end

return einsum
