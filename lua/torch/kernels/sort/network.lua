-- Sorts short rows by a network, without branches on the elements; NumPy's sort, through Python, takes longer. Elements
-- are doubles whose lowest bits hold the index. If that would change their order, and for infinities, nan or integers
-- beyond doubles, another algorithm is used. See docs/decisions/0013-sorting-networks.md.

local concat, ipairs, max, min = table.concat, ipairs, math.max, math.min
local abs, tonumber = math.abs, tonumber
local bit = require 'bit'
local ffi = require 'ffi'
local band, bor = bit.band, bit.bor
local lazy_table, template = require 'torch.jit.lazy_table', require 'torch.jit.template'
local libc = require 'torch.native.libc'

local network = {}

-- The indices of rows of up to this length fit into five bits.
network.LONGEST = 32

-- Pairs of indices to compare and exchange, in order: Batcher's odd-even merge sort.
local function network_of(size)
   local pairs, whole = {}, 1
   while whole < size do whole = 2 * whole end
   local function add(i, j)
      if j < size then pairs[#pairs + 1] = { i, j } end
   end
   local function merge(first, last, step)
      if 2 * step > last - first then return add(first, first + step) end
      merge(first, last, 2 * step)
      merge(first + step, last, 2 * step)
      for i = first + step, last - step, 2 * step do add(i, i + step) end
   end
   local function sort(first, count)
      if count == 1 then return end
      sort(first, count / 2)
      sort(first + count / 2, count / 2)
      merge(first, first + count - 1, 1)
   end
   sort(0, whole)
   return pairs
end

-- With more exchanges per function the compiler runs out of registers and stack.
local PIECE = 90

local piece_source = [[
   do
      local $names = $loads
      $exchanges
      $stores
   end
   C.t7_ffs(0)
]]

local network_source = [[
return function(keys)
   C.t7_ffs(0)
$pieces
end]]

-- sort(keys): sorts `size` keys in place. C calls invalidate the compiler's view of memory: others use integers.
local function make_network(size)
   local pairs, pieces = network_of(size), {}
   for first = 1, #pairs, PIECE do
      local names, loads, stores, exchanges, seen = {}, {}, {}, {}, {}
      for k = first, min(first + PIECE - 1, #pairs) do
         local i, j = pairs[k][1], pairs[k][2]
         for _, index in ipairs { i, j } do
            if not seen[index] then
               local at = #names + 1
               seen[index], names[at] = true, ('k%d'):format(index)
               loads[at] = ('keys[%d].number'):format(index)
               stores[at] = ('keys[%d].number = k%d'):format(index, index)
            end
         end
         exchanges[#exchanges + 1] = ('k%d, k%d = min(k%d, k%d), max(k%d, k%d)'):format(i, j, i, j, i, j)
      end
      pieces[#pieces + 1] = template.fill('network', piece_source, { names = concat(names, ', '),
         loads = concat(loads, ', '), exchanges = concat(exchanges, '\n      '), stores = concat(stores, '; ') })
   end
   return template.compile('network', network_source, { pieces = concat(pieces) }, { min = min, max = max, C = libc })
end

local keys = ffi.new(ffi.typeof('$[?]', ffi.typeof 'union { double number; int32_t half[2]; }'), network.LONGEST)

local networks = lazy_table(make_network)

-- The network for rows of n elements, and its size, to which they are filled up with infinities.
local function network_for(n)
   local size = n <= 16 and 16 or n <= 24 and 24 or network.LONGEST
   return networks[size], size
end

-- A row is given by its offset: a pointer to it would be boxed.
local row_source = [[
-- Makes keys of a row; returns whether that is possible.
local function pack(x, row, n)
   local odd = 0
   for i = 0, n - 1 do
      local number = $number
      keys[i].number = $sign number
      keys[i].half[0] = bor(band(keys[i].half[0], -32), i)
      $note
   end
   return odd == 0
end

-- Writes the row in the order of its keys; returns whether it is in order.
local function take(x, v, p, row, n)
   local least, last = 0, $first
   for k = 0, n - 1 do
      local i = band(keys[k].half[0], 31)
      local number = $number
      v[row + k], p[row + k] = x[row + i], i + 1
      least, last = min(least, $difference), number
   end
   return least == 0
end

return function(x, v, p, rows, n)
   local sort, size = network_for(n)
   for i = n, size - 1 do keys[i].number = 1 / 0 end
   for k = 0, rows - 1 do
      local row = k * n
      if not pack(x, row, n) then return k end
      sort(keys)
      if not take(x, v, p, row, n) then return k end
   end
   return rows
end]]

-- sort(x, v, p, rows, n): sorts rows x n elements at x into v, with their indices p, from 1, those of equal elements
-- in any order. Returns how many rows were sorted before one that could not be.
function network.make(name, T, descending)
   local note = 'odd = odd + number * 0'
   if T.name == 'Long' then note = 'odd = max(odd, abs(number) - (2 ^ 53 - 1))' elseif T.integer then note = '' end
   return template.compile(name, row_source, {
      number = T.name == 'Long' and 'tonumber(x[row + i])' or 'x[row + i]', note = note,
      sign = descending and '-' or '', first = descending and '1 / 0' or '-1 / 0',
      difference = descending and 'last - number' or 'number - last',
   }, { keys = keys, network_for = network_for, abs = abs, band = band, bor = bor, max = max, min = min,
      tonumber = tonumber })
end

return network
