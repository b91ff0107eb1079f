-- nn.SAdd: input + addend, or with `negate` minus that.

local check, mixins = require 'torch.base.check', require 'nn.module.mixins'

return function(SAdd)

   function SAdd:__init() self.addend = check.number('SAdd', 'addend', self.addend) end

   mixins.on_copies(SAdd, function(self, output) output:add(self.addend):mul(self.negate and -1 or 1) end,
      function(self, gradInput) gradInput:mul(self.negate and -1 or 1) end)
end
