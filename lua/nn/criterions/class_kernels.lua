-- Losses of classes. Targets are int64, from 1; those that are `ignored` do not count.

return function(k)

local tonumber = tonumber
local SIZE, fill = k.SIZE, k.fill

local kernels = {}

-- The first target that is no class; nil when all are.
function kernels.wrong_class(n, target, classes, ignored)
   for i = 0, n - 1 do
      local t = tonumber(target[i])
      if not (t >= 1 and t <= classes) and t ~= ignored then return t end
   end
end

-- The weighed sum of losses, and the sum of the weights.
function kernels.loss(count, classes, step, x, target, weights, ignored)
   local loss, total = 0, 0
   for i = 0, count - 1 do
      for j = 0, step - 1 do
         local t = tonumber(target[i * step + j])
         if t ~= ignored then
            local w = weights ~= nil and tonumber(weights[t - 1]) or 1
            loss = loss - w * x[(i * classes + t - 1) * step + j]
            total = total + w
         end
      end
   end
   return loss, total
end

function kernels.gradient(count, classes, step, target, weights, ignored, mean, r)
   fill(r, count * classes * step * SIZE)
   local scale = -1
   if mean then
      local total = 0
      for i = 0, count * step - 1 do
         local t = tonumber(target[i])
         if t ~= ignored then total = total + (weights ~= nil and tonumber(weights[t - 1]) or 1) end
      end
      if not (total > 0) then return end
      scale = -1 / total
   end
   for i = 0, count - 1 do
      for j = 0, step - 1 do
         local t = tonumber(target[i * step + j])
         if t ~= ignored then
            r[(i * classes + t - 1) * step + j] = scale * (weights ~= nil and tonumber(weights[t - 1]) or 1)
         end
      end
   end
end

return kernels

end
