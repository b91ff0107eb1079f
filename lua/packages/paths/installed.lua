-- Where t7 is: paths.install_prefix, the folder above the one of its program, and folders in it, as Torch7 named them.
-- install_lua_path is the folder of the packages of t7.

local posix = require 'paths.posix'

-- Folders in install_prefix.
local FOLDERS = {
   bin = 'bin', man = 'share/man', lib = 'lib', share = 'share', include = 'include', hlp = 'share/torch/hlp',
   html = 'share/torch/html', cmake = 'share/cmake/torch', lua_cpath = 'lib/lua/5.1',
}

return function(paths)
   local program = posix.link_target '/proc/self/exe'
   local source = string.match(debug.getinfo(1, 'S').source, '^@(.*)/packages/paths/[^/]*$')
   paths.install_prefix = program and paths.dirname(paths.dirname(program)) or source and paths.dirname(source) or '/'
   for name, folder in pairs(FOLDERS) do paths['install_' .. name] = paths.install_prefix .. '/' .. folder end
   paths.install_lua_path = source or paths.install_prefix .. '/share/lua/5.1'
end
