-- The message of `require` for a missing module: its purpose, how to install it, or a similar name.

local paths = require 'paths'
local spelling = require 'shell.spelling'
local errors = require 'torch.base.errors'
local find, format, match = string.find, string.format, string.match

local WINDOWS = 'it needs Qt widgets, which are not available; qtwidget draws in windows, image.display shows images'
local DEVICES =
   "it reads a camera through a Torch7 library that is not available; `require 'camera'` reads this machine's"
local WRITTEN_IN_C = 'it was written in C for Torch7 and is not available'

-- Modules that cannot be provided, by the first part of their names.
local ABSENT = {
   qtcore = WINDOWS, qtgui = WINDOWS, qtide = WINDOWS, qtsvg = WINDOWS,
   qtuiloader = WINDOWS,
   kinect = DEVICES, livecam = DEVICES,
   imgraph = WRITTEN_IN_C, inline = WRITTEN_IN_C,
   mattorch = "it read MATLAB files; use `require 'matio'`", nccl = WRITTEN_IN_C,
   vlfeat = WRITTEN_IN_C,
}

-- Pure Lua packages used by Torch7 programs, which run unchanged.
local PLAIN = {
   argcheck = true, class = true, classic = true, dataload = true, dkjson = true, dp = true,
   logroll = true, moses = true, nninit = true, torchnet = true, totem = true,
}

-- Rocks of these names are other packages.
local OTHER_ROCKS = { class = true, classic = true }

-- Packages that provide modules under other names, by the first part of the name: rock, Debian package.
local BROUGHT_BY = {
   cjson = { 'lua-cjson', 'lua-cjson' }, lfs = { 'luafilesystem', 'lua-filesystem' }, lpeg = { 'lpeg', 'lua-lpeg' },
   lsqlite3 = { 'lsqlite3' }, ltn12 = { 'luasocket', 'lua-socket' }, luasql = { 'luasql-sqlite3', 'lua-sql-sqlite3' },
   lxp = { 'luaexpat', 'lua-expat' }, pl = { 'penlight', 'lua-penlight' },
   posix = { 'luaposix', 'lua-posix' }, re = { 'lpeg', 'lua-lpeg' }, socket = { 'luasocket', 'lua-socket' },
   ssl = { 'luasec', 'lua-sec' }, yaml = { 'lyaml', 'lua-yaml' }, zlib = { 'lua-zlib', 'lua-zlib' },
}

-- The names of available modules: the library's packages, and loaded modules.
local function known()
   local names = {}
   local library = string.gsub(errors.library, '^@', '')
   for _, folder in ipairs { library, library .. 'packages' } do
      for _, entry in ipairs(paths.dir(folder) or {}) do
         if not find(entry, '^%.') then names[match(entry, '^[^.]*')] = true end
      end
   end
   names.shell, names.packages = nil, nil
   for name in next, package.loaded do
      if type(name) == 'string' and not find(name, '^shell%f[%.%z]') then names[name] = true end
   end
   return names
end

-- Tells how to install a module whose name begins with `head`.
local function how_to_install(name, head)
   local brings = BROUGHT_BY[head]
   local command = 't7 rocks install '
   if brings then
      local apt = brings[2] and format(', `apt install %s`', brings[2]) or ''
      return format('`%s%s` installs it%s', command, brings[1], apt)
   end
   if find(name, '[./]') then
      local file = string.find(name, '/') and string.gsub(name, '%.lua$', '') or string.gsub(name, '%.', '/')
      return format("a module of the program's own would be %s.lua in the current folder or beside the script", file)
   end
   return format('`%s%s` installs it if it is a rock; packages written in C for Torch7 are not available', command,
      name)
end

return function(name)
   local head = match(name, '^[^./]*')
   if ABSENT[head] then return ABSENT[head] end
   if PLAIN[head] then
      return format('it is plain Lua: its folder, as its authors keep it, on LUA_PATH or package.path is enough'
         .. (OTHER_ROCKS[head] and '; the rock %s of LuaRocks is another package'
            or '; `t7 rocks install %s` installs it if LuaRocks has it'), head)
   end
   local nearest = spelling.nearest(name, known())
   return (nearest and format("did you mean '%s'? ", nearest) or '') .. how_to_install(name, head)
end
