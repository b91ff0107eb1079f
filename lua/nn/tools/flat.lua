-- Tensors, or tables of them, as one vector.

local torch = require 'torch'

local flat = {}

-- All tensors of nested tables, as a list.
function flat.list(value, to)
   to = to or {}
   if torch.isTensor(value) then
      to[#to + 1] = value
   elseif type(value) == 'table' then
      for _, inner in ipairs(value) do flat.list(inner, to) end
   end
   return to
end

function flat.count(value)
   local n = 0
   for _, t in ipairs(flat.list(value)) do n = n + t:nElement() end
   return n
end

-- A new vector of all elements.
function flat.vector(value)
   local list = flat.list(value)
   local v, at = list[1].new(flat.count(value)), 1
   for _, t in ipairs(list) do
      if t:nElement() > 0 then v:narrow(1, at, t:nElement()):copy(t) end
      at = at + t:nElement()
   end
   return v
end

-- Sets element i, counted through all tensors, and returns its old value.
function flat.set(value, i, number)
   for _, t in ipairs(flat.list(value)) do
      if i <= t:nElement() then
         local cell = t
         local rest = i - 1
         for d = t:dim(), 1, -1 do
            local size = t:size(d)
            cell = cell:narrow(d, rest % size + 1, 1)
            rest = (rest - rest % size) / size
         end
         local before = cell:sum()
         if number ~= nil then cell:fill(number) end
         return before
      end
      i = i - t:nElement()
   end
end

return flat
