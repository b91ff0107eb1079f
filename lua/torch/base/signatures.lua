-- Signatures, such as "[r] t [v=1] t", and their text in errors.
--
-- Letters:  r  result of the tensor's own type; as a method it is self
--           R  result that is new unless it is given first
--           t  tensor of the own type; as a method the first one is self where it is left out
--           L  LongTensor   B  ByteTensor   v  number   n  integer   d  dimension   s  string
--           b  boolean   T  table     G  torch.Generator   I, F, D  Int-, Float-, DoubleTensor
--           k  last, a boolean: whether a dimension that is reduced stays, as it does by default
-- [ ] marks arguments that are optional together; v=1 gives a default, otherwise the kernel gets nil.

local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local types = require 'torch.base.types'

local signatures = {}

local words = { v = 'number', n = 'number', d = 'number', s = 'string', b = 'boolean', k = 'boolean', T = 'table',
   L = 'LongTensor', B = 'ByteTensor', G = 'Generator', I = 'IntTensor', F = 'FloatTensor', D = 'DoubleTensor' }

-- A signature as a list of slots { letter, default, group }; slots of one group are given or left out together.
function signatures.parse(signature)
   local slots, group, inside = {}, 0, false
   for token in string.gmatch(string.gsub(signature, '([%[%]])', ' %1 '), '%S+') do
      if token == '[' then
         group, inside = group + 1, true
      elseif token == ']' then
         inside = false
      else
         local letter, default = string.match(token, '^(%a)=?(.*)$')
         if default == '' then default = nil end
         slots[#slots + 1] = { letter = letter, default = default, group = inside and group or nil }
      end
   end
   return slots, group
end

-- Which slots are given, as a list of booleans, for each choice of groups; the choice with all groups comes last.
function signatures.choices(slots, groups)
   local list = {}
   for choice = 0, 2 ^ groups - 1 do
      local given = {}
      for i, slot in ipairs(slots) do
         given[i] = not slot.group or math.floor(choice / 2 ^ (slot.group - 1)) % 2 == 1
      end
      list[#list + 1] = given
   end
   return list
end

-- "[DoubleTensor] DoubleTensor number" for a signature.
function signatures.usage(signature, T)
   local slots = signatures.parse(signature)
   local parts = {}
   for i, slot in ipairs(slots) do
      local word = words[slot.letter] or T.title .. 'Tensor'
      if slot.default and slot.group then word = word .. '=' .. slot.default end
      local opens = slot.group and (i == 1 or slots[i - 1].group ~= slot.group)
      local closes = slot.group and (i == #slots or slots[i + 1].group ~= slot.group)
      parts[i] = (opens and '[' or '') .. word .. (closes and ']' or '')
   end
   return table.concat(parts, ' ')
end

local function short_name(value)
   return (string.gsub(errors.describe(value), '^torch%.', ''))
end

-- Describes the arguments of a call, as "DoubleTensor number"; tensors with their sizes.
function signatures.given(count, ...)
   local parts = {}
   for i = 1, count do
      local value = select(i, ...)
      parts[i] = short_name(value)
      if types.of_tensor(value) then
         parts[i] = parts[i] .. '[' .. geometry.shape(value) .. ']'
      end
   end
   return count == 0 and 'no arguments' or table.concat(parts, ' ')
end

return signatures
