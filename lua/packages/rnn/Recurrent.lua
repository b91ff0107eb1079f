-- nn.Recurrent: output = transfer(merge{ input module(input), feedback module(previous output) }); at the first step
-- the start module replaces the feedback.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'

return function(Recurrent, parent, nn)

   -- `start` is a module, or the size of an nn.Add.
   function Recurrent:__init(start, input, feedback, transfer, rho, merge)
      parent.__init(self, rho)
      if type(start) == 'number' or torch.isStorage(start) then
         start = nn.Add(start)
      elseif torch.type(start) == 'table' then
         start = nn.Add(torch.LongStorage(start))
      elseif not torch.isTypeOf(start, 'nn.Module') then
         check.argument_error('Recurrent', 'argument 1', 'a module, a size or sizes', start)
      end
      for i, module in ipairs { input or false, feedback or false } do
         expect.instance_of('nn.Module', 'Recurrent', 'argument ' .. i + 1, module)
      end
      self.startModule, self.inputModule, self.feedbackModule = start, input, feedback
      self.transferModule, self.mergeModule = transfer or nn.Sigmoid(), merge or nn.CAddTable()
      self.modules = { start, input, feedback, self.transferModule, self.mergeModule }
      self:buildInitialModule()
      self:buildRecurrentModule()
      self.sharedClones[2] = self.recurrentModule
   end

   function Recurrent:buildInitialModule()
      self.initialModule = nn.Sequential():add(self.inputModule:stepClone()):add(self.startModule)
         :add(self.transferModule:stepClone())
   end

   function Recurrent:buildRecurrentModule()
      self.recurrentModule = nn.Sequential():add(nn.ParallelTable():add(self.inputModule):add(self.feedbackModule))
         :add(self.mergeModule):add(self.transferModule)
   end

   function Recurrent:_updateOutput(input)
      if self.step == 1 then return (self.initialModule:updateOutput(input)) end
      return (self:presentModule():updateOutput { input, self.outputs[self.step - 1] })
   end

   function Recurrent:_updateGradInput(input, gradOutput)
      local step = self.updateGradInputStep - 1
      local sum = nn.rnn.recursiveCopy(self._gradOutputs[step], gradOutput)
      if self.gradPrevOutput ~= nil then nn.rnn.recursiveAdd(sum, self.gradPrevOutput) end
      self._gradOutputs[step] = sum
      if step == 1 then return self.initialModule:updateGradInput(input, sum) end
      local gradients = self:getStepModule(step):updateGradInput({ input, self.outputs[step - 1] }, sum)
      self.gradPrevOutput = gradients[2]
      return gradients[1]
   end

   function Recurrent:_accGradParameters(input, _, scale)
      local step = self.accGradParametersStep - 1
      local sum = self._gradOutputs[step]
      if step == 1 then return self.initialModule:accGradParameters(input, sum, scale) end
      self:getStepModule(step):accGradParameters({ input, self.outputs[step - 1] }, sum, scale)
   end

   -- The first step uses initialModule: copies belong to the second step and later ones.
   function Recurrent:forget() return parent.forget(self, 2) end

   function Recurrent:maskZero()
      check.fail(self, 'maskZero is not defined, since the first step has its own module; use nn.Recurrence')
   end
   Recurrent.trimZero = Recurrent.maskZero

   function Recurrent:reinforce(reward)
      if torch.type(reward) == 'table' and reward[1] then self.initialModule:reinforce(reward[1]) end
      return parent.reinforce(self, reward)
   end

   -- Lines of the first two modules are not as far in as those of the third, as in the original.
   function Recurrent:__tostring__()
      local function within(module, more) return (string.gsub(tostring(module), '\n', '\n' .. more)) end
      return torch.type(self) .. ' {\n  [{input(t), output(t-1)} -> (1) -> (2) -> (3) -> output(t)]' ..
         '\n  (1):  {\n    input(t)' ..
         '\n      |`-> (t==0): ' .. within(self.startModule, '    |    ') ..
         '\n      |`-> (t~=0): ' .. within(self.inputModule, '    |    ') ..
         '\n    output(t-1)\n      |`-> ' .. within(self.feedbackModule, '      |    ') ..
         '\n  }\n  (2): ' .. within(self.mergeModule, '  ') .. '\n  (3): ' .. within(self.transferModule, '  ') .. '\n}'
   end
end
