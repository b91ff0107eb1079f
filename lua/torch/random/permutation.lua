-- Random permutations.

local floor = math.floor
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local lazy_table, buffers = require 'torch.jit.lazy_table', require 'torch.memory.buffers'
local mersenne_twister, template = require 'torch.random.mersenne_twister', require 'torch.jit.template'
local contiguous = geometry.contiguous

local permutation = {}

-- Fisher and Yates: each element is exchanged with one at or after it.
local shuffle_source = [[
return function(to, n, g)
   for i = 0, n - 1 do to[i] = i + 1 end
   local done = 0
   while done < n - 1 do
      if g.left == 1 then refill(g) end
      local count, first = n - 1 - done, g.next
      if count > g.left - 1 then count = g.left - 1 end
      -- Conversions of the 32-bit doubles cost more than products. A moving pointer needs no index.
      local unit, at, left = g.unit + first, to + done, n - done
      for i = 0, count - 1 do
         local w = unit[i] * 2 ^ 32
         local other = w - floor(w / left) * left
         at[0], at[other] = at[other], at[0]
         at, left = at + 1, left - 1
      end
      g.next, g.left, done = first + count, g.left - count, done + count
   end
end]]

local shuffles = lazy_table(function()
   return template.compile('randperm', shuffle_source, nil, { refill = mersenne_twister.refill, floor = floor })
end)

function permutation.shuffle(T, to, n, g) shuffles[T](to, n, g) end

function permutation.randperm(name, T)
   return function(r, g, n)
      n = errors.integer(name, 1, n)
      if n < 1 then errors.argument(name, 1, 'must be at least 1 (got %.0f)', n) end
      if n >= 2 ^ 32 then errors.argument(name, 1, 'must be below 2^32 (got %.0f)', n) end
      r = T.resized(r, n)
      local ordered = contiguous(r) and r or T.new_vector(n)
      permutation.shuffle(T, ordered._memory._data + ordered._offset, n, g or mersenne_twister.default)
      if ordered ~= r then T.copy_from(r, T, ordered) end
      buffers.keep_alive(ordered)
      return r
   end
end

return permutation
