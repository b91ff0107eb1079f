-- Errors that name the function and the argument, and blame the line of the user's program.

local error, select, tonumber, tostring, type = error, select, tonumber, tostring, type
local finish_trace = require('torch.jit.trace').finish
local getinfo = debug.getinfo
local byte, find, format, gsub, sub = string.byte, string.find, string.format, string.gsub, string.sub
local floor = math.floor

local errors = {}

-- The folder of the library's sources, with '@' before it.
local here = gsub(getinfo(1, 'S').source, 'torch[/\\]base[/\\]errors%.lua$', '')
errors.library = here

-- Tells whether a source is the library's: in its folder, or generated, with a name that begins with t7.
local function is_library(source)
   return sub(source, 1, #here) == here or sub(source, 1, 4) == '=t7 '
end
errors.is_library = is_library

-- "file.lua:3: " of the nearest Lua function outside this library, '' when there is none.
function errors.where()
   local level = 2
   while true do
      local info = getinfo(level, 'Sl')
      if not info then return '' end
      if info.currentline > 0 and not is_library(info.source) then
         return info.short_src .. ':' .. info.currentline .. ': '
      end
      level = level + 1
   end
end

-- A message without the position of the program's call, which the error that quotes it adds itself.
function errors.without_position(message)
   local where = errors.where()
   return sub(message, 1, #where) == where and sub(message, #where + 1) or message
end

local function escaped(character)
   local first, second = byte(character, 1, 2)
   return second and format('\\%d\\%d', first, second) or format('\\%d', first)
end

-- Untrusted text for a message: control characters, which terminals interpret, are escaped; `lines` keeps newlines and
-- tabs.
function errors.plain(text, lines)
   text = gsub(text, lines and '[%z\1-\8\11-\31\127]' or '[%z\1-\31\127]', escaped)
   return (gsub(text, '\194[\128-\159]', escaped))
end
local plain = errors.plain

function errors.raise(message, ...)
   finish_trace()
   if select('#', ...) > 0 then message = format(message, ...) end
   error(errors.where() .. plain(message, true), 0)
end

local NESTED = 'stack overflow: it contains itself, or objects are nested too deeply'

-- Raises one sentence instead of `why`, an error within an object, if that is a stack overflow. Each of the nested
-- objects catches the error of the next one: the first that does so gives the sentence, with its name, others pass it
-- on. With `min_depth` a stack of fewer calls is another's: that of a function that calls itself.
function errors.check_nested(why, name_of, object, min_depth)
   if type(why) ~= 'string' or not find(why, 'stack overflow', 1, true) then return end
   if find(why, NESTED, 1, true) then error(why, 0) end
   if not min_depth or getinfo(min_depth, 'l') then error(errors.where() .. name_of(object) .. ': ' .. NESTED, 0) end
end

-- Raises "name: argument n <problem>", as in "fill: argument 1 must be a number (got nil)". Self is argument 0.
function errors.argument(name, n, problem, ...)
   finish_trace()
   if select('#', ...) > 0 then problem = format(problem, ...) end
   problem = plain(problem, true)
   error(format('%s%s: %s %s', errors.where(), name, n == 0 and 'self' or 'argument ' .. n, problem), 0)
end

-- Rejects a name with a NUL, where C would end it: the name that a program checked is not the one that is opened.
function errors.reject_nul(name, n, path)
   if type(path) == 'string' and find(path, '\0', 1, true) then
      errors.argument(name, n, 'must be a name without a NUL (got %q)', path)
   end
end

-- Raises if the last argument is nil: where sizes are optional, it is usually an unset variable.
function errors.reject_nil(name, ...)
   local count = select('#', ...)
   if count > 0 and type((select(count, ...))) == 'nil' then
      errors.argument(name, count, 'must be a number (got nil)')
   end
end

-- Formats an error in a handler; `level` is the number of functions between it and this one. nn finds the fields of
-- modules.
function errors.worded(why, _) return why end

-- The class of a value, nil if it has none: set by class_registry.lua.
function errors.typename() end

-- Describes a value for "(got X)": class names for objects, Lua's type for the rest.
function errors.describe(value)
   if type(value) == 'nil' then return 'nil' end
   return errors.typename(value) or type(value)
end

-- Raises "name: argument n must be <wanted> (got X)", where X is a number or short string itself, or a type.
function errors.argument_error(name, n, wanted, value)
   finish_trace()
   local got = errors.describe(value)
   if type(value) == 'number' then got = tostring(value) end
   if type(value) == 'string' and #value < 40 then got = "'" .. value .. "'" end
   errors.argument(name, n, 'must be %s (got %s)', wanted, got)
end

-- A number, or a string that reads as one, as Torch7 takes them; anything else is an error.
function errors.number(name, n, value)
   local number = value
   if type(value) == 'string' then number = tonumber(value) end
   if type(number) ~= 'number' then errors.argument_error(name, n, 'a number', value) end
   return number
end

-- Returns a number truncated towards zero; nan and infinities are errors.
function errors.integer(name, n, value)
   local number = errors.number(name, n, value)
   if number ~= number or number == 1 / 0 or number == -1 / 0 then
      errors.argument_error(name, n, 'a whole number', number)
   end
   return number < 0 and -floor(-number) or floor(number)
end

return errors
