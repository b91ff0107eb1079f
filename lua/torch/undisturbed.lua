-- Work that Ctrl-C must not stop halfway, because it is done only once: loading what is made on first use. The prompt
-- raises its error when `depth` is 0 again.

local error, pcall = error, pcall
local ffi = require 'ffi'

local undisturbed = {}

local depth = ffi.new 'int32_t[1]'
undisturbed.depth = depth

local function leave(fine, ...)
   depth[0] = depth[0] - 1
   if not fine then error((...), 0) end
   return ...
end

-- The results, or the error, of f(...).
function undisturbed.call(f, ...)
   depth[0] = depth[0] + 1
   return leave(pcall(f, ...))
end

return undisturbed
