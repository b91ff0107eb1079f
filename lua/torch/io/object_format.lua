-- The tags of the object format and its errors, for writing and reading.

local error, format, getmetatable, pcall, setmetatable = error, string.format, getmetatable, pcall, setmetatable
local create, resume = coroutine.create, coroutine.resume
local errors = require 'torch.base.errors'

local object_format = {
   NIL = 0, NUMBER = 1, STRING = 2, TABLE = 3, TORCH = 4, BOOLEAN = 5,
   -- Functions: with upvalues listed by value, without and with an index, and with upvalues listed by name.
   PLAIN_FUNCTION = 6, OLD_FUNCTION = 7, FUNCTION = 8,
}

-- Faults are raised as objects, so that the message can blame the line of the program that called.
local fault = {}
fault.__index = fault
function fault.__tostring(object) return object.message end

function object_format.raise(message, ...)
   error(setmetatable({ message = format(message, ...) }, fault), 0)
end

-- Objects may be nested this deep. Lua's stack ends long before: a coroutine begins another one at regular depths.
object_format.DEEPEST, object_format.STEP = 100000, 500

function object_format.on_new_stack(f, ...)
   local fine, result = resume(create(f), ...)
   if not fine then error(result, 0) end
   return result
end

-- Raises again an error that `attempt` caught; a fault becomes an error at the program's line.
function object_format.rethrow(caught)
   if getmetatable(caught) == fault then errors.raise('%s', caught.message) end
   error(caught, 0)
end

-- Calls f(s, context, ...) for a file object as pcall does. A class's own methods for reading and writing call in
-- again: there errors pass through, to be caught by the outermost call.
function object_format.attempt(context, object_file, f, s, ...)
   if context.active then return true, f(s, context, ...) end
   -- A context must not keep its file alive, or no file would ever be collected.
   context.active, context.file = true, object_file
   local fine, result = pcall(f, s, context, ...)
   context.active, context.file = false, nil
   return fine, result
end

return object_format
