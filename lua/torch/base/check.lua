-- Checks of arguments for functions without rows. Each raises `caller: problem (got X)` at the caller's line,
-- and returns the value. `caller` is the name of the function, or an object: then its class, or the first line
-- of its text if that begins with the class, as in 'Linear(10 -> 5)'. `what` names the value: 'input', 'argument 2'.

local concat, format, gsub, match, sub = table.concat, string.format, string.gsub, string.match,
   string.sub
local getmetatable, ipairs, next, pcall = getmetatable, ipairs, next, pcall
local rawequal, tonumber, tostring, type = rawequal, tonumber, tostring, type
local ceil, floor, select, unpack = math.ceil, math.floor, select, unpack
local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'
local geometry, types = require 'torch.base.geometry', require 'torch.base.types'
local finish_trace = require('torch.jit.trace').finish
local of_tensor, of_storage, shape = types.of_tensor, types.of_storage, geometry.shape

require('torch.native.host').raise = errors.raise

local check = {}

local MAX_NAME, SHOWN = 80, 4     -- letters of the name of an object; elements of a table that are described

-- The name of the function or object that raises an error.
function check.name(caller)
   if type(caller) == 'string' then return caller end
   local long = class_registry.typename(caller)
   if not long then return class_registry.type(caller) end
   local short = gsub(long, '^[%w_]+%.', '')
   local ok, text = pcall(tostring, caller)
   if not ok or type(text) ~= 'string' or text == long .. class_registry.UNPRINTABLE then return short end
   local line = match(text, '^[^\n]*')
   if line ~= text then return short end
   if sub(line, 1, #long) == long then line = sub(line, #long - #short + 1) end
   return #line <= MAX_NAME and sub(line, 1, #short) == short and line or short
end

-- Describes a value: 'DoubleTensor [2x3]', "'text'", 'nil', 'table {3, nil}', or the name of its class.
function check.describe(value)
   local T = of_tensor(value)
   if T then return T.title .. 'Tensor ' .. (value._dim == 0 and 'without elements' or '[' .. shape(value) .. ']') end
   if of_storage(value) then return format('%sStorage of %.0f', of_storage(value).name, value._memory._size) end
   local kind = type(value)
   if kind == 'string' then return #value <= MAX_NAME and "'" .. value .. "'" or format('a string of %d', #value) end
   if kind == 'number' or kind == 'boolean' or kind == 'nil' then return tostring(value) end
   if kind == 'table' and not class_registry.typename(value) then
      local parts = {}
      for i, item in ipairs(value) do
         if i > SHOWN then
            parts[i] = '...'
            break
         end
         parts[i] = type(item) == 'table' and errors.describe(item) or check.describe(item)
      end
      return 'table {' .. concat(parts, ', ') .. '}'
   end
   return errors.describe(value)
end
local describe = check.describe

-- The field of a message's format whose value is not of the right kind, such as a '%d' whose value is not a number.
local function raise_misfit(caller, ...)
   for i = 1, select('#', ...) do
      local value = select(i, ...)
      local kind = type(value)
      if kind ~= 'number' and (kind ~= 'string' or not tonumber(value)) then
         for key, held in next, type(caller) == 'table' and caller or {} do
            if rawequal(held, value) and type(key) == 'string' then
               errors.raise("%s: the field '%s' must be a number (got %s)", check.name(caller), key,
                  check.describe(value))
            end
         end
      end
   end
end

-- A message whose values do not fit its format: each of them is described instead.
local function described_in(message, ...)
   local list = { ... }
   for i = 1, select('#', ...) do
      list[i] = type(list[i]) == 'string' and list[i] or check.describe(list[i])
   end
   return format(gsub(message, '%%[%d.+-]*[%a]', '%%s'), unpack(list, 1, select('#', ...)))
end

function check.fail(caller, message, ...)
   finish_trace()
   if select('#', ...) > 0 then
      local ok, text = pcall(format, message, ...)
      if not ok then
         raise_misfit(caller, ...)
         text = described_in(message, ...)
      end
      message = text
   end
   errors.raise('%s: %s', check.name(caller), message)
end
local fail = check.fail

function check.argument_error(caller, what, wanted, value)
   finish_trace()
   fail(caller, '%s must be %s (got %s)', what, wanted, describe(value))
end
local argument_error = check.argument_error

-- A tensor, of the element type T if one is given. Also returns the row of its element type.
function check.tensor(caller, what, value, T)
   local own = of_tensor(value)
   if not own then argument_error(caller, what, 'a ' .. (T and T.tensor_name or 'tensor'), value) end
   if T and own ~= T then argument_error(caller, what, 'a ' .. T.tensor_name, value) end
   return value, own
end

-- A DoubleTensor or FloatTensor. Also returns the row of its element type.
function check.real(caller, what, value)
   local own = of_tensor(value)
   if not own or own.name ~= 'Double' and own.name ~= 'Float' then
      argument_error(caller, what, 'a DoubleTensor or FloatTensor', value)
   end
   return value, own
end

-- The value to compare with is an input or output, to which a program may have assigned anything.
local function check_like(caller, like)
   if not of_tensor(like) then argument_error(caller, 'input', 'a tensor', like) end
end

function check.same_type(caller, what, value, like)
   check_like(caller, like)
   local T = of_tensor(like)
   if of_tensor(value) ~= T then argument_error(caller, what, 'a ' .. T.tensor_name, value) end
   return value
end

function check.same_size(caller, what, value, like)
   check_like(caller, like)
   if not of_tensor(value) or not geometry.same_size(value, like) then
      argument_error(caller, what, 'a tensor of size [' .. shape(like) .. ']', value)
   end
   return value
end

function check.same_count(caller, what, value, like)
   check_like(caller, like)
   if not of_tensor(value) or geometry.numel(value) ~= geometry.numel(like) then
      argument_error(caller, what, format('a tensor of %.0f elements', geometry.numel(like)), value)
   end
   return value
end

-- A tensor of `min_dim` to `max_dim` dimensions.
function check.dimensions(caller, what, value, min_dim, max_dim)
   if not of_tensor(value) or value._dim < min_dim or value._dim > max_dim then
      local wanted = min_dim == max_dim and min_dim
         or min_dim .. (min_dim + 1 == max_dim and ' or ' or ' to ') .. max_dim
      argument_error(caller, what, format('a tensor of %s dimension%s', wanted, max_dim == 1 and '' or 's'), value)
   end
   return value
end

-- A number, or a string that reads as one.
function check.number(caller, what, value)
   local number = type(value) == 'string' and tonumber(value) or value
   if type(number) ~= 'number' then argument_error(caller, what, 'a number', value) end
   return number
end

-- A number, truncated towards zero, from `minimum` to `maximum` if they are given.
function check.integer(caller, what, value, minimum, maximum)
   local number = check.number(caller, what, value)
   if number - number ~= 0 then argument_error(caller, what, 'a whole number', value) end
   number = number < 0 and ceil(number) or floor(number)
   if minimum and number < minimum or maximum and number > maximum then
      argument_error(caller, what, format(maximum and 'a whole number from %.0f to %.0f'
         or 'a whole number of at least %.0f',
         minimum or -2 ^ 53, maximum), value)
   end
   return number
end

function check.size(caller, what, value) return check.integer(caller, what, value, 1) end

-- An index of `count` things, an integer from 1.
function check.index(caller, what, value, count)
   if type(value) ~= 'number' or value % 1 ~= 0 or value < 1 or value > count then
      if count < 1 then argument_error(caller, what, 'an index, but there is nothing to index', value) end
      argument_error(caller, what, format('an index from 1 to %.0f', count), value)
   end
   return value
end

-- A value of one of Lua's types, 'string', 'table', 'boolean' or 'function'; objects of classes are not tables.
function check.kind(caller, what, value, kind)
   if type(value) ~= kind or kind == 'table' and class_registry.typename(value) then
      argument_error(caller, what, 'a ' .. kind, value)
   end
   return value
end

-- A function, or an object that can be called.
function check.callable(caller, what, value)
   local metatable = type(value) ~= 'function' and getmetatable(value)
   local call = type(metatable) == 'table' and metatable.__call
   if type(value) ~= 'function' and not call then argument_error(caller, what, 'a function', value) end
   return value
end

-- A torch.File, or an object with the method of a file that is about to be called.
function check.file(caller, what, value, method)
   local kind = type(value)
   if kind ~= 'userdata' and kind ~= 'table' or type(value[method]) ~= 'function' then
      argument_error(caller, what, 'a torch.File', value)
   end
   return value
end

function check.one_of(caller, what, value, list)
   for i = 1, #list do
      if value == list[i] then return value end
   end
   local wanted = {}
   for i = 1, #list do wanted[i] = "'" .. list[i] .. "'" end
   argument_error(caller, what, 'one of ' .. concat(wanted, ', '), value)
end

return check
