-- nn.Profile: times the calls of a module, and prints the sum of each `print_interval` of them.

local torch = require 'torch'

return function(Profile, parent)

   function Profile:__init(module, print_interval, name)
      parent.__init(self, module)
      self.module = module
      self.print_interval = print_interval or 100
      self.name = name or torch.type(module)
      self.numFwds, self.numBwds = 0, 0
      self.summedFwdTime, self.summedBwdTime = 0, 0
      self.timer = torch.Timer()
   end

   -- Files hold no time: a timer that is read is a new one.
   local timer = torch.getmetatable('torch.Timer')
   timer.__factory = torch.Timer
   function timer.write() end
   function timer.read(object) return object end

   -- Calls a method of the module; `count` and `sum` name the fields of its calls.
   local function timed(self, method, count, sum, direction, ...)
      local module = self.modules[1]
      self.timer:reset()
      local result = module[method](module, ...)
      self[sum], self[count] = self[sum] + self.timer:time().real, self[count] + 1
      if self[count] % self.print_interval == 0 then
         _G.print(string.format('%s took %.3f seconds for %d %s passes', self.name, self[sum], self.print_interval,
            direction))
         self[sum], self[count] = 0, 0
      end
      return result
   end

   function Profile:updateOutput(input)
      self.output = timed(self, 'updateOutput', 'numFwds', 'summedFwdTime', 'forward', input)
      return self.output
   end

   function Profile:updateGradInput(input, gradOutput)
      self.gradInput = timed(self, 'updateGradInput', 'numBwds', 'summedBwdTime', 'backward', input, gradOutput)
      return self.gradInput
   end
end
