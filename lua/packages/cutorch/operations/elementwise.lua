-- Element-wise operations: the programs of the rows, compiled to functions of PyTorch.

local device_buffers, geometry = require 'torch.memory.device_buffers', require 'torch.base.geometry'
local signatures, types = require 'torch.base.signatures', require 'torch.base.types'
local host = require('torch.native.host').of 'cutorch'
local parts = require 'cutorch.operations.parts'
local adopt, no_overlap, result_view, view = device_buffers.adopt, device_buffers.no_overlap, device_buffers.result,
   device_buffers.view
local with_memory, mark_written = device_buffers.with_memory, device_buffers.mark_written
local numel, same_size = geometry.numel, geometry.same_size
local fits, aliases, fallback = parts.fits, parts.aliases, parts.fallback

return function(operations)

-- The text of a program without Lua loops, which the device does not have.
local function program_text(T, options)
   local text = T.integer and options.integer or options[1]
   -- Rows that replace some numbers are left to the CPU.
   if options.scalar then return nil end
   if not T.integer and string.find(text, '(', 1, true) then text = options.Double or text end
   return text
end

-- The registers of the operands in the order of the signature: x, y, w are tensors, v and u numbers.
local function registers(signature)
   local tensors, numbers, names = { 'x', 'y', 'w' }, { 'v', 'u' }, {}
   local slots = signatures.parse(signature)
   for i = 2, #slots do
      local list = slots[i].letter == 't' and tensors or numbers
      names[i - 1] = table.remove(list, 1)
   end
   return names
end

-- Makes the kernel of a program whose result is of type R.
local function elementwise(c, R, text)
   if not text or c.T.name == 'Half' then return nil end
   local T, names = c.T, registers(c.signature)
   local parameters = table.concat(names)
   local run, run_new = host.program(text, parameters), host.new_program(text, parameters, R ~= T)
   if not run then return nil end
   local function operand(name, value, x)
      if name == 'v' or name == 'u' then return fits(T, value) and value or nil end
      return (rawequal(value, x) or same_size(value, x)) and view(value, T) or nil
   end
   local first
   for i = #names, 1, -1 do
      if names[i] == 'x' then first = i end
   end
   local clamps, divides = c.name == 'clamp', T.integer and c.options.nonzero
   -- Integers may be divided only by numbers that all types represent; divisors that may be 0 are left to the CPU.
   if divides and table.concat(names) ~= 'xv' then return nil end
   return function(r, a, b, d, e, f)
      local x = first == 1 and a or b
      if numel(x) == 0 or clamps and not (b <= d) then return fallback end
      if divides and not (b > 0 and b < 128) then return fallback end
      local p = operand(names[1], a, x)
      local q, s, t, o
      if names[2] then q = operand(names[2], b, x) end
      if names[3] then s = operand(names[3], d, x) end
      if names[4] then t = operand(names[4], e, x) end
      if names[5] then o = operand(names[5], f, x) end
      if p == nil or names[2] and q == nil or names[3] and s == nil or names[4] and t == nil
         or names[5] and o == nil then
         return fallback
      end
      if r == nil then
         local made = with_memory(c.name, run_new, p, q, s, t, o)
         if not made then return fallback end
         r = R.new_like(x)
         adopt(r, R, made)
         return r
      end
      if aliases(r, a) or aliases(r, b) or aliases(r, d) or aliases(r, e) or aliases(r, f) then
         return fallback
      end
      R.resize_as(r, x)
      if not no_overlap(r) then return fallback end
      -- A result that is an operand has its elements on the device by now.
      local z = result_view(r, R)
      if not z or not with_memory(c.name, run, z, p, q, s, t, o) then return fallback end
      mark_written(r, R)
      return r
   end
end

operations['elementwise.map'] = function(c) return elementwise(c, c.T, program_text(c.T, c.options)) end

operations['elementwise.compare'] = function(c)
   return elementwise(c, types.by_name.CudaByte, 'z = ' .. c.options[1])
end

operations['elementwise.compare_own'] = function(c) return elementwise(c, c.T, 'z = ' .. c.options[1]) end

end
