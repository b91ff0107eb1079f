-- Work that Ctrl-C must not stop halfway: loading what is made on first use, which is done only once, and what is
-- shared with the second core, which must not write to memory that was given up. The prompt raises its error when
-- `state`, of two numbers, is all 0 again.

local error, pcall = error, pcall
local ffi = require 'ffi'

local undisturbed = {}

local state = ffi.new 'int32_t[2]'
undisturbed.state = state
-- How many calls are under way; whether a job of the second core is.
local DEPTH = 0
undisturbed.SHARING = 1

local function leave(fine, ...)
   state[DEPTH] = state[DEPTH] - 1
   if not fine then error((...), 0) end
   return ...
end

-- The results, or the error, of f(...).
function undisturbed.call(f, ...)
   state[DEPTH] = state[DEPTH] + 1
   return leave(pcall(f, ...))
end

return undisturbed
