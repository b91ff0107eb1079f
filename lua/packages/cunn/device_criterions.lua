-- Criterions of nn on a device of PyTorch: class likelihoods, and those that are rows of criterion_rows.lua.

local geometry, of_tensor = require 'torch.base.geometry', require('torch.base.types').of_tensor
local device_calls, fused = require 'cunn.device_calls', require('torch.memory.device_buffers').fused
local numel, same_size = geometry.numel, geometry.same_size
local call, give, like, need = device_calls.call, device_calls.give, device_calls.like, device_calls.need
local view, view_or_nil = device_calls.view, device_calls.view_or_nil

local function on_device(T, target)
   if type(target) == 'number' then return T.new_vector(1):fill(target) end
   if of_tensor(target) == T then return target end
   need(of_tensor(target))
   return target:type(T.tensor_name)
end

-- Whether ignored targets may be classes: other invalid classes are left to the CPU.
local function ignores_class(self, x)
   local index = self.ignoreIndex or -100
   return index >= 1 and index <= x._size[x._dim == 1 and 0 or 1]
end

-- A sample of scores and its class, or a batch of them.
local function check_classes(self, x, target, dimensions)
   need(x._dim == dimensions or dimensions == 2 and x._dim == 1)
   need(x._dim ~= 1 or type(target) == 'number' or of_tensor(target) and numel(target) == 1)
   need(not ignores_class(self, x))
end

local function class_nll(dimensions)
   return {
      updateOutput = function(self, T, x, target)
         check_classes(self, x, target, dimensions)
         local loss, total = call('class_nll', view(T, x), view(T, on_device(T, target)), view_or_nil(T, self.weights))
         need(loss)
         if self.sizeAverage and total ~= 0 then loss = loss / total end
         self.total_weight, self.output = total, loss
         if self.total_weight_tensor then self.total_weight_tensor:fill(total) end
         return loss, total
      end,
      updateGradInput = function(self, T, x, target)
         check_classes(self, x, target, dimensions)
         local weights, total = self.weights, self.total_weight or 1
         need(total > 0)
         local divisor = self.sizeAverage and total or 1
         if x._dim == 1 then
            if self.sizeAverage then weights = nil end
            divisor = 1
         end
         return give(T, self.gradInput, call('class_nll_input', view(T, x), view(T, on_device(T, target)),
            view_or_nil(T, weights), divisor))
      end,
   }
end

-- The methods of a row of criterion_rows.lua.
local function criterion(row)
   local function parameter(self) return row.u and row.u(self) or 0 end
   return {
      updateOutput = function(self, T, x, y)
         need(self.weights == nil and of_tensor(y) == T and same_size(x, y))
         local terms = T.new_like(x)
         need(fused(row.plain_loss, T, terms, x, y, nil, 1, parameter(self)))
         local total = call('total', view(T, terms))
         need(total)
         self.output = self.sizeAverage and total / numel(x) or total
         return self.output
      end,
      updateGradInput = function(self, T, x, y)
         need(self.weights == nil and of_tensor(y) == T and same_size(x, y))
         local scale = row.scale or 1
         if self.sizeAverage then scale = scale / numel(x) end
         need(fused(row.plain_gradient, T, like(T, self.gradInput, x), x, y, nil, scale, parameter(self)))
         return self.gradInput
      end,
   }
end

-- methods[class] = its device methods.
return function(methods)
   methods.ClassNLLCriterion, methods.SpatialClassNLLCriterion = class_nll(2), class_nll(4)
   for name, row in pairs(require 'nn.criterions.criterion_rows') do methods[name] = criterion(row) end
end
