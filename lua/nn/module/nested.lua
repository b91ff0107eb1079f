-- Functions on nested tables of tensors with the same structure.

local torch = require 'torch'

local nested = {}

local function walk(to, from, f, removes)
   if torch.type(from) ~= 'table' then return f(to, from) end
   if torch.type(to) ~= 'table' then to = { to } end
   for key, inner in pairs(from) do to[key] = walk(to[key], inner, f, removes) end
   if removes then
      for key in pairs(to) do
         if from[key] == nil then to[key] = nil end
      end
   end
   return to
end

-- Returns `to` with the structure of `from`: f(part of `to` or nil, tensor) gives the part for each tensor. A tensor
-- instead of a table becomes its first entry; other keys of `to` are kept.
function nested.zip(to, from, f) return (walk(to, from, f, false)) end

-- Does the same, and removes keys that `from` does not have.
function nested.mirror(to, from, f) return (walk(to, from, f, true)) end

-- Returns `to`, or a new tensor if it has another type than `from`.
function nested.like(to, from) return torch.type(to) == torch.type(from) and to or from.new() end

return nested
