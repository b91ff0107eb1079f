-- Operations by the names of their rows, as in the table of t7shell/packages/cutorch/operations.py: functions of the
-- views of the operands, and of 0-based dimensions. They return new PyTorch tensors, one per result of the signature; a
-- number, for names with `_all`; or nothing, if they modify their first operand.

local device_buffers, geometry = require 'torch.memory.device_buffers', require 'torch.base.geometry'
local signatures, types = require 'torch.base.signatures', require 'torch.base.types'
local host = require('torch.native.host').of 'cutorch'
local parts = require 'cutorch.operations.parts'
local is_apart, take, view = device_buffers.is_apart, device_buffers.take, device_buffers.view
local numel, same_size, written = geometry.numel, geometry.same_size, device_buffers.written
local fits, refused, wrap = parts.fits, parts.refused, parts.wrap

local function set(names)
   local list = {}
   for name in string.gmatch(names, '%S+') do list[name] = true end
   return list
end

local IN_PLACE = set 'indexCopy indexAdd indexFill scatter maskedCopy maskedFill'
local TRUTHS = set 'equal all any'
-- Signatures without a result give a new tensor.
local NEW = set 'index'
-- Two operands of one size.
local ALIKE = set 'dot dist equal'
-- Matrices that LAPACK stores by columns: PyTorch returns them transposed.
local BY_COLUMNS = set 'inverse gesv potrf potrs potri'
-- Letters of arguments that are passed on; see signatures.lua.
local LETTERS = set 'r R t L B v n d b s'

-- The row of the type of an operand or a result by its letter.
local function type_of(T, letter)
   if letter == 'L' then return types.by_name.CudaLong end
   if letter == 'B' then return types.by_name.CudaByte end
   return T
end

-- The signature without its last [k], and how many results it begins with.
local function parse(signature)
   local slots, results = signatures.parse((string.gsub(signature, ' %[k%]', ''))), 0
   for i = 1, #slots do
      if not LETTERS[slots[i].letter] then return nil end
   end
   while slots[results + 1].letter ~= 't' do
      results = results + 1
      if not slots[results + 1] then return nil end
   end
   return slots, results
end

-- An argument for PyTorch; `refused` if it is unsuitable. `first` is the first operand.
local function argument(T, slot, value, first)
   local letter, kind = slot.letter, type(value)
   if kind == 'cdata' then
      return numel(value) > 0 and view(value, type_of(T, letter)) or refused
   elseif kind ~= 'number' then
      return value
   elseif letter == 'd' then
      if value % 1 ~= 0 or value < 1 or value > first._dim then return refused end
      return value - 1
   elseif letter == 'n' and value % 1 ~= 0 or letter == 'v' and not fits(T, value) then
      return refused
   end
   return value
end

local function give(r, S, tensor, by_columns)
   if by_columns then return wrap(S, tensor):t() end
   if r == nil then return wrap(S, tensor) end
   S.resize_to(r, { host.sizes(tensor) })
   take(r, S, tensor)
   return r
end

-- Whether results and operands do not overlap, so that writing the former leaves the latter unchanged.
local function are_apart(given, results, count, changes)
   local last = changes and 1 or results
   for k = 1, last do
      local r = given[k]
      if r ~= nil then
         if not is_apart(r) then return false end
         for i = k + 1, count do
            local other = given[i]
            if type(other) == 'cdata' and other._memory ~= nil and other._memory == r._memory then return false end
         end
      end
   end
   return true
end

return function(c)
   local T, name = c.T, c.name
   local slots, results = parse(c.signature)
   if not slots or T.name == 'Half' then return nil end
   local changes, count = IN_PLACE[name], #slots
   local is_number = results == 0 and not changes and not NEW[name]
   local run = parts.operation(is_number and name .. '_all' or name)
   if not run then return nil end
   local first_at, truth, by_columns = results + 1, TRUTHS[name], BY_COLUMNS[name]
   return function(...)
      local given, tensors = { ... }, { ... }
      local first = given[first_at]
      if not are_apart(given, results, count, changes) then return refused end
      if by_columns and (given[1] ~= nil or first_at > 2 and given[2] ~= nil) then return refused end
      if is_number and ALIKE[name] and not same_size(first, given[2]) then return refused end
      if name == 'gather' and given[1] ~= nil and not same_size(given[1], given[4]) then return refused end
      for i = first_at, count do
         local value = argument(T, slots[i], given[i], first)
         if value == refused then return refused end
         given[i] = value
      end
      local a, b, d = run(unpack(given, first_at, count))
      if not a then return refused end
      if is_number then
         if truth then return a == 1 end
         return a
      elseif changes then
         written(first, T)
         return first
      end
      if results == 0 then return wrap(T, a) end
      a = give(tensors[1], type_of(T, slots[1].letter), a, by_columns)
      if results == 1 then return a end
      b = give(tensors[2], type_of(T, slots[2].letter), b, by_columns)
      if results == 2 then return a, b end
      return a, b, give(tensors[3], type_of(T, slots[3].letter), d)
   end
end
