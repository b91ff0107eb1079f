-- Linear interpolation of planes of up to three dimensions. Each dimension tells which two elements a place lies
-- between, and the part of the second one.

local floor = math.floor
local ffi = require 'ffi'

return function(k)

   local fill, SIZE, get = ffi.fill, k.SIZE, k.getter()

   local kernels = {}

   -- A row of y from two rows of x, times a weight.
   local function row(n, x, y, first, second, part, weight)
      for j = 0, n - 1 do
         local b = part[j]
         y[j] = y[j] + weight * ((1 - b) * get(x, first[j]) + b * get(x, second[j]))
      end
   end

   local function row_back(n, x, y, first, second, part, weight)
      for j = 0, n - 1 do
         local g, b, p, q = weight * get(y, j), part[j], first[j], second[j]
         x[p] = x[p] + (1 - b) * g
         x[q] = x[q] + b * g
      end
   end

   local function rows(f, planes, t, h, w, x, y)
      for q = 0, planes * t.out * h.out - 1 do
         local i = q % h.out
         local rest = floor(q / h.out)
         local s = rest % t.out
         local plane = x + floor(rest / t.out) * (t.size * h.size * w.size)
         local at, bt, ah, bh = t.first[s], t.part[s], h.first[i], h.part[i]
         local z = y + q * w.out
         for side = 0, 3 do
            local slice, line = side % 2 == 0 and at or t.second[s], side < 2 and ah or h.second[i]
            local weight = (side % 2 == 0 and 1 - bt or bt) * (side < 2 and 1 - bh or bh)
            if weight ~= 0 then
               f(w.out, plane + (slice * h.size + line) * w.size, z, w.first, w.second, w.part, weight)
            end
         end
      end
   end

   function kernels.forward(planes, t, h, w, x, y)
      fill(y, planes * t.out * h.out * w.out * SIZE)
      rows(row, planes, t, h, w, x, y)
   end

   function kernels.back(planes, t, h, w, x, y)
      fill(x, planes * t.size * h.size * w.size * SIZE)
      rows(row_back, planes, t, h, w, x, y)
   end

   return kernels
end
