-- Rows with their elements in the other order.

local ffi = require 'ffi'
local template = require 'torch.core.template'
local bit, setmetatable = bit, setmetatable

local reverse_source = [=[
return function(to, from, rows, n)
   for row = 0, rows - 1 do
      local last = row * n + n - 1
      for i = row * n, last do
         to[i] = from[last - i + row * n]
      end
   end
end]=]

-- Two floats at a time.
local reverse_pairs_source = [=[
return function(to, from, rows, n)
   for row = 0, rows - 1 do
      local first = row * n
      for i = 0, n - 1 do to[first + i] = rol(from[first + n - 1 - i], 32) end
   end
end]=]

local reverse = setmetatable({}, { __index = function(all, kind)
   local source = kind == 'pairs' and reverse_pairs_source or reverse_source
   all[kind] = template.compile('image reverse', source, nil, { rol = bit.rol })
   return all[kind]
end })

local pairs_ct = ffi.typeof 'uint64_t *'

-- Reverses each of `rows` rows of n elements.
return function(kind, to, from, rows, n)
   if kind == 'float' and n % 2 == 0 then
      return reverse.pairs(ffi.cast(pairs_ct, to), ffi.cast(pairs_ct, from), rows, n / 2)
   end
   return reverse[kind](to, from, rows, n)
end
