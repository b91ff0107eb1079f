-- The compiled kernels: kernels 'parallel_for' declares what t7shell/native/parallel_for.h does, and returns the
-- library. The header is the only declaration, for C and for LuaJIT, which skips the lines of the preprocessor.

local ffi = require 'ffi'
local host = require 'torch.native.host'

local library, folder
local declared = {}

local function declare(name)
   local file = assert(io.open(folder .. name .. '.h', 'rb'))
   local text = file:read '*a'
   file:close()
   ffi.cdef((string.gsub('\n' .. text, '\n#[^\n]*', '\n')))
   declared[name] = true
end

return function(name)
   if not library then
      local path = host.library()
      library, folder = ffi.load(path), string.match(path, '^(.*[/\\])')
      declare 'parallel_for'
      library.t7_set_max_threads(host.core_count())
   end
   if not declared[name] then declare(name) end
   return library
end
