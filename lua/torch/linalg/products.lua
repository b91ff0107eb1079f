-- The products as operations: checks of sizes, results, and which product of blas.lua it is. A result that is given
-- must have its size already, except where it starts from a tensor of that size; self then has as many dimensions.

local rawequal = rawequal
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local element, types = require 'torch.loops.element', require 'torch.base.types'
local lazy_table, loader = require 'torch.jit.lazy_table', require 'torch.jit.loader'
local finish_trace = require('torch.jit.trace').finish
local numel, same_size, shape = geometry.numel, geometry.same_size, geometry.shape

local products = {}

local made = lazy_table(function(T) return loader.specialise('torch.linalg.blas', T) end)

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

-- The kinds of products: dimensions of the operands and of the result, whether operands agree, sizes of the result,
-- run(r, beta, alpha, a, b).
local kinds = {}
products.kinds = kinds

-- Products of batches do not read operands that share elements with the result.
local function apart(T, run)
   local separate = types.blas(T).separate
   return function(r, beta, alpha, a, b) run(r, beta, alpha, separate(a, r), separate(b, r)) end
end

local function inner_agree(a, b) return a._size[1] == b._size[0] end

local function batches_agree(a, b) return a._size[0] == b._size[0] and a._size[2] == b._size[1] end

kinds.mv = { 2, 1, dim = 1, agree = inner_agree,
   sizes = function(a) return a._size[0] end,
   run = function(T) return types.blas(T).gemv end }

kinds.mm = { 2, 2, dim = 2, agree = inner_agree,
   sizes = function(a, b) return a._size[0], b._size[1] end,
   run = function(T) return types.blas(T).gemm end }

kinds.ger = { 1, 1, dim = 2, agree = function() return true end,
   sizes = function(x, y) return x._size[0], y._size[0] end,
   run = function(T) return types.blas(T).ger end }

kinds.bmm = { 3, 3, dim = 3, agree = batches_agree,
   sizes = function(a, b) return a._size[0], a._size[1], b._size[2] end,
   run = function(T) return apart(T, types.blas(T).batch) end }

-- The sum of the products of a batch.
kinds.sum = { 3, 3, dim = 2, agree = batches_agree,
   sizes = function(a, b) return a._size[1], b._size[2] end,
   run = function(T)
      local gemm = types.blas(T).gemm
      return apart(T, function(r, beta, alpha, a, b)
         finish_trace()
         for i = 0, a._size[0] - 1 do
            gemm(r, i == 0 and beta or 1, alpha, T.select_view(a, 0, i), T.select_view(b, 0, i))
         end
      end)
   end }

local function has_sizes(r, p, q, s)
   local size = r._size
   return r._dim == (s and 3 or q and 2 or 1) and size[0] == p and (not q or size[1] == q) and (not s or size[2] == s)
end

local function check(kind, name, r, a, b)
   if a._dim ~= kind[1] then check_dim(name, 1, a, kind[1]) end
   if b._dim ~= kind[2] then check_dim(name, 2, b, kind[2]) end
   if not kind.agree(a, b) then mismatch(name, a, b) end
   if r and not has_sizes(r, kind.sizes(a, b)) then wrong_result(name, r, a, b) end
end

local function new_result(T, p, q, s)
   if s then return T.resized(nil, p, q, s) end
   return q and T.new_matrix(p, q) or T.new_vector(p)
end

-- r = a b.
function products.product(name, T, kind)
   local small = types.blas(T).small[kind]
   local ends = kind == 'mm'
   kind = kinds[kind]
   local run, sizes = kind.run(T), kind.sizes
   return function(r, a, b)
      if ends then finish_trace() end
      local done = small and small(r, 0, 1, a, b)
      if done then return done end
      check(kind, name, r, a, b)
      r = r or new_result(T, sizes(a, b))
      run(r, 0, 1, a, b)
      return r
   end
end

-- r = beta t + alpha a b.
function products.added(name, T, kind)
   local small = types.blas(T).small[kind]
   kind = kinds[kind]
   local run, scale = kind.run(T), element.converter(T)
   return function(r, beta, t, alpha, a, b)
      -- Steps of programs end in products: shorter traces than a whole step are compiled sooner, and more surely.
      finish_trace()
      local done = small and (rawequal(r, t) and small(r, beta, alpha, a, b)
         or not r and t._layout > 0 and small(T.clone(t), beta, alpha, a, b))
      if done then return done end
      check(kind, name, t, a, b)
      beta, alpha = scale(beta), scale(alpha)
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

-- The same as a method of r.
function products.added_in(name, T, kind)
   local added, dim = products.added(name, T, kind), kinds[kind].dim
   return function(r, beta, t, alpha, a, b)
      if r._dim ~= dim then check_dim(name, 0, r, dim) end
      return (added(r, beta, t, alpha, a, b))
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
      if not same_size(x, y) and numel(x) ~= numel(y) then
         errors.raise('%s: inconsistent tensor sizes: [%s] and [%s]', name, shape(x), shape(y))
      end
      if x._dim == 0 then return 0 end
      return (dot(x, y))
   end
end

return products
