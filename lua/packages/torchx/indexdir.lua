-- paths.indexdir(folders, extensions, use_cache, ignored): the files below folders whose names have one of the
-- extensions, letters in either case, as an object with filename(i), size() and `tensor`, a row of bytes for each.

local ffi = require 'ffi'
local check = require 'torch.base.check'

local PICTURES = { 'jpg', 'png', 'JPG', 'PNG', 'JPEG', 'ppm', 'PPM', 'bmp', 'BMP' }

-- A list of strings from one or several.
local function strings(what, value)
   if type(value) == 'string' then return { value } end
   for _, text in ipairs(check.kind('indexdir', what, value, 'table')) do
      check.kind('indexdir', 'each of ' .. what, text, 'string')
   end
   return value
end

-- A function that says whether a name fits a pattern of the shell, letters in either case.
local function fits(glob)
   local pattern = string.gsub(string.gsub(string.gsub(string.lower(glob), '[%^%$%(%)%%%.%[%]%+%-]', '%%%0'), '%*',
      '.*'), '%?', '.')
   return function(name) return string.find(string.lower(name), '^' .. pattern .. '$') ~= nil end
end

return function(paths)

   local function collect(folder, accepts, list)
      for name in paths.iterfiles(folder) do
         if accepts(name) then list[#list + 1] = folder .. '/' .. name end
      end
      for name in paths.iterdirs(folder) do collect(folder .. '/' .. name, accepts, list) end
   end

   local function read_lines(name)
      local list = {}
      for line in io.lines(name) do list[#list + 1] = line end
      return list
   end

   -- The list is kept in a file of a name that follows from the arguments, and read from there with use_cache.
   local function list_of(folders, extensions, use_cache, ignored)
      local digest = require('md5').sumhexa(table.concat(folders) .. table.concat(extensions))
      local cache = paths.concat(os.getenv 'TMPDIR' or '/tmp', digest)
      if use_cache and paths.filep(cache) then return read_lines(cache), cache end
      local wanted, list = {}, {}
      for _, extension in ipairs(extensions) do wanted[string.lower(extension)] = true end
      local is_ignored = ignored and fits(check.kind('indexdir', 'ignored', ignored, 'string'))
      local function accepts(name)
         local extension = string.match(string.lower(name), '%.([^%.]*)$')
         return extension ~= nil and wanted[extension] and not (is_ignored and is_ignored(name))
      end
      for _, folder in ipairs(folders) do collect(folder, accepts, list) end
      local file = io.open(cache, 'w')
      if file then
         file:write(table.concat(list, '\n'), #list > 0 and '\n' or '')
         file:close()
      end
      return list, cache
   end

   local File_list = {}
   File_list.__index = File_list

   function File_list:size() return self.tensor:size(1) end

   function File_list:filename(i)
      check.index('filename', 'index', i, self:size())
      return ffi.string(self.tensor[i]:data())
   end

   function paths.indexdir(folders, extensions, use_cache, ignored)
      local torch = require 'torch'
      folders, extensions = strings('folders', folders), strings('extensions', extensions or PICTURES)
      local list, cache = list_of(folders, extensions, use_cache, ignored)
      if #list == 0 then check.fail('indexdir', 'no files with these extensions in %s', table.concat(folders, ', ')) end
      local longest = 0
      for _, name in ipairs(list) do longest = math.max(longest, #name) end
      local tensor = torch.CharTensor(#list, longest + 1):zero()
      for i, name in ipairs(list) do ffi.copy(tensor[i]:data(), name) end
      return setmetatable({ tensor = tensor, cachefile = cache }, File_list)
   end
end
