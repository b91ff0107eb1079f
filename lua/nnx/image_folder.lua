-- Folders of pictures on this machine.

local check = require 'torch.base.check'
local paths = require 'paths'

local image_folder = {}

local ENDINGS = { png = true, jpg = true, jpeg = true, ppm = true, pgm = true, pnm = true, bmp = true, tif = true,
   tiff = true, gif = true, webp = true }

-- The names of the pictures of a folder, sorted.
function image_folder.pictures(who, folder)
   local entries = paths.dir(folder)
   if not entries then check.fail(who, 'no folder %s', folder) end
   local names = {}
   for _, name in ipairs(entries) do
      if ENDINGS[(name:match '%.(%w+)$' or ''):lower()] then names[#names + 1] = name end
   end
   return names
end

-- The folders in a folder, sorted.
function image_folder.folders(who, folder)
   local entries = paths.dir(folder)
   if not entries then check.fail(who, 'no folder %s', folder) end
   local names = {}
   for _, name in ipairs(entries) do
      if name ~= '.' and name ~= '..' and paths.dirp(paths.concat(folder, name)) then names[#names + 1] = name end
   end
   return names
end

-- A name with another ending.
function image_folder.with_ending(name, ending) return (name:gsub('%.%w+$', '')) .. '.' .. ending end

return image_folder
