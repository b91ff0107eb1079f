-- nn.Dropout: while training, sets elements to 0 with a probability and scales up the others.

local torch = require 'torch'
local expect, kernel, lazy_table =
   require 'nn.checks.expect', require 'nn.kernels.kernel', require 'torch.jit.lazy_table'

return function(Dropout, parent)

   -- `v1` is the first version: nothing is scaled while training, everything when evaluating.
   function Dropout:__init(p, v1, inplace, stochasticInference)
      parent.__init(self)
      self.p = p or 0.5
      self.train = true
      self.inplace = inplace
      self.stochastic_inference = stochasticInference or false
      self.v2 = not v1
      if not (self.p < 1 and self.p >= 0) then expect.argument_error(self, 'p', 'at least 0 and less than 1', p) end
      self.noise = torch.Tensor()
   end

   -- What either pass needs to drop elements; as in the original, gradients pass in stochastic inference.
   local function forward_drops(self) return self.p > 0 and (self.train or self.stochastic_inference) end
   local function backward_drops(self) return self.p > 0 and self.train end

   local products = lazy_table(function(k) return k.map 'z = x * y' end)

   -- The result of either pass: `from` as it is, or scaled, where nothing is dropped; else times noise(k, from).
   local function apply(self, k, from, result, drops, noise)
      if self.inplace then result:set(from) else result = k.resize_as(result, from) end
      if not drops then
         if not self.inplace then result:copy(from) end
         if self.p > 0 and not self.v2 then result:mul(1 - self.p) end
         return result
      end
      local mask = noise(self, k, from)
      if self.inplace then return result:cmul(mask) end
      local x = k.as_contiguous(from)
      products[k](k.ptr(x), k.ptr(mask), nil, k.ptr(result), k.numel(x))
      k.keep_alive(x, mask, result)
      return result
   end

   local function new_noise(self, k, input)
      local noise = k.resize_as(self.noise, input)
      noise:bernoulli(1 - self.p)
      return self.v2 and noise:div(1 - self.p) or noise
   end

   local function kept_noise(self, k, gradOutput)
      if not k.is(self.noise) or k.numel(self.noise) ~= k.numel(gradOutput) then
         expect.fail(self, 'backward called before forward on this input')
      end
      return k.as_contiguous(self.noise)
   end

   function Dropout:updateOutput(input)
      return apply(self, kernel.of(self, input), input, self.output, forward_drops(self), new_noise)
   end

   function Dropout:updateGradInput(input, gradOutput)
      local k = kernel.of(self, input)
      if not k.is(gradOutput) then expect.grad_output(self, k, gradOutput, self.output) end
      expect.same_count(self, input, gradOutput)
      return apply(self, k, gradOutput, self.gradInput, backward_drops(self), kept_noise)
   end

   function Dropout:setp(p) self.p = p end

   function Dropout:__tostring__() return string.format('%s(%f)', torch.type(self), self.p) end

   -- Files of the first version have no v2.
   function Dropout:upgrade()
      if self.v2 == nil then self.v2 = false end
      if not self.noise then self.noise = torch.Tensor():type(self._type) end
   end
end
