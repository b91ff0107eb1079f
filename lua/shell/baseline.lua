-- The globals and modules that exist before any program of the user runs.

local globals = _G

local baseline = { globals = {}, modules = {} }

-- Records the present globals and modules as not the user's.
function baseline.note()
   for key, value in next, globals do baseline.globals[key] = value end
   for key in next, package.loaded do baseline.modules[key] = true end
end

baseline.note()

return baseline
