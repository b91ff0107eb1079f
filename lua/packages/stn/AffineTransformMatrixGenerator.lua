-- nn.AffineTransformMatrixGenerator(useRotation, useScale, useTranslation): matrices of 2 x 3 from parameters, those of
-- an angle, a scale and a translation in y and x that are used, in this order: rotation * scale * translation. Without
-- any of them the parameters are the six elements of the matrix.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(nn)
   local Generator, parent = torch.class('nn.AffineTransformMatrixGenerator', 'nn.Module', nn)

   function Generator:__init(useRotation, useScale, useTranslation)
      parent.__init(self)
      self.useRotation, self.useScale, self.useTranslation = useRotation, useScale, useTranslation
      self.fullMode = not (useRotation or useScale or useTranslation)
   end

   -- The parameters as batch x count, and columns of angle, scale, y and x, with those that are not used.
   local function read(self, input)
      check.dimensions(self, 'input', input, 1, 2)
      local count = self.fullMode and 6 or
         (self.useRotation and 1 or 0) + (self.useScale and 1 or 0) + (self.useTranslation and 2 or 0)
      local batch = input:dim() == 2 and input or input:view(1, -1)
      if batch:size(2) ~= count then
         check.argument_error(self, 'input', string.format('a tensor of %d parameters, or of batch x %d', count,
            count), input)
      end
      if self.fullMode then return batch end
      local at, zero = 0, batch.new(batch:size(1)):zero()
      local function column(used, default)
         if not used then return default end
         at = at + 1
         return batch:select(2, at)
      end
      local angle, scale = column(self.useRotation, zero), column(self.useScale, torch.add(zero, 1))
      return batch, angle, scale, column(self.useTranslation, zero), column(self.useTranslation, zero)
   end

   function Generator:updateOutput(input)
      local batch, angle, scale, y, x = read(self, input)
      local count = batch:size(1)
      local m = batch.new(count, 2, 3)   -- Not `output`: in Torch7's files it may be a view of the input.
      if self.fullMode then
         m:copy(batch)
      else
         local cos, sin = torch.cos(angle):cmul(scale), torch.sin(angle):cmul(scale)
         m:select(2, 1):select(2, 1):copy(cos)
         m:select(2, 1):select(2, 2):copy(sin):mul(-1)
         m:select(2, 1):select(2, 3):copy(torch.cmul(cos, y)):add(-1, torch.cmul(sin, x))
         m:select(2, 2):select(2, 1):copy(sin)
         m:select(2, 2):select(2, 2):copy(cos)
         m:select(2, 2):select(2, 3):copy(torch.cmul(sin, y)):add(torch.cmul(cos, x))
      end
      self.output = input:dim() == 1 and m:view(2, 3) or m
      return self.output
   end

   function Generator:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local batch, angle, scale, y, x = read(self, input)
      local g = gradOutput:contiguous():view(batch:size(1), 2, 3)
      self.gradInput = batch.new(batch:size())
      if self.fullMode then
         self.gradInput:copy(g)
      else
         local function at(row, column) return g:select(2, row):select(2, column) end
         local cos, sin = torch.cos(angle), torch.sin(angle)
         -- Gradients at cos * scale and sin * scale.
         local along = torch.add(at(1, 1), at(2, 2)):addcmul(at(1, 3), y):addcmul(at(2, 3), x)
         local across = torch.add(at(2, 1), -1, at(1, 2)):addcmul(at(2, 3), y):addcmul(-1, at(1, 3), x)
         local column = 0
         local function put(used, value)
            if not used then return end
            column = column + 1
            self.gradInput:select(2, column):copy(value)
         end
         put(self.useRotation, torch.cmul(across, cos):addcmul(-1, along, sin):cmul(scale))
         put(self.useScale, torch.cmul(along, cos):addcmul(across, sin))
         put(self.useTranslation, torch.cmul(at(1, 3), cos):addcmul(at(2, 3), sin):cmul(scale))
         put(self.useTranslation, torch.cmul(at(2, 3), cos):addcmul(-1, at(1, 3), sin):cmul(scale))
      end
      self.gradInput = self.gradInput:viewAs(input)
      return self.gradInput
   end
end
