-- nn.NormStabilizer: the identity over steps of batches, whose gradient adds that of
-- beta * mean over the batch of (|h(t)| - |h(t-1)|)^2 for all steps (Krueger and Memisevic, 2016).

local check = require 'torch.base.check'

return function(Stabilizer, parent, nn)

   function Stabilizer:__init(beta)
      parent.__init(self)
      self.beta = check.number('NormStabilizer', 'beta', beta or 1)
      self:setStepModule(nn.CopyGrad())
   end

   -- The length of each row of a step, batch x 1, is kept in its module.
   function Stabilizer:_updateOutput(input)
      check.dimensions(self, 'input', input, 2, 2)
      local module = self:presentModule()
      local output = module:updateOutput(input)
      if self.train ~= false then module.norm = output:norm(2, 2) end
      return output
   end

   local function norm_of(self, step)
      local norm = self:getStepModule(step).norm
      if not norm then
         check.fail(self, 'the lengths of step %d are missing: forward is called in training first', step)
      end
      return norm
   end

   -- The loss, as the original reports it: of the sum, not of the difference, of the lengths of successive steps, and
   -- divided by the number of steps.
   function Stabilizer:updateLoss()
      local steps, sum = self.step - 1, 0
      for step = 2, steps do sum = sum + (norm_of(self, step - 1) + norm_of(self, step)):pow(2):mean() end
      self.loss = steps > 0 and self.beta * sum / steps or 0
      return self.loss
   end

   -- The gradient of the loss at h(t), through the differences from the previous and the next step.
   function Stabilizer:_updateGradInput(input, gradOutput)
      local step = self.updateGradInputStep - 1
      local module = self:getStepModule(step)
      local gradInput = module:updateGradInput(input, gradOutput)
      for _, other in ipairs { step - 1, step + 1 } do
         if other >= 1 and other < self.step then
            local now = norm_of(self, step)
            local factor = (now - norm_of(self, other)):mul(2 * self.beta / now:size(1)):cdiv(now)
            gradInput:addcmul(1, module.output, factor:expandAs(gradInput))
         end
      end
      return gradInput
   end

   function Stabilizer:_accGradParameters() end

   function Stabilizer:__tostring__() return 'nn.NormStabilizer' end
end
