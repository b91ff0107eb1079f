-- The tags of the object format and its errors, for writing and reading.

local errors = require 'torch.base.errors'

local record_types = require 'torch.io.record_types'

local object_format = {}
for _, row in ipairs(record_types) do object_format[row.name] = row.tag end

-- Faults are raised as objects, so that the message can blame the line of the program that called.
local fault = {}
fault.__index = fault
function fault.__tostring(object) return object.message end

function object_format.raise(message, ...)
   error(setmetatable({ message = errors.plain(string.format(message, ...)) }, fault), 0)
end

-- Objects may be nested this deep. Lua's stack is far shallower: a new coroutine continues at regular depths.
object_format.MAX_DEPTH, object_format.STEP = 100000, 500

function object_format.on_new_stack(f, ...)
   local ok, result = coroutine.resume(coroutine.create(f), ...)
   if not ok then error(result, 0) end
   return result
end

-- Raises again an error that `attempt` caught; a fault becomes an error at the program's line.
function object_format.rethrow(caught)
   if getmetatable(caught) == fault then errors.raise('%s', caught.message) end
   error(caught, 0)
end

-- Returns the result of an attempt, or re-raises the error that it caught.
function object_format.settled(ok, result)
   if not ok then object_format.rethrow(result) end
   return result
end

-- Calls f(s, context, ...) for a file object as pcall does. Read and write methods of classes re-enter it: inner errors
-- propagate to the outermost call.
function object_format.attempt(context, object_file, f, s, ...)
   if context.active then return true, f(s, context, ...) end
   -- A context must not keep its file alive, or no file would ever be collected.
   context.active, context.file = true, object_file
   local ok, result = pcall(f, s, context, ...)
   context.active, context.file = false, nil
   return ok, result
end

return object_format
