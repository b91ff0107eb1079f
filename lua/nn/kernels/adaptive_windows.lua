-- Windows of unlike sizes: from `top` to `bottom` and from `left` to `right`, ends not included.

local huge = math.huge
local ffi = require 'ffi'
local fill = ffi.fill

return function(k)

   local kernels, get = {}, k.getter()

   function kernels.max(planes, h, w, H, W, top, bottom, left, right, x, y, index)
      for p = 0, planes - 1 do
         for a = 0, H - 1 do
            for b = 0, W - 1 do
               local best, found = -huge, 0
               for i = top[a], bottom[a] - 1 do
                  local row = x + (p * h + i) * w
                  for j = left[b], right[b] - 1 do
                     local v = get(row, j)
                     if v > best then best, found = v, i * w + j + 1 end
                  end
               end
               local q = (p * H + a) * W + b
               y[q] = best
               index[q] = found
            end
         end
      end
   end

   function kernels.average(planes, h, w, H, W, top, bottom, left, right, x, y)
      for p = 0, planes - 1 do
         for a = 0, H - 1 do
            for b = 0, W - 1 do
               local sum = 0
               for i = top[a], bottom[a] - 1 do
                  local row = x + (p * h + i) * w
                  for j = left[b], right[b] - 1 do sum = sum + get(row, j) end
               end
               y[(p * H + a) * W + b] = sum / ((bottom[a] - top[a]) * (right[b] - left[b]))
            end
         end
      end
   end

   function kernels.spread(planes, h, w, H, W, top, bottom, left, right, x, y)
      fill(x, planes * h * w * k.SIZE)
      for p = 0, planes - 1 do
         for a = 0, H - 1 do
            for b = 0, W - 1 do
               local g = get(y, (p * H + a) * W + b) / ((bottom[a] - top[a]) * (right[b] - left[b]))
               for i = top[a], bottom[a] - 1 do
                  local row = x + (p * h + i) * w
                  for j = left[b], right[b] - 1 do row[j] = row[j] + g end
               end
            end
         end
      end
   end

   return kernels
end
