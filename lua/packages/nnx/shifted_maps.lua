-- Pixels of maps and those a step further: of rows and columns, the last two dimensions of tensors.

-- Of an axis: the first index, and the count, of elements of `size` that have one `step` further among `other`.
local function span(size, other, step)
   local first = math.max(1, 1 - step)
   return first, math.min(size, other - step) - first + 1
end

local function height_and_width(t) return t:size(t:dim() - 1), t:size(t:dim()) end

-- Views of the pixels of `a` that have one in `b`, `down` and `right` of them, and of these; and a function that gives
-- the same part of other maps of the size of `a`. Nil if there are none.
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
