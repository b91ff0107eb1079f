-- nn.RecurrentAttention: recurrent visual attention (Mnih et al., 2014): at each step `action` draws a location from
-- the output of the previous step, at the first one from zeros, and `rnn` takes { input, location }. A table of
-- outputs. Actions are trained by rewards: locations pass no gradient back.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'

return function(Attention, parent, nn)

   -- hiddenSize: the sizes of the output of the rnn, { 256 }.
   function Attention:__init(rnn, action, nStep, hiddenSize)
      parent.__init(self)
      expect.instance_of('nn.Module', 'RecurrentAttention', 'argument 1', rnn)
      expect.instance_of('nn.Module', 'RecurrentAttention', 'argument 2', action)
      self.nStep = check.size('RecurrentAttention', 'number of steps', nStep)
      self.hiddenSize = check.kind('RecurrentAttention', 'hidden size', hiddenSize, 'table')
      check.size('RecurrentAttention', 'hidden size', hiddenSize[1])
      self.rnn, self.action = self.asRecurrent(nn, rnn), self.asRecurrent(nn, action)
      self.modules = { self.rnn, self.action }
      -- With forwardActions each output is { output of the rnn, location }.
      self.output, self.actions, self.gradHidden, self.forwardActions = {}, {}, {}, false
   end

   -- The input from which the action of a step is drawn.
   local function input_of(self, step) return step == 1 and self._initInput or self._hidden[step - 1] end

   function Attention:updateOutput(input)
      check.tensor(self, 'input', input)
      self.rnn:forget()
      self.action:forget()
      self.rnn:maxBPTTstep(self.nStep)
      self.action:maxBPTTstep(self.nStep)
      self._initInput = (self._initInput or input.new()):resize(input:size(1), unpack(self.hiddenSize)):zero()
      self.output, self._hidden = {}, {}
      local training = self.train ~= false
      for step = 1, self.nStep do
         local action = self.action:updateOutput(input_of(self, step))
         self.actions[step] = training and action or action:clone()
         local hidden = self.rnn:updateOutput { input, self.actions[step] }
         hidden = training and hidden or (nn.rnn.recursiveCopy(nil, hidden))
         self._hidden[step] = hidden
         self.output[step] = self.forwardActions and { hidden, self.actions[step] } or hidden
      end
      return self.output
   end

   local function check_steps(self, gradOutput)
      if self.rnn.step - 1 ~= self.nStep then check.fail(self, 'backward called before forward') end
      check.kind(self, 'gradOutput', gradOutput, 'table')
      if #gradOutput ~= self.nStep then
         check.argument_error(self, 'gradOutput', string.format('a table of %d steps', self.nStep), gradOutput)
      end
   end

   -- The gradients of a step at the output of the rnn and at the location, which modules that draw do not use.
   local function gradients_of(self, gradOutput, step)
      if self.forwardActions then return gradOutput[step][1], gradOutput[step][2] end
      self._gradAction = (self._gradAction or self.actions[1].new()):resizeAs(self.actions[1]):zero()
      return gradOutput[step], self._gradAction
   end

   function Attention:updateGradInput(input, gradOutput)
      check_steps(self, gradOutput)
      for step = self.nStep, 1, -1 do
         local of_hidden, of_action = gradients_of(self, gradOutput, step)
         if step == self.nStep then
            self.gradHidden[step] = nn.rnn.recursiveCopy(self.gradHidden[step], of_hidden)
         else
            nn.rnn.recursiveAdd(self.gradHidden[step], of_hidden)
         end
         local before = self.action:updateGradInput(input_of(self, step), of_action)
         if step > 1 then self.gradHidden[step - 1] = nn.rnn.recursiveCopy(self.gradHidden[step - 1], before) end
         local gradient = self.rnn:updateGradInput({ input, self.actions[step] }, self.gradHidden[step])[1]
         if step == self.nStep then
            self.gradInput:resizeAs(gradient):copy(gradient)
         else
            self.gradInput:add(gradient)
         end
      end
      return self.gradInput
   end

   function Attention:accGradParameters(input, gradOutput, scale)
      check_steps(self, gradOutput)
      for step = self.nStep, 1, -1 do
         local _, of_action = gradients_of(self, gradOutput, step)
         self.action:accGradParameters(input_of(self, step), of_action, scale or 1)
         self.rnn:accGradParameters({ input, self.actions[step] }, self.gradHidden[step], scale or 1)
      end
   end

   Attention.accUpdateGradParameters = nn.Sequencer.accUpdateGradParameters

   function Attention:__tostring__()
      local function within(module) return (string.gsub(tostring(module), '\n', '\n  ' .. '  |    ')) end
      return torch.type(self) .. ' {\n  action : ' .. within(self.action) ..
         '\n  rnn     : ' .. within(self.rnn) .. '\n}'
   end
end
