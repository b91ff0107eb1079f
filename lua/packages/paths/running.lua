-- Functions relative to the running file: thisfile, dofile, require.

local loadfile = require('torch.language.compile').loadfile
local raise = require('torch.base.errors').raise

-- The chunk name of the function `level` levels above the caller, C functions left out.
local function source_above(level)
   level = level + 1
   repeat
      level = level + 1
      local frame = debug.getinfo(level, 'S')
      if frame and frame.what ~= 'C' then return frame.source end
   until not frame
   return '='
end

return function(paths)
   -- The absolute name of a file from its chunk name; nil for other chunks.
   local function file_of(source)
      return string.sub(source, 1, 1) == '@' and paths.concat(string.sub(source, 2)) or nil
   end

   local function sibling(source, name)
      local file = file_of(source)
      return file and paths.concat(paths.dirname(file), name) or paths.concat(name)
   end

   -- The absolute name of the file in which the caller stands (for code that comes from no file, its chunk
   -- name); with `name`, of the file of that name beside it.
   function paths.thisfile(name)
      local source = source_above(1)
      if name ~= nil then return sibling(source, name) end
      return file_of(source) or source
   end

   -- Runs a file whose name is relative to the file of the caller, and returns its results.
   function paths.dofile(name)
      if type(name) ~= 'string' then
         raise('paths.dofile: argument 1 must be the name of a file (got %s)', type(name))
      end
      local chunk, message = loadfile(sibling(source_above(1), name))
      if not chunk then raise(message) end
      return chunk()
   end

   -- As `require`, looking beside the file of the caller first.
   function paths.require(name)
      if type(name) ~= 'string' then
         raise('paths.require: argument 1 must be the name of a module (got %s)', type(name))
      end
      local file = file_of(source_above(1))
      if file and package.loaded[name] == nil then
         local folder = paths.dirname(file)
         local found = package.searchpath(name, folder .. '/?.lua;' .. folder .. '/?/init.lua')
         if found then
            local chunk, message = loadfile(found)
            if not chunk then raise(message) end
            local value = chunk(name)
            if value ~= nil then package.loaded[name] = value end
            if package.loaded[name] == nil then package.loaded[name] = true end
         end
      end
      return require(name)
   end
end
