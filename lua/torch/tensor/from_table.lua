-- Tensors from nested tables: the first elements give the sizes; all others must agree. Specialised per type.

return function(T)

local element, errors = require 'torch.loops.element', require 'torch.base.errors'
local geometry = require 'torch.base.geometry'
local numel = geometry.numel
local set, convert = element.setter(T), element.convert
local buffers = require 'torch.memory.buffers'
local finish_trace = require('torch.jit.trace').finish
local describe = errors.describe
local name = T.tensor_name
local MAX_DEPTH = 200

-- Stores a table of n numbers; false if it is anything else.
local function put_row(data, row, n)
   if type(row) ~= 'table' or #row ~= n then return false end
   for i = 1, n do
      local value = row[i]
      if type(value) ~= 'number' then return false end
      set(data, i - 1, value)
   end
   return true
end

-- Stores the elements of a table with the sizes from `depth` on, `count` in all; false if it is anything else.
local function put(data, list, sizes, depth, count)
   if depth == #sizes then return put_row(data, list, count) end
   local n = sizes[depth]
   if type(list) ~= 'table' or #list ~= n then return false end
   local step = count / n
   if depth + 1 == #sizes then
      for i = 1, n do
         if not put_row(data + (i - 1) * step, list[i], step) then return false end
      end
   else
      for i = 1, n do
         if not put(data + (i - 1) * step, list[i], sizes, depth + 1, step) then return false end
      end
   end
   return true
end

-- Reads elements that may be strings; errors name the index.
local function put_checked(data, list, sizes, depth, count, path)
   local n = sizes[depth]
   if #list ~= n then
      errors.raise('%s: the table is ragged: there must be %d elements in %s (got %d)', name, n,
         path == '' and 'the table' or 'element ' .. path, #list)
   end
   local step = count / n
   for i = 1, n do
      local value = list[i]
      if depth < #sizes then
         local here = path .. '[' .. i .. ']'
         if type(value) ~= 'table' then
            errors.raise('%s: element %s must be a table (got %s)', name, here, describe(value))
         end
         put_checked(data + (i - 1) * step, value, sizes, depth + 1, step, here)
      else
         local number = convert(value)
         if number == nil or type(value) == 'string' and not tonumber(value) then
            errors.raise('%s: element %s[%d] must be a number (got %s)', name, path, i, describe(value))
         end
         set(data, i - 1, number)
      end
   end
end

return function(list)
   finish_trace()
   local sizes, inner = {}, list
   while type(inner) == 'table' do
      sizes[#sizes + 1] = #inner
      if #sizes > MAX_DEPTH then
         errors.raise('%s: tables must be nested at most %d deep; this one may hold itself', name, MAX_DEPTH)
      end
      inner = inner[1]
   end
   local t = T.new_contiguous(sizes)
   local count = numel(t)
   if count == 0 then
      if #list > 0 then errors.raise('%s: element [1] must be a number (got an empty table)', name) end
      return t
   end
   local data = t._memory._data
   if not put(data, list, sizes, 1, count) then put_checked(data, list, sizes, 1, count, '') end
   buffers.keep_alive(t)
   return t
end

end
