-- nn.ReinforceNormal: draws from normal distributions around the input.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Normal, parent)

   -- Normally distributed around the input, with this deviation; without one the input is { means, deviations }.
   function Normal:__init(stdev, stochastic)
      parent.__init(self, stochastic)
      if stdev ~= nil then
         self.stdev = check.number('ReinforceNormal', 'deviation', stdev)
      else
         self.gradInput = { torch.Tensor(), torch.Tensor() }
      end
   end

   local function mean_of(self, input)
      if self.stdev then return (check.real(self, 'input', input)) end
      check.kind(self, 'input', input, 'table')
      check.real(self, 'means', input[1])
      local mean, deviation = input[1], self:forBatch(check.tensor(self, 'deviations', input[2]), input[1])
      return mean, check.same_size(self, 'deviations', deviation, mean)
   end

   function Normal:updateOutput(input)
      local mean, deviation = mean_of(self, input)
      self.output:resizeAs(mean)
      if not self:draws() then return self.output:copy(mean) end
      self.output:normal()
      if self.stdev then self.output:mul(self.stdev) else self.output:cmul(deviation) end
      return self.output:add(mean)
   end

   -- (x - mean) / deviation^2, and for deviations ((x - mean)^2 - deviation^2) / deviation^3
   function Normal:updateGradInput(input)
      local mean, deviation = mean_of(self, input)
      local difference = torch.add(self.output, -1, mean)
      if self.stdev then
         self.gradInput:resizeAs(mean):copy(difference):div(self.stdev ^ 2)
         return self:rewarded(self.gradInput)
      end
      local variance = torch.cmul(deviation, deviation)
      self.gradInput = {
         self:rewarded(torch.cdiv(difference, variance)),
         self:rewarded(torch.cmul(difference, difference):add(-1, variance):cdiv(variance:cmul(deviation):add(1e-8))),
      }
      return self.gradInput
   end
end
