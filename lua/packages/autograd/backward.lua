-- The backward pass along the tape, from an entry to the parameters on which it depends.

local next, type, unpack = next, type, unpack
local torch = require 'torch'
local errors, formulas = require 'torch.base.errors', require 'autograd.formulas'
local tape, types = require 'autograd.tape', require 'torch.base.types'
local of_tensor = types.of_tensor

-- Whether two tensors share memory, so that a change of one would show in the other.
local function shares(a, b) return of_tensor(a) and of_tensor(b) and a._memory == b._memory end

-- The arguments of an entry as Values, so that what is computed with them is recorded.
local function as_values(entry)
   local a = { unpack(entry.a, 1, #entry.a) }
   for i, input in next, entry.inputs do
      if type(input) == 'number' then
         a[i] = tape.at(input)
      else
         a[i] = { unpack(a[i]) }
         for k, index in next, input do a[i][k] = tape.at(index) end
      end
   end
   return a
end

-- The result of an entry, or the list of its results.
local function result_of(index, deep)
   local value = tape.values[index]
   if not deep then return value end
   if type(value) ~= 'table' then return tape.at(index) end
   local parts = {}
   for k = 1, #value do parts[k] = tape.entries[index + k] and tape.at(index + k) or value[k] end
   return parts
end

-- Passes each input of an entry its part of the gradient.
local function distribute(index, gradient, first, push, deep)
   local entry, origins = tape.entries[index], tape.origins
   local a, use, out = deep and as_values(entry) or entry.a, entry.use, result_of(index, deep)
   for i = 1, #a do
      local input = entry.inputs[i]
      local f = input and use.gradient(i)
      if input and f == nil then
         errors.raise('%s: no derivative by argument %d', use.record.name, i)
      elseif f and type(input) == 'number' then
         if origins[input] >= first then push(input, (f(gradient, out, entry.more, a))) end
      elseif f then
         local list = f(gradient, out, entry.more, a)
         for k, at in next, input do
            if origins[at] >= first then push(at, list[k]) end
         end
      end
   end
end

-- The gradients at the parameters from `first` on, by their indices, given g at an entry. With `deep` the backward pass
-- is recorded, for gradients of gradients.
return function(from, g, first, deep)
   local entries, values = tape.entries, tape.values
   local found, owned, gradient = { [from] = g }, {}, nil

   -- Adds to the gradient at an entry; a borrowed one is in memory that others use.
   local function push(index, c, is_borrowed)
      if c == nil or c == false then return end
      c = formulas.like(c, deep and tape.at(index) or values[index])
      local have = found[index]
      if have == nil then
         -- Programs may change the gradients of parameters: they are in separate memory, in which no element is
         -- repeated.
         local is_last = not deep and not entries[index] and type(c) ~= 'number'
         found[index] = is_last and (is_borrowed or shares(c, gradient) or not c:isContiguous()) and c:clone() or c
      elseif type(have) == 'number' or deep then
         found[index] = have + c
      elseif owned[index] then
         have:add(c)
      else
         found[index], owned[index] = torch.add(have, c), true
      end
   end

   for index = from, first, -1 do
      local entry = entries[index]
      gradient = found[index]
      if entry and gradient ~= nil and entry.parameter_of ~= first then
         if entry.parent then
            found[entry.parent] = found[entry.parent] or {}
            found[entry.parent][entry.part] = gradient
         elseif entry.backward then
            entry.backward(gradient, push, deep)
         else
            distribute(index, gradient, first, push, deep)
         end
         found[index] = nil
      end
   end
   return found
end
