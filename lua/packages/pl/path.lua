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
   path[getter] = function(name) return (lfs.attributes(name, attribute)) end
end

function path.islink(name) return lfs.symlinkattributes(name, 'mode') == 'link' end

-- Splits a name at its last separator.
function path.splitpath(name)
   check('splitpath', name)
   for i = #name, 1, -1 do
      if separator_at(name, i) then return string.sub(name, 1, i > 1 and i - 1 or 1), string.sub(name, i + 1) end
   end
   return '', name
end

-- Splits the extension, with its dot, from a name.
function path.splitext(name)
   check('splitext', name)
   for i = #name, 1, -1 do
      if separator_at(name, i) then break end
      if string.sub(name, i, i) == '.' and i > 1 and not separator_at(name, i - 1) then
         return string.sub(name, 1, i - 1), string.sub(name, i)
      end
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
   local parts = {}
   for i = 1, select('#', ...) do
      local part = select(i, ...)
      check('join', part)
      if path.isabs(part) then parts = {} end
      if part ~= '' then parts[#parts + 1] = part end
   end
   local joined = parts[1] or ''
   for i = 2, #parts do
      joined = joined .. (separator_at(joined, #joined) and '' or path.sep) .. parts[i]
   end
   return joined
end

-- Removes '.', '..' and doubled separators from a name.
function path.normpath(name)
   check('normpath', name)
   if path.is_windows then name = string.gsub(name, '\\', '/') end
   local root = string.match(name, '^%a:/') or string.match(name, '^/') or ''
   local parts = {}
   for part in string.gmatch(string.sub(name, #root + 1), '[^/]+') do
      if part == '..' and #parts > 0 and parts[#parts] ~= '..' then parts[#parts] = nil
      elseif part ~= '.' and not (part == '..' and root ~= '') then parts[#parts + 1] = part end
   end
   local joined = root .. table.concat(parts, '/')
   if path.is_windows then joined = string.gsub(joined, '/', '\\') end
   return joined == '' and '.' or joined
end

function path.normcase(name) return path.is_windows and string.gsub(string.lower(name), '/', '\\') or name end

function path.abspath(name, from)
   check('abspath', name)
   return path.normpath(path.isabs(name) and name or path.join(from or path.currentdir(), name))
end

-- Makes a name relative to a folder, by default the current one.
function path.relpath(name, start)
   local function split(full)
      local parts = {}
      for part in string.gmatch(path.abspath(full), '[^/\\]+') do parts[#parts + 1] = part end
      return parts
   end
   local to, from = split(name), split(start or path.currentdir())
   local common = 0
   while common < #to and common < #from and to[common + 1] == from[common + 1] do common = common + 1 end
   local parts = {}
   for _ = common + 1, #from do parts[#parts + 1] = '..' end
   for i = common + 1, #to do parts[#parts + 1] = to[i] end
   return table.concat(parts, path.sep)
end

function path.common_prefix(a, b)
   local last = 0
   for i = 1, #a do
      if string.sub(a, i, i) ~= string.sub(b, i, i) then break end
      if separator_at(a, i) then last = i end
      if i == #a and (#b == i or separator_at(b, i + 1)) then return a end
   end
   return string.sub(a, 1, last > 1 and last - 1 or last)
end

function path.expanduser(name)
   check('expanduser', name)
   if string.sub(name, 1, 1) ~= '~' then return name end
   return (getenv 'HOME' or getenv 'USERPROFILE' or '~') .. string.sub(name, 2)
end

path.tmpname = os.tmpname

function path.package_path(module)
   local found = package.searchpath(module, package.path)
   if found then return found, true end
   return nil, 'cannot find module ' .. module
end

return path
