-- nn.ReinforceGamma: draws from gamma distributions whose shapes are the input, with one scale. In evaluation the
-- output is the mean.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Gamma, parent)

   function Gamma:__init(scale, stochastic)
      parent.__init(self, stochastic)
      if not (scale > 0) then check.refuse('ReinforceGamma', 'scale', 'above 0', scale) end
      self.scale = scale
   end

   -- Marsaglia and Tsang, 2000.
   local function draw(shape)
      -- nan and infinity
      if shape - shape ~= 0 then return shape end
      if shape < 1 then return draw(shape + 1) * torch.uniform() ^ (1 / shape) end
      local d = shape - 1 / 3
      local c = 1 / math.sqrt(9 * d)
      while true do
         local x = torch.normal()
         local v = (1 + c * x) ^ 3
         if v > 0 and math.log(torch.uniform()) < x * x / 2 + d - d * v + d * math.log(v) then return d * v end
      end
   end

   -- The derivative of log gamma, by its recurrence and the asymptotic series.
   local function digamma(x)
      if not (x > 0) then return 0 / 0 end
      local result = 0
      while x < 8 do result, x = result - 1 / x, x + 1 end
      local y = 1 / (x * x)
      return result + math.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))
   end

   function Gamma:updateOutput(input)
      check.real(self, 'input', input)
      if input:nElement() > 0 and not (input:min() > 0) then
         check.fail(self, 'shapes in the input must be > 0 (got %s)', input:min())
      end
      self.output:resizeAs(input):copy(input)
      if self:draws() then self.output:apply(draw) end
      self.output:mul(self.scale)
      return self.output
   end

   -- log x - log scale - digamma(shape)
   function Gamma:updateGradInput(input)
      self.gradInput:resizeAs(input):copy(input):apply(digamma):mul(-1)
      self.gradInput:add(torch.log(self.output / self.scale))
      return self:rewarded(self.gradInput)
   end
end
