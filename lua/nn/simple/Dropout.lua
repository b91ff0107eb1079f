-- nn.Dropout: while training, sets elements to 0 with a probability and scales up the others.

local torch = require 'torch'
local check, kernel = require 'nn.check', require 'nn.kernel'

return function(Dropout, parent)

   -- `v1` is the first version: nothing is scaled while training, everything when evaluating.
   function Dropout:__init(p, v1, inplace, stochasticInference)
      parent.__init(self)
      self.p = p or 0.5
      self.train = true
      self.inplace = inplace
      self.stochastic_inference = stochasticInference or false
      self.v2 = not v1
      if not (self.p < 1 and self.p >= 0) then
         check.fail(self, 'probability of at least 0 and less than 1 expected (got %s)', check.describe(p))
      end
      self.noise = torch.Tensor()
   end

   local function drops(self) return self.p > 0 and (self.train or self.stochastic_inference) end

   local products = {}
   local function product_of(k)
      products[k] = products[k] or k.map 'z = multiply x y'
      return products[k]
   end

   function Dropout:updateOutput(input)
      local k = kernel.of(self, input)
      local output = self.output
      if self.inplace then output:set(input) else k.like(output, input) end
      if not drops(self) then
         if not self.inplace then output:copy(input) end
         if self.p > 0 and not self.v2 then output:mul(1 - self.p) end
         return output
      end
      local noise = k.like(self.noise, input)
      noise:bernoulli(1 - self.p)
      if self.v2 then noise:div(1 - self.p) end
      if self.inplace then
         output:cmul(noise)
      else
         local x = k.plain(input)
         product_of(k)(k.ptr(x), k.ptr(noise), nil, k.ptr(output), k.count(x))
         k.alive(x, noise, output)
      end
      return output
   end

   function Dropout:updateGradInput(input, gradOutput)
      local k = kernel.of(self, input)
      if not k.is(gradOutput) then check.grad_output(self, k, gradOutput, self.output) end
      check.same_count(self, input, gradOutput)
      local gradient = self.gradInput
      if self.inplace then gradient:set(gradOutput) else k.like(gradient, gradOutput) end
      if not drops(self) then
         if not self.inplace then gradient:copy(gradOutput) end
         if self.p > 0 and not self.v2 then gradient:mul(1 - self.p) end
         return gradient
      end
      local noise = self.noise
      if k.count(noise) ~= k.count(gradOutput) then
         check.fail(self, 'forward of the same input expected before backward')
      end
      if self.inplace then
         gradient:cmul(noise)
      else
         local g = k.plain(gradOutput)
         product_of(k)(k.ptr(g), k.ptr(noise), nil, k.ptr(gradient), k.count(g))
         k.alive(g, noise, gradient)
      end
      return gradient
   end

   function Dropout:setp(p) self.p = p end

   function Dropout:__tostring__() return ('%s(%f)'):format(torch.type(self), self.p) end

   function Dropout:clearState()
      if self.noise then self.noise:set() end
      return parent.clearState(self)
   end

   -- Files of the first version have no v2.
   function Dropout:upgrade()
      if self.v2 == nil then self.v2 = false end
      if not self.noise then self.noise = torch.Tensor():type(self._type) end
   end
end
