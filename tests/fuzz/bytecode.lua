-- Mutates the bytecode of real functions, loads what is accepted, asks all that debug knows about it, and collects.
-- Calls nothing. Arguments: how many dumps, the number of the first, and files of Lua.

local COUNT, FIRST = tonumber(arg[1]), tonumber(arg[2])

local SMALL = [[
   local a, z = { 1, 2.5, x = 'y', [3.5] = true, false, [-2] = 1e300 }, 1LL
   return function(q, ...)
      local b = { 2e-3, k = -1.25e10, 'text' }
      for i = 1, 3 do b[i] = q end
      return a, b, 1.5e10, function() return z, 2i, q end
   end]]

local originals = {}
local function add(f, times)
   for _ = 1, times do
      originals[#originals + 1] = string.dump(f)
      originals[#originals + 1] = string.dump(f, true)
   end
end
for i = 3, #arg do add(assert(loadfile(arg[i])), 1) end
add(assert(loadstring(SMALL)), #arg - 2)

-- Numbers of seven bits a byte: the upper half of values of other types, lengths that lie.
local NUMBERS = { '\128\128\228\255\15', '\128\128\232\255\15', '\255\255\255\255\15', '\255\255\255\255\127', '\128\1',
   '\255\255\3', '\0', '\4\1\128\128\228\255\15' }

local function mutated(text)
   for _ = 1, math.random(3) do
      local at, kind = math.random(6, #text), math.random(6)
      local head, tail = text:sub(1, at - 1), text:sub(at + 1)
      if kind == 1 then
         text = head .. string.char(math.random(0, 255)) .. tail
      elseif kind == 2 then
         text = head .. string.char(bit.bxor(text:byte(at), 2 ^ math.random(0, 7))) .. tail
      elseif kind <= 4 then
         local number = NUMBERS[math.random(#NUMBERS)]
         text = head .. number .. text:sub(at + (kind == 3 and #number or 1))
      elseif kind == 5 then
         text = head .. text:sub(at + math.random(8))
      else
         text = head .. text:sub(at, at + math.random(8)) .. text:sub(at)
      end
      if #text < 6 then return text end
   end
   return text
end

local ffi = require 'ffi'
local plain = function() end
local whole, code = torch.serialize(plain), string.dump(plain, 'd')
local first, last = whole:find(code, 1, true)

-- A file that holds a function with this bytecode.
local function file_of(text)
   return whole:sub(1, first - 5) .. ffi.string(ffi.new('int32_t[1]', #text), 4) .. text .. whole:sub(last + 1)
end

local function look(f)
   for _, what in ipairs { 'S', 'u', 'L' } do debug.getinfo(f, what) end
   for i = 1, 256 do
      if not debug.getupvalue(f, i) then break end
   end
   for i = 1, 20 do debug.getlocal(f, i) end
   string.dump(f, true)
end

local loaded = 0
for number = FIRST, FIRST + COUNT - 1 do
   math.randomseed(number)
   local text = file_of(mutated(originals[math.random(#originals)]))
   local f = torch.deserialize(text)
   assert(torch.serialize(f) == text)
   -- Has the bytecode loaded, and calls nothing.
   local fine, message = pcall(debug.getinfo, f, 'S')
   if fine then
      loaded = loaded + 1
      look(f)
   else
      assert(message:find('cannot run: its bytecode is damaged', 1, true)
         or message:find('cannot run: it is bytecode of another LuaJIT', 1, true), message)
   end
   if number % 16 == 0 then collectgarbage() end
end
collectgarbage()
print(COUNT, loaded)
