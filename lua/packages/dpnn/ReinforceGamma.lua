-- nn.ReinforceGamma: draws from gamma distributions. The input has their shapes, for one fixed scale, or is { shapes,
-- scales }. In evaluation the output is the mean. As in the original, draws and digamma are computed in single
-- precision, by randomkit and cephes.

local torch = require 'torch'
local check = require 'torch.base.check'
local cephes, randomkit = require 'cephes', require 'randomkit'

return function(Gamma, parent)

   function Gamma:__init(scale, stochastic)
      parent.__init(self, stochastic)
      if scale ~= nil and not (scale > 0) then check.argument_error('ReinforceGamma', 'scale', 'above 0', scale) end
      self.scale = scale
      if not scale then self.gradInput = { torch.Tensor(), torch.Tensor() } end
   end

   -- Shapes and scales, as tensors of the same size.
   local function shapes_and_scales(self, input)
      local shape, scale = input, self.scale
      if torch.type(input) == 'table' then shape, scale = input[1], input[2] end
      check.real(self, 'shapes', shape)
      if shape:nElement() > 0 and not (shape:min() > 0) then
         check.fail(self, 'shapes in the input must be > 0 (got %s)', shape:min())
      end
      if type(scale) == 'number' then return shape, shape.new(shape:size()):fill(scale) end
      scale = self:forBatch(check.tensor(self, 'scales', scale), shape)
      return shape, check.same_type(self, 'scales', check.same_size(self, 'scales', scale, shape), shape)
   end

   function Gamma:updateOutput(input)
      local shape, scale = shapes_and_scales(self, input)
      self.output:resizeAs(shape)
      if not self:draws() then return self.output:copy(shape):cmul(scale) end
      return self.output:copy(randomkit.gamma(shape:float(), scale:float()))
   end

   -- The gradients of the log probability: log x - log scale - digamma(shape), and for scales x / scale^2 - shape /
   -- scale.
   function Gamma:updateGradInput(input)
      local shape, scale = shapes_and_scales(self, input)
      check.same_size(self, 'shapes', shape, self.output)
      local of_shape = shape:clone():copy(cephes.digamma(shape:float())):mul(-1)
      of_shape:add(torch.log(torch.cdiv(self.output, scale)))
      self:rewarded(of_shape)
      if torch.type(input) ~= 'table' then
         self.gradInput = of_shape
      else
         local of_scale = torch.cdiv(self.output, scale):add(-1, shape):cdiv(scale)
         self.gradInput = { of_shape, self:rewarded(of_scale) }
      end
      return self.gradInput
   end
end
