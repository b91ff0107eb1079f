-- The contents of a folder: dir, files, iterfiles, iterdirs.

local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local posix = require 'paths.posix'
local raise = require('torch.base.errors').raise

-- Where the name begins in an entry that readdir returns.
local NAME_OFFSET = posix.mac and 21 or ffi.abi('64bit') and 19 or 11

local function everything()
   return true
end

-- A pattern or a function, as a function.
local function filter(name, pattern)
   if pattern == nil then return everything end
   if type(pattern) == 'function' then return pattern end
   if type(pattern) == 'number' then pattern = tostring(pattern) end
   if type(pattern) ~= 'string' then
      raise('paths.%s: argument 2 must be a pattern or a function (got %s)', name, type(pattern))
   end
   return function(entry) return string.find(entry, pattern) ~= nil end
end

-- Iterates over the entries of a list that pass both tests.
local function iterate(list, accept, pattern)
   local i = 0
   return function()
      repeat
         i = i + 1
         local entry = list[i]
         if entry == nil then return nil end
         if accept(entry) and pattern(entry) then return entry end
      until false
   end
end

return function(paths)
   -- The names in a folder, sorted, '.' and '..' among them; nil if there is no such folder.
   function paths.dir(name)
      if type(name) ~= 'string' then
         raise('paths.dir: argument 1 must be the name of a folder (got %s)', type(name))
      end
      if posix.windows then raise('paths.dir: not available on ' .. jit.os) end
      local folder = libc.t7_opendir(name)
      if folder == nil then return nil end
      local names = {}
      local entry = libc.t7_readdir(folder)
      while entry ~= nil do
         names[#names + 1] = ffi.string(ffi.cast('char *', entry) + NAME_OFFSET)
         entry = libc.t7_readdir(folder)
      end
      libc.t7_closedir(folder)
      table.sort(names)
      return names
   end

   -- Iterates over all entries of a folder; `pattern` is a Lua pattern or a function of the name.
   function paths.files(name, pattern)
      return iterate(paths.dir(name) or {}, everything, filter('files', pattern))
   end

   -- The same, over those that are no folders.
   function paths.iterfiles(name, pattern)
      local function is_file(entry) return paths.filep(name .. '/' .. entry) end
      return iterate(paths.dir(name) or {}, is_file, filter('iterfiles', pattern))
   end

   -- The same, over the folders below this one.
   function paths.iterdirs(name, pattern)
      local function is_folder(entry)
         return entry ~= '.' and entry ~= '..' and paths.dirp(name .. '/' .. entry)
      end
      return iterate(paths.dir(name) or {}, is_folder, filter('iterdirs', pattern))
   end
end
