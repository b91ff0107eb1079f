-- nn.SpatialUniformCrop: a part of the maps of each sample, at a random position while training, else in the centre.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Crop, parent)

   function Crop:__init(oheight, owidth, scale)
      parent.__init(self)
      if scale ~= nil then
         check.fail('SpatialUniformCrop', 'scales are not supported (got %s)', check.describe(scale))
      end
      self.oheight, self.owidth = oheight, owidth or oheight
   end

   local function batch_of(self, what, input)
      check.real(self, what, input)
      check.dimensions(self, what, input, 3, 4)
      input = input:contiguous()
      return input:dim() == 4 and input or input:view(1, input:size(1), input:size(2), input:size(3))
   end

   -- The part of a sample of a batch.
   local function part(self, batch, i)
      local at = self.coord[i]
      return batch[i]:narrow(2, at[1], self.oheight):narrow(3, at[2], self.owidth)
   end

   function Crop:updateOutput(input)
      local x = batch_of(self, 'input', input)
      local rows, columns = x:size(3) - self.oheight, x:size(4) - self.owidth
      if rows < 0 or columns < 0 then
         check.refuse(self, 'input', ('maps of at least %d x %d'):format(self.oheight, self.owidth), input)
      end
      self.coord = {}
      self.output:resize(x:size(1), x:size(2), self.oheight, self.owidth)
      for i = 1, x:size(1) do
         if self.train ~= false then
            self.coord[i] = { torch.random(1, rows + 1), torch.random(1, columns + 1) }
         else
            self.coord[i] = { math.ceil(rows / 2) + 1, math.ceil(columns / 2) + 1 }
         end
         self.output[i]:copy(part(self, x, i))
      end
      if input:dim() == 3 then self.output = self.output:view(x:size(2), self.oheight, self.owidth) end
      return self.output
   end

   function Crop:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      self.gradInput:resizeAs(input):zero()
      local to = batch_of(self, 'gradInput', self.gradInput)
      local from = batch_of(self, 'gradOutput', gradOutput)
      for i = 1, to:size(1) do part(self, to, i):copy(from[i]) end
      return self.gradInput
   end
end
