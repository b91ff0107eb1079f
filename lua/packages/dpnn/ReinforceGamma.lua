-- nn.ReinforceGamma: draws from gamma distributions whose shapes are the input, with one scale, or with scales of their
-- own as the input { shapes, scales }. In evaluation the output is the mean.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Gamma, parent)

   function Gamma:__init(scale, stochastic)
      parent.__init(self, stochastic)
      if scale ~= nil and not (scale > 0) then check.refuse('ReinforceGamma', 'scale', 'above 0', scale) end
      self.scale = scale
      if not scale then self.gradInput = { torch.Tensor(), torch.Tensor() } end
   end

   -- Shapes and scales, as tensors of one size.
   local function parts(self, input)
      local shape, scale = input, self.scale
      if torch.type(input) == 'table' then shape, scale = input[1], input[2] end
      check.real(self, 'shapes', shape)
      if shape:nElement() > 0 and not (shape:min() > 0) then
         check.fail(self, 'shapes in the input must be > 0 (got %s)', shape:min())
      end
      if type(scale) == 'number' then return shape, shape.new(shape:size()):fill(scale) end
      check.tensor(self, 'scales', scale)
      if scale:dim() + 1 == shape:dim() then
         local sizes = scale:size():totable()
         table.insert(sizes, 1, 1)
         scale = scale:contiguous():view(torch.LongStorage(sizes)):expandAs(shape)
      end
      return shape, check.same_type(self, 'scales', check.same_size(self, 'scales', scale, shape), shape)
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
      local shape, scale = parts(self, input)
      self.output:resizeAs(shape):copy(shape)
      if self:draws() then self.output:apply(draw) end
      return self.output:cmul(scale)
   end

   -- log x - log scale - digamma(shape), and for scales x / scale^2 - shape / scale
   function Gamma:updateGradInput(input)
      local shape, scale = parts(self, input)
      check.same_size(self, 'shapes', shape, self.output)
      local of_shape = shape:clone():apply(digamma):mul(-1):add(torch.log(torch.cdiv(self.output, scale)))
      self:rewarded(of_shape)
      if torch.type(input) ~= 'table' then
         self.gradInput = of_shape
      else
         local of_scale = torch.cdiv(self.output, scale):add(-1, shape):cdiv(scale)
         self.gradInput = { of_shape, self:rewarded(of_scale) }
      end
      return self.gradInput
   end
end
