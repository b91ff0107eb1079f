-- Operations by the names of their rows, as in the table of t7shell/packages/cutorch/operations.py: functions of the
-- views of the operands, and of 0-based dimensions. They return new PyTorch tensors, one per result of the signature; a
-- number, for names with `_all`; or nothing, if they modify their first operand.

local device_buffers, geometry = require 'torch.memory.device_buffers', require 'torch.base.geometry'
local signatures, types = require 'torch.base.signatures', require 'torch.base.types'
local host = require('torch.native.host').of 'cutorch'
local parts, word_set = require 'cutorch.operations.parts', require 'torch.base.word_set'
local no_overlap, assign, view = device_buffers.no_overlap, device_buffers.assign, device_buffers.view
local numel, same_size, mark_written = geometry.numel, geometry.same_size, device_buffers.mark_written
local fits, fallback, wrap = parts.fits, parts.fallback, parts.wrap

local IN_PLACE = word_set 'indexCopy indexAdd indexFill scatter maskedCopy maskedFill'
local TRUTHS = word_set 'equal all any'
-- Signatures without a result give a new tensor.
local NEW = word_set 'index'
-- Operations on two operands of the same size.
local ALIKE = word_set 'dot dist equal'
-- Matrices that LAPACK stores by columns: PyTorch returns them transposed.
local BY_COLUMNS = word_set 'inverse gesv potrf potrs potri'
-- Letters of arguments that are passed on; see signatures.lua.
local LETTERS = word_set 'r R t L B v n d b s'

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

-- An argument for PyTorch; `fallback` if it is unsuitable. `first` is the first operand.
local function argument(T, slot, value, first)
   local letter, kind = slot.letter, type(value)
   if kind == 'cdata' then
      return numel(value) > 0 and view(value, type_of(T, letter)) or fallback
   elseif kind ~= 'number' then
      return value
   elseif letter == 'd' then
      if value % 1 ~= 0 or value < 1 or value > first._dim then return fallback end
      return value - 1
   elseif letter == 'n' and value % 1 ~= 0 or letter == 'v' and not fits(T, value) then
      return fallback
   end
   return value
end

local function give(r, S, tensor, by_columns)
   if by_columns then return wrap(S, tensor):t() end
   if r == nil then return wrap(S, tensor) end
   S.resize_to(r, { host.sizes(tensor) })
   assign(r, S, tensor)
   return r
end

-- Whether results and operands do not overlap, so that writing the former leaves the latter unchanged.
local function are_apart(given, results, count, changes)
   local last = changes and 1 or results
   for k = 1, last do
      local r = given[k]
      if r ~= nil then
         if not no_overlap(r) then return false end
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
      if not are_apart(given, results, count, changes) then return fallback end
      if by_columns and (given[1] ~= nil or first_at > 2 and given[2] ~= nil) then return fallback end
      if is_number and ALIKE[name] and not same_size(first, given[2]) then return fallback end
      if name == 'gather' and given[1] ~= nil and not same_size(given[1], given[4]) then return fallback end
      for i = first_at, count do
         local value = argument(T, slots[i], given[i], first)
         if value == fallback then return fallback end
         given[i] = value
      end
      local a, b, d = run(unpack(given, first_at, count))
      if not a then return fallback end
      if is_number then
         if truth then return a == 1 end
         return a
      elseif changes then
         mark_written(first, T)
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
