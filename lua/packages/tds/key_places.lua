-- The order of the keys of a hash, which is that of the places of an open-addressed table: programs draw numbers and
-- write files in it. A key's place follows from its FNV-1 hash, in steps that grow by one, and from the keys that came
-- before and were removed.

local bit, ffi = require 'bit', require 'ffi'
local band, bxor, lshift, tobit = bit.band, bit.bxor, bit.lshift, bit.tobit
local byte, floor, type = string.byte, math.floor, type
local torch = require 'torch'

local LOAD = 0.77          -- of the places that are taken before there are more

local key_places = {}

local double = ffi.new 'double[1]'

local function mixed(h, octet)
   return bxor(tobit(h + lshift(h, 1) + lshift(h, 4) + lshift(h, 7) + lshift(h, 8) + lshift(h, 24)), octet)
end

local function hash(key)
   local h = 0
   if type(key) == 'boolean' then return mixed(h, key and 1 or 0) end
   if type(key) ~= 'number' and type(key) ~= 'string' then key = torch.pointer(key) end
   if type(key) == 'number' then
      -- Compiled code takes a double and bytes for different memory, so the bytes are read as a string.
      double[0] = key
      key = ffi.string(double, 8)
   end
   for i = 1, #key do h = mixed(h, byte(key, i)) end
   return h
end

-- Tables by place, from 0: `used` has true for a key and false for one that was removed.
function key_places.new() return { keys = {}, used = {}, places = 0, size = 0, taken = 0, capacity = 0 } end

-- Moves all keys, in the order of their places, to a table of a number of places that is a power of 2. A key that is in
-- the way of one that has moved is the next to move.
local function resize(t, wanted)
   local count = 4
   while count < wanted do count = count * 2 end
   local capacity = floor(count * LOAD + 0.5)
   if t.size >= capacity then return end
   local keys, before, used = t.keys, t.used, {}
   for place = 0, t.places - 1 do
      local key = keys[place]
      local moves = before[place]
      before[place] = false
      while moves do
         local i, step = band(hash(key), count - 1), 0
         while used[i] do
            step = step + 1
            i = band(i + step, count - 1)
         end
         used[i], moves = true, before[i]
         keys[i], key = key, keys[i]
         if moves then before[i] = false end
      end
   end
   for place = count, t.places - 1 do keys[place] = nil end
   t.used, t.places, t.taken, t.capacity = used, count, t.size, capacity
end

-- Reserves a place, as each insertion and each iteration does.
function key_places.reserve(t)
   if t.taken >= t.capacity then resize(t, t.places > 2 * t.size and t.places - 1 or t.places + 1) end
end

-- Gives a place to a key that has none.
function key_places.add(t, key)
   key_places.reserve(t)
   local used, mask = t.used, t.places - 1
   local i, step, removed = band(hash(key), mask), 0, nil
   local first = i
   while used[i] ~= nil do
      if used[i] == false then removed = i end
      step = step + 1
      i = band(i + step, mask)
      if i == first then break end
   end
   i = removed or i
   if used[i] == nil then t.taken = t.taken + 1 end
   t.keys[i], used[i], t.size = key, true, t.size + 1
end

function key_places.remove(t, key)
   local used, keys, mask = t.used, t.keys, t.places - 1
   local i, step = band(hash(key), mask), 0
   while used[i] == false or keys[i] ~= key do
      step = step + 1
      i = band(i + step, mask)
   end
   used[i], t.size = false, t.size - 1
end

return key_places
