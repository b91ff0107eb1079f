-- Calls each function of nn.THNN with the fields of a module, and compares what it writes with the module's results.
-- Prints the names of those that differ, and how many agree.

require 'nn'
torch.manualSeed(3)
local rows = require 'nn.tools.thnn_rows'

-- Arguments of constructors.
local arguments = {
   PReLU = '4', Linear = '4, 3', BatchNormalization = '4', TemporalConvolution = '4, 3, 2',
   TemporalSubSampling = '4, 2',
   TemporalRowConvolution = '4, 2', SpatialSubSampling = '4, 2, 2', SpatialConvolutionMM = '4, 3, 2, 2',
   SpatialConvolutionLocal = '4, 3, 6, 6, 2, 2', SpatialDepthWiseConvolution = '4, 3, 2, 2',
   SpatialDilatedConvolution = '4, 3, 2, 2, 1, 1, 0, 0, 2, 2', SpatialFullConvolution = '4, 3, 2, 2, 2, 2',
   VolumetricDilatedConvolution = '4, 3, 2, 2, 2', VolumetricFullConvolution = '4, 3, 2, 2, 2',
   VolumetricConvolutionMM = '4, 3, 2, 2, 2', TemporalMaxPooling = '2, 2', SpatialMaxPooling = '2, 2',
   SpatialDilatedMaxPooling = '2, 2, 1, 1, 0, 0, 2, 2', SpatialAveragePooling = '2, 2',
   SpatialAdaptiveMaxPooling = '3, 2', SpatialAdaptiveAveragePooling = '3, 2', SpatialUpSamplingNearest = '2',
   SpatialReflectionPadding = '1, 1, 1, 1', SpatialReplicationPadding = '1, 1, 1, 1',
   VolumetricReplicationPadding = '1, 1, 1, 1, 1, 1', VolumetricMaxPooling = '2, 2, 2',
   VolumetricDilatedMaxPooling = '2, 2, 2, 1, 1, 1, 0, 0, 0, 1, 1, 1', VolumetricAveragePooling = '2, 2, 2',
   Threshold = '0.1, 0.2', VolumetricConvolution = '4, 3, 2, 2, 2',
   SpatialConvolutionMap = 'nn.tables.random(4, 3, 2), 2, 2',
   SpatialFullConvolutionMap = 'nn.tables.random(4, 3, 2), 2, 2',
   SpatialFractionalMaxPooling = '2, 2, 3, 2', VolumetricFractionalMaxPooling = '2, 2, 2, 2, 3, 2',
   FeatureLPPooling = '2, 1, 2, true', VolumetricUpSamplingNearest = '2',
}

-- Those whose arguments are no fields of a module are in thnn_by_hand.lua.
for _, name in ipairs { 'SpatialMaxUnpooling', 'VolumetricMaxUnpooling', 'SpatialUpSamplingBilinear',
   'VolumetricUpSamplingTrilinear', 'TemporalUpSamplingLinear', 'TemporalReflectionPadding',
   'TemporalReplicationPadding', 'LookupTable' } do
   assert(rows[name])
   rows[name] = nil
end

local function input_of(name)
   if name == 'SpatialClassNLLCriterion' then return torch.rand(2, 4, 3, 3):log() end
   if name:find '^Volumetric' then return torch.rand(2, 4, 4, 4, 4) end
   if name:find '^Spatial' then return torch.rand(2, 4, 6, 6) end
   if name:find '^Temporal' then return torch.rand(2, 6, 4) end
   return torch.rand(5, 4)
end

local function target_of(name)
   if name == 'SpatialClassNLLCriterion' then return torch.LongTensor(2, 3, 3):random(1, 4) end
   if name == 'ClassNLLCriterion' or name == 'MultiMarginCriterion' then return torch.LongTensor(5):random(1, 4) end
   if name == 'MultiLabelMarginCriterion' then
      local target = torch.LongTensor(5, 4):zero()
      target:select(2, 1):fill(2)
      return target
   end
   if name:find 'Margin' then return torch.rand(5, 4):gt(0.5):double() * 2 - 1 end
   return torch.rand(5, 4)
end

local function expect_same(name, got, wanted)
   if type(wanted) == 'number' then wanted = torch.Tensor{ wanted } end
   assert(got:isSameSizeAs(wanted) and (got - wanted):abs():max() < 1e-12, name)
end

local function try(name)
   local row = rows[name]
   local module = loadstring('return nn.' .. row.class .. '(' .. (arguments[name] or '') .. ')')()
   local input = input_of(name)
   local criterion = torch.isTypeOf(module, 'nn.Criterion')
   local target = criterion and target_of(name) or nil
   local generator = torch.getRNGState()
   local output = module:forward(input, target)
   local gradient = not criterion and torch.rand(output:size()) or nil
   local gradInput
   if criterion then
      gradInput = module:backward(input, target)
   else
      module:zeroGradParameters()
      gradInput = module:backward(input, gradient, 0.5)
   end
   torch.setRNGState(generator)
   local given = setmetatable({
      input = input, target = target, gradOutput = gradient, scale = 0.5,
      output = torch.Tensor(), gradInput = torch.Tensor(), indices = torch.LongTensor(), noise = torch.Tensor(),
      gradWeight = module.gradWeight and module.gradWeight:clone():zero(),
      gradBias = module.gradBias and module.gradBias:clone():zero(),
   }, { __index = module })
   if name == 'BatchNormalization' then
      given.running_mean, given.running_var = torch.zeros(4), torch.ones(4)
      given.save_mean, given.save_std = torch.Tensor(), torch.Tensor()
   end
   local function call(method)
      local list, count = {}, 0
      for argument in row[method]:gmatch '%S+' do
         count = count + 1
         local value = given[argument]
         if argument == '_' then value = torch.Tensor() end
         list[count] = torch.isTensor(value) and value:cdata() or value
      end
      input.THNN[name .. '_' .. method](unpack(list, 1, count))
   end
   call 'updateOutput'
   expect_same('output', given.output, output)
   call(row.updateGradInput and 'updateGradInput' or 'backward')
   expect_same('gradInput', given.gradInput, gradInput)
   if row.accGradParameters then call 'accGradParameters' end
   if given.gradWeight then expect_same('gradWeight', given.gradWeight, module.gradWeight) end
   if given.gradBias then expect_same('gradBias', given.gradBias, module.gradBias) end
end

local agree = 0
for name in pairs(rows) do
   local fine, why = pcall(try, name)
   if fine then agree = agree + 1 else print(name, why) end
end
print(agree)
