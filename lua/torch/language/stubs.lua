-- Stubs: functions in place of others that are made when they are first needed, such as those in files, whose bytecode
-- is not loaded before. What programs ask about a stub is answered for the function that it stands for.

local debug_library, getinfo, getupvalue, setfenv, getfenv = debug, debug.getinfo, debug.getupvalue, setfenv, getfenv
local ipairs, join, select, string, type = ipairs, debug.upvaluejoin, select, string, type
local weak = setmetatable({}, { __mode = 'k' })

local stubs = {}

-- Registers a stub, whose first upvalue is a table: `f`, the function once it is there, and `make(record)`, which
-- returns it or raises an error.
function stubs.add(stub)
   weak[stub] = true
   return stub
end

-- The record of a stub; nil for other values.
function stubs.record(value)
   if not weak[value] then return nil end
   local _, record = getupvalue(value, 1)
   return record
end

-- The function that a stub stands for; any other value as it is.
local function real(value)
   local record = type(value) == 'function' and stubs.record(value)
   if not record then return value end
   return record.f or record.make(record)
end
stubs.real = real

-- What debug.getinfo tells about a function, of which a stub that was not called yet tells nothing.
function stubs.getinfo(f, what)
   local record = stubs.record(f)
   if not record then return getinfo(f, what) end
   if record.f then return getinfo(record.f, what) end
   return { what = 'Lua', source = '=loaded', short_src = 'loaded', linedefined = 0, lastlinedefined = 0, nparams = 0,
      isvararg = true }
end

-- The calls are tail calls: levels of the stack and names in errors are those of a direct call.
local function seen_through(f)
   return function(value, ...) return f(real(value), ...) end
end

-- Lets the functions of Lua that look into functions look through stubs.
function stubs.install(globals)
   local debug, strings = globals.debug, globals.string
   strings.dump = seen_through(string.dump)
   globals.setfenv, globals.getfenv = seen_through(setfenv), seen_through(getfenv)
   for _, name in ipairs { 'setfenv', 'getfenv', 'getlocal', 'getupvalue', 'setupvalue', 'upvalueid' } do
      debug[name] = seen_through(debug_library[name])
   end
   function debug.upvaluejoin(f, i, other, ...) return join(real(f), i, real(other), ...) end
   -- Its first argument may be a coroutine.
   function debug.getinfo(value, ...)
      local f = ...
      if type(value) == 'thread' and type(f) == 'function' then return getinfo(value, real(f), select(2, ...)) end
      return getinfo(real(value), ...)
   end
end

return stubs
