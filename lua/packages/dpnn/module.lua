-- Methods that dpnn added to all modules: copies that share parameters, and steps of training. A module may have
-- separate factors, in fields named like the arguments, which apply to it and to all modules inside it.

local torch = require 'torch'
local check, key_order = require 'torch.base.check', require 'torch.base.key_order'

return function(nn)
   local Module = nn.Module

   -- Sets the tensors of a copy to those of a module. Their keys may be any, as those of nn.SoftMaxTree.
   local function share(from, to)
      for key, tensor in pairs(from or {}) do to[key]:set(tensor) end
   end

   -- Fields that are shared besides the parameters: the statistics of batch normalization.
   local function share_fields(from, to)
      local own, theirs = from:listModules(), to:listModules()
      for i, module in ipairs(own) do
         for _, name in ipairs(module.dpnn_parameters or {}) do
            if torch.isTensor(module[name]) then theirs[i][name]:set(module[name]) end
         end
      end
   end

   -- A copy that shares the parameters, and their gradients unless `gradients` is false.
   function Module:sharedClone(parameters, gradients)
      local copy = self:clone()
      local own, own_gradients = self:parameters()
      local theirs, their_gradients = copy:parameters()
      if parameters ~= false then
         share(own, theirs)
         share_fields(self, copy)
      end
      if gradients ~= false then share(own_gradients, their_gradients) end
      return copy
   end

   -- The module, and all that its fields lead to, each once.
   local function reachable(module)
      local list, seen = {}, {}
      local function visit(value)
         if type(value) ~= 'table' or seen[value] then return end
         seen[value] = true
         if torch.isTypeOf(value, 'nn.Module') then list[#list + 1] = value end
         for _, inner in key_order.pairs(value) do visit(inner) end
      end
      visit(module)
      return list
   end

   -- All parameters, and their gradients, as two flat vectors. Modules in other fields than `modules`, as copies that
   -- share parameters, still share them afterwards.
   function Module:getParameters()
      local parameters, gradients = {}, {}
      for _, module in ipairs(reachable(self)) do
         local p, g = module:parameters()
         for i = 1, #(p or {}) do parameters[#parameters + 1], gradients[#gradients + 1] = p[i], g[i] end
      end
      local p, g = Module.flatten(parameters), Module.flatten(gradients)
      if p:nElement() ~= g:nElement() then
         check.fail(self, 'parameters and gradients must be as many; share both or none (got %d and %d)',
            p:nElement(), g:nElement())
      end
      return p, g
   end

   -- A number that a method takes, from the module or its argument.
   local function factor_of(self, method, name, value)
      if self[name] ~= nil then value = self[name] end
      return check.number(method, name, value)
   end

   -- The moving sums of the gradients, which start as copies of them.
   function Module:momentumGradParameters()
      if not self.momGradParams or next(self.momGradParams) == nil then
         local _, gradients = self:parameters()
         if not gradients or #gradients == 0 then return nil end
         self.momGradParams = {}
         for i, gradient in pairs(gradients) do self.momGradParams[i] = gradient:clone() end
      end
      return self.momGradParams
   end

   -- Momentum: each gradient becomes momFactor * sum + (1 - momDamp) * gradient, where momDamp is by default momFactor;
   -- with momNesterov the gradient looks ahead.
   function Module:updateGradParameters(momFactor, momDamp, momNesterov)
      momFactor = factor_of(self, 'updateGradParameters', 'momFactor', momFactor)
      if momFactor <= 0 then return end
      momDamp = self.momDamp or momDamp or momFactor
      if self.momNesterov ~= nil then momNesterov = self.momNesterov end
      if self.modules then
         for _, module in ipairs(self.modules) do module:updateGradParameters(momFactor, momDamp, momNesterov) end
         return
      end
      local _, gradients = self:parameters()
      local sums = self:momentumGradParameters()
      for i, gradient in ipairs(sums and gradients or {}) do
         sums[i]:mul(momFactor):add(1 - momDamp, gradient)
         if momNesterov then gradient:add(momFactor, sums[i]) else gradient:copy(sums[i]) end
      end
   end

   -- Adds the gradient of wdFactor / 2 * |w|^2 for parameters of at least wdMinDim dimensions, by default 2.
   function Module:weightDecay(wdFactor, wdMinDim)
      wdFactor = factor_of(self, 'weightDecay', 'wdFactor', wdFactor)
      if wdFactor <= 0 then return end
      wdMinDim = self.wdMinDim or wdMinDim or 2
      if self.modules then
         for _, module in ipairs(self.modules) do module:weightDecay(wdFactor, wdMinDim) end
         return
      end
      local parameters, gradients = self:parameters()
      for i, parameter in pairs(parameters or {}) do
         if parameter:dim() >= wdMinDim then gradients[i]:add(wdFactor, parameter) end
      end
   end

   -- Keeps the norm of each row of the parameters of at least 2 dimensions within maxOutNorm, and that of each part
   -- along the last dimension within maxInNorm.
   function Module:maxParamNorm(maxOutNorm, maxInNorm)
      maxOutNorm, maxInNorm = self.maxOutNorm or maxOutNorm, self.maxInNorm or maxInNorm
      if not maxOutNorm and not maxInNorm then return end
      if self.modules then
         for _, module in ipairs(self.modules) do module:maxParamNorm(maxOutNorm, maxInNorm) end
         return
      end
      for _, parameter in pairs(self:parameters() or {}) do
         if parameter:dim() > 1 then
            if maxOutNorm and maxOutNorm > 0 then parameter:renorm(2, 1, maxOutNorm) end
            if maxInNorm and maxInNorm > 0 then parameter:renorm(2, parameter:dim(), maxInNorm) end
         end
      end
   end

   -- In a lookup table each row leads from an input, and each column to an output.
   function nn.LookupTable:maxParamNorm(maxOutNorm, maxInNorm)
      maxOutNorm = self.maxOutNorm or maxOutNorm or self.maxInNorm or maxInNorm
      if maxOutNorm and maxOutNorm > 0 then self.weight:renorm(2, 2, maxOutNorm) end
      if maxInNorm and maxInNorm > 0 then self.weight:renorm(2, 1, maxInNorm) end
   end

   -- Scales gradients so that their norm is at most cutoffNorm, and returns the norm that it was: that of all
   -- parameters, or with moduleLocal those of each module.
   function Module:gradParamClip(cutoffNorm, moduleLocal)
      cutoffNorm = factor_of(self, 'gradParamClip', 'cutoffNorm', cutoffNorm)
      if cutoffNorm <= 0 then return nil end
      if self.moduleLocal ~= nil then moduleLocal = self.moduleLocal end
      local sum = 0
      if moduleLocal and self.modules then
         for _, module in ipairs(self.modules) do sum = sum + (module:gradParamClip(cutoffNorm, true) or 0) ^ 2 end
         return math.sqrt(sum)
      end
      local _, gradients = self:parameters()
      for _, gradient in pairs(gradients or {}) do sum = sum + gradient:norm() ^ 2 end
      local norm = math.sqrt(sum)
      if norm > cutoffNorm then
         for _, gradient in pairs(gradients) do gradient:mul(cutoffNorm / norm) end
      end
      return norm
   end

   -- The size of the output for an input of a size, a number, table or LongStorage.
   function Module:outside(size)
      if type(size) == 'number' then size = { size } end
      local input = torch.randn(torch.isStorage(size) and size or torch.LongStorage(size))
      return self:updateOutput(input:type(self:type())):size()
   end

   -- Hands a reward to all modules that are trained by one.
   function Module:reinforce(reward)
      for _, module in ipairs(self.modules or {}) do module:reinforce(reward) end
   end
end
