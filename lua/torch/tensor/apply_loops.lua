-- The loops of apply, map and map2, specialised per type: a function is called for each element, and its result stored.

return function(T)

local min, tonumber, type = math.min, tonumber, type
local element, errors = require 'torch.loops.element', require 'torch.base.errors'
local tuning = require 'torch.loops.tuning'
local has_nan = require('torch.loops.nan_payloads').has_nan
local get, set = element.getter(T), element.wrapping_setter(T)
local describe, raise = errors.describe, errors.raise

local apply_loops = {}

-- Results that are not numbers, as numbers. Torch7 iterated over contiguous tensors in Lua and stored as the FFI does,
-- true as 1, and 64-bit integers; over others in C, where strings are numbers. Scripts see the same here.
local function number_of(value, in_order)
   if not in_order then return type(value) == 'string' and tonumber(value) end
   return value == true and 1 or type(value) == 'cdata' and tonumber(value)
end

-- Stores a result that is not a number; false is ignored where elements are visited in order.
local function store(method, data, at, value, in_order)
   if type(value) == 'nil' or in_order and value == false then return end
   local number = number_of(value, in_order)
   if not number then raise('%s: the function must return a number or nothing (got %s)', method, describe(value)) end
   set(data, at, number)
end

-- The loops over contiguous tensors have no steps, which would double their time, and take two elements at a time: the
-- speed of tiny loops depends on alignment. Few elements have separate loops: unrolled ones may be blacklisted.
local FEW = tuning.APPLY_UNROLLED

-- The two loops, by the expression that reads an element.
local function make(read)

local function apply_at(x, i, f)
   local value = f(read(x, i))
   if type(value) == 'number' then set(x, i, value)
   else store('apply', x, i, value, true) end
end

local function apply_few(x, count, f)
   for i = 0, count - 1 do apply_at(x, i, f) end
end

local function apply(x, count, f)
   if count < FEW then return apply_few(x, count, f) end
   for i = 0, count - 2, 2 do
      apply_at(x, i, f)
      apply_at(x, i + 1, f)
   end
   if count % 2 == 1 then apply_at(x, count - 1, f) end
end

local function map_at(x, y, i, f)
   local value = f(read(x, i), read(y, i))
   if type(value) == 'number' then set(x, i, value)
   else store('map', x, i, value, true) end
end

local function map_few(x, y, count, f)
   for i = 0, count - 1 do map_at(x, y, i, f) end
end

local function map(x, y, count, f)
   if count < FEW then return map_few(x, y, count, f) end
   for i = 0, count - 2, 2 do
      map_at(x, y, i, f)
      map_at(x, y, i + 1, f)
   end
   if count % 2 == 1 then map_at(x, y, count - 1, f) end
end

return apply, map

end

-- Checking each element in these loops costs ten times as much if functions are created repeatedly: elements are
-- checked beforehand, and individually only if there are infinities or NaNs, or others may write.
local raw = (T.name == 'Double' or T.name == 'Float') and function(data, i) return data[i] end or get
local apply, map = make(raw)
local careful_apply, careful_map = make(get)

-- Blocks stay in the first-level cache from the check to the loop; `map a + 2 * b, 1000x1000` measures it.
local BLOCK = 2048

local function apply_any(x, shared, count, f)
   if raw == get then return apply(x, count, f) end
   for at = 0, count - 1, BLOCK do
      local block, n = x + at, min(BLOCK, count - at)
      if shared or has_nan(T, block, n) then careful_apply(block, n, f) else apply(block, n, f) end
   end
end

local function map_any(x, y, shared, count, f)
   if raw == get then return map(x, y, count, f) end
   for at = 0, count - 1, BLOCK do
      local block, other, n = x + at, y + at, min(BLOCK, count - at)
      if shared or has_nan(T, block, n) or has_nan(T, other, n) then careful_map(block, other, n, f)
      else map(block, other, n, f) end
   end
end

function apply_loops.apply(x, step, count, f)
   for i = 0, count - 1 do
      local value = f(get(x, i * step))
      if type(value) == 'number' then set(x, i * step, value)
      else store('apply', x, i * step, value, false) end
   end
end

-- In order, for functions of one and of two numbers.
apply_loops.contiguous = { apply_any, map_any }

function apply_loops.map(x, x_step, y, y_step, count, f)
   for i = 0, count - 1 do
      local value = f(get(x, i * x_step), get(y, i * y_step))
      if type(value) == 'number' then set(x, i * x_step, value)
      else store('map', x, i * x_step, value, false) end
   end
end

function apply_loops.map2(x, x_step, y, y_step, z, z_step, count, f, in_order)
   for i = 0, count - 1 do
      local value = f(get(x, i * x_step), get(y, i * y_step), get(z, i * z_step))
      if type(value) == 'number' then set(x, i * x_step, value)
      else store('map2', x, i * x_step, value, in_order) end
   end
end

return apply_loops

end
