-- nn.SpatialMaxUnpooling and nn.VolumetricMaxUnpooling: puts each value at the index of the maximum of a pooling
-- module.

local torch = require 'torch'
local expect, geometry, kernel = require 'nn.checks.expect', require 'nn.checks.geometry', require 'nn.kernels.kernel'
local pooling_layer, pooling_engine = require 'nn.pooling.pooling_layer', require 'nn.kernels.pooling_engine'

return function(Unpool, parent, _, name)

   local volumetric = name == 'VolumetricMaxUnpooling'
   local wanted = volumetric and 'nn.VolumetricMaxPooling' or 'nn.SpatialMaxPooling'
   local fields = volumetric and { 'itime', 'iheight', 'iwidth' } or { 'iheight', 'iwidth' }
   local outputs = volumetric and { 'otime', 'oheight', 'owidth' } or { 'oheight', 'owidth' }

   function Unpool:__init(poolingModule)
      parent.__init(self)
      self.pooling = expect.instance_of(wanted, 'nn.' .. name, 'poolingModule', poolingModule)
      poolingModule.unpooling = self
   end

   -- Takes the sizes and indices that the last forward of the pooling module left.
   function Unpool:setParams()
      self.indices = self.pooling.indices
      for i, field in ipairs(fields) do self[outputs[i]] = self.pooling[field] end
   end

   -- Checks a call; returns the planes, and the elements per plane of the input and the output.
   local function prepare(self, x)
      self:setParams()
      local n, count = #fields, x._dim
      if count ~= n + 1 and count ~= n + 2 then
         expect.fail(self, 'input must have %d or %d dimensions (got %s)', n + 1, n + 2, expect.describe(x))
      end
      local area, inner = 1, 1
      for d = 1, n do
         if not self[outputs[d]] then expect.fail(self, 'forward of the pooling module must come first') end
         local size = geometry.integer(self, outputs[d], self[outputs[d]], 1)
         area = geometry.area(self, 'a plane of the output', area, size)
         inner = inner * x._size[count - n + d - 1]
      end
      return x:nElement() / inner, inner, area, pooling_layer.indices(self, x)
   end

   local function fail_of_index(self) expect.fail(self, 'indices must be those of elements of the output') end

   -- The sizes of the output for an input.
   local function output_size(self, x)
      local size = x:size()
      for d = 1, #fields do size[x:dim() - #fields + d] = self[outputs[d]] end
      return size
   end

   function Unpool:updateOutput(input)
      local k = kernel.of(self, input)
      local planes, inner, area, indices = prepare(self, input)
      local x, y = k.as_contiguous(input), geometry.contiguous(self.output:resize(output_size(self, input)))
      if not pooling_engine.unpool(k, planes, inner, area, x, indices, y) then fail_of_index(self) end
      return y
   end

   function Unpool:updateGradInput(input, gradOutput)
      local k = kernel.of(self, input)
      local planes, inner, area, indices = prepare(self, input)
      if not k.is(gradOutput) or not gradOutput:isSize(output_size(self, input)) then
         expect.argument_error(self, 'gradOutput', 'of the size of the output', gradOutput)
      end
      local g, r = k.as_contiguous(gradOutput), k.resize_as(self.gradInput, input)
      if not pooling_engine.unpool_back(k, planes, inner, area, g, indices, r) then fail_of_index(self) end
      return r
   end

   function Unpool:empty() return self:clearState() end

   -- Functions of THNN have the sizes and indices alone.
   function Unpool:__tostring__()
      local pooling = torch.typename(self.pooling) and ' associated to ' .. tostring(self.pooling) or ''
      return 'nn.' .. name .. pooling
   end

end
