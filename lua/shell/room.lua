-- Free memory in Lua's heap between two calls by Python. lupa pushes the function and its arguments before its call is
-- protected: where that cannot be allocated, LuaJIT ends the process.

local collectgarbage, pcall = collectgarbage, pcall
local buffer = require 'string.buffer'

local room = {}

-- What the arguments of a call may take, and address space that is given away when there is no room: no page of it is
-- used.
room.BYTES = 2 ^ 16
local LAST = 2 ^ 22

local spare, last = buffer.new(), buffer.new()
local is_kept = pcall(last.reserve, last, LAST)

-- Tells whether so many bytes are free, and leaves them so.
local function has(bytes)
   local fine = pcall(spare.reserve, spare, bytes)
   spare:free()
   return fine
end

-- Makes room for the next call; false when there is not enough memory for it.
function room.make(bytes)
   if has(bytes) then return true end
   collectgarbage()
   if has(bytes) then return true end
   if is_kept then
      last:free()
      is_kept = false
   end
   return has(bytes)
end

-- At the end of a call.
function room.keep()
   if room.make(room.BYTES) and not is_kept then
      is_kept = pcall(last.reserve, last, LAST)
      if is_kept and not has(room.BYTES) then
         last:free()
         is_kept = false
      end
   end
end

return room
