-- Padding of planes by source rows: a contiguous run of columns, and border columns copied one by one.

local floor = math.floor
local ffi = require 'ffi'
local copy, fill = ffi.copy, ffi.fill

return function(k)

   local SIZE, axpy = k.SIZE, k.axpy

   local kernels, get = {}, k.getter()

   function kernels.pad(f, x, y)
      local rows, in_rows, width, out_width, row = f.rows, f.in_rows, f.width, f.out_width, f.row
      fill(y, f.planes * rows * out_width * SIZE)
      if f.run > 0 then
         local from, to, bytes = f.from, f.to, f.run * SIZE
         for q = 0, f.planes * rows - 1 do
            local p = floor(q / rows)
            local r = row[q - p * rows]
            if r >= 0 then copy(y + (q * out_width + to), x + ((p * in_rows + r) * width + from), bytes) end
         end
      end
      for c = 0, f.border - 1 do
         local to, from = f.column[c], f.source[c]
         for q = 0, f.planes * rows - 1 do
            local p = floor(q / rows)
            local r = row[q - p * rows]
            if r >= 0 then y[q * out_width + to] = get(x, (p * in_rows + r) * width + from) end
         end
      end
   end

   -- Sums all gradients that came from an element of x.
   function kernels.unpad(f, x, y)
      local rows, in_rows, width, out_width, row = f.rows, f.in_rows, f.width, f.out_width, f.row
      fill(x, f.planes * in_rows * width * SIZE)
      if f.run > 0 then
         local from, to, run = f.from, f.to, f.run
         for q = 0, f.planes * rows - 1 do
            local p = floor(q / rows)
            local r = row[q - p * rows]
            if r >= 0 then
               local z = x + ((p * in_rows + r) * width + from)
               -- Rows that are used once are copied.
               if f.once == 1 then
                  copy(z, y + (q * out_width + to), run * SIZE)
               else
                  axpy(run, 1, y + (q * out_width + to), z)
               end
            end
         end
      end
      for c = 0, f.border - 1 do
         local to, from = f.column[c], f.source[c]
         for q = 0, f.planes * rows - 1 do
            local p = floor(q / rows)
            local r = row[q - p * rows]
            if r >= 0 then
               local at = (p * in_rows + r) * width + from
               x[at] = get(x, at) + get(y, q * out_width + to)
            end
         end
      end
   end

   return kernels
end
