-- bit32 of Lua 5.2, for programs that require it: operations on unsigned numbers of 32 bits.

local bit, check = require 'bit', require 'torch.base.check'
local error, format, select, type = error, string.format, select, type

local bit32 = {}

local function unsigned(x) return x % 2 ^ 32 end

local function number(name, n, x)
   if type(x) ~= 'number' then
      error(format("bad argument #%d to '%s' (number expected, got %s)", n, name, check.describe(x)), 3)
   end
   return bit.tobit(x)
end

for name, start in pairs { band = -1, bor = 0, bxor = 0 } do
   local operation = bit[name]
   bit32[name] = function(...)
      local result = start
      for i = 1, select('#', ...) do result = operation(result, number(name, i, (select(i, ...)))) end
      return unsigned(result)
   end
end

function bit32.bnot(x) return unsigned(bit.bnot(number('bnot', 1, x))) end

function bit32.btest(...) return bit32.band(...) ~= 0 end

-- Shifts by 32 bits or more leave nothing; by less than 0 they go the other way.
local function shifted(x, by)
   if by <= -32 or by >= 32 then return 0 end
   return unsigned(by < 0 and bit.rshift(x, -by) or bit.lshift(x, by))
end

function bit32.lshift(x, by)
   number('lshift', 2, by)
   return shifted(number('lshift', 1, x), by)
end

function bit32.rshift(x, by)
   number('rshift', 2, by)
   return shifted(number('rshift', 1, x), -by)
end

function bit32.arshift(x, by)
   x = number('arshift', 1, x)
   number('arshift', 2, by)
   if by < 0 then return shifted(x, -by) end
   return unsigned(bit.arshift(x, by < 31 and by or 31))
end

function bit32.lrotate(x, by) return unsigned(bit.rol(number('lrotate', 1, x), number('lrotate', 2, by))) end
function bit32.rrotate(x, by) return unsigned(bit.ror(number('rrotate', 1, x), number('rrotate', 2, by))) end

local function check_field(name, field, width)
   if field < 0 then error(format("%s: field must be >= 0 (got %d)", name, field), 3) end
   if width < 1 then error(format("%s: width must be > 0 (got %d)", name, width), 3) end
   if field + width > 32 then error(format('%s: field must end before bit 32 (got %d)', name, field + width), 3) end
end

function bit32.extract(x, field, width)
   x, field, width = number('extract', 1, x), number('extract', 2, field), width or 1
   check_field('extract', field, width)
   return unsigned(bit.rshift(x, field)) % 2 ^ width
end

function bit32.replace(x, value, field, width)
   x, value, field, width = number('replace', 1, x), number('replace', 2, value), number('replace', 3, field),
      width or 1
   check_field('replace', field, width)
   local mask = bit.tobit(2 ^ width - 1)
   local kept = bit.band(x, bit.bnot(bit.lshift(mask, field)))
   return unsigned(bit.bor(kept, bit.lshift(bit.band(value, mask), field)))
end

_G.bit32 = bit32
return bit32
