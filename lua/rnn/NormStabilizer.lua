-- nn.NormStabilizer: the identity over steps of batches, whose gradient adds that of
-- beta * mean over the batch of (|h(t)| - |h(t-1)|)^2 for all steps (Krueger and Memisevic, 2016). The sum is in
-- `loss`.

local check = require 'torch.base.check'

return function(Stabilizer, parent, nn)

   function Stabilizer:__init(beta)
      parent.__init(self)
      self.beta = check.number('NormStabilizer', 'beta', beta or 1)
      self.recurrentModule = nn.CopyGrad()
      self.module, self.modules[1] = self.recurrentModule, self.recurrentModule
      self.sharedClones[1] = self.recurrentModule
      self.norms, self.loss = {}, 0
   end

   -- Lengths of the rows of a step.
   local function norms_of(x) return x:norm(2, x:dim()) end

   function Stabilizer:updateLoss()
      local now, before = self.norms[self.step], self.norms[self.step - 1]
      if now and before and now:isSameSizeAs(before) then
         self.loss = self.loss + self.beta * (now - before):pow(2):mean()
      end
   end

   function Stabilizer:updateOutput(input)
      check.dimensions(self, 'input', input, 1, 2)
      local output = self:beginStep():updateOutput(input)
      if self.train ~= false then
         if self.step == 1 then self.norms, self.loss = {}, 0 end
         self.norms[self.step] = norms_of(input)
         self:updateLoss()
      end
      return self:endStep(output)
   end

   -- The gradient of the loss at h(t), through the differences with the steps before and after it.
   function Stabilizer:_updateGradInput(input, gradOutput)
      local step = self.updateGradInputStep - 1
      local gradInput = self:getStepModule(step):updateGradInput(input, gradOutput)
      local now = self.norms[step]
      if not now then check.fail(self, 'backward called before forward in training') end
      local difference = now.new():resizeAs(now):zero()
      for _, other in ipairs { step - 1, step + 1 } do
         local norms = self.norms[other]
         if norms and other >= 1 and other < self.step then difference:add(now):add(-1, norms) end
      end
      difference:mul(2 * self.beta / now:nElement()):cdiv(now + 1e-12)
      return gradInput:addcmul(1, input, difference:expandAs(input))
   end

   function Stabilizer:_accGradParameters() end

   function Stabilizer:forget()
      self.norms = {}
      return parent.forget(self)
   end
end
