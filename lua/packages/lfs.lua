-- lfs: folders and the attributes of files, as LuaFileSystem has them.

local error, format, host, ipairs, pcall = error, string.format, require 'torch.native.host', ipairs, pcall
local check, paths = require 'torch.base.check', require 'paths'
local reject_nul = require('torch.base.errors').reject_nul

local lfs = { _VERSION = 'LuaFileSystem 1.6.3' }

-- Returns the name of a file, a string.
local function checked(name, n, path)
   check.kind(name, 'argument ' .. n, path, 'string')
   reject_nul(name, n, path)
   return path
end

local names = {
   'mode', 'size', 'modification', 'access', 'change', 'ino', 'dev', 'nlink', 'uid', 'gid', 'permissions', 'rdev',
   'blocks', 'blksize',
}

local function attributes(follow, path, wanted)
   checked(follow and 'lfs.attributes' or 'lfs.symlinkattributes', 1, path)
   local values = { host.file_attributes(path, follow) }
   if values[1] == nil then
      return nil, format("cannot obtain information from file '%s': %s", path, values[2])
   end
   local found = type(wanted) == 'table' and wanted or {}
   for i, name in ipairs(names) do found[name] = values[i] end
   if type(wanted) == 'string' then
      if found[wanted] == nil then error(format("invalid attribute name '%s'", wanted), 3) end
      return found[wanted]
   end
   return found
end

-- A table of the attributes of a file, or one of them by name; nil and a message if there is none.
function lfs.attributes(path, wanted) return attributes(true, path, wanted) end

-- The same of a symbolic link itself.
function lfs.symlinkattributes(path, wanted) return attributes(false, path, wanted) end

function lfs.currentdir() return paths.cwd() end

local function change(action, first, ...)
   checked('lfs.' .. action, 1, first)
   reject_nul('lfs.' .. action, 2, (...))
   local reason = host.file_change(action, first, ...)
   if reason then return nil, reason end
   return true
end

function lfs.chdir(path) return change('chdir', path) end

-- Makes a file, or sets its times of access and modification, by default to now.
function lfs.touch(path, access, modification)
   if access == nil then return change('touch', path) end
   return change('touch', path, access, modification or access)
end

function lfs.link(old, new, symbolic)
   checked('lfs.link', 1, old)
   checked('lfs.link', 2, new)
   return change(symbolic and 'symlink' or 'link', old, new)
end

local function done(ok, message)
   if ok then return true end
   return nil, message
end

function lfs.mkdir(path)
   checked('lfs.mkdir', 1, path)
   if host.file_attributes(path, true) ~= nil then return nil, 'File exists' end
   return done(paths.mkdir(path))
end

function lfs.rmdir(path)
   checked('lfs.rmdir', 1, path)
   local ok, message = paths.rmdir(path)
   if ok then return true end
   return nil, (string.gsub(message, '^.*: ', ''))
end

-- Iterates over the names in a folder, '.' and '..' among them.
function lfs.dir(path)
   checked('lfs.dir', 1, path)
   local ok, list = pcall(paths.dir, path)
   if not ok or not list then error(format("cannot open %s: no such folder", path), 2) end
   local i = 0
   local folder = {}
   function folder.next()
      i = i + 1
      return list[i]
   end
   function folder.close() i = #list end
   return folder.next, folder
end

-- Accepted: files have no text mode here.
function lfs.setmode() return true, 'binary' end

-- Older programs rely on the global that versions before 1.8 set.
if rawget(_G, 'lfs') == nil then rawset(_G, 'lfs', lfs) end

return lfs
