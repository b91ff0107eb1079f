-- Pairs of pixels of two maps at a fixed offset. Rows and columns are the last two dimensions of tensors.

-- The first index and the number of positions i in 1..size for which i + step is in 1..other.
local function span(size, other, step)
   local first = math.max(1, 1 - step)
   return first, math.min(size, other - step) - first + 1
end

local function height_and_width(t) return t:size(t:dim() - 1), t:size(t:dim()) end

-- Returns a view of the pixels of `a` for which `b` has a pixel at the offset (down, right), a view of those pixels of
-- `b`, and a function that gives the same part of other maps of the size of `a`; nil if there are no such pixels.
return function(a, b, down, right)
   local height, width = height_and_width(a)
   local other_height, other_width = height_and_width(b)
   local top, rows = span(height, other_height, down)
   local left, columns = span(width, other_width, right)
   if rows < 1 or columns < 1 then return nil end
   local function part(t, i, j)
      local d = t:dim()
      return t:narrow(d - 1, top + (i or 0), rows):narrow(d, left + (j or 0), columns)
   end
   return part(a), part(b, down, right), part
end
