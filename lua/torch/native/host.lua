-- The only file that touches Python: the functions of t7shell/host/functions.py, one Lua name each, and those of
-- packages. Numbers, strings and booleans are converted; addresses are passed as numbers (they fit in 2^53).

local python = package.loaded['t7shell.host']

local host = { packages_used = false }     -- whether a function of a package was called

-- The functions of a package's own table, in t7shell/packages/<package>/__init__.py: host.of('image').read(path).
function host.of(package)
   return setmetatable({}, { __index = function(functions, name)
      local f = python and python.package_function(package, name)
      if not f then error('host function ' .. package .. '.' .. name .. ' does not exist', 2) end
      functions[name], host.packages_used = f, true
      return f
   end })
end

return setmetatable(host, { __index = function(_, name)
   local f = python and python[name]
   if not f then error('host function ' .. name .. ' does not exist', 2) end
   return f
end })
