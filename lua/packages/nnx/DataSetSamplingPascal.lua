-- nn.DataSetSamplingPascal: patches of the pictures of Pascal VOC: JPEGImages/<name>.jpg, with the classes of pixels in
-- SegmentationClass/<name>.png or as boxes in Annotations/<name>.xml.

local torch = require 'torch'
local image_folder, patch_set = require 'nnx.image_folder', require 'nnx.patch_set'
local paths = require 'paths'

local kind = {
   names = { 'background', 'aeroplane', 'bicycle', 'bird', 'boat', 'bottle', 'bus', 'car', 'cat', 'chair', 'cow',
      'diningtable', 'dog', 'horse', 'motorbike', 'person', 'pottedplant', 'sheep', 'sofa', 'train', 'tvmonitor' },
}

function kind.files(self)
   local images, list = paths.concat(self.path, 'JPEGImages'), {}
   for _, name in ipairs(image_folder.pictures('DataSetSamplingPascal', images)) do
      local function path_of(kept, ending)
         return paths.concat(self.path, kept, image_folder.with_ending(name, ending))
      end
      list[#list + 1] = { imgfile = paths.concat(images, name), maskfile = path_of('SegmentationClass', 'png'),
         annotfile = path_of('Annotations', 'xml') }
   end
   return list
end

-- The bits of an index, lowest first, go to the highest bits of red, green and blue, in turns.
local function color_of(index)
   local color, bit = { 0, 0, 0 }, 128
   while index > 0 do
      for plane = 1, 3 do
         color[plane] = color[plane] + index % 2 * bit
         index = math.floor(index / 2)
      end
      bit = bit / 2
   end
   return color[1] * 65536 + color[2] * 256 + color[3]
end

-- Colors of the palette of Pascal VOC, or levels of gray that are indices. Borders, index 255, have no class.
function kind.classes_of(self, x)
   local levels = torch.mul(x:double(), 255):add(0.5):floor()
   local colored = levels:dim() == 3 and levels:size(1) >= 3
   if colored then levels = levels[1] * 65536 + levels[2] * 256 + levels[3] end
   if levels:dim() == 3 then levels = levels[1] end
   local classes = torch.zeros(levels:size())
   for class = 1, self.nbClasses do
      classes:maskedFill(levels:eq(colored and color_of(class - 1) or class - 1), class)
   end
   return classes
end

return function(Pascal, parent) patch_set(Pascal, parent, kind) end
