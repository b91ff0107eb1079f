-- nn.Profile: counts and times the calls of a module, and prints the means from time to time.

local torch = require 'torch'

return function(Profile, parent)

   local timer = torch.Timer()

   -- Prints after each `print_interval` calls forward.
   function Profile:__init(module, print_interval, name)
      parent.__init(self, module)
      self.print_interval = print_interval or 100
      self.name = name or torch.type(module)
      self.numFwds, self.numBwds = 0, 0
      self.summedFwdTime, self.summedBwdTime = 0, 0
   end

   function Profile:updateOutput(input)
      timer:reset()
      self.output = self.modules[1]:updateOutput(input)
      self.summedFwdTime, self.numFwds = self.summedFwdTime + timer:time().real, self.numFwds + 1
      if self.numFwds % self.print_interval == 0 then
         local back = self.numBwds > 0 and self.summedBwdTime / self.numBwds or 0
         _G.print(string.format('%s: mean time forward %.3f ms, backward %.3f ms (%d and %d calls)', self.name,
            self.summedFwdTime / self.numFwds * 1e3, back * 1e3, self.numFwds, self.numBwds))
      end
      return self.output
   end

   function Profile:updateGradInput(input, gradOutput)
      timer:reset()
      self.gradInput = self.modules[1]:updateGradInput(input, gradOutput)
      self.summedBwdTime, self.numBwds = self.summedBwdTime + timer:time().real, self.numBwds + 1
      return self.gradInput
   end
end
