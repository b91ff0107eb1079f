-- Free memory in Lua's heap between two calls by Python. lupa pushes the function and its arguments before its call is
-- protected: if that allocation fails, LuaJIT ends the process.

local buffer, ffi = require 'string.buffer', require 'ffi'
local libc = require 'torch.native.libc'

local heap_reserve = {}

-- Bytes that the arguments of a call may take, and address space that is released when memory runs out: none of its
-- pages is used, and it is not part of Lua's heap, which would otherwise collect less often.
local CALL_BYTES = 2 ^ 16
local EMERGENCY_BYTES = 2 ^ 22

local spare, null = buffer.new(), ffi.cast('void *', 0)

-- Freed with the state, since pools create many states.
local function reserve() return ffi.gc(libc.t7_calloc(1, EMERGENCY_BYTES), libc.t7_free) end

local emergency = reserve()

local function release_emergency()
   if emergency ~= null then libc.t7_free(ffi.gc(emergency, nil)) end
   emergency = null
end

-- Tells whether this number of bytes is free, without allocating it.
local function has(bytes)
   local ok = pcall(spare.reserve, spare, bytes)
   spare:free()
   return ok
end

-- Reserves memory for the next call; false if there is not enough memory.
function heap_reserve.make(bytes)
   if has(bytes) then return true end
   collectgarbage()
   if has(bytes) then return true end
   release_emergency()
   return has(bytes)
end

-- At the end of a call.
function heap_reserve.keep()
   if heap_reserve.make(CALL_BYTES) and emergency == null then
      emergency = reserve()
      if not has(CALL_BYTES) then release_emergency() end
   end
end

return heap_reserve
