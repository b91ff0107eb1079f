-- pl.path: names of files, and tests of the files themselves.

local getenv = os.getenv
local lfs, paths = require 'lfs', require 'paths'

local path = { is_windows = jit.os == 'Windows' }
path.sep = path.is_windows and '\\' or '/'
path.dirsep = path.is_windows and ';' or ':'

local function check(name, value)
   if type(value) ~= 'string' then error('path.' .. name .. ': expected a string, got ' .. type(value), 3) end
end

local function separator_at(name, i)
   local c = string.sub(name, i, i)
   return c == '/' or path.is_windows and c == '\\'
end

function path.attrib(name, wanted) return lfs.attributes(name, wanted) end
path.dir, path.mkdir, path.rmdir, path.chdir = lfs.dir, lfs.mkdir, lfs.rmdir, lfs.chdir
path.link_attrib = lfs.symlinkattributes

function path.currentdir() return paths.cwd() end

function path.exists(name)
   check('exists', name)
   return lfs.attributes(name, 'mode') ~= nil and name
end

for question, mode in pairs { isdir = 'directory', isfile = 'file' } do
   path[question] = function(name)
      check(question, name)
      return lfs.attributes(name, 'mode') == mode
   end
end

for getter, attribute in pairs { getsize = 'size', getmtime = 'modification', getatime = 'access',
   getctime = 'change' } do
   path[getter] = function(name) return lfs.attributes(name, attribute) end
end

function path.islink(name) return lfs.symlinkattributes(name, 'mode') == 'link' end

-- Splits a name at its last separator.
function path.splitpath(name)
   check('splitpath', name)
   for i = #name, 1, -1 do
      if separator_at(name, i) then return string.sub(name, 1, i - 1), string.sub(name, i + 1) end
   end
   return '', name
end

-- Splits the extension, with its dot, from a name.
function path.splitext(name)
   check('splitext', name)
   for i = #name, 1, -1 do
      if separator_at(name, i) then break end
      if string.sub(name, i, i) == '.' then return string.sub(name, 1, i - 1), string.sub(name, i) end
   end
   return name, ''
end

function path.dirname(name) return (path.splitpath(name)) end
function path.basename(name) return (select(2, path.splitpath(name))) end
function path.extension(name) return (select(2, path.splitext(name))) end

function path.isabs(name)
   check('isabs', name)
   return separator_at(name, 1) or path.is_windows and string.sub(name, 2, 2) == ':'
end

-- Joins names; an absolute one replaces those before it.
function path.join(...)
   local parts = { ... }
   local joined = parts[1]
   check('join', joined)
   for i = 2, math.max(#parts, 2) do
      local part = parts[i]
      check('join', part)
      if path.isabs(part) then
         joined = part
      else
         joined = joined .. ((joined == '' or separator_at(joined, #joined)) and '' or path.sep) .. part
      end
   end
   return joined
end

-- Removes '.', '..' and doubled separators from a name.
function path.normpath(name)
   check('normpath', name)
   if path.is_windows then name = string.gsub(name, '\\', '/') end
   local root = string.match(name, '^%a:/') or string.match(name, '^//%f[^/]') or string.match(name, '^/') or ''
   local parts = {}
   for part in string.gmatch(string.sub(name, #root + 1), '[^/]+') do
      if part == '..' and #parts > 0 and parts[#parts] ~= '..' then parts[#parts] = nil
      elseif part ~= '.' then parts[#parts + 1] = part end
   end
   local joined = root .. table.concat(parts, '/')
   if path.is_windows then joined = string.gsub(joined, '/', '\\') end
   return joined == '' and '.' or joined
end

function path.normcase(name) return path.is_windows and string.gsub(string.lower(name), '/', '\\') or name end

local function here(name)
   local folder, message = path.currentdir()
   return folder or error('path.' .. name .. ': ' .. message, 3)
end

function path.abspath(name, from)
   check('abspath', name)
   return path.normpath(path.isabs(name) and name or path.join(from or here 'abspath', name))
end

-- Makes a name, which may be in a folder, relative to that, by default the current one.
function path.relpath(name, start)
   local function split(full)
      local parts = {}
      for part in string.gmatch(full, '[^/\\]+') do parts[#parts + 1] = part end
      return parts
   end
   start = start or here 'relpath'
   local to, from = split(path.abspath(name, start)), split(start)
   local common = 0
   while common < #to and common < #from and to[common + 1] == from[common + 1] do common = common + 1 end
   local parts = {}
   for _ = common + 1, #from do parts[#parts + 1] = '..' end
   for i = common + 1, #to do parts[#parts + 1] = to[i] end
   return table.concat(parts, path.sep)
end

function path.common_prefix(a, b)
   if #a > #b then a, b = b, a end
   local same = 0
   while same < #a and string.byte(a, same + 1) == string.byte(b, same + 1) do same = same + 1 end
   local common = string.sub(a, 1, same)
   if separator_at(same < #a and a or b, same < #a and same or same + 1) then return common end
   return path.dirname(common)
end

function path.expanduser(name)
   check('expanduser', name)
   if string.sub(name, 1, 1) ~= '~' then return name end
   return (getenv 'HOME' or getenv 'USERPROFILE' or '~') .. string.sub(name, 2)
end

path.tmpname = os.tmpname

function path.package_path(module)
   for _, searched in ipairs { package.path, package.cpath } do
      local found = package.searchpath(module, searched)
      if found then return found, searched == package.path end
   end
   return nil, 'cannot find module ' .. module
end

return path
