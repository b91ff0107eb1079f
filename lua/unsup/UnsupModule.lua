-- unsup.UnsupModule: a module whose output is a loss, so that updateOutput(input, target) takes a target. Its parts,
-- the fields that `parts` names, hold the parameters.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(unsup)
   local UnsupModule, parent = torch.class('unsup.UnsupModule', 'nn.Module', unsup)

   function UnsupModule:__init(...)
      parent.__init(self)
      self.parts = { ... }
   end

   local function each_part(self, f)
      for i, name in ipairs(self.parts or {}) do f(self[name], i) end
   end

   function UnsupModule:reset(stdv)
      each_part(self, function(part) part:reset(stdv) end)
   end

   function UnsupModule:parameters()
      local lists = { {}, {}, {} }
      each_part(self, function(part)
         for i, list in ipairs { part:parameters() } do
            for _, tensor in ipairs(list) do lists[i][#lists[i] + 1] = tensor end
         end
      end)
      if #lists[1] == 0 then return end
      return lists[1], lists[2], #lists[3] > 0 and lists[3] or nil
   end

   function UnsupModule:zeroGradParameters()
      each_part(self, function(part) part:zeroGradParameters() end)
   end

   -- One learning rate, or a table with one for each part.
   function UnsupModule:updateParameters(rate)
      each_part(self, function(part, i)
         part:updateParameters(type(rate) == 'table' and check.number(self, 'learningRate[' .. i .. ']', rate[i])
            or rate)
      end)
   end

   function UnsupModule:initDiagHessianParameters()
      each_part(self, function(part)
         if not part.initDiagHessianParameters then
            check.fail(self, 'nn.hessian.enable() must be called before initDiagHessianParameters')
         end
         part:initDiagHessianParameters()
      end)
   end

   -- The dimension of a weight that counts codes, and nil where each kernel has a weight of 3 dimensions.
   local function code_dimension(module, weight)
      if weight:dim() == 3 then return 1 end
      return torch.isTypeOf(module, 'nn.SpatialFullConvolution') and 1 or 2
   end

   local function normalize(module)
      for _, inner in pairs(module.modules or {}) do normalize(inner) end
      local weight = module.weight
      if not torch.isTensor(weight) or weight:dim() < 2 then return end
      local dim = code_dimension(module, weight)
      for i = 1, weight:size(dim) do
         local atom = weight:select(dim, i)
         local norm = atom:norm()
         if norm > 0 then atom:div(norm) end
      end
   end

   -- Scales the contribution of each code, a column of a linear layer or a kernel of the decoder, to the norm 1.
   function UnsupModule:normalize()
      if self.decoder and self.decoder.normalize then
         self.decoder:normalize()
      elseif self.decoder or self.D then
         normalize(self.decoder or self.D)
      end
   end
end
