-- Resampling: an output element is a weighted sum of a few input elements, its taps.
--
-- Functions of geometry (scale, rotate, warp, polar) list for one row of outputs the elements to read and their
-- weights; the loops here do the reading. Taps of an output are adjacent: at[i * K + k], weight[i * K + k].

local concat, gsub = table.concat, string.gsub
local ffi = require 'ffi'
local element, template = require 'torch.base.element', require 'torch.jit.template'
local lazy_table = require 'torch.jit.lazy_table'
local max, min = math.max, math.min

local taps = {}

-- More taps than this are summed in a loop.
local WRITTEN_OUT = 36

-- Rows start at numbers, not at pointers, which compiled code would box for every row.
local along_source = [=[
return function(to, from, at, weight, total, n, first, last, step)
   for y = first, last - 1 do
      local outputs, inputs = y * n, y * step
      for i = 0, n - 1 do
         local j = i * $K
         local s = $sum
         to[outputs + i] = $store
      end
   end
end]=]

local along_long = [=[
return function(to, from, at, weight, total, n, first, last, step)
   local K = $K
   for y = first, last - 1 do
      local outputs, inputs = y * n, y * step
      for i = 0, n - 1 do
         local s = 0
         for j = i * K, i * K + K - 1 do s = s + weight[j] * get(from, inputs + at[j]) end
         to[outputs + i] = $store
      end
   end
end]=]

local across_source = [=[
return function(to, from, at, weight, total, n, first, last)
   for y = first, last - 1 do
      local outputs, j = y * n, y * $K
      local $rows = $starts
      local $weights = $values
      for i = 0, n - 1 do
         local s = $sum
         to[outputs + i] = $store
      end
   end
end]=]

local across_long = [=[
return function(to, from, at, weight, total, n, first, last)
   local sums, K = room(n), $K
   for y = first, last - 1 do
      local outputs = y * n
      for i = 0, n - 1 do sums[i] = 0 end
      for k = y * K, y * K + K - 1 do
         local row, w = at[k] * n, weight[k]
         for i = 0, n - 1 do sums[i] = sums[i] + w * get(from, row + i) end
      end
      for i = 0, n - 1 do
         local s = sums[i]
         to[outputs + i] = $store
      end
   end
end]=]

-- Sums divided by the total of their weights, if that is not 1; bytes are rounded and stay within their range.
local function store(kind, total)
   local value = total and ('s / ' .. total) or 's'
   return kind == 'byte' and 'min(max(' .. value .. ' + 0.5, 0), 255)' or value
end

local function repeated(count, first, text, separator)
   local list = {}
   for k = first, first + count - 1 do list[#list + 1] = (gsub(text, '#', k)) end
   return concat(list, separator)
end

local row_of = { double = { name = 'Double' }, float = { name = 'Float' }, byte = { name = 'Byte' },
   pairs = { name = 'Long' } }

-- See torch/base/element.lua.
function taps.getter(kind) return element.getter(row_of[kind]) end
function taps.mover(kind) return element.mover(row_of[kind]) end

local function compiled(source, kind, values)
   return template.compile('image taps', source, values, { max = max, min = min, get = taps.getter(kind),
      room = ffi.typeof 'double[?]' })
end

-- Loops by kind of element, a number and whether sums are divided, made when they are first asked for.
function taps.kept(make)
   local all = {}
   return function(kind, K, divided)
      local key = kind .. K .. (divided and 'd' or '')
      all[key] = all[key] or make(kind, K, divided)
      return all[key]
   end
end

-- f(to, from, at, weight, total, n, first, last, step) makes the rows from first to last - 1, of n outputs each: the
-- sums of their taps in a row of `from`, where rows are `step` elements apart.
taps.along = taps.kept(function(kind, K, divided)
   local values = { K = K, store = store(kind, divided and 'total[i]') }
   if K > WRITTEN_OUT then return compiled(along_long, kind, values) end
   values.sum = repeated(K, 0, 'weight[j + #] * get(from, inputs + at[j + #])', ' + ')
   return compiled(along_source, kind, values)
end)

-- f(to, from, at, weight, total, n, first, last): rows of n outputs that are sums of rows of `from`.
taps.across = taps.kept(function(kind, K, divided)
   local values = { K = K, store = store(kind, divided and 'total[y]') }
   if K > 8 then return compiled(across_long, kind, values) end
   values.rows, values.starts = repeated(K, 0, 'p#', ', '), repeated(K, 0, 'at[j + #] * n', ', ')
   values.weights, values.values = repeated(K, 0, 'w#', ', '), repeated(K, 0, 'weight[j + #]', ', ')
   values.sum = repeated(K, 0, 'w# * get(from, p# + i)', ' + ')
   return compiled(across_source, kind, values)
end)

local pick_source = [=[
return function(to, from, at, n)
   to, from = bits(to), bits(from)
   for i = 0, n - 1 do to[i] = from[at[i]] end
   settle(to)
end]=]

-- f(to, from, at, n): to[i] = from[at[i]]. A loop for each kind of element.
taps.pick = lazy_table(function(kind)
   local bits, settle = taps.mover(kind)
   return template.compile('image pick', pick_source, nil, { bits = bits, settle = settle })
end)

-- Weights of the four elements around a position, whose fraction is x: cubics through the elements, with slopes from
-- their neighbours.
function taps.cubic(x)
   return x * (-0.5 + x * (1 - 0.5 * x)), 1 + x * x * (-2.5 + 1.5 * x), x * (0.5 + x * (2 - 1.5 * x)),
      x * x * (-0.5 + 0.5 * x)
end

taps.size = { double = 8, float = 4, byte = 1 }

local array = { double = ffi.typeof 'double[?]', float = ffi.typeof 'float[?]', byte = ffi.typeof 'uint8_t[?]' }
local kept_elements = {}

-- The most elements of scratch that are kept for the next call.
taps.KEPT = 2 ^ 22

-- Scratch for n elements of a kind, valid until the next call.
function taps.scratch(kind, n)
   local room = kept_elements[kind]
   if room and room.n >= n then return room.at end
   room = { n = n, at = array[kind](n) }
   if n <= taps.KEPT then kept_elements[kind] = room end
   return room.at
end

-- Scratch for the taps of n outputs.
function taps.room(n, K)
   return ffi.new('int32_t[?]', n * K), ffi.new('double[?]', n * K)
end

return taps
