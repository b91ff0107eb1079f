-- The products as operations: checks of sizes, results, and which product of blas.lua it is. A result that is given
-- must have its size already, except where it starts from a tensor of that size.

local rawequal = rawequal
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local lazy_table, loader = require 'torch.jit.lazy_table', require 'torch.jit.loader'
local types = require 'torch.base.types'
local finish_trace = require('torch.jit.trace').finish
local count_of, same_size, shape = geometry.count, geometry.same_size, geometry.shape

local products = {}

local made = lazy_table(function(T) return loader.specialise('torch.linalg.blas', T) end)

-- The products of a type.
function types.blas(T) return made[T] end

local dimensions = { 'vector', 'matrix', '3D tensor' }

local function check_dim(name, n, t, dim)
   if t._dim ~= dim then
      errors.argument(name, n, 'must be a %s (got a %.0fD tensor [%s])', dimensions[dim], t._dim, shape(t))
   end
end

local function mismatch(name, a, b)
   errors.raise('%s: size mismatch: [%s] times [%s]', name, shape(a), shape(b))
end

local function wrong_result(name, r, a, b)
   errors.raise('%s: size mismatch: a result of size [%s] for [%s] times [%s]', name, shape(r), shape(a), shape(b))
end

-- Gives r the elements of t, the tensor that a product is added to; a scale of 0 leaves them out.
local function start(T, r, t, beta)
   if not r then r = T.new_like(t) elseif not rawequal(r, t) then T.resize_as(r, t) end
   if not rawequal(r, t) and beta ~= 0 and t._dim > 0 then T.copy_from(r, T, t) end
   return r
end

-- Scales of integer tensors are whole numbers.
local function scale(name, T, value)
   return T.integer and errors.integer(name, 1, value) or value
end

-- One operation for each kind of product: check(name, r, a, b) compares the sizes of the result and the operands,
-- sizes(a, b) are those of a new result, and run(r, beta, alpha, a, b) computes.

local kinds = {}

kinds.mv = {
   check = function(name, r, a, x)
      if a._dim ~= 2 then check_dim(name, 1, a, 2) end
      if x._dim ~= 1 then check_dim(name, 2, x, 1) end
      if a._size[1] ~= x._size[0] then mismatch(name, a, x) end
      if r and not (r._dim == 1 and r._size[0] == a._size[0]) then wrong_result(name, r, a, x) end
   end,
   new = function(T, a) return T.new_vector(a._size[0]) end,
   run = function(T) return types.blas(T).gemv end,
}

kinds.mm = {
   check = function(name, r, a, b)
      if a._dim ~= 2 then check_dim(name, 1, a, 2) end
      if b._dim ~= 2 then check_dim(name, 2, b, 2) end
      if a._size[1] ~= b._size[0] then mismatch(name, a, b) end
      if r and not (r._dim == 2 and r._size[0] == a._size[0] and r._size[1] == b._size[1]) then
         wrong_result(name, r, a, b)
      end
   end,
   new = function(T, a, b) return T.new_matrix(a._size[0], b._size[1]) end,
   run = function(T) return types.blas(T).gemm end,
}

kinds.ger = {
   check = function(name, r, x, y)
      if x._dim ~= 1 then check_dim(name, 1, x, 1) end
      if y._dim ~= 1 then check_dim(name, 2, y, 1) end
      if r and not (r._dim == 2 and r._size[0] == x._size[0] and r._size[1] == y._size[0]) then
         wrong_result(name, r, x, y)
      end
   end,
   new = function(T, x, y) return T.new_matrix(x._size[0], y._size[0]) end,
   run = function(T) return types.blas(T).ger end,
}

local function check_batches(name, a, b)
   check_dim(name, 1, a, 3)
   check_dim(name, 2, b, 3)
   if a._size[0] ~= b._size[0] or a._size[2] ~= b._size[1] then mismatch(name, a, b) end
end

kinds.bmm = {
   check = function(name, r, a, b)
      check_batches(name, a, b)
      if r and not (r._dim == 3 and r._size[0] == a._size[0] and r._size[1] == a._size[1]
         and r._size[2] == b._size[2]) then
         wrong_result(name, r, a, b)
      end
   end,
   new = function(T, a, b) return T.sized(nil, a._size[0], a._size[1], b._size[2]) end,
   run = function(T)
      local batch = types.blas(T).batch
      return function(r, beta, alpha, a, b)
         if T.shares(r, a) then a = T.clone(a) end
         if T.shares(r, b) then b = T.clone(b) end
         batch(r, beta, alpha, a, b)
      end
   end,
}

-- The sum of the products of a batch.
kinds.sum = {
   check = function(name, r, a, b)
      check_batches(name, a, b)
      if not (r._dim == 2 and r._size[0] == a._size[1] and r._size[1] == b._size[2]) then
         wrong_result(name, r, a, b)
      end
   end,
   run = function(T)
      local gemm = types.blas(T).gemm
      return function(r, beta, alpha, a, b)
         if T.shares(r, a) then a = T.clone(a) end
         if T.shares(r, b) then b = T.clone(b) end
         finish_trace()
         for i = 0, a._size[0] - 1 do
            gemm(r, i == 0 and beta or 1, alpha, T.select_view(a, 0, i), T.select_view(b, 0, i))
         end
      end
   end,
}

-- r = a b.
function products.product(name, T, kind)
   local check, new, run, small = kinds[kind].check, kinds[kind].new, kinds[kind].run(T), types.blas(T).small[kind]
   return function(r, a, b)
      local done = small and small(r, 0, 1, a, b)
      if done then return done end
      check(name, r, a, b)
      r = r or new(T, a, b)
      run(r, 0, 1, a, b)
      return r
   end
end

-- r = beta t + alpha a b.
function products.added(name, T, kind)
   local check, run, small = kinds[kind].check, kinds[kind].run(T), types.blas(T).small[kind]
   return function(r, beta, t, alpha, a, b)
      -- Steps of programs end in products: shorter traces than a whole step are compiled sooner, and more surely.
      finish_trace()
      local done = small and (rawequal(r, t) and small(r, beta, alpha, a, b)
         or not r and t._layout > 0 and small(T.clone(t), beta, alpha, a, b))
      if done then return done end
      check(name, t, a, b)
      beta, alpha = scale(name, T, beta), scale(name, T, alpha)
      if not rawequal(r, t) then
         -- A result that is an operand too is about to be overwritten.
         if r and T.shares(r, a) then a = T.clone(a) end
         if r and T.shares(r, b) then b = T.clone(b) end
         r = start(T, r, t, beta)
      end
      run(r, beta, alpha, a, b)
      return r
   end
end

-- r = r + alpha a b, and r = beta r + alpha a b.
function products.added_to(name, T, kind)
   local added = products.added(name, T, kind)
   return function(r, alpha, a, b) return (added(r, 1, r, alpha, a, b)) end
end

function products.added_to_scaled(name, T, kind)
   local added = products.added(name, T, kind)
   return function(r, beta, alpha, a, b) return (added(r, beta, r, alpha, a, b)) end
end

function products.dot(name, T)
   local dot = types.blas(T).dot
   return function(x, y)
      if not same_size(x, y) and count_of(x) ~= count_of(y) then
         errors.raise('%s: inconsistent tensor sizes: [%s] and [%s]', name, shape(x), shape(y))
      end
      if x._dim == 0 then return 0 end
      return (dot(x, y))
   end
end

return products
