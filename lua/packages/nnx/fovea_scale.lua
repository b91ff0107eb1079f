-- What foveas have in common: the scales of an image, and networks for each.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

local fovea_scale = {}

-- Raises unless there is a processor for each of some ratios.
function fovea_scale.check_ratios(name, ratios, processors)
   expect.kind(name, 'ratios', ratios, 'table')
   expect.kind(name, 'processors', processors, 'table')
   if #ratios == 0 or #ratios ~= #processors then
      expect.fail(name, 'each ratio must have a processor (got %d ratios and %d processors)', #ratios, #processors)
   end
end

-- A module that makes an image smaller by a ratio: means of blocks, or interpolation.
function fovea_scale.downsampler(nn, self, ratio, bilinear)
   if bilinear then return nn.SpatialReSampling(1 / ratio, 1 / ratio):type(self.output:type()) end
   local module = nn.SpatialSubSampling(self.nInputPlane, ratio, ratio, ratio, ratio)
   module.weight:fill(1 / ratio ^ 2)
   module.bias:zero()
   return module:type(self.output:type())
end

-- One that makes maps larger by a ratio.
function fovea_scale.upsampler(nn, self, ratio, bilinear)
   local class = bilinear and nn.SpatialReSampling or nn.SpatialUpSampling
   return class(ratio, ratio):type(self.output:type())
end

-- The pixel of a scale that a focus at `x` begins at, a multiple of the step `sub` from the first.
function fovea_scale.corner(self, x, ratio)
   return math.floor(math.floor((x - 1) / ratio) / self.sub) * self.sub + 1
end

-- Raises unless the input is an image of nInputPlane maps.
function fovea_scale.check_image(self, input)
   expect.tensor(self, input)
   expect.dimensions(self, 'input', input, 3, 3)
   if input:size(1) ~= self.nInputPlane then
      expect.argument_error(self, 'input', string.format('%d maps', self.nInputPlane), input)
   end
end

-- Applies a method of modules[i], if there is one, to inputs[i] and gradients[i], for each scale. Returns a list of the
-- results; without a module the result is its input or its gradient.
function fovea_scale.apply_modules(modules, method, inputs, gradients)
   local list = {}
   for i = 1, #inputs do
      local module = modules[i]
      if not module then
         list[i] = gradients and gradients[i] or inputs[i]
      elseif gradients then
         list[i] = module[method](module, inputs[i], gradients[i])
      else
         list[i] = module[method](module, inputs[i])
      end
   end
   return list
end

-- Sets `padded`, the image at all scales, and the steps that lead to it.
function fovea_scale.reduce(fovea, image)
   local images = {}
   for i in ipairs(fovea.ratios) do images[i] = image end
   fovea.pyramid = fovea_scale.apply_modules(fovea.downsamplers, 'updateOutput', images)
   fovea.preProcessed = fovea_scale.apply_modules(fovea.preProcessors, 'updateOutput', fovea.pyramid)
   fovea.padded = fovea_scale.apply_modules(fovea.padders, 'updateOutput', fovea.preProcessed)
end

-- Returns the gradient at the image, from the field gradPadded.
function fovea_scale.reduce_backward(fovea, image)
   fovea.gradPreProcessed = fovea_scale.apply_modules(fovea.padders, 'updateGradInput', fovea.preProcessed,
      fovea.gradPadded)
   fovea.gradPyramid = fovea_scale.apply_modules(fovea.preProcessors, 'updateGradInput', fovea.pyramid,
      fovea.gradPreProcessed)
   fovea.gradInput:resizeAs(image):zero()
   for i, module in ipairs(fovea.downsamplers) do
      fovea.gradInput:add(module:updateGradInput(image, fovea.gradPyramid[i]))
   end
   return fovea.gradInput
end

-- Adds the methods of a module whose parameters are those of the processors.
function fovea_scale.add_methods(Fovea)

   local function each(self, name, ...)
      for _, module in ipairs(self.processors) do
         if module[name] then module[name](module, ...) end
      end
   end

   function Fovea:reset(stdv) each(self, 'reset', stdv) end

   function Fovea:zeroGradParameters(...) each(self, 'zeroGradParameters', ...) end

   function Fovea:updateParameters(learningRate) each(self, 'updateParameters', learningRate) end

   -- Shrinks the parameters of the processors that can by this share.
   function Fovea:decayParameters(decay) each(self, 'decayParameters', decay) end

   function Fovea:parameters()
      local weights, gradients = {}, {}
      for _, module in ipairs(self.processors) do
         local own, own_gradients = module:parameters()
         for i, weight in ipairs(own or {}) do
            table.insert(weights, weight)
            table.insert(gradients, own_gradients[i])
         end
      end
      return weights, gradients
   end
end

-- A tensor of the type of the output that keeps `like`'s size, with zeros.
function fovea_scale.zeros(like) return torch.zeros(like:size()):typeAs(like) end

return fovea_scale
