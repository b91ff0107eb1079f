-- The only file that touches Python: the functions of t7shell/host/functions.py, one Lua name each, and those of
-- packages. Numbers, strings and booleans are converted; addresses are passed as numbers (they fit in 2^53).

local error, pcall, type = error, pcall, type
local python = package.loaded['t7shell.host']

local host = {
   packages_used = false,     -- whether a function of a package was called
   raw = setmetatable({}, { __mode = 'k' }),      -- functions of packages as Python has them, for shell/host_calls.lua
   raise = error,             -- of messages for the program's line; set by torch/base/check.lua
}

-- The results of a function of a package. An exception that it did not expect, as an error that says whose it is.
local function passed(name, ok, ...)
   if ok then return ... end
   local why = ...
   local words = type(why) == 'userdata' and python.unexpected(why)
   if words then host.raise(name .. ': failed in Python: ' .. words) end
   error(why, 0)
end

-- The functions of a package's own table, in t7shell/packages/<package>/__init__.py: host.of('image').read(path).
function host.of(package)
   return setmetatable({}, { __index = function(functions, name)
      local f = python and python.package_function(package, name)
      if not f then error('host function ' .. package .. '.' .. name .. ' does not exist', 2) end
      local full = package .. '.' .. name
      functions[name], host.packages_used = function(...) return passed(full, pcall(f, ...)) end, true
      host.raw[functions[name]] = f
      return functions[name]
   end })
end

return setmetatable(host, { __index = function(_, name)
   local f = python and python[name]
   if not f then error('host function ' .. name .. ' does not exist', 2) end
   return f
end })
