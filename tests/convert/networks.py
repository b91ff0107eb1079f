"""Whole networks of the time in Lua, small ones: the constructor and the shapes of the inputs."""

from __future__ import annotations

LENET = """(function()
   return nn.Sequential()
      :add(nn.SpatialConvolution(1, 6, 5, 5)):add(nn.Tanh()):add(nn.SpatialMaxPooling(2, 2, 2, 2))
      :add(nn.SpatialConvolution(6, 16, 5, 5)):add(nn.Tanh()):add(nn.SpatialMaxPooling(2, 2, 2, 2))
      :add(nn.View(16 * 5 * 5)):add(nn.Linear(400, 120)):add(nn.Tanh())
      :add(nn.Linear(120, 10)):add(nn.LogSoftMax())
end)()"""

ALEXNET = """(function()
   local features = nn.Sequential()
      :add(nn.SpatialConvolution(3, 16, 11, 11, 4, 4, 2, 2)):add(nn.ReLU(true))
      :add(nn.SpatialCrossMapLRN(5, 1e-4, 0.75, 1)):add(nn.SpatialMaxPooling(3, 3, 2, 2):ceil())
      :add(cudnn.SpatialConvolution(16, 32, 5, 5, 1, 1, 2, 2, 2)):add(nn.ReLU(true))
      :add(nn.SpatialCrossMapLRN(5, 1e-4, 0.75, 1)):add(nn.SpatialMaxPooling(3, 3, 2, 2):ceil())
      :add(nn.SpatialConvolutionMM(32, 32, 3, 3, 1, 1, 1, 1)):add(nn.ReLU(true))
      :add(nn.SpatialMaxPooling(3, 3, 2, 2):ceil())
   local classifier = nn.Sequential():add(nn.View(-1):setNumInputDims(3)):add(nn.Dropout(0.5))
      :add(nn.Linear(32 * 4 * 4, 64)):add(nn.Threshold(0, 1e-6)):add(nn.Dropout(0.5)):add(nn.Linear(64, 10))
      :add(nn.SoftMax())
   return nn.Sequential():add(features):add(classifier)
end)()"""

VGG = """(function()
   local net, planes = nn.Sequential(), 3
   for _, size in ipairs { 8, 'M', 16, 'M', 32, 32, 'M' } do
      if size == 'M' then
         net:add(nn.SpatialMaxPooling(2, 2, 2, 2))
      else
         net:add(nn.SpatialConvolution(planes, size, 3, 3, 1, 1, 1, 1))
         net:add(nn.SpatialBatchNormalization(size))
         net:add(nn.ReLU(true))
         planes = size
      end
   end
   return net:add(nn.View(32 * 4 * 4)):add(nn.Linear(512, 64)):add(nn.BatchNormalization(64))
      :add(nn.ReLU(true)):add(nn.Dropout(0.5)):add(nn.Linear(64, 10))
end)()"""

RESNET = """(function()
   local function shortcut(n, m, stride)
      if n == m then return nn.Identity() end
      return nn.Sequential():add(nn.SpatialAveragePooling(1, 1, stride, stride))
         :add(nn.Concat(2):add(nn.Identity()):add(nn.MulConstant(0)))
   end
   local function block(n, m, stride)
      local s = nn.Sequential()
         :add(cudnn.SpatialConvolution(n, m, 3, 3, stride, stride, 1, 1):noBias())
         :add(cudnn.SpatialBatchNormalization(m)):add(cudnn.ReLU(true))
         :add(cudnn.SpatialConvolution(m, m, 3, 3, 1, 1, 1, 1)):add(cudnn.SpatialBatchNormalization(m))
      return nn.Sequential():add(nn.ConcatTable():add(s):add(shortcut(n, m, stride))):add(nn.CAddTable(true))
         :add(nn.ReLU(true))
   end
   return nn.Sequential():add(nn.SpatialConvolution(3, 8, 3, 3, 1, 1, 1, 1))
      :add(nn.SpatialBatchNormalization(8)):add(nn.ReLU(true)):add(block(8, 8, 1)):add(block(8, 16, 2))
      :add(block(16, 32, 2))
      :add(nn.SpatialAveragePooling(8, 8, 1, 1)):add(nn.View(32):setNumInputDims(3)):add(nn.Linear(32, 10))
end)()"""

INCEPTION = """(function()
   local function inception(n)
      return nn.DepthConcat(2)
         :add(nn.Sequential():add(nn.SpatialConvolution(n, 4, 1, 1)):add(nn.ReLU()))
         :add(nn.Sequential():add(nn.SpatialConvolution(n, 4, 1, 1)):add(nn.SpatialConvolution(4, 6, 3, 3)))
         :add(nn.Sequential():add(nn.SpatialConvolution(n, 2, 1, 1)):add(nn.SpatialConvolution(2, 4, 5, 5)))
         :add(nn.Sequential():add(nn.SpatialMaxPooling(3, 3, 1, 1, 1, 1))
            :add(nn.SpatialConvolution(n, 4, 1, 1)))
   end
   return nn.Sequential():add(nn.SpatialConvolution(3, 8, 7, 7, 2, 2, 3, 3)):add(nn.ReLU(true))
      :add(nn.SpatialMaxPooling(3, 3, 2, 2):ceil()):add(nn.SpatialCrossMapLRN(5))
      :add(inception(8)):add(inception(18))
      :add(nn.SpatialAveragePooling(8, 8, 1, 1)):add(nn.View(18)):add(nn.Linear(18, 10)):add(nn.LogSoftMax())
end)()"""

DCGAN = """(function()
   return nn.Sequential():add(nn.SpatialFullConvolution(20, 16, 4, 4)):add(nn.SpatialBatchNormalization(16))
      :add(nn.ReLU(true)):add(nn.SpatialFullConvolution(16, 8, 4, 4, 2, 2, 1, 1))
      :add(nn.SpatialBatchNormalization(8)):add(nn.ReLU(true))
      :add(nn.SpatialFullConvolution(8, 3, 4, 4, 2, 2, 1, 1)):add(nn.Tanh())
end)()"""

SEGMENTATION = """(function()
   local input = nn.Identity()()
   local a = nn.ReLU()(nn.SpatialConvolution(3, 8, 3, 3, 1, 1, 1, 1)(input))
   local b = nn.ReLU()(nn.SpatialConvolution(8, 16, 3, 3, 2, 2, 1, 1)(a))
   local c = nn.ReLU()(nn.SpatialDilatedConvolution(16, 16, 3, 3, 1, 1, 2, 2, 2, 2)(b))
   local up = nn.SpatialFullConvolution(16, 8, 4, 4, 2, 2, 1, 1)(c)
   local both = nn.JoinTable(1, 3)({ up, a })
   local score = nn.SpatialConvolution(16, 5, 1, 1)(both)
   return nn.gModule({ input }, { nn.SpatialLogSoftMax()(nn.SpatialUpSamplingBilinear(2)(score)) })
end)()"""

HOURGLASS = """(function()
   local function residual(n, m)
      local function branch(x)
         local relu = nn.ReLU(true)(nn.SpatialBatchNormalization(n)(x))
         local y = nn.SpatialConvolution(n, m, 3, 3, 1, 1, 1, 1)(relu)
         local skip = n == m and nn.Identity()(x) or nn.SpatialConvolution(n, m, 1, 1)(x)
         return nn.CAddTable()({ y, skip })
      end
      return branch
   end
   local function hourglass(depth, n, x)
      local upper = residual(n, n)(x)
      local lower = residual(n, n)(nn.SpatialMaxPooling(2, 2, 2, 2)(x))
      lower = depth > 1 and hourglass(depth - 1, n, lower) or residual(n, n)(lower)
      return nn.CAddTable()({ upper, nn.SpatialUpSamplingNearest(2)(residual(n, n)(lower)) })
   end
   local input = nn.Identity()()
   local x = residual(6, 8)(nn.SpatialConvolution(3, 6, 3, 3, 1, 1, 1, 1)(input))
   local first = hourglass(3, 8, x)
   local heat = nn.SpatialConvolution(8, 4, 1, 1)(first)
   local again = nn.CAddTable()({ x, first, nn.SpatialConvolution(4, 8, 1, 1)(heat) })
   return nn.gModule({ input }, { heat, nn.SpatialConvolution(8, 4, 1, 1)(hourglass(2, 8, again)) })
end)()"""

# One step of a network of characters: x, and c and h of two layers, to their next values and the prediction.
LSTM = """(function()
   local size, vocabulary, inputs, outputs = 12, 20, {}, {}
   for i = 1, 5 do inputs[i] = nn.Identity()() end
   local x = nn.LookupTable(vocabulary, size)(inputs[1])
   for layer = 1, 2 do
      local c, h = inputs[2 * layer], inputs[2 * layer + 1]
      local sums = nn.CAddTable()({ nn.Linear(size, 4 * size)(x), nn.Linear(size, 4 * size)(h) })
      local gates = nn.Reshape(4, size)(sums)
      local i, f, o, g = nn.SplitTable(2)(gates):split(4)
      local next_c = nn.CAddTable()({ nn.CMulTable()({ nn.Sigmoid()(f), c }),
         nn.CMulTable()({ nn.Sigmoid()(i), nn.Tanh()(g) }) })
      local next_h = nn.CMulTable()({ nn.Sigmoid()(o), nn.Tanh()(next_c) })
      outputs[#outputs + 1], outputs[#outputs + 2] = next_c, next_h
      x = nn.Dropout(0.5)(next_h)
   end
   outputs[#outputs + 1] = nn.LogSoftMax()(nn.Linear(size, vocabulary)(x))
   return nn.gModule(inputs, outputs)
end)()"""

# A recurrent cell with shared weights, three steps in one graph.
UNROLLED = """(function()
   local input, first = nn.Identity()(), nn.Identity()()
   local steps = { nn.SplitTable(2)(input):split(3) }
   local h, cell = first, nn.Sequential():add(nn.JoinTable(1, 1)):add(nn.Linear(10, 6)):add(nn.Tanh())
   for t = 1, 3 do h = (t == 1 and cell or cell:clone('weight', 'bias'))({ steps[t], h }) end
   return nn.gModule({ input, first }, { h })
end)()"""

NETWORKS: dict[str, tuple[str, list[tuple[int, ...]]]] = {
    "LeNet": (LENET, [(1, 1, 32, 32)]),
    "AlexNet": (ALEXNET, [(1, 3, 131, 131)]),
    "VGG": (VGG, [(1, 3, 32, 32)]),
    "ResNet": (RESNET, [(1, 3, 32, 32)]),
    "Inception": (INCEPTION, [(1, 3, 32, 32)]),
    "DCGAN": (DCGAN, [(1, 20, 1, 1)]),
    "segmentation": (SEGMENTATION, [(1, 3, 16, 20)]),
    "hourglass": (HOURGLASS, [(1, 3, 16, 16)]),
    "character LSTM": (LSTM, [(1,), *[(1, 12)] * 4]),
    "unrolled": (UNROLLED, [(1, 3, 4), (1, 6)]),
}
