-- The globals and modules that are there before any program of the user runs.

local next, package = next, package
local globals = _G

local initial = { globals = {}, modules = {} }

-- Takes what is there now as not the user's.
function initial.note()
   for key, value in next, globals do initial.globals[key] = value end
   for key in next, package.loaded do initial.modules[key] = true end
end

initial.note()

return initial
