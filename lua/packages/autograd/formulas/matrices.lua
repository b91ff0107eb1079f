-- Functions of formulas for products and factorisations of matrices.

local torch = require 'torch'
local errors, formulas = require 'torch.base.errors', require 'autograd.formulas'
local mm, mul, sub, add, neg = formulas.mm, formulas.mul, formulas.sub, formulas.add, formulas.neg
local unwrap, t, tril, triu, diag, inverse = formulas.unwrap, formulas.t, formulas.tril, formulas.triu, formulas.diag,
   formulas.inverse

local matrices = {}

-- Whether `*` is the product of matrices, not element by element as in the dialect `modern`.
local function is_product(g, x, y)
   local a, b, h = unwrap(x), unwrap(y), unwrap(g)
   if a:dim() == 1 and b:dim() == 1 then return type(h) == 'number' end
   return a:dim() == 2 and (b:dim() == 1 and h:dim() == 1 or b:dim() == 2) and not require('torch.dispatch.layers').has(
      require 'torch.features.modern_operators')
end

-- The gradients of x * y, for vectors and matrices.
function matrices.left_by(g, x, y)
   if not is_product(g, x, y) then return formulas.like(torch.cmul(g, y), x) end
   if unwrap(x):dim() == 1 then return mul(y, g) end
   return unwrap(y):dim() == 1 and torch.ger(g, y) or mm(g, t(y))
end

function matrices.right_by(g, x, y)
   if not is_product(g, x, y) then return formulas.like(torch.cmul(g, x), y) end
   if unwrap(x):dim() == 1 then return mul(x, g) end
   return unwrap(y):dim() == 1 and torch.mv(t(x), g) or mm(t(x), g)
end

-- A matrix for each matrix of the batch y.
function matrices.repeated(g, y)
   local h = unwrap(g)
   return g:contiguous():view(1, h:size(1), h:size(2)):expand(unwrap(y):size(1), h:size(1), h:size(2))
end

-- A vector as a matrix of one column.
function matrices.columns(x) return unwrap(x):dim() == 1 and x:contiguous():view(-1, 1) or x end

local function sided(x, triangle, k)
   if triangle == 'L' then return tril(x, -(k or 0)) end
   return triu(x, k or 0)
end

function matrices.triangular_by(g, out, y, triangle, transposed, unit)
   triangle, out, g = triangle or 'U', matrices.columns(out), matrices.columns(g)
   local solved = torch.trtrs(g, y, triangle, transposed == 'T' and 'N' or 'T', unit or 'N')
   local by = transposed == 'T' and mm(out, t(solved)) or mm(solved, t(out))
   return sided(neg(by), triangle, unit == 'U' and 1 or 0)
end

-- A symmetric matrix that is read in one triangle alone: its gradient there from that of the whole.
local function folded(g, triangle)
   return add(sided(add(g, t(g)), triangle, 1), diag(diag(g)))
end

function matrices.cholesky_by(g, out, triangle)
   local lower = triangle == 'L' and out or t(out)
   local product = mm(t(lower), tril(triangle == 'L' and g or t(g)))
   local half = sub(tril(product), mul(diag(diag(product)), 0.5))
   local inverted = inverse(lower)
   local whole = mm(mm(t(inverted), half), inverted)
   return folded(mul(add(whole, t(whole)), 0.5), triangle)
end

-- The matrix of a Cholesky factor.
local function of_factor(x, triangle)
   local factor = sided(x, triangle)
   return triangle == 'L' and mm(factor, t(factor)) or mm(t(factor), factor)
end

function matrices.solved_for(factor, b, triangle)
   return mm(inverse(of_factor(factor, triangle)), matrices.columns(b))
end

function matrices.inverse_of_factor(factor, triangle) return inverse(of_factor(factor, triangle)) end

function matrices.pivoted(x, pivots, triangle)
   local half = sided(x, triangle)
   local whole, index = add(half, t(sided(x, triangle, 1))), pivots:long()
   return torch.potrf(whole:index(1, index):index(2, index), triangle)
end

-- The reciprocal differences f(j) - f(i) of the elements of a vector, 0 on the diagonal.
local function reciprocal_differences(v)
   local n = unwrap(v):size(1)
   local rows, columns = v:view(1, n):expand(n, n), v:view(n, 1):expand(n, n)
   local eye = torch.eye(n):typeAs(unwrap(v))
   return sub(torch.cinv(add(sub(rows, columns), eye)), eye)
end

function matrices.symeig_by(g, x, out, vectors, triangle)
   local e, v = out[1], out[2]
   if vectors ~= 'V' then
      local again
      again, v = torch.symeig(x, 'V', triangle or 'U')
      if formulas.is_tensor(again) then e = again end
   end
   local inner = g[1] and diag(g[1])
   if g[2] then
      local turned = mul(reciprocal_differences(e), mm(t(v), g[2]))
      inner = inner and add(inner, turned) or turned
   end
   local whole = mm(mm(v, inner), t(v))
   return folded(mul(add(whole, t(whole)), 0.5), triangle or 'U')
end

-- The formula of the thin decomposition; see J. Townsend, Differentiating the singular value decomposition, 2016.
function matrices.svd_by(g, out)
   local u, s, v = out[1], out[2], out[3]
   local k = unwrap(s):size(1)
   if unwrap(u):size(2) ~= k or unwrap(v):size(2) ~= k then
      errors.raise "svd: only the decomposition without 'A' has a derivative"
   end
   local diagonal, inverted = diag(s), diag(torch.cinv(s))
   local f, inner, outer = reciprocal_differences(mul(s, s)), g[2] and diag(g[2]), nil
   local function join(a, b) return a and add(a, b) or b end
   if g[1] then
      local turned = mm(t(u), g[1])
      inner = join(inner, mm(mul(f, sub(turned, t(turned))), diagonal))
      outer = mm(mm(sub(g[1], mm(u, turned)), inverted), t(v))
   end
   if g[3] then
      local turned = mm(t(v), g[3])
      inner = join(inner, mm(diagonal, mul(f, sub(turned, t(turned)))))
      outer = join(outer, mm(mm(u, inverted), t(sub(g[3], mm(v, turned)))))
   end
   local result = mm(mm(u, inner), t(v))
   return outer and add(result, outer) or result
end

function matrices.qr_by(g, out)
   local q, r = out[1], out[2]
   if unwrap(r):size(1) ~= unwrap(r):size(2) then
      errors.raise 'qr: only of matrices with at least as many rows as columns has a derivative'
   end
   local m = g[2] and mm(r, t(triu(g[2])))
   if g[1] then m = m and sub(m, mm(t(g[1]), q)) or neg(mm(t(g[1]), q)) end
   local below = tril(m, -1)
   local both = mm(q, add(add(below, t(below)), diag(diag(m))))
   return mm(g[1] and add(both, g[1]) or both, t(inverse(r)))
end

return matrices
