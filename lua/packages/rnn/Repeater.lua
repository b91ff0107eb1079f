-- nn.Repeater: the same input for a recurrent module at each of a number of steps; a table of outputs.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'

return function(Repeater, parent, nn)

   function Repeater:__init(module, nStep)
      parent.__init(self)
      self.rho = check.size('Repeater', 'number of steps', nStep)
      self.module = self.asRecurrent(nn, expect.instance_of('nn.Module', 'Repeater', 'argument 1', module))
      self.modules = { self.module }
      self.output = {}
      self:maxBPTTstep(self.rho)
   end

   function Repeater:maxBPTTstep(rho)
      self.rho = check.size(self, 'number of steps', rho)
      self.module:maxBPTTstep(rho)
      return self
   end

   -- Files of the later generation have no `module`, and name the steps `seqlen`.
   function Repeater:upgrade()
      self.module, self.rho = self.module or self.modules[1], self.rho or self.seqlen
   end

   function Repeater:updateOutput(input)
      self.module:forget()
      self.output = {}
      for step = 1, self.rho do
         local y = self.module:updateOutput(input)
         self.output[step] = self.train ~= false and y or (nn.rnn.recursiveCopy(nil, y))
      end
      return self.output
   end

   local function check_steps(self, gradOutput)
      check.kind(self, 'gradOutput', gradOutput, 'table')
      if #gradOutput ~= self.rho then
         check.argument_error(self, 'gradOutput', string.format('a table of %d steps', self.rho), gradOutput)
      end
   end

   function Repeater:updateGradInput(input, gradOutput)
      check_steps(self, gradOutput)
      for step = self.rho, 1, -1 do
         local gradient = self.module:updateGradInput(input, gradOutput[step])
         if step == self.rho then
            self.gradInput = nn.rnn.recursiveCopy(self.gradInput, gradient)
         else
            nn.rnn.recursiveAdd(self.gradInput, gradient)
         end
      end
      return self.gradInput
   end

   function Repeater:accGradParameters(input, gradOutput, scale)
      check_steps(self, gradOutput)
      for step = self.rho, 1, -1 do self.module:accGradParameters(input, gradOutput[step], scale or 1) end
   end

   Repeater.accUpdateGradParameters = nn.Sequencer.accUpdateGradParameters

   function Repeater:__tostring__()
      local line = '\n       V         V             V     \n'
      return torch.type(self) .. ' {\n  [  input,    input,  ...,  input  ]' .. line ..
         '  ' .. string.gsub(tostring(self.modules[1]), '\n', '\n  ') .. line ..
         '  [output(1),output(2),...,output(' .. self.rho .. ')]\n}'
   end
end
