-- Modules that are made of parts, and the norms of their kernels.

local torch = require 'torch'
local check = require 'torch.base.check'

local parts = {}

-- Gives a class the methods that go to its parts, the fields of these names. updateParameters takes a learning rate,
-- or a table of one for each part.
function parts.add(Class, ...)
   local names = { ... }

   function Class:parameters()
      local all = require('nn').Sequential()
      for _, name in ipairs(names) do all:add(self[name]) end
      return all:parameters()
   end

   function Class:reset(stdv)
      for i = #names, 1, -1 do self[names[i]]:reset(stdv) end
   end

   function Class:zeroGradParameters()
      for _, name in ipairs(names) do self[name]:zeroGradParameters() end
   end

   function Class:updateParameters(rate)
      for i = #names, 1, -1 do
         local own = type(rate) == 'table' and check.number(self, string.format('learningRate[%d]', i), rate[i]) or rate
         self[names[i]]:updateParameters(own)
      end
   end

   function Class:initDiagHessianParameters()
      for _, name in ipairs(names) do
         if not self[name].initDiagHessianParameters then
            check.fail(self, 'nn.hessian.enable() must be called before initDiagHessianParameters')
         end
         self[name]:initDiagHessianParameters()
      end
   end
end

-- Divides the kernels of a weight by their norms: the columns of a matrix, else the last two dimensions.
function parts.normalize(w)
   if not torch.isTensor(w) or w:dim() < 2 then return end
   if w:dim() > 5 then check.argument_error('normalize', 'weight', 'of 2 to 5 dimensions', w) end
   if w:dim() == 2 then
      for i = 1, w:size(2) do w:select(2, i):div(w:select(2, i):norm() + 1e-12) end
      return
   end
   local function each(t)
      if t:dim() == 2 then return t:div(t:norm() + 1e-12) end
      for i = 1, t:size(1) do each(t[i]) end
   end
   each(w)
end

return parts
