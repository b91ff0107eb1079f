-- The operators of the dialect modern. Products of vectors and matrices are unchanged; `*` of other tensors, `/`, `%`
-- and `^` are element-wise. Assigned values are broadcast, and a mask may have fewer dimensions than its tensor.

local require, type = require, type
local broadcast, errors = require 'torch.tensor.broadcast', require 'torch.base.errors'
local geometry, types = require 'torch.base.geometry', require 'torch.base.types'
local describe, istype = errors.describe, require('ffi').istype
local mask_ct = types.by_name.Byte.tensor_ct

local modern_operators, made = {}, {}

-- A number as a tensor of one element, which fits any other one.
local function single(T, value)
   local t = T.new_vector(1)
   T.fill(t, value)
   return t
end

-- Tells whether the original multiplies two tensors as vectors and matrices.
local function have_product(a, b)
   local p, q = a._dim, b._dim
   return (p == 2 and (q == 1 or q == 2) or p == 1 and q == 1) and a._size[p - 1] == b._size[0]
end

function made.__mul(f, T)
   local tensor_ct = T.tensor_ct
   return function(a, b)
      if not istype(tensor_ct, a) or not istype(tensor_ct, b) then return (f(a, b)) end
      if have_product(a, b) then return (f(a, b)) end
      return (T.functions.cmul(a, b))
   end
end

-- An operator that is the operation `name` for two tensors, and f for a tensor and a number.
local function by_elements(sign, name)
   return function(f, T)
      local tensor_ct = T.tensor_ct
      return function(a, b)
         if istype(tensor_ct, b) then
            if istype(tensor_ct, a) then return (T.functions[name](a, b)) end
            if type(a) == 'number' then return (T.functions[name](single(T, a), b)) end
         end
         if types.of_tensor(a) and types.of_tensor(b) then
            errors.raise("'%s': tensors must have one type (got %s and %s)", sign, describe(a), describe(b))
         end
         return (f(a, b))
      end
   end
end

made.__div, made.__mod = by_elements('/', 'cdiv'), by_elements('%', 'cremainder')

local powers = by_elements('^', 'cpow')

function made.__pow(f, T)
   local of_tensors, tensor_ct, is_real = powers(f, T), T.tensor_ct, not T.integer
   return function(a, b)
      if type(b) ~= 'number' or not istype(tensor_ct, a) then return (of_tensors(a, b)) end
      if is_real then return (T.functions.pow(a, b)) end
      return (T.functions.cpow(a, single(T, b)))
   end
end

-- A mask broadcast to the sizes of t: it has the same number of dimensions, or the sizes of t's first dimensions.
local function mask_of(name, t, mask)
   if geometry.same_size(t, mask) then return mask end
   local dim = mask._dim
   local fits = dim > 0 and dim <= t._dim
   for d = 0, dim - 1 do
      fits = fits and (mask._size[d] == t._size[d] or dim == t._dim and mask._size[d] == 1)
   end
   if not fits then
      errors.raise('%s: the mask must have the sizes, or the first sizes, of the tensor (got shapes %s and %s)',
         name, broadcast.shape_text(mask), broadcast.shape_text(t))
   end
   local v = types.of_tensor(mask).alias(mask)
   geometry.set_dim(v, t._dim)
   for d = 0, t._dim - 1 do
      local given = d < dim and mask._size[d] == t._size[d]
      v._size[d], v._stride[d] = t._size[d], given and mask._stride[d] or 0
   end
   return v
end

-- The sizes of the selection of a mask: a vector, or a slice for each element of a mask of fewer dimensions.
local function picked_sizes(t, mask, picked)
   if mask._dim >= t._dim then return { picked } end
   local slice, list = 1, {}
   for d = mask._dim, t._dim - 1 do
      slice = slice * t._size[d]
      list[d - mask._dim + 2] = t._size[d]
   end
   list[1] = picked / slice
   return list
end

-- Tells whether a key is a mask. Masks on other devices have any type.
local function is_mask(T, key) return istype(mask_ct, key) or T.base ~= nil and types.of_tensor(key) ~= nil end

function made.__index(f, T)
   return function(t, key)
      if not is_mask(T, key) or key._dim == t._dim and geometry.same_size(t, key) then return (f(t, key)) end
      local r = T.tensor_methods.maskedSelect(t, mask_of(T.tensor_name, t, key))
      if r._dim == 0 or key._dim == t._dim then return r end
      return (T.tensor_methods.resize(r, types.by_name.Long.storage_methods.new(picked_sizes(t, key, r._size[0]))))
   end
end

local function write_masked(T, t, key, mask, S, value)
   local picked = mask._dim == 0 and 0 or types.of_tensor(mask).functions.sum(mask)
   if picked == 0 then return end
   local like = T.new_contiguous(picked_sizes(t, key, picked))
   local view = broadcast.source(T, S, T.tensor_name, like, value)
   if S ~= T then view = T.tensor_methods.copy(like, view) end
   T.tensor_methods.maskedCopy(t, mask, view)
end

-- Assigns a tensor of type S to the part of t that a table or number selects; f raises errors.
local function write_part(T, f, t, key, S, value)
   local view = T.tensor_operators.__index(t, key)
   if not istype(T.tensor_ct, view) then return f(t, key, value) end
   T.tensor_methods.copy(view, broadcast.source(T, S, T.tensor_name, view, value))
end

function made.__newindex(f, T)
   return function(t, key, value)
      if is_mask(T, key) then
         local mask, S = mask_of(T.tensor_name, t, key), types.of_tensor(value)
         if not S then return f(t, mask, value) end
         return write_masked(T, t, key, mask, S, value)
      end
      if type(value) == 'number' or type(key) ~= 'table' and type(key) ~= 'number' then return f(t, key, value) end
      local S = types.of_tensor(value)
      if not S then return f(t, key, value) end
      write_part(T, f, t, key, S, value)
   end
end

--- The layer's part, see layers.lua.
function modern_operators.operator(f, T, event)
   return made[event] and made[event](f, T) or f
end

return modern_operators
