-- Tie-breaking in a long row, in parallel: see tie_order.lua for the order.

local ffi = require 'ffi'
local buffers = require 'torch.memory.buffers'
local parallel_for, tie_order = require 'torch.parallel.parallel_for', require 'torch.kernels.sort.tie_order'
local types, tuning = require 'torch.base.types', require 'torch.base.tuning'
local cast, ceil = ffi.cast, math.ceil
local Long = types.by_name.Long

local PIECE, PARTS, SIMPLE_WORK, WORK = tie_order.PIECE, tuning.TIES_PARTS, tuning.SIMPLE_WORK, tuning.TIE_WORK
local int32_p = ffi.typeof 'int32_t *'

local function kind(name) return parallel_for.kind('torch.kernels.sort.tie_order', name) end
local share_count, share_rank, share_halve, share_partition = kind 'count', kind 'rank', kind 'halve', kind 'partition'

-- The four lists of parts: left and right ends, for this round and the next.
local function set_parts(q)
   local lists = ffi.new('int32_t[?]', 4 * 2 * PARTS)
   q.left, q.right = lists, lists + 2 * PARTS
   q.next_left, q.next_right = lists + 4 * PARTS, lists + 6 * PARTS
   q.left[0], q.right[0] = 0, q.n - 1
   return lists
end

-- Halves all parts until there are PARTS of them, or none is left; returns their number.
local function halve_parts(q)
   local parts, made = 1, 1
   while parts > 0 and made < PARTS do
      share_halve(parts, 1, WORK * q.n, q)
      local kept = 0
      for k = 0, 2 * parts - 1 do
         if q.next_right[k] >= 0 then
            q.left[kept], q.right[kept], kept = q.next_left[k], q.next_right[k], kept + 1
         end
      end
      parts, made = kept, 2 * made
   end
   return parts
end

-- Gives each chunk the number of ranks before it; returns whether there are ties.
local function sum_pieces(q, pieces)
   local sum, first = 0, 0
   for k = 0, pieces - 1 do
      local ties_here, last = q.ties[k], q.first[k]
      q.ties[k], q.first[k] = sum, first
      sum = sum + ties_here
      if last >= 0 then first = last end
   end
   return sum > 0
end

-- Orders the equal elements of a row x of type T, sorted into v with indices p.
return function(T, x, v, p, n)
   local q, pieces = tie_order.long_ct(), ceil(n / PIECE)
   q.v, q.p, q.n, q.type = cast('char *', v), p, n, T.index
   local of_pieces = ffi.new('int32_t[?]', 2 * pieces)
   q.ties, q.first = of_pieces, of_pieces + pieces
   share_count(n, PIECE, SIMPLE_WORK * n, q)
   if sum_pieces(q, pieces) then
      local numbers, counts, lists = Long.new_vector(n), Long.new_vector(n), set_parts(q)
      q.x, q.equal = numbers._memory._data, cast(int32_p, counts._memory._data)
      q.start = q.equal + n
      share_rank(n, PIECE, WORK * n, q)
      share_partition(halve_parts(q), 1, WORK * n, q)
      tie_order.list(q, x)
      buffers.alive(numbers, counts, lists)
   end
   buffers.alive(of_pieces)
end
