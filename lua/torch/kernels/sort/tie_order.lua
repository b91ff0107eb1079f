-- Tie-breaking: the order of equal elements follows from the exchanges of a quicksort, see exchanges.lua. Rows are
-- sorted by faster algorithms, see init.lua; the exchanges are simulated here, in chunks, for rows with equal elements.

local tonumber = tonumber
local bit = require 'bit'
local ffi = require 'ffi'
local exchanges = require 'torch.kernels.sort.exchanges'
local template, types = require 'torch.jit.template', require 'torch.base.types'
local tuning = require 'torch.base.tuning'
local cast, min = ffi.cast, math.min
local partition_once, partition_all = exchanges.make(64)

local tie_order = {}

-- Elements of 64 bits: ranks in the upper half; below a bit for ranks that others have (TIED), and the index.
local RANK, TIED, INDEX = 32, '0x80000000LL', '0x7fffffffLL'
tie_order.LONGEST = 2 ^ 31 - 1

-- Ranks the indices `from` to `to - 1` of n sorted elements v with indices p: the index of the first of equals; nan
-- equals nan. `first` is the rank of the preceding element, `ties` counts elements that equal their predecessor.
local rank_source = [[
return function(v, p, n, from, to, x, equal, start, first, ties)
   local k = from
   local same = k > 0 and $equals_before
   for k = from, to - 1 do
      local tied = k < n - 1 and $equals_next
      local flag = 0LL
      if same then
         ties, flag = ties + 1, $TIED
      else
         first = k
         if tied then start[k], flag = k, $TIED end
      end
      equal[k], same = ties, tied
      local index = p[k] - 1
      x[tonumber(index)] = lshift(int64(first), $RANK) + flag + index
   end
   return ties
end]]

-- The number of elements that equal their predecessor, and the last that does not, or -1.
local count_source = [[
return function(v, from, to)
   local ties, first = 0, -1
   local k = from
   if k == 0 then k, first = 1, 0 end
   for k = k, to - 1 do
      if $equals_before then ties = ties + 1 else first = k end
   end
   return ties, first
end]]

-- Equal elements of a row are listed in the order of x. Zeros are equal, but some may have a sign.
local list_source = [[
return function(row, v, p, n, x, start)
   for i = 0, n - 1 do
      local e = x[i]
      if band(e, $TIED) ~= 0 then
         local first, index = tonumber(arshift(e, $RANK)), tonumber(band(e, $INDEX))
         local k = start[first]
         v[k], p[k], start[first] = row[index], index + 1, k + 1
      end
   end
end]]

local find_source = [[
return function(v, k, count)
   for i = k, count - 2 do
      if not (v[i] $before v[i + 1]) then return i end
   end
   return count
end]]

-- find(v, k, count): the first of `count` sorted elements, from k on, that is not before the next, or `count`.
function tie_order.finder(name, descending)
   return template.compile(name, find_source, { before = descending and '>' or '<' })
end

local function equals(a, b) return ('(%s == %s or %s ~= %s and %s ~= %s)'):format(a, b, a, a, b, b) end

local values = { RANK = RANK, TIED = TIED, INDEX = INDEX, equals_before = equals('v[k]', 'v[k - 1]'),
   equals_next = equals('v[k]', 'v[k + 1]') }
local upvalues = { arshift = bit.arshift, band = bit.band, lshift = bit.lshift, tonumber = tonumber,
   int64 = ffi.typeof 'int64_t' }
local tools = {}

local function tools_of(T)
   if not tools[T] then
      local function compile(source) return template.compile('ties ' .. T.name, source, values, upvalues) end
      tools[T] = { rank = compile(rank_source), count = compile(count_source), list = compile(list_source) }
   end
   return tools[T]
end

local int64_p, int32_p = ffi.typeof 'int64_t *', ffi.typeof 'int32_t *'

-- Keeps memory alive that only pointers refer to.
local function alive() end

-- Orders the equal elements of a row x, sorted into v with indices p, on one core.
function tie_order.settle_row(T, row, v, p, n)
   local own, numbers, counts = tools_of(T), ffi.new('int64_t[?]', n), ffi.new('int32_t[?]', 2 * n)
   local x, equal = cast(int64_p, numbers), cast(int32_p, counts)
   if own.rank(v, p, n, 0, n, x, equal, equal + n, 0, 0) > 0 then
      partition_all(x, equal, 0, n - 1)
      own.list(row, v, p, n, x, equal + n)
   end
   alive(numbers, counts)
end

-- One long row, in chunks of PIECE indices, each with a number of ties and the first of its last equals; and in parts
-- from left[k] to right[k], each of which becomes two. A part without ties has its end before its start.
ffi.cdef [[
typedef struct {
   char *v; int64_t *p, *x; int32_t *equal, *start, *ties, *first, *left, *right, *next_left, *next_right;
   double n; int32_t type;
} t7_long_ties;
]]
tie_order.long_ct = ffi.typeof 't7_long_ties'
local long_pointer_ct = ffi.typeof 't7_long_ties *'
tie_order.PIECE = tuning.TIES_PIECE
local PIECE = tie_order.PIECE

function tie_order.count(data, from, to)
   local q = cast(long_pointer_ct, data)
   local T = types.rows[q.type]
   local count, v = tools_of(T).count, cast(T.pointer_ct, q.v)
   for at = from, to - 1, PIECE do
      q.ties[at / PIECE], q.first[at / PIECE] = count(v, at, min(at + PIECE, to))
   end
end

-- By now each chunk has the number of ranks before it.
function tie_order.rank(data, from, to)
   local q = cast(long_pointer_ct, data)
   local T = types.rows[q.type]
   tools_of(T).rank(cast(T.pointer_ct, q.v), q.p, q.n, from, to, q.x, q.equal, q.start, q.first[from / PIECE],
      q.ties[from / PIECE])
end

function tie_order.halve(data, from, to)
   local q = cast(long_pointer_ct, data)
   for k = from, to - 1 do
      local left, right = q.left[k], q.right[k]
      local i, j, before, behind = partition_once(q.x, q.equal, left, right)
      q.next_left[2 * k], q.next_right[2 * k] = left, before and j - 1 or -1
      q.next_left[2 * k + 1], q.next_right[2 * k + 1] = i, behind and right or -1
   end
end

function tie_order.partition(data, from, to)
   local q = cast(long_pointer_ct, data)
   for k = from, to - 1 do partition_all(q.x, q.equal, q.left[k], q.right[k]) end
end

function tie_order.list(q, row)
   local T = types.rows[q.type]
   tools_of(T).list(row, cast(T.pointer_ct, q.v), q.p, q.n, q.x, q.start)
end

return tie_order
