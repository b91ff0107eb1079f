-- Bytecode from string.dump in files. LuaJIT trusts it: a dump is loaded only if its version and all its lengths
-- agree.

local band = require('bit').band

local bytecode = {}

-- Flags of the header that may differ between dumps of one version: stripped of debug information, with cdata.
local STRIPPED, CDATA = 2, 4
local own = string.dump(function() end)
local VERSION, FLAGS = string.byte(own, 4), band(string.byte(own, 5), 0xff - STRIPPED - CDATA)

-- A number of up to five bytes, seven bits each, and the index after it; nil if the text ends inside of it.
local function number_at(text, at)
   local value, weight = 0, 1
   for i = at, at + 4 do
      local b = string.byte(text, i)
      if not b then return nil end
      value = value + band(b, 127) * weight
      if b < 128 then return value, i + 1 end
      weight = weight * 128
   end
end

local function skip_numbers(text, at, count)
   for _ = 1, count do
      local _, after = number_at(text, at)
      if not after then return nil end
      at = after
   end
   return at
end

-- Skips a constant of a table: nothing, false, true, an integer, a number, or a string.
local function skip_table_constant(text, at)
   local kind, after = number_at(text, at)
   if not kind then return nil end
   if kind >= 5 then return after + kind - 5 end
   return skip_numbers(text, after, kind == 3 and 1 or kind == 4 and 2 or 0)
end

local function skip_table(text, at)
   local array, hash
   array, at = number_at(text, at)
   if not array then return nil end
   hash, at = number_at(text, at)
   if not hash or array + 2 * hash > #text then return nil end
   for _ = 1, array + 2 * hash do
      at = skip_table_constant(text, at)
      if not at or at > #text + 1 then return nil end
   end
   return at
end

-- Skips a constant: the function on top of `stack`, a table, a number of 8 or 16 bytes, or a string.
local function skip_constant(text, at, stack)
   local kind
   kind, at = number_at(text, at)
   if not kind then return nil end
   if kind == 0 then
      if stack.count == 0 then return nil end
      stack.count = stack.count - 1
      return at
   end
   if kind == 1 then return skip_table(text, at) end
   if kind <= 4 then return skip_numbers(text, at, kind == 4 and 4 or 2) end
   return at + kind - 5
end

-- Skips a number constant: its lowest bit tells an integer from a number of two parts.
local function skip_number_constant(text, at)
   local first = string.byte(text, at)
   return first and skip_numbers(text, at, band(first, 1) == 1 and 2 or 1)
end

-- Walks one function from `at` to `stop`; returns whether it ends there exactly.
local function walk(text, at, stop, stripped, stack)
   local upvalues = string.byte(text, at + 3)
   if not upvalues or string.byte(text, at + 2) > 250 then return false end
   at = at + 4
   local counts = {}
   for i = 1, stripped and 3 or 4 do
      counts[i], at = number_at(text, at)
      if not counts[i] then return false end
   end
   local debug_size = counts[4] or 0
   if debug_size > 0 then
      at = skip_numbers(text, at, 2)
      if not at then return false end
   end
   if counts[3] == 0 then return false end
   at = at + 4 * counts[3] + 2 * upvalues
   if at > stop or counts[1] + counts[2] > stop - at then return false end
   for _ = 1, counts[1] do
      at = skip_constant(text, at, stack)
      if not at or at > stop then return false end
   end
   for _ = 1, counts[2] do
      at = skip_number_constant(text, at)
      if not at or at > stop then return false end
   end
   return at + debug_size == stop
end

-- Returns nil if `text` can be loaded, otherwise the reason why it cannot.
function bytecode.fault(text)
   if string.sub(text, 1, 3) ~= '\27LJ' then
      if string.sub(text, 1, 4) == '\27Lua' then return 'it is bytecode of another Lua than LuaJIT' end
      return 'it is not bytecode'
   end
   local flags = string.byte(text, 5) or 0
   if string.byte(text, 4) ~= VERSION or band(flags, 0xff - STRIPPED - CDATA) ~= FLAGS then
      return string.format('it is bytecode of another LuaJIT (version %d, flags %d; here version %d, flags %d)',
         string.byte(text, 4) or 0, flags, VERSION, FLAGS)
   end
   local stripped = band(flags, STRIPPED) ~= 0
   local at = 6
   if not stripped then
      local length
      length, at = number_at(text, at)
      if not length then return 'its bytecode is damaged' end
      at = at + length
   end
   local stack = { count = 0 }
   while true do
      local length, start = number_at(text, at)
      if not length then return 'its bytecode is damaged' end
      if length == 0 then
         if start == #text + 1 and stack.count == 1 then return nil end
         return 'its bytecode is damaged'
      end
      at = start + length
      if at > #text + 1 or not walk(text, start, at, stripped, stack) then return 'its bytecode is damaged' end
      stack.count = stack.count + 1
   end
end

-- The function of a dump; nil and the reason on failure.
function bytecode.load(text)
   local reason = bytecode.fault(text)
   if reason then return nil, reason end
   local f, message = loadstring(text, '=loaded')
   if not f then return nil, message end
   return f
end

return bytecode
