-- torch.AliasMultinomial: draws from a distribution over classes in constant time each (Walker's alias method): a class
-- kk is drawn uniformly, and kept with the probability q[kk], else replaced by J[kk].

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Alias)

   function Alias:__init(probabilities) self.J, self.q = self:setup(probabilities) end

   -- Each class with less than its share of a uniform distribution is filled up by one with more. The last ones are
   -- paired first: draws depend on the order.
   function Alias:setup(probabilities)
      check.dimensions('AliasMultinomial', 'probabilities', probabilities, 1, 1)
      local count = probabilities:size(1)
      local q, J = probabilities.new(count):copy(probabilities):mul(count), torch.LongTensor(count):zero()
      local smaller, larger = {}, {}
      for class = 1, count do table.insert(q[class] < 1 and smaller or larger, class) end
      while #smaller > 0 and #larger > 0 do
         local small, large = table.remove(smaller), table.remove(larger)
         J[small] = large
         q[large] = q[large] - (1 - q[small])
         table.insert(q[large] < 1 and smaller or larger, large)
      end
      if not (q:min() >= 0) then
         check.fail('AliasMultinomial', 'probabilities must be at least 0 (got %s)', q:min())
      end
      if q:max() > 1 then q:div(q:max()) end
      for class = 1, count do
         if J[class] == 0 then q[class] = 1 end
      end
      return J, q
   end

   -- One class, by Lua's generator.
   function Alias:draw()
      local class = math.random(1, self.J:nElement())
      return math.random() < self.q[class] and class or self.J[class]
   end

   -- Fills a LongTensor, by torch's generator: first all classes, then all choices.
   function Alias:batchdraw(output)
      if torch.type(output) ~= 'torch.LongTensor' or output:nElement() == 0 then
         check.argument_error('batchdraw', 'output', 'a torch.LongTensor with elements', output)
      end
      local classes = torch.LongTensor(output:nElement()):random(1, self.J:nElement())
      local kept = torch.LongTensor(output:nElement()):bernoulli(self.q:index(1, classes))
      -- A class that is kept stands for itself; classes that are always kept have no alias.
      local others = self.J:index(1, classes):cmul(kept * -1 + 1)
      return output:copy(classes:cmul(kept):add(others):viewAs(output))
   end
end
