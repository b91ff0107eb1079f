-- Folders of pictures on this machine.

local check = require 'torch.base.check'
local paths = require 'paths'

local image_folder = {}

local ENDINGS = { png = true, jpg = true, jpeg = true, ppm = true, pgm = true, pnm = true, bmp = true, tif = true,
   tiff = true, gif = true, webp = true }

-- The names of the entries of a folder that are wanted, sorted.
local function entries_of(function_name, folder, wanted)
   local entries = paths.dir(folder)
   if not entries then check.fail(function_name, 'no folder %s', folder) end
   local names = {}
   for _, name in ipairs(entries) do
      if wanted(name) then names[#names + 1] = name end
   end
   return names
end

function image_folder.pictures(function_name, folder)
   return entries_of(function_name, folder, function(name) return ENDINGS[string.lower((string.match(name, '%.(%w+)$')
      or ''))] end)
end

-- The folders in a folder.
function image_folder.folders(function_name, folder)
   return entries_of(function_name, folder, function(name)
      return name ~= '.' and name ~= '..' and paths.dirp(paths.concat(folder, name))
   end)
end

-- A name with another extension.
function image_folder.with_ending(name, ending) return (string.gsub(name, '%.%w+$', '')) .. '.' .. ending end

return image_folder
