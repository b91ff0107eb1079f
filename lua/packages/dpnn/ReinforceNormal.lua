-- nn.ReinforceNormal: draws from normal distributions around the input.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Normal, parent)

   -- Normally distributed around the input, with this deviation, a number or a tensor; without one the input is
   -- { means, deviations }.
   function Normal:__init(stdev, stochastic)
      parent.__init(self, stochastic)
      if stdev ~= nil then
         self.stdev = torch.isTensor(stdev) and stdev or check.number('ReinforceNormal', 'deviation', stdev)
      else
         self.gradInput = { torch.Tensor(), torch.Tensor() }
      end
   end

   -- The means, and the deviations as a number or a tensor of that size.
   local function parameters_of(self, input)
      local mean, deviation = input, self.stdev
      if torch.type(input) == 'table' then
         mean, deviation = input[1], input[2]
      elseif not deviation then
         check.kind(self, 'input', input, 'table')
      end
      check.real(self, torch.type(input) == 'table' and 'means' or 'input', mean)
      if type(deviation) == 'number' then return mean, deviation end
      deviation = self:forBatch(check.tensor(self, 'deviations', deviation), mean)
      return mean, check.same_type(self, 'deviations', check.same_size(self, 'deviations', deviation, mean), mean)
   end

   function Normal:updateOutput(input)
      local mean, deviation = parameters_of(self, input)
      self.output:resizeAs(mean)
      if not self:draws() then return self.output:copy(mean) end
      self.output:normal()
      if type(deviation) == 'number' then self.output:mul(deviation) else self.output:cmul(deviation) end
      return self.output:add(mean)
   end

   -- (x - mean) / deviation^2, and for deviations ((x - mean)^2 - deviation^2) / deviation^3
   function Normal:updateGradInput(input)
      local mean, deviation = parameters_of(self, input)
      local difference = torch.add(self.output, -1, mean)
      if type(deviation) == 'number' then
         self.gradInput:resizeAs(mean):copy(difference):div(deviation ^ 2)
         return self:rewarded(self.gradInput)
      end
      local variance = torch.cmul(deviation, deviation)
      local of_mean = self:rewarded(torch.cdiv(difference, variance))
      if torch.type(input) ~= 'table' then
         self.gradInput = of_mean
      else
         local of_deviation = torch.cmul(difference, difference):add(-1, variance)
         self.gradInput = { of_mean, self:rewarded(of_deviation:cdiv(variance:cmul(deviation):add(1e-8))) }
      end
      return self.gradInput
   end
end
