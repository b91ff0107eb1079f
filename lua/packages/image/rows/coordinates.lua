-- Taps of outputs, shared by the geometries of this folder.
--
-- A geometry is a function of a job, see work.lua, that gives f(y, at, weight), which writes the taps of the outputs of
-- row y. The number of elements of a plane serves as the index of outside pixels. A single tap has no weight.

local coordinates = {}

-- Lets all taps of output i read the value of outside pixels.
function coordinates.outside(at, weight, i, K, area)
   for k = 0, K - 1 do at[i * K + k], weight[i * K + k] = area, 0 end
   weight[i * K] = 1
end

-- Writes the four taps around (x, y) and their weights at position i. The left and upper ones are at `left` and `top`,
-- the others `right` and `below` elements further.
function coordinates.four(at, weight, i, x, y, left, top, right, below, width)
   local j, first = 4 * i, top * width + left
   local part_x, part_y = x - left, y - top
   below = below * width
   at[j], at[j + 1], at[j + 2], at[j + 3] = first, first + right, first + below, first + below + right
   weight[j], weight[j + 1] = (1 - part_y) * (1 - part_x), (1 - part_y) * part_x
   weight[j + 2], weight[j + 3] = part_y * (1 - part_x), part_y * part_x
end

return coordinates
