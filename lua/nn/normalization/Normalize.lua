-- nn.Normalize: a vector, or each row of a matrix, over its p-norm.

local huge, type = math.huge, type
local torch = require 'torch'
local check, kernel = require 'nn.check', require 'nn.kernel'

return function(Norm, parent, nn)

   function Norm:__init(p, eps)
      parent.__init(self)
      if type(p) ~= 'number' or p <= 0 then
         check.fail(self, 'positive p expected (got %s)', check.describe(p))
      end
      self.p, self.eps = p, eps or 1e-10
   end

   -- Checks the input; gives it as a matrix.
   local function rows(self, x)
      if x:dim() ~= 1 and x:dim() ~= 2 then
         check.fail(self, 'input of one or two dimensions expected (got %s)', check.describe(x))
      end
      local t = x:contiguous()
      return x:dim() == 1 and t:view(1, x:size(1)) or t
   end

   -- The norms of all rows, as a column.
   local function norms(self, x)
      if self.p == huge then
         local norm, places = torch.max(torch.abs(x), 2)
         self._indices = places
         return norm:add(self.eps)
      end
      local powers = self.p == 2 and torch.cmul(x, x) or torch.abs(x)
      if self.p ~= 1 and self.p ~= 2 then powers:pow(self.p) end
      local norm = powers:sum(2):add(self.eps)
      if self.p == 2 then return norm:sqrt() end
      return self.p == 1 and norm or norm:pow(1 / self.p)
   end

   function Norm:updateOutput(input)
      kernel.of(self, input)
      local x = rows(self, input)
      self.norm = norms(self, x)
      local y = self.output:resizeAs(x)
      torch.cdiv(y, x, self.norm:expandAs(x))
      return y:resize(input:size())
   end

   function Norm:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local x = rows(self, input)
      check.grad_output(self, k, gradOutput, self.output)
      if not input:isSameSizeAs(gradOutput) then
         check.fail(self, 'gradOutput of the size of the input expected, %s (got %s)', check.shape(input),
            check.describe(gradOutput))
      end
      local g, p = gradOutput:contiguous():viewAs(x), self.p
      -- What the norm passes back: the sum of gradOutput times the input, over a power of the norm.
      local sums = torch.cmul(g, x):sum(2)
      local r = self.gradInput:resizeAs(x)
      torch.cdiv(r, g, self.norm:expandAs(x))
      if p == huge then
         sums:cdiv(torch.cmul(self.norm, self.norm)):cmul(torch.sign(x:gather(2, self._indices)))
         r:scatter(2, self._indices, r:gather(2, self._indices):add(-1, sums))
      else
         sums:cdiv(torch.pow(self.norm, p + 1))
         local slope
         if p == 2 then
            slope = x:clone()
         elseif p == 1 then
            slope = torch.sign(x)
         else
            slope = torch.abs(x):pow(p - 1):cmul(torch.sign(x))
         end
         r:add(-1, slope:cmul(sums:expandAs(x)))
      end
      return r:resize(input:size())
   end

   function Norm:clearState()
      nn.utils.clear(self, '_output', '_indices', '_gradInput', 'buffer', 'norm', 'normp', 'cross')
      return parent.clearState(self)
   end

   function Norm:__tostring__()
      return (self.p % 1 == 0 and '%s(%d)' or '%s(%f)'):format(torch.type(self), self.p)
   end

end
