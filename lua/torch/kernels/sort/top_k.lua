-- The k best of rows, best first. Each element is compared with the worst kept, by NumPy's loops once few elements are
-- better. Code is generated per k, and per length of short rows.

local concat, floor, max, min = table.concat, math.floor, math.max, math.min
local ffi = require 'ffi'
local ufunc_loops = require 'torch.parallel.ufunc_loops'
local tree = require('torch.jit.unroll').tree
local libc, template = require 'torch.native.libc', require 'torch.jit.template'
local cast = ffi.cast
local byte_p = ffi.typeof 'uint8_t *'

local top_k = {}

-- The code for larger k would be too long.
top_k.MOST = 17

-- Most of the first FIRST elements are inserted. The others are compared with the worst kept in parts, each as long as
-- all preceding ones, so that about k of its elements are better, but at most PART long.
top_k.FIRST = 64
local FIRST, PART = top_k.FIRST, 8192

local source = [[
-- Rows are given by their offsets: a pointer to each would be boxed.

-- Inserts a value that is better than the worst kept.
local function insert(v, p, to, value, index)
   $insert
end

local function parts(x, from, v, p, to, n)
   local start = $count
   while start < n do
      local count = n - start
      if count > start then count = start end
      if count > PART then count = PART end
      beyond(x + (from + start), $size, v + (to + $last), 0, mask, 1, count)
      local at = 0
      while at < count do
         local hit = cast(byte_p, C.t7_memchr(mask + at, 0, count - at))
         if hit == nil then break end
         at = hit - mask
         local value = x[from + start + at]
         if $worst then insert(v, p, to, value, start + at + 1) end
         at = at + 1
      end
      start = start + count
   end
end

-- The best of the first elements, whatever they are.
local function plain(x, from, v, p, to, n)
   $start
   for i = $k, n - 1 do
      local value = x[from + i]
      if $worst then insert(v, p, to, value, i + 1) end
   end
end

return function(x, v, p, rows, n)
   for row = 0, rows - 1 do
      local from, to = row * n, row * $k
      $first
      if n > $count then parts(x, from, v, p, to, n) end
   end
end]]

-- The first elements, unrolled: the k-th best of the maxima of some groups is no better than the k-th best of all. It
-- is found without branches, which would be unpredictable, and few elements are as good: a separate loop skips the
-- others. If that fails, because of nan or infinities, too few are found.
local first_source = [[
local $names = $none
      $network
      $clear
      local i, stop = from, from + $count
      while true do
         while i < stop and x[i] $beyond b$k do i = i + 1 end
         if i == stop then break end
         local value = x[i]
         if $worst then insert(v, p, to, value, i - from + 1) end
         i = i + 1
      end
      if p[to + $last] == 0 then plain(x, from, v, p, to, $count) end]]

-- For larger k the code would be long, and not faster.
local GROUPS, MOST_WRITTEN_OUT = 8, 4

local function written_out(k, count, largest, worst)
   local near, far = largest and 'max' or 'min', largest and 'min' or 'max'
   local none = largest and '-1 / 0' or '1 / 0'
   local names, clear, lines = {}, {}, {}
   for j = 1, k do
      names[j], clear[j] = 'b' .. j, ('v[to + %d], p[to + %d] = %s, 0'):format(j - 1, j - 1, none)
   end
   for g = 0, GROUPS - 1 do
      local from, to = floor(g * count / GROUPS), floor((g + 1) * count / GROUPS) - 1
      lines[#lines + 1] = ('local g%d = %s'):format(g, tree(near .. '(%s, %s)', 'x[from + %d]', from, to))
      for j = 1, k do
         lines[#lines + 1] = ('b%d, g%d = %s(b%d, g%d), %s(b%d, g%d)'):format(j, g, near, j, g, far, j, g)
      end
   end
   return template.fill('topk', first_source, { names = concat(names, ', '), none = none:rep(k, ', '), k = k,
      network = concat(lines, '\n      '), clear = concat(clear, '; '), beyond = largest and '<' or '>',
      count = count, worst = worst, last = k - 1 })
end

-- f(x, v, p, rows, n): the k smallest, or largest, of rows x n elements at x, into v, with indices p; made for n.
function top_k.make(name, T, k, largest, n)
   local count = n < FIRST and n or FIRST
   local function better(j)
      local kept = ('v[to + %d]'):format(j)
      local text = (largest and 'value > ' or 'value < ') .. kept
      if T.integer then return text end
      -- nan is the largest.
      local nan = largest and ' or value ~= value and %s == %s' or ' or %s ~= %s and value == value'
      return '(' .. text .. nan:format(kept, kept) .. ')'
   end
   local function move(j)
      return ('v[to + %d], p[to + %d] = v[to + %d], p[to + %d]'):format(j, j, j - 1, j - 1)
   end
   local function set(j) return ('v[to + %d], p[to + %d] = value, index'):format(j, j) end
   -- Moves up worse elements from index j on; the slot of the last one is free.
   local function insert(j)
      if j == 0 then return set(0) end
      return ('if %s then %s; %s else %s end'):format(better(j - 1), move(j), insert(j - 1), set(j))
   end
   local start = {}
   for j = 0, k - 1 do
      start[j + 1] = ('do local value, index = x[from + %d], %d; %s end'):format(j, j + 1, insert(j))
   end
   -- Integers have no sentinel beyond every value, and LuaJIT has no branch-free selection of 64-bit ones.
   local first, worst = ('plain(x, from, v, p, to, %d)'):format(count), better(k - 1)
   if not T.integer and k <= MOST_WRITTEN_OUT then first = written_out(k, count, largest, worst) end
   -- Comparisons with nan are false in the loop, so the element is examined.
   local beyond = ufunc_loops.get(largest and 'less_equal' or 'greater_equal', T, T, 'bool')
   return template.compile(name, source, { insert = insert(k - 1), size = T.size, count = count, last = k - 1,
      worst = worst, k = k, start = concat(start, '\n   '), first = first }, { beyond = beyond,
      mask = ffi.new('uint8_t[?]', PART), PART = PART, C = libc, cast = cast, byte_p = byte_p, min = min, max = max })
end

return top_k
