-- Functions that ask or change the disk: filep, dirp, mkdir, rmdir, rmall, tmpname, cwd.

local posix = require 'paths.posix'
local errors = require 'torch.base.errors'
local raise = errors.raise
local remove, tmpname = os.remove, os.tmpname

local function check(name, value)
   if type(value) == 'number' then return tostring(value) end
   if type(value) ~= 'string' then
      raise('paths.%s: argument 1 must be the name of a file (got %s)', name, type(value))
   end
   errors.reject_nul('paths.' .. name, 1, value)
   return value
end

local function is_folder(name)
   return name ~= '' and posix.exists(name .. '/.')
end

-- A link to a folder is removed, and its target stays.
local function remove_all(paths, name)
   if remove(name) then return true end
   if is_folder(name) and not posix.link_target(name) then
      for _, entry in ipairs(paths.dir(name) or {}) do
         if entry ~= '.' and entry ~= '..' then
            local ok, message, number = remove_all(paths, name .. '/' .. entry)
            if not ok then return ok, message, number end
         end
      end
   end
   return remove(name)
end

return function(paths)
   paths.cwd = posix.cwd

   -- Tells whether something of this name exists that is not a folder.
   function paths.filep(name)
      return posix.exists(check('filep', name)) and not is_folder(name)
   end

   -- Tells whether a folder of this name exists.
   function paths.dirp(name)
      return is_folder(check('dirp', name))
   end

   -- Makes a folder, and those above it that are missing. Returns true, or nil, a message and a number; a
   -- folder that exists already is such a failure.
   function paths.mkdir(name)
      name = string.gsub(check('mkdir', name), '(.)/+$', '%1')
      local parent = paths.dirname(name)
      if parent ~= name and not is_folder(parent) then
         local ok, message, number = paths.mkdir(parent)
         if not ok then return ok, message, number end
      end
      if posix.make_folder(name) then return true end
      return posix.failed(name)
   end

   -- Removes an empty folder. Returns true, or nil, a message and a number.
   function paths.rmdir(name)
      if posix.remove_folder(check('rmdir', name)) then return true end
      return posix.failed(name)
   end

   -- Removes a file, or a folder with all that is in it; the second argument must be 'yes'.
   function paths.rmall(name, consent)
      check('rmall', name)
      if consent ~= 'yes' then return nil, "missing second argument ('yes')" end
      if not posix.exists(name) and not posix.link_target(name) then
         return nil, 'not a file or directory', name
      end
      return remove_all(paths, name)
   end

   -- A name in the folder for temporary files that nothing has yet.
   function paths.tmpname()
      local name = tmpname()
      remove(name)
      return name
   end
end
