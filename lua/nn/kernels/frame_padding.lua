-- Padding of planes by source rows, each a contiguous run of columns and some columns beside it.

local floor = math.floor
local ffi = require 'ffi'
local copy, fill = ffi.copy, ffi.fill

return function(k)

   local SIZE, axpy = k.SIZE, k.axpy

   local kernels, get = {}, k.getter()

   function kernels.pad(f, x, y)
      local rows, lines, width, wide, row = f.rows, f.lines, f.width, f.wide, f.row
      fill(y, f.planes * rows * wide * SIZE)
      if f.run > 0 then
         local from, to, bytes = f.from, f.to, f.run * SIZE
         for q = 0, f.planes * rows - 1 do
            local p = floor(q / rows)
            local r = row[q - p * rows]
            if r >= 0 then copy(y + (q * wide + to), x + ((p * lines + r) * width + from), bytes) end
         end
      end
      for c = 0, f.beside - 1 do
         local to, from = f.column[c], f.source[c]
         for q = 0, f.planes * rows - 1 do
            local p = floor(q / rows)
            local r = row[q - p * rows]
            if r >= 0 then y[q * wide + to] = get(x, (p * lines + r) * width + from) end
         end
      end
   end

   -- Sums all gradients that came from an element of x.
   function kernels.unpad(f, x, y)
      local rows, lines, width, wide, row = f.rows, f.lines, f.width, f.wide, f.row
      fill(x, f.planes * lines * width * SIZE)
      if f.run > 0 then
         local from, to, run = f.from, f.to, f.run
         for q = 0, f.planes * rows - 1 do
            local p = floor(q / rows)
            local r = row[q - p * rows]
            if r >= 0 then
               local z = x + ((p * lines + r) * width + from)
               -- Rows that are used once are copied.
               if f.once == 1 then
                  copy(z, y + (q * wide + to), run * SIZE)
               else
                  axpy(run, 1, y + (q * wide + to), z)
               end
            end
         end
      end
      for c = 0, f.beside - 1 do
         local to, from = f.column[c], f.source[c]
         for q = 0, f.planes * rows - 1 do
            local p = floor(q / rows)
            local r = row[q - p * rows]
            if r >= 0 then
               local at = (p * lines + r) * width + from
               x[at] = get(x, at) + get(y, q * wide + to)
            end
         end
      end
   end

   return kernels
end
