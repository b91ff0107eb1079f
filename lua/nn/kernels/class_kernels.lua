-- Losses of classes. Targets are int64, counted from 1; `ignored` targets are skipped.

return function(k)

local SIZE, fill, get = k.SIZE, k.fill, k.getter()

local class_kernels = {}

-- The first target that is not a class; nil if all are.
function class_kernels.wrong_class(n, target, classes, ignored)
   for i = 0, n - 1 do
      local t = tonumber(target[i])
      if not (t >= 1 and t <= classes) and t ~= ignored then return t end
   end
end

-- The weighed sum of losses, and the sum of the weights.
function class_kernels.loss(count, classes, step, x, target, weights, ignored)
   local loss, total = 0, 0
   for i = 0, count - 1 do
      for j = 0, step - 1 do
         local t = tonumber(target[i * step + j])
         if t ~= ignored then
            local w = weights ~= nil and get(weights, t - 1) or 1
            loss = loss - w * get(x, (i * classes + t - 1) * step + j)
            total = total + w
         end
      end
   end
   return loss, total
end

function class_kernels.gradient(count, classes, step, target, weights, ignored, mean, r)
   fill(r, count * classes * step * SIZE)
   local scale = -1
   if mean then
      local total = 0
      for i = 0, count * step - 1 do
         local t = tonumber(target[i])
         if t ~= ignored then total = total + (weights ~= nil and get(weights, t - 1) or 1) end
      end
      if not (total > 0) then return end
      scale = -1 / total
   end
   for i = 0, count - 1 do
      for j = 0, step - 1 do
         local t = tonumber(target[i * step + j])
         if t ~= ignored then
            r[(i * classes + t - 1) * step + j] = scale * (weights ~= nil and get(weights, t - 1) or 1)
         end
      end
   end
end

-- The sum of the margin violations of the other classes, to the power p, which is 1 or 2.
function class_kernels.margins(count, classes, x, target, p, margin, weights)
   local total = 0
   for i = 0, count - 1 do
      local row, t = x + i * classes, tonumber(target[i]) - 1
      local from, sum = margin - get(row, t), 0
      for j = 0, classes - 1 do
         local excess = math.max(from + get(row, j), 0)
         sum = sum + (p == 2 and excess * excess or excess)
      end
      -- The target's own contribution.
      local own = math.max(margin, 0)
      sum = sum - (p == 2 and own * own or own)
      total = total + sum * (weights ~= nil and get(weights, t) or 1)
   end
   return total
end

function class_kernels.margins_gradient(count, classes, x, target, p, margin, weights, scale, r)
   for i = 0, count - 1 do
      local row, to, t = x + i * classes, r + i * classes, tonumber(target[i]) - 1
      local from, sum = margin - get(row, t), 0
      local factor = scale * (weights ~= nil and get(weights, t) or 1)
      for j = 0, classes - 1 do
         local excess = math.max(from + get(row, j), 0)
         local slope = p == 2 and 2 * excess or math.ceil(math.min(excess, 1))
         to[j] = slope * factor
         sum = sum + slope
      end
      local own = math.max(margin, 0)
      local mine = p == 2 and 2 * own or math.ceil(math.min(own, 1))
      to[t] = (mine - sum) * factor
   end
end

return class_kernels

end
