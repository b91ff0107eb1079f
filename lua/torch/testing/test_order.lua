-- The order in which Torch7's tester ran its tests: that of a hash table of LuaJIT 2.0, keyed by name. Reports agree
-- line by line with Torch7's, and do not depend on how today's LuaJIT seeds its hashes.

local bit = require 'bit'
local band, bxor, rol, tobit = bit.band, bit.bxor, bit.rol, bit.tobit

-- Reads four bytes of a string from `offset` on, counted from 0, as a little-endian number.
local function word(name, offset)
   local a, b, c, d = string.byte(name, offset + 1, offset + 4)
   return tobit(a + b * 0x100 + c * 0x10000 + d * 0x1000000)
end

-- Computes the hash of a string, by Bob Jenkins's mixing of three numbers.
local function hash(name)
   local length = #name
   if length == 0 then return 0 end
   local a, h, b
   if length >= 4 then
      a, h, b = word(name, 0), bxor(length, word(name, length - 4)), word(name, bit.rshift(length, 1) - 2)
   else
      a, h, b = string.byte(name), bxor(length, string.byte(name, length)), string.byte(name, bit.rshift(length, 1) + 1)
   end
   h = bxor(h, b)
   h = tobit(h - rol(b, 14))
   if length >= 4 then b = tobit(b + word(name, bit.rshift(length, 2) - 1)) end
   a = bxor(a, h)
   a = tobit(a - rol(h, 11))
   b = bxor(b, a)
   b = tobit(b - rol(a, 25))
   h = bxor(h, b)
   return tobit(h - rol(b, 16))
end

-- Puts a key into `nodes`, an array of `size` slots, whose free slots are taken from `free` downwards. Returns the next
-- `free`, or nil if the table is full. A key in the main slot of another one is moved.
local function insert(nodes, size, free, key)
   local slot = band(hash(key), size - 1)
   local occupant = nodes[slot]
   if not occupant then
      nodes[slot] = key
      return free
   end
   repeat
      if free == 0 then return nil end
      free = free - 1
   until not nodes[free]
   if band(hash(occupant), size - 1) == slot then
      nodes[free] = key
   else
      nodes[free], nodes[slot] = occupant, key
   end
   return free
end

-- Rehashes all keys, in slot order, into the smallest array of at least two slots that has space for another key.
local function rehashed(nodes, size, count)
   local new_size = 2
   while new_size < count + 1 do new_size = new_size * 2 end
   local moved, free = {}, new_size
   for slot = 0, size - 1 do
      if nodes[slot] then free = insert(moved, new_size, free, nodes[slot]) end
   end
   return moved, new_size, free
end

-- Lists distinct strings in the order in which a table that they were inserted into iterated over them.
return function(names)
   local nodes, size, free = {}, 0, 0
   for count, name in ipairs(names) do
      local next_free = size > 0 and insert(nodes, size, free, name) or nil
      if not next_free then
         nodes, size, free = rehashed(nodes, size, count - 1)
         next_free = insert(nodes, size, free, name)
      end
      free = next_free
   end
   local listed = {}
   for slot = 0, size - 1 do listed[#listed + 1] = nodes[slot] end
   return listed
end
