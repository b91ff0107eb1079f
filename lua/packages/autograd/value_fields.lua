-- The fields of Values: methods, `new`, and elements, read and written.

local select, type, unpack = select, type, unpack
local operations, records = require 'autograd.operations', require 'autograd.records'
local errors, tape, types = require 'torch.base.errors', require 'autograd.tape', require 'torch.base.types'
local is_value, unwrap, of_tensor = tape.is_value, tape.unwrap, types.of_tensor

-- Methods of a Value that only query the properties of its tensor.
local questions = {}
for name in string.gmatch([[size dim nDimension nElement numel stride storageOffset isContiguous isSameSizeAs isSize
   isTensor totable elementSize]], '%S+') do
   questions[name] = true
end

local methods = {}

local function method(key)
   if questions[key] then
      return function(self, ...)
         local t, list = unwrap(self), { ... }
         for i = 1, select('#', ...) do list[i] = unwrap(list[i]) end
         return t[key](t, unpack(list, 1, select('#', ...)))
      end
   end
   if not records.by_name[key] then return nil end
   return function(...) return operations.run(key, 'method', ...) end
end

-- x.new(...), an empty tensor of the type of x: a Value, so that it can take others.
local function new_like(t)
   return function(first, ...)
      if is_value(first) then return tape.at(tape.add(t.new(...), nil, 0)) end
      return tape.at(tape.add(t.new(first, ...), nil, 0))
   end
end

function tape.index(value, key)
   if type(key) ~= 'string' then return operations.run('autograd.pick', 'function', value, key) end
   local t = unwrap(value)
   if not of_tensor(t) then errors.raise("a number has no field '%s'", key) end
   if key == 'new' then return new_like(t) end
   local found = methods[key]
   if found == nil then
      found = method(key)
      methods[key] = found
   end
   if found == nil and type(t[key]) == 'function' then
      return function() errors.raise('%s has no derivative', key) end
   end
   return found
end

function tape.set(value, key, to)
   if not of_tensor(unwrap(value)) then errors.raise 'a number has no elements' end
   operations.assign(value, operations.run('autograd.put', 'function', value, key, to))
end
