-- The functions of nn.THNN: their arguments are tensors, or results of t:cdata(), and the results are written into
-- them. Each is computed by the module of this library that its row in thnn_rows.lua names, or by thnn_functions.lua.

local torch, errors, types = require 'torch', require 'torch.base.errors', require 'torch.base.types'
local expect = require 'nn.checks.expect'
local thnn_functions, thnn_rows = require 'nn.tools.thnn_functions', require 'nn.tools.thnn_rows'
local objects = require('torch.tensor.th_struct').objects

local FLAGS = {
   batch_mode = true, ceil_mode = true, count_include_pad = true, featFirst = true, inplace = true,
   shouldScaleGradByFreq = true, sizeAverage = true, train = true,
}
local ARGUMENTS = { input = true, target = true, gradOutput = true, scale = true }

local function value_of(name, given)
   if type(given) == 'cdata' then
      local object = objects[given]
      if object then return object end
      if not types.of_tensor(given) then return nil end
   end
   if FLAGS[name] and type(given) == 'number' then return given ~= 0 end
   return given
end

-- Sets the numbers of planes that constructors keep. Most weights have the output planes first, some as a matrix.
local function set_planes(module, weight)
   module.nOutputPlane = module.nOutputPlane or weight:size(1)
   if weight:dim() == 2 then
      module.nInputPlane = math.floor(weight:size(2) / ((module.kT or 1) * (module.kH or 1) * (module.kW or 1)))
   elseif weight:dim() > 2 then
      module.nInputPlane = weight:size(2)
   end
end

local function set_planes_of_full(module, weight)
   module.nInputPlane, module.nOutputPlane = weight:size(1), weight:size(2)
   if weight:dim() == 5 then module.kT, module.kH, module.kW = weight:size(3), weight:size(4), weight:size(5) end
end

local function set_bias(module, ...) module.bias = module.bias or module.weight.new(...):zero() end

local function set_frame_size(module, weight)
   module.inputFrameSize = weight:size(1)
   set_bias(module, weight:size(1))
end

-- The fields that modules of these classes keep instead.
local set_sizes = {
   SpatialFullConvolution = set_planes_of_full,
   VolumetricFullConvolution = set_planes_of_full,
   TemporalConvolution = function(module, weight)
      module.outputFrameSize, module.inputFrameSize = weight:size(1), math.floor(weight:size(2) / module.kW)
      set_bias(module, weight:size(1))
   end,
   TemporalSubSampling = set_frame_size,
   TemporalRowConvolution = set_frame_size,
   SpatialSubSampling = function(module, weight)
      module.nInputPlane = weight:size(1)
      set_bias(module, weight:size(1))
   end,
   SpatialConvolutionLocal = function(module, weight)
      module.nOutputPlane, module.nInputPlane = weight:size(3), weight:size(4)
      set_bias(module, weight:size(3), weight:size(1), weight:size(2))
   end,
}

function set_sizes.VolumetricConvolution(module, weight)
   if weight:dim() == 5 then module.kT, module.kH, module.kW = weight:size(3), weight:size(4), weight:size(5) end
   set_planes(module, weight)
end

local function set_kernel_size(module, weight) module.kH, module.kW = weight:size(2), weight:size(3) end
set_sizes.SpatialConvolutionMap, set_sizes.SpatialFullConvolutionMap = set_kernel_size, set_kernel_size

local function set_samples(module, given)
   local samples = given.randomSamples
   -- Forward alone reads them, and takes them as they are.
   module.randomSamples = samples or given.gradOutput
   local wanted = module:getBufferSize_(given.input)
   if samples and samples:nElement() ~= wanted[1] * wanted[2] * wanted[3] then
      errors.raise('THNN: randomSamples must be of size %dx%dx%d (got %s)', wanted[1], wanted[2], wanted[3],
         expect.describe(samples))
   end
   module.newRandomPool = true
   function module.initSampleBuffer_() end
end

local function set_pooling(module, given)
   module.pooling = {
      indices = given.indices, itime = given.otime, iheight = given.oheight, iwidth = given.owidth,
   }
end

-- The gradients of linear functions are given the sizes of the input.
local function set_input(module, given)
   if given.images then
      local depth, height = given.idepth, given.iheight or 1
      given.input = given.gradOutput.new(torch.LongStorage(depth
         and { given.images, given.planes, depth, height, given.iwidth }
         or { given.images, given.planes, height, given.iwidth }))
   end
   if not module.scale_factor then module.oheight = given.oheight or 1 end
end

-- Further preparations of modules of these classes before a call.
local prepare = {
   SpatialFractionalMaxPooling = set_samples, VolumetricFractionalMaxPooling = set_samples,
   SpatialMaxUnpooling = set_pooling, VolumetricMaxUnpooling = set_pooling,
   GatedLinearUnit = function(module, given)
      module.sigmoid = torch.factory 'nn.Sigmoid'()
      module.sigmoid.output, module.sigmoid.gradInput = given.input.new(), given.input.new()
      module.output = given.input.new()
      if given.gradOutput then module:updateOutput(given.input) end
   end,
   SpatialUpSamplingBilinear = set_input, UpSampling = set_input,
}

-- Lines as images of height 1.
local function image_of(t)
   local sizes, dim = t:size():totable(), t:dim()
   sizes[dim], sizes[dim + 1] = 1, sizes[dim]
   return t:contiguous():view(torch.LongStorage(sizes))
end

-- Gives a module the fields that its class expects, and its function does not tell; unused ones are zeros.
local function complete(module, class, gradOutput)
   module.weight, module.bias = module.weight or module.gradWeight, module.bias or module.gradBias
   local weight = module.weight
   if weight and weight:dim() > 0 then
      (set_sizes[class] or set_planes)(module, weight)
   end
   if not gradOutput then return end
   module.output = module.output or gradOutput
   local dim = gradOutput:dim()
   if dim > 1 and not module.W then module.W, module.H = gradOutput:size(dim), gradOutput:size(dim - 1) end
end

-- Writes a result of a module into the tensor that was given for it.
local function copy_result(result, to, inplace)
   if not to or result == nil then return end
   if type(result) == 'number' then
      to:resize(1):fill(result)
   elseif torch.isTensor(result) and torch.pointer(result) ~= torch.pointer(to) then
      if inplace then to:set(result) else to:resizeAs(result):copy(result) end
   end
end

local function function_of(row, name, method, type_name)
   local arguments, class = {}, row.class
   for argument in string.gmatch(row[method], '%S+') do arguments[#arguments + 1] = argument end
   local required = #arguments
   if arguments[required] == 'ignoreIndex' then required = required - 1 end
   return function(...)
      local count, given = select('#', ...), {}
      if count < required then
         errors.raise('THNN.%s_%s: arguments must be %s (got %d)', name, method,
            table.concat(arguments, ', '), count)
      end
      local module = torch.factory('nn.' .. class)()
      module._type, module.train = type_name, true
      for field, value in next, row.fields or {} do module[field] = value end
      for i, argument in ipairs(arguments) do
         local value = value_of(argument, (select(i, ...)))
         given[argument] = value
         if not ARGUMENTS[argument] and argument ~= '_' then module[argument] = value end
      end
      if row.as_image then
         for _, field in ipairs { 'input', 'gradOutput' } do
            given[field] = given[field] and image_of(given[field])
         end
         module.output, module.gradInput = nil, nil
      end
      complete(module, class, given.gradOutput)
      for _, field in ipairs { 'output', 'gradInput' } do
         module[field] = module[field] or torch.getmetatable(type_name).new()
      end
      if prepare[class] then prepare[class](module, given) end
      local function give(result, to)
         if row.as_image then result = result:select(result:dim() - 1, 1) end
         copy_result(result, to, module.inplace)
      end
      if method == 'updateOutput' then
         give(module:updateOutput(given.input, given.target), given.output)
      elseif method == 'updateGradInput' then
         local second = given.gradOutput or given.target
         give(module:updateGradInput(given.input, second), given.gradInput)
      elseif method == 'backward' then
         give(module:backward(given.input, given.gradOutput, given.scale or 1), given.gradInput)
      elseif method == 'renorm' then
         module:renorm(given.input)
      else
         module:accGradParameters(given.input, given.gradOutput, given.scale or 1)
      end
   end
end

-- Returns the function `key`, as 'Tanh_updateOutput', for tensors of a type; nil if there is none.
return function(type_name, key)
   local f = thnn_functions[key]
   if f then
      return function(...)
         local given = {}
         for i = 1, select('#', ...) do given[i] = value_of(i, (select(i, ...))) end
         return f(unpack(given, 1, select('#', ...)))
      end
   end
   local name, method = string.match(tostring(key), '^(.*)_(%a+)$')
   local row = thnn_rows[name]
   if not row or not row[method] then return nil end
   return function_of(row, name, method, type_name)
end
