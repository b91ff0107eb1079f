-- nn.Cosine: the cosines of the angles between the input and the rows of the weight.

local torch = require 'torch'
local initialization = require 'nn.module.initialization'
local expect = require 'nn.checks.expect'

return function(Cosine, parent, nn)

   function Cosine:__init(inputSize, outputSize)
      parent.__init(self)
      self.weight, self.gradWeight = torch.Tensor(outputSize, inputSize), torch.Tensor(outputSize, inputSize)
      self:reset()
   end

   function Cosine:reset(stdv) initialization.uniform(nn, self, stdv, self.weight:size(1)) end

   local TINY = 1e-12

   -- The input as a batch, and the lengths of its rows and of those of the weight.
   local function parts(self, input)
      local x = expect.vectors(self, input, self.weight:size(2))
      return x, x:norm(2, 2):add(TINY), self.weight:norm(2, 2):add(TINY)
   end

   function Cosine:updateOutput(input)
      local x, x_norm, w_norm = parts(self, input)
      local batch, outputs = x:size(1), self.weight:size(1)
      self.output:resize(batch, outputs):mm(x, self.weight:t())
      self.output:cdiv(x_norm:expandAs(self.output)):cdiv(w_norm:t():expandAs(self.output))
      if input:dim() == 1 then self.output:resize(outputs) end
      return self.output
   end

   local function checked(self, x, gradOutput)
      local batch, outputs = x:size(1), self.weight:size(1)
      expect.same_count(self, self.output, expect.own(self, gradOutput, 'gradOutput'))
      if self.output:nElement() ~= batch * outputs then
         expect.fail(self, 'backward called before forward on this input')
      end
      return gradOutput:contiguous():view(batch, outputs), self.output:contiguous():view(batch, outputs)
   end

   function Cosine:updateGradInput(input, gradOutput)
      if self.gradInput == nil then return nil end
      local x, x_norm, w_norm = parts(self, input)
      local g, y = checked(self, x, gradOutput)
      local weighted = torch.cdiv(g, w_norm:t():expandAs(g))
      self.gradInput:resizeAs(x):mm(weighted, self.weight)
      local along = torch.cmul(g, y):sum(2):cdiv(x_norm)
      self.gradInput:add(-1, torch.cmul(x, along:expandAs(x))):cdiv(x_norm:expandAs(x))
      self.gradInput:resizeAs(input)
      return self.gradInput
   end

   function Cosine:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      local x, x_norm, w_norm = parts(self, input)
      local g, y = checked(self, x, gradOutput)
      local weighted = torch.cdiv(g, x_norm:expandAs(g))
      local d = torch.mm(weighted:t(), x)
      local along = torch.cmul(g, y):sum(1):t():contiguous():cdiv(w_norm)
      d:add(-1, torch.cmul(self.weight, along:expandAs(self.weight))):cdiv(w_norm:expandAs(d))
      self.gradWeight:add(scale, d)
   end
end
