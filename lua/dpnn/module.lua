-- Methods that dpnn added to all modules.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(nn)
   local Module = nn.Module

   -- A copy that shares the parameters, and their gradients unless `gradients` is false.
   function Module:sharedClone(parameters, gradients)
      local copy = self:clone()
      local own, own_gradients = self:parameters()
      local theirs, their_gradients = copy:parameters()
      for i = 1, #(own or {}) do
         if parameters ~= false then theirs[i]:set(own[i]) end
         if gradients ~= false then their_gradients[i]:set(own_gradients[i]) end
      end
      return copy
   end

   -- Momentum: each gradient becomes a moving sum of those so far, kept in momGradParams. With `damp` the new gradient
   -- counts less; with `nesterov` the gradient looks ahead.
   function Module:updateGradParameters(factor, damp, nesterov)
      check.number('updateGradParameters', 'factor', factor)
      damp = damp or factor
      local _, gradients = self:parameters()
      if not gradients then return end
      local first = not self.momGradParams
      self.momGradParams = self.momGradParams or {}
      for i, gradient in ipairs(gradients) do
         if first then
            self.momGradParams[i] = gradient:clone()
         else
            self.momGradParams[i]:mul(factor):add(1 - damp, gradient)
         end
         if nesterov then
            gradient:add(factor, self.momGradParams[i])
         else
            gradient:copy(self.momGradParams[i])
         end
      end
   end

   -- Adds the gradient of factor / 2 * |w|^2 for parameters of at least `least` dimensions, by default 2.
   function Module:weightDecay(factor, least)
      check.number('weightDecay', 'factor', factor)
      if factor <= 0 then return end
      local parameters, gradients = self:parameters()
      for i, parameter in ipairs(parameters or {}) do
         if parameter:dim() >= (least or 2) then gradients[i]:add(factor, parameter) end
      end
   end

   -- Keeps the norm of each row of the matrices of parameters within `most_out`, of each column within `most_in`.
   function Module:maxParamNorm(most_out, most_in)
      local parameters = self:parameters()
      for _, parameter in ipairs(parameters or {}) do
         if parameter:dim() > 1 then
            if most_out and most_out > 0 then parameter:renorm(2, 1, most_out) end
            if most_in and most_in > 0 then parameter:renorm(2, 2, most_in) end
         end
      end
   end

   -- Scales all gradients together so that their norm is at most `most`, and returns the norm that it was.
   function Module:gradParamClip(most)
      check.number('gradParamClip', 'most', most)
      local _, gradients = self:parameters()
      local sum = 0
      for _, gradient in ipairs(gradients or {}) do sum = sum + gradient:norm() ^ 2 end
      local norm = math.sqrt(sum)
      if most > 0 and norm > most then
         for _, gradient in ipairs(gradients) do gradient:mul(most / norm) end
      end
      return norm
   end

   -- The size of the output for an input of a size, a LongStorage or table.
   function Module:outside(size)
      local copy = self:clone()
      copy:evaluate()
      local input = torch.Tensor(torch.isStorage(size) and size or torch.LongStorage(size)):zero()
      return copy:forward(input:type(copy:type())):size()
   end

   -- Hands a reward to all modules that are trained by one.
   function Module:reinforce(reward)
      for _, module in ipairs(self.modules or {}) do module:reinforce(reward) end
   end
end
