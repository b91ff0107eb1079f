-- Labels each pixel of a picture, as for scene parsing in 2012: a network at two scales, trained on patches of pictures
-- with masks, and then run on whole pictures. The pictures are drawn here, in the folders of LabelMe.

require 'nnx'
require 'image'
torch.manualSeed(1)

local folder = paths.tmpname()
os.remove(folder)
for _, kind in ipairs { 'Images', 'Masks' } do paths.mkdir(folder) paths.mkdir(paths.concat(folder, kind)) end

-- Noise, with a bright square and a striped one; their classes are levels of gray in the mask.
local function draw(index)
   local x, mask = torch.rand(3, 32, 32):mul(0.5), torch.zeros(1, 32, 32)
   local function square(class, f)
      local i, j = torch.random(20), torch.random(20)
      local part = x:narrow(2, i, 12):narrow(3, j, 12)
      f(part)
      mask:narrow(2, i, 12):narrow(3, j, 12):fill((class - 1) / 2)
   end
   square(2, function(part) part:add(0.4) end)
   square(3, function(part)
      for k = 1, 12, 2 do part:narrow(3, k, 1):fill(0.7) end
   end)
   for kind, picture in pairs { Images = x, Masks = mask } do
      local place = paths.concat(folder, kind, 'drawn')
      paths.mkdir(place)
      image.save(paths.concat(place, ('%02d.png'):format(index)), picture)
   end
end

for i = 1, 12 do draw(i) end

local set = nn.DataSetLabelMe {
   path = folder, nbClasses = 3, classNames = { 'noise', 'bright', 'striped' }, nbRawSamples = 10, patchSize = 2,
   samplingMode = 'equal', nbPatchPerSample = 90, preloadSamples = true,
   labelGenerator = function(_, picture, _, _, _, class, x, y) return { picture, class, x, y } end,
}
print(('patches: %d, of %d pictures'):format(set:size(), set.nbRawSamples))

-- Features at both scales, then classes, for each pixel.
local function features()
   return nn.Sequential():add(nn.SpatialConvolution(3, 8, 5, 5)):add(nn.Tanh())
end
local pyramid = nn.SpatialPyramid({ 1, 2 }, { features(), features() }, 5, 5, 1, 1)
local network = nn.Sequential():add(pyramid):add(nn.JoinTable(1)):add(nn.SpatialLinear(16, 3))
   :add(nn.SpatialLogSoftMax())
local criterion = nn.SpatialClassNLLCriterion()

-- Focused on the pixel of the sample, the network computes its class alone.
for _ = 1, 6 do
   for i = 1, set:size() do
      local picture, class, x, y = unpack(set[i])
      pyramid:focus(x, y)
      local scores = network:forward(picture)
      local target = torch.LongTensor(1, 1, 1):fill(class)
      criterion:forward(scores:view(1, 3, 1, 1), target)
      network:zeroGradParameters()
      network:backward(picture, criterion:backward(scores:view(1, 3, 1, 1), target):view(3, 1, 1))
      network:updateParameters(0.05)
   end
end

-- Without a focus it computes those of all pixels at once: here of pictures that it has not seen.
pyramid:focus()
local right = 0
for i = 11, 12 do
   local function load(kind) return image.load(paths.concat(folder, kind, 'drawn', i .. '.png')) end
   local _, classes = network:forward(load 'Images'):max(1)
   local wanted = load('Masks'):mul(2):add(1.5):floor():long()
   right = right + classes:eq(wanted):sum() / (32 * 32) / 2
end
print(right > 0.8 and 'right on new pictures: more than 80% of the pixels' or right)
paths.rmall(folder, 'yes')
