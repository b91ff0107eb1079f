-- Rows by checked numbers, counted from 1: gathered, and scattered with addition.

return function(k)

local SIZE, copy = k.SIZE, k.copy
local add = k.loop('add', k.T, k.T)
local multiply = k.loop('multiply', k.T, k.T)
local get = k.getter()
local factor, room, scaled = k.buffer(1), 0, nil

local lookup_kernels = {}

function lookup_kernels.gather(rows, n, index, weight, output)
   local bytes = n * SIZE
   for i = 0, rows - 1 do
      copy(output + i * n, weight + (tonumber(index[i]) - 1) * n, bytes)
   end
end

local function scale_rows(rows, n, g, scale)
   if rows * n > room then scaled, room = k.buffer(rows * n), rows * n end
   factor[0] = scale
   multiply(g, SIZE, factor, 0, scaled, SIZE, rows * n)
   return scaled
end

function lookup_kernels.scatter(rows, n, index, g, weight, scale, padding)
   if scale ~= 1 then g = scale_rows(rows, n, g, scale) end
   for i = 0, rows - 1 do
      local row = tonumber(index[i])
      if row ~= padding then
         local to = weight + (row - 1) * n
         add(to, SIZE, g + i * n, SIZE, to, SIZE, n)
      end
   end
end

-- Each row is divided by the number of its occurrences.
function lookup_kernels.scatter_by_count(rows, n, index, g, weight, scale, padding, counts)
   for i = 0, rows - 1 do
      local row = tonumber(index[i]) - 1
      counts[row] = counts[row] + 1
   end
   for i = 0, rows - 1 do
      local row = tonumber(index[i])
      if row ~= padding then
         local to, from, factor_of = weight + (row - 1) * n, g + i * n, scale / counts[row - 1]
         for j = 0, n - 1 do to[j] = get(to, j) + factor_of * get(from, j) end
      end
   end
end

return lookup_kernels

end
