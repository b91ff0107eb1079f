-- Functions of formulas for reductions: variances, norms, products along a dimension.

local ipairs = ipairs
local torch = require 'torch'
local formulas, tape = require 'autograd.formulas', require 'autograd.tape'
local mul, div, sub, add, pow, abs, sign = formulas.mul, formulas.div, formulas.sub, formulas.add, formulas.pow,
   formulas.abs, formulas.sign
local unwrap, broadcast, reversed, where = formulas.unwrap, formulas.broadcast, formulas.reversed, formulas.where

local sums = {}

-- The gradient at the variance of x, of all elements or along a dimension; g may be a number.
function sums.deviations(g, x, by_n, d)
   local n = d and unwrap(x):size(d) or unwrap(x):nElement()
   local centered = sub(x, d and broadcast(torch.mean(x, d), x, d) or torch.mean(x))
   return mul(mul(centered, 2 / (by_n and n or n - 1)), g)
end

-- The gradient at the p-norm `out`, broadcast over x where it is along a dimension.
function sums.norm_by(g, x, p, out)
   p = unwrap(p)
   if p == 0 or unwrap(out) == 0 then return mul(x, 0) end
   if p == 1 then return mul(sign(x), g) end
   if p == 2 then return mul(x, div(g, out)) end
   if p == math.huge then return where(formulas.same(abs(x), formulas.like(out, x)), mul(sign(x), g)) end
   return mul(mul(sign(x), pow(abs(x), p - 1)), div(g, pow(out, p - 1)))
end

local function has_zero(x) return unwrap(x):eq(0):sum() > 0 end

local function ones(x, d)
   local size = unwrap(x):size()
   size[d] = 1
   return unwrap(x).new(size):fill(1)
end

-- For each element the product of those before it along a dimension.
local function products_before(x, d)
   local n = unwrap(x):size(d)
   if n == 1 then return ones(x, d) end
   return torch.cat(ones(x, d), torch.cumprod(x, d):narrow(d, 1, n - 1), d)
end

-- For each element the product of the others along a dimension.
function sums.other_products(x, d)
   if not has_zero(x) then return div(broadcast(torch.prod(x, d), x, d), x) end
   return mul(products_before(x, d), reversed(products_before(reversed(x, d), d), d))
end

function sums.cumprod_by(g, x, d, out)
   if not has_zero(x) then return div(reversed(torch.cumsum(reversed(mul(g, out), d), d), d), x) end
   local n, parts = unwrap(x):size(d), {}
   for i = 1, n do
      -- The products from element i on, without it.
      local rest = { ones(x, d) }
      if i < n then rest[2] = x:narrow(d, i + 1, n - i) end
      local before = products_before(x, d):narrow(d, i, 1)
      local products = mul(torch.cumprod(torch.cat(rest, d), d), before:expandAs(unwrap(g):narrow(d, i, n - i + 1)))
      parts[i] = formulas.sum_along(mul(g:narrow(d, i, n - i + 1), products), d)
   end
   return torch.cat(parts, d)
end

-- renorm, of operations that have derivatives; the small number is torch's.
function sums.renormed(x, p, d, max_norm)
   local turned = x:transpose(1, d):contiguous()
   local rows = turned:view(unwrap(x):size(d), -1)
   local norm = torch.norm(rows, p, 2):contiguous():view(-1, 1)
   local larger = torch.gt(unwrap(norm), unwrap(max_norm))
   local factor = add(where(larger, mul(torch.cinv(add(norm, 1e-7)), max_norm)), larger:eq(0):typeAs(unwrap(x)))
   return mul(rows, factor:expandAs(unwrap(rows))):view(unwrap(turned):size()):transpose(1, d)
end

-- The dimension along which torch.cross works by default: the first of size 3.
function sums.three(x)
   for d, n in ipairs(unwrap(x):size():totable()) do
      if n == 3 then return d end
   end
end

function sums.steps(g) return torch.range(0, unwrap(g):nElement() - 1):typeAs(unwrap(g)) end

function sums.parts_of_one(g)
   local n = unwrap(g):nElement()
   return (n == 1 and torch.zeros(1) or torch.linspace(0, 1, n)):typeAs(unwrap(g))
end

function sums.digamma(x) return tape.run('autograd.polygamma', 'function', 0, x) end

return sums
