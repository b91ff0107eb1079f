-- The tape: the operations computed from the parameters, in order. One tape serves the outermost gradient call and
-- those within it, so that gradients of gradients are entries like others.
--
-- A program sees a Value, a cdata with the index of its entry, which stands for a tensor or a number. Only cdata can be
-- compared with numbers: `if loss < 3`. What an entry computed never changes; a change in place gives the Value the
-- index of another entry. See docs/decisions/0034-gradients.md.
--
--    values[i]    the tensor or number; a list where an operation has several results
--    entries[i]   { use, a = arguments, inputs = their indices, more = the second result } of an operation; { parent,
--                 part } of one of several results; { backward = function(g, push, deep) }; nil of parameters
--    origins[i]   the first parameter of the innermost gradient call on which it depends; 0 where it is constant
--    views[i]     { base, at, record, all } of a view with the arguments `all`: its base is the Value `base` while that
--                 is at index `at`

local error, pairs, tostring, type = error, pairs, tostring, type
local ffi = require 'ffi'
local errors, proxies = require 'torch.base.errors', require 'torch.base.proxies'
local class_registry, types = require 'torch.base.class_registry', require 'torch.base.types'
local running, status = coroutine.running, coroutine.status
local istype = ffi.istype

local tape = { thread = nil, serial = 0, depth = 0, count = 0, values = {}, entries = {}, origins = {}, views = {} }

-- run(name, use, ...) and again(view), which takes a view again, are set by operations.lua; index(value, key) and
-- set(value, key, to) by value_fields.lua.
tape.run, tape.index, tape.set, tape.again = nil, nil, nil, nil

local ct, metatable = nil, {}

local function is_value(x) return istype(ct, x) end
tape.is_value = is_value

-- The index of a Value, after the views of a changed base were taken again.
local function index_of(value)
   if value.serial ~= tape.serial then
      errors.raise 'autograd: a value was used after its gradient call; functions may keep what they return'
   end
   local view = tape.views[value.entry]
   if view and index_of(view.base) ~= view.at then
      value.entry = tape.again(view).entry
   end
   return value.entry
end
tape.index_of = index_of

-- The tensor or number that a value stands for, or x itself.
function tape.unwrap(x)
   if not is_value(x) then return x end
   return tape.values[index_of(x)]
end
local unwrap = tape.unwrap

-- A Value for an entry.
function tape.at(index) return ct(index, tape.serial) end

-- Adds an entry, and returns its index.
function tape.add(value, entry, origin)
   local index = tape.count + 1
   tape.count = index
   tape.values[index], tape.entries[index], tape.origins[index] = value, entry, origin
   return index
end

-- Tells whether the coroutine of the outermost gradient call was left: it waits, or has ended, without returning.
local function is_abandoned()
   local thread = tape.thread
   return thread and thread ~= running() and status(thread) ~= 'normal'
end

-- Begins a gradient call; the outermost one has a new tape, as has the first one after a coroutine left another.
function tape.enter()
   if tape.depth > 0 and is_abandoned() then tape.depth = 0 end
   if tape.depth == 0 then
      tape.thread = running()
      tape.serial, tape.count = tape.serial + 1, 0
      tape.values, tape.entries, tape.origins, tape.views = {}, {}, {}, {}
   end
   tape.depth = tape.depth + 1
   return tape.serial
end

function tape.leave(serial)
   if serial ~= tape.serial then return end
   tape.depth = tape.depth - 1
   if tape.depth > 0 then return end
   tape.values, tape.entries, tape.origins, tape.views = {}, {}, {}, {}
   tape.serial = tape.serial + 1
end

local signs = { add = '+', sub = '-', mul = '*', div = '/', mod = '%', pow = '^' }

local function is_operand(x) return type(x) == 'number' or is_value(x) or types.of_tensor(x) end

for event, sign in pairs(signs) do
   metatable['__' .. event] = function(a, b)
      if not is_operand(a) or not is_operand(b) then
         errors.raise("'%s': operands must be numbers or tensors (got %s and %s)", sign, errors.describe(a),
            errors.describe(b))
      end
      return tape.run('operator.' .. event, 'function', a, b)
   end
end
function metatable.__unm(a) return tape.run('operator.unm', 'function', a) end

local function numbers(a, b)
   local x, y = unwrap(a), unwrap(b)
   if type(x) ~= 'number' or type(y) ~= 'number' then
      errors.raise('autograd: numbers can be compared (got %s and %s)', errors.describe(x), errors.describe(y))
   end
   return x, y
end

function metatable.__lt(a, b)
   a, b = numbers(a, b)
   return a < b
end

function metatable.__le(a, b)
   a, b = numbers(a, b)
   return a <= b
end

function metatable.__eq(a, b)
   a, b = unwrap(a), unwrap(b)
   return type(a) == type(b) and a == b
end
function metatable.__len(a) return #unwrap(a) end
function metatable.__tostring(a)
   return a.serial == tape.serial and tostring(unwrap(a)) or 'autograd.Value of a gradient call that has ended'
end
function metatable.__concat(a, b) return tostring(unwrap(a)) .. tostring(unwrap(b)) end
function metatable.__index(value, key) return tape.index(value, key) end
function metatable.__newindex(value, key, to) return tape.set(value, key, to) end
function metatable.__call(value)
   error(errors.where() .. errors.describe(value) .. ' has no call operator', 0)
end

ct = ffi.metatype('struct { double entry, serial; }', metatable)
class_registry.add_cdata('autograd.Value', is_value)
proxies.declare(ct, function(...) return tape.run(...) end)

return tape
