-- nn.DataSetLabelMe: patches of the pictures of LabelMe: Images/<folder>/<name>.jpg, with the classes of pixels in
-- Masks/<folder>/<name>.png or as polygons in Annotations/<folder>/<name>.xml.

local torch = require 'torch'
local image_folder, patch_set = require 'nnx.image_folder', require 'nnx.patch_set'
local paths = require 'paths'

local kind = {}

function kind.files(self)
   local images, list = paths.concat(self.path, 'Images'), {}
   for _, folder in ipairs(image_folder.folders('DataSetLabelMe', images)) do
      for _, name in ipairs(image_folder.pictures('DataSetLabelMe', paths.concat(images, folder))) do
         local function path_of(kept, ending)
            return paths.concat(self.path, kept, folder, image_folder.with_ending(name, ending))
         end
         list[#list + 1] = { imgfile = paths.concat(images, folder, name), maskfile = path_of('Masks', 'png'),
            annotfile = path_of('Annotations', 'xml') }
      end
   end
   return list
end

-- Levels of gray, the first class black and the last one white.
function kind.classes_of(self, x)
   x = x:dim() == 3 and x[1] or x
   return torch.mul(x, self.nbClasses - 1):add(0.5):floor():add(1)
end

return function(LabelMe, parent) patch_set(LabelMe, parent, kind) end
