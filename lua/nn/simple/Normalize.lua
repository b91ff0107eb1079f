-- nn.Normalize: divides vectors, or the rows of a matrix, by their Lp norm.

local torch = require 'torch'
local expect = require 'nn.expect'

return function(Normalize)

   function Normalize:__init()
      local p = self.p
      if type(p) ~= 'number' or not (p > 0) then expect.refuse(self, 'p', '> 0', p) end
      self._output = torch.Tensor()
   end

   local function as_batch(self, input)
      expect.own(self, input)
      if input:dim() ~= 1 and input:dim() ~= 2 then expect.refuse(self, 'input', 'a vector or a matrix', input) end
      local n = input:size(input:dim())
      return input:contiguous():view(input:nElement() / n, n)
   end

   -- The products of two matrices, in memory that is read before the next call.
   local function products(self, x, y)
      self._products = self._products or x.new()
      return self._products:resizeAs(x):cmul(x, y)
   end

   -- The norms of rows, which never are 0.
   local function norms(self, x)
      local p = self.p
      if p == math.huge then
         return (torch.abs(x):max(2)):add(self.eps)
      elseif p == 2 then
         return products(self, x, x):sum(2):add(self.eps):sqrt()
      elseif p == 1 then
         return torch.abs(x):sum(2):add(self.eps)
      end
      return torch.abs(x):pow(p):sum(2):add(self.eps):pow(1 / p)
   end

   function Normalize:updateOutput(input)
      local x = as_batch(self, input)
      self.norm = norms(self, x)
      self._output = self._output or input.new()
      self._output:resizeAs(x):cdiv(x, self.norm:expandAs(x))
      self.output:view(self._output, input:size())
      return self.output
   end

   function Normalize:updateGradInput(input, gradOutput)
      local x = as_batch(self, input)
      expect.same_count(self, input, expect.own(self, gradOutput, 'gradOutput'))
      if not self.norm or self.norm:size(1) ~= x:size(1) then
         expect.fail(self, 'backward called before forward on this input')
      end
      local g, norm, p = gradOutput:contiguous():view(x:size()), self.norm, self.p
      -- The sum of gradOutput times the output, and the derivative of the norm.
      local along = products(self, x, g):sum(2)
      local slope
      if p == math.huge then
         slope = x.new():resizeAs(x):zero()
         local _, at = torch.abs(x):max(2)
         slope:scatter(2, at, torch.sign(x:gather(2, at)))
         along:cdiv(norm)
      elseif p == 2 then
         slope = x
         along:cdiv(torch.cmul(norm, norm))
      else
         slope = torch.abs(x):pow(p - 2):cmul(x)
         if p < 2 then slope:maskedFill(x:eq(0), 0) end
         along:cdiv(torch.pow(norm, p))
      end
      self.gradInput:resizeAs(x):addcmul(g, -1, slope, along:expandAs(x)):cdiv(norm:expandAs(x))
      self.gradInput:resize(input:size())
      return self.gradInput
   end

   function Normalize:__tostring__()
      local whole = self.p % 1 == 0 or math.abs(self.p) == math.huge
      return (whole and '%s(%d)' or '%s(%f)'):format(torch.type(self), self.p)
   end
end
