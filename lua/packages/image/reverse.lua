-- Rows with their elements in the other order.

local ffi, taps = require 'ffi', require 'image.taps'
local lazy_table, template = require 'torch.jit.lazy_table', require 'torch.jit.template'
local bit = bit

-- Eight elements a turn. Numbers go from row to row, not pointers: entering a compiled loop again boxes those.
local function eight(from)
   local lines = {}
   for k = 0, 7 do lines[k + 1] = ('to[a + %d] = %s'):format(k, from:format(('b - %d'):format(k))) end
   return table.concat(lines, '\n')
end

local reverse_source = [=[
return function(to, from, rows, n)
   to, from = bits(to), bits(from)
   for row = 0, rows - 1 do
      local first, last = row * n, row * n + n - 1
      for i = 0, n - 8, 8 do
         local a, b = first + i, last - i
         $eight
      end
      for i = n - n % 8, n - 1 do
         local b = last - i
         to[first + i] = $one
      end
   end
   settle(to)
end]=]

-- Elements as they are, and two floats at a time.
local element, pair = 'from[%s]', 'rol(from[%s], 32)'

local reverse = lazy_table(function(kind)
   local from = kind == 'pairs' and pair or element
   local bits, settle = taps.mover(kind)
   return template.compile('image reverse', reverse_source, { eight = eight(from), one = from:format 'b' },
      { rol = bit.rol, bits = bits, settle = settle })
end)

local pairs_ct = ffi.typeof 'uint64_t *'

-- Reverses each of `rows` rows of n elements.
return function(kind, to, from, rows, n)
   if kind == 'float' and n % 2 == 0 then
      return reverse.pairs(ffi.cast(pairs_ct, to), ffi.cast(pairs_ct, from), rows, n / 2)
   end
   return reverse[kind](to, from, rows, n)
end
