-- What rnn adds to nn.Dropout, for all modules of the class once the package is loaded: `lazy` keeps the noise until
-- backward, so that all steps of a sequence have the same; `mono` gives all samples of a batch the same noise.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Dropout)

   local plain = {}
   for _, name in ipairs { '__init', 'updateOutput', 'updateGradInput', 'clearState' } do
      plain[name] = Dropout[name]
   end

   function Dropout:__init(p, v1, inplace, lazy, mono)
      plain.__init(self, p, v1, inplace)
      self.lazy, self.mono, self.flag = lazy or false, mono or false, true
   end

   local function is_plain(self) return not self.lazy and not self.mono or self.p == 0 or not self.train end

   local function with_noise(self, from, result)
      local noise = self.noise
      if self.mono and noise:size(1) ~= from:size(1) then noise = noise:narrow(1, 1, 1):expandAs(from) end
      check.same_count(self, 'noise', noise, from)
      if self.inplace then result:set(from) else result:resizeAs(from):copy(from) end
      return result:cmul(noise)
   end

   function Dropout:updateOutput(input)
      if is_plain(self) then return plain.updateOutput(self, input) end
      check.real(self, 'input', input)
      if not self.lazy or self.flag or self.noise:dim() == 0 then
         local sizes = input:size()
         if self.mono then sizes[1] = 1 end
         self.noise:resize(sizes):bernoulli(1 - self.p)
         if self.v2 then self.noise:div(1 - self.p) end
         self.flag = false
      end
      return with_noise(self, input, self.output)
   end

   function Dropout:updateGradInput(input, gradOutput)
      if self.lazy then self.flag = true end
      if is_plain(self) then return plain.updateGradInput(self, input, gradOutput) end
      check.same_size(self, 'gradOutput', gradOutput, input)
      return with_noise(self, gradOutput, self.gradInput)
   end

   function Dropout:clearState()
      self.flag = true
      return plain.clearState(self)
   end

   function Dropout:__tostring__()
      return string.format('%s(%.1f, %s)', torch.type(self), self.p, self.lazy and 'lazy' or 'busy')
   end
end
