-- nn.MarginRankingCriterion: the first of two values is to be larger by a margin for target 1, smaller for -1.

local torch = require 'torch'
local expect, kernel, signs_of = require 'nn.expect', require 'nn.kernel', require 'nn.criterions.signs_of'

return function(MarginRankingCriterion)

   function MarginRankingCriterion:__init()
      self.sizeAverage = true
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   local programs = {}
   local function of(k)
      local loss = 'a = subtract x y; a = multiply a w; a = subtract v a; '
      programs[k] = programs[k] or { loss = k.total(loss .. 'z = maximum a 0'),
         gradient = k.map(loss .. 'q = greater_equal a 0; a = multiply w u; z = select q a 0') }
      return programs[k]
   end

   local function parts(self, input, target)
      expect.table(self, input)
      local a, b = expect.tensor(self, input[1], 'input[1]'), expect.tensor(self, input[2], 'input[2]')
      local k = kernel.of(self, a)
      if not k.is(b) then expect.refuse(self, 'input[2]', 'of the type of input[1]', b) end
      expect.same_count(self, a, b, 'input[2]')
      local n = k.count(a)
      return k, k.plain(a), k.plain(b), signs_of(self, k, target, n, a), n
   end

   function MarginRankingCriterion:updateOutput(input, target)
      local k, a, b, signs, n = parts(self, input, target)
      local sum = of(k).loss(k.ptr(a), k.ptr(b), k.ptr(signs), n, self.margin)
      k.alive(a, b, signs)
      self.output = self.sizeAverage and sum / n or sum
      return self.output
   end

   function MarginRankingCriterion:updateGradInput(input, target)
      local k, a, b, signs, n = parts(self, input, target)
      for i = 1, 2 do
         local r, scale = k.like(self.gradInput[i], input[i]), (i == 1 and -1 or 1) / (self.sizeAverage and n or 1)
         of(k).gradient(k.ptr(a), k.ptr(b), k.ptr(signs), k.ptr(r), n, self.margin, scale)
         k.alive(r)
      end
      k.alive(a, b, signs)
      return self.gradInput
   end
end
