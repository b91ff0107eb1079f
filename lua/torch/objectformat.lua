-- What writing and reading of objects share: the tags of the format, and errors that carry their place.

local error, format, getmetatable, pcall, setmetatable = error, string.format, getmetatable, pcall, setmetatable
local errors = require 'torch.errors'

local objectformat = {
   NIL = 0, NUMBER = 1, STRING = 2, TABLE = 3, TORCH = 4, BOOLEAN = 5,
   -- Functions: with upvalues listed by value, without and with an index, and with upvalues listed by name.
   PLAIN_FUNCTION = 6, OLD_FUNCTION = 7, FUNCTION = 8,
}

-- Faults are raised as objects, so that the message can blame the line of the program that called.
local fault = {}
fault.__index = fault
function fault.__tostring(object) return object.message end

function objectformat.raise(message, ...)
   error(setmetatable({ message = format(message, ...) }, fault), 0)
end

-- Calls f(...); a fault becomes an error of the program's line. The one place where that happens is the
-- outermost call: a class's own methods for reading and writing call in again.
function objectformat.guarded(context, f, a, b)
   if context.active then return f(a, b) end
   context.active = true
   local fine, result = pcall(f, a, b)
   context.active = false
   if fine then return result end
   if getmetatable(result) == fault then errors.raise('%s', result.message) end
   error(result, 0)
end

return objectformat
