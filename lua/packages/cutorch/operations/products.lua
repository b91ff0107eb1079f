-- Products of matrices and vectors.

local device_buffers = require 'torch.memory.device_buffers'
local parts = require 'cutorch.operations.parts'
local no_overlap, result_view, view = device_buffers.no_overlap, device_buffers.result, device_buffers.view
local mark_written = device_buffers.mark_written
local aliases, operation, fallback = parts.aliases, parts.operation, parts.fallback

return function(operations)

-- The sizes of a product of each kind; nil if the operands do not fit.
local product_sizes = {
   mv = function(a, b) if a._dim == 2 and b._dim == 1 and a._size[1] == b._size[0] then return { a._size[0] } end end,
   mm = function(a, b)
      if a._dim == 2 and b._dim == 2 and a._size[1] == b._size[0] then return { a._size[0], b._size[1] } end
   end,
   ger = function(a, b) if a._dim == 1 and b._dim == 1 then return { a._size[0], b._size[0] } end end,
   bmm = function(a, b)
      if a._dim == 3 and b._dim == 3 and a._size[0] == b._size[0] and a._size[2] == b._size[1] then
         return { a._size[0], a._size[1], b._size[2] }
      end
   end,
}
product_sizes.sum = function(a, b)
   local sizes = product_sizes.bmm(a, b)
   return sizes and { sizes[2], sizes[3] }
end

local function has_sizes(t, sizes)
   if t._dim ~= #sizes then return false end
   for d = 1, #sizes do
      if t._size[d - 1] ~= sizes[d] then return false end
   end
   return true
end

-- r = beta t + alpha a b, with nil for t if there is none.
local function product(c, r, beta, t, alpha, a, b)
   local T, kind = c.T, c.options
   local sizes = product_sizes[kind](a, b)
   if not sizes or T.integer or T.name == 'Half' or t and not has_sizes(t, sizes) then return fallback end
   if r == nil then
      r = T.new_contiguous(sizes)
   elseif not has_sizes(r, sizes) or not no_overlap(r) or r._memory == a._memory or r._memory == b._memory
      or t and aliases(r, t) then
      return fallback
   end
   local x, y = view(a, T), view(b, T)
   local start = t and view(t, T)
   local z = x and result_view(r, T)
   if not z then return fallback end
   local ok
   if t then
      ok = operation('added_' .. kind)(z, beta, start, alpha, x, y)
   else
      ok = operation('product_' .. kind)(z, x, y)
   end
   if not ok then return fallback end
   mark_written(r, T)
   return r
end

operations['linalg.products.product'] = function(c)
   return function(r, a, b) return product(c, r, 0, nil, 1, a, b) end
end

operations['linalg.products.added'] = function(c)
   return function(r, beta, t, alpha, a, b) return product(c, r, beta, t, alpha, a, b) end
end

operations['linalg.products.added_in'] = operations['linalg.products.added']

operations['linalg.products.added_to'] = function(c)
   return function(r, alpha, a, b) return product(c, r, 1, r, alpha, a, b) end
end

operations['linalg.products.added_to_scaled'] = function(c)
   return function(r, beta, alpha, a, b) return product(c, r, beta, r, alpha, a, b) end
end

end
