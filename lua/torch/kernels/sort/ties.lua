-- Tie-breaking for sorting and selection: the exchanges of a quicksort, which tie_order simulates for one row,
-- short_ties for many short rows, long_ties for chunks of a long one. See docs/decisions/0010-tie-breaking.md.

local ffi = require 'ffi'
local native = require 'torch.native.native'
local long_ties, short_ties = require 'torch.kernels.sort.long_ties', require 'torch.kernels.sort.short_ties'
local parallel_for, tie_order = require 'torch.parallel.parallel_for', require 'torch.kernels.sort.tie_order'
local cast, char_p = ffi.cast, ffi.typeof 'char *'
local share_short = parallel_for.kind('torch.kernels.sort.short_ties', 'settle')

local ties = { finder = tie_order.finder }

-- settle(x, v, p, rows, n, down): breaks the ties of rows x n elements x, sorted into v with indices p. Skips long
-- rows.
function ties.settler(T)
   local q = short_ties.ct()
   q.type, q.unequal, q.data = T.index, native.raw_loop('not_equal', T, T, 'bool')
   local longest_short = q.unequal ~= nil and short_ties.LONGEST or 0
   return function(x, v, p, rows, n, down)
      if n > tie_order.LONGEST then return end
      if n > longest_short then
         for row = 0, rows - 1 do long_ties(T, x + row * n, v + row * n, p + row * n, n) end
         return
      end
      q.x, q.v, q.p, q.n, q.descending = cast(char_p, x), cast(char_p, v), p, n, down and 1 or 0
      return share_short(rows, 1, n * rows, q)
   end
end

return ties
