-- The functions that the formulas of derivatives/ are written with. They take tensors, numbers and Values, and are made
-- of operations that have derivatives.

local ipairs, setmetatable, type, unpack = ipairs, setmetatable, type, unpack
local torch = require 'torch'
local tape, types = require 'autograd.tape', require 'torch.base.types'
local of_tensor, unwrap = types.of_tensor, tape.unwrap

local formulas = { torch = torch, unpack = unpack, ipairs = ipairs, math = math, type = type, unwrap = unwrap }

local function is_tensor(x) return of_tensor(unwrap(x)) ~= nil end
formulas.is_tensor = is_tensor

-- Arithmetic, element by element.
function formulas.mul(a, b)
   if is_tensor(a) then return is_tensor(b) and torch.cmul(a, b) or torch.mul(a, b) end
   return is_tensor(b) and torch.mul(b, a) or a * b
end

function formulas.div(a, b)
   if is_tensor(b) then return is_tensor(a) and torch.cdiv(a, b) or torch.mul(torch.cinv(b), a) end
   return is_tensor(a) and torch.div(a, b) or a / b
end

function formulas.add(a, b)
   if is_tensor(a) or is_tensor(b) then return is_tensor(a) and torch.add(a, b) or torch.add(b, a) end
   return a + b
end

function formulas.neg(a) return is_tensor(a) and torch.mul(a, -1) or -a end

function formulas.sub(a, b)
   if is_tensor(a) then return torch.csub(a, b) end
   return formulas.add(formulas.neg(b), a)
end

function formulas.pow(a, b)
   if is_tensor(a) and is_tensor(b) then return torch.cpow(a, b) end
   return torch.pow(a, b)
end

for name in string.gmatch([[exp log sin cos sinh cosh sqrt sign floor trunc abs eq ne lt gt mm mv ger bmm diag triu tril
   dot inverse cumsum]], '%S+') do
   formulas[name] = torch[name]
end

-- The sum of the products of the elements.
function formulas.inner(a, b)
   if not is_tensor(a) then return a * b end
   return torch.dot(a, b)
end

function formulas.sum(x) return is_tensor(x) and torch.sum(x) or x end

-- g where a ByteTensor holds, or a condition on numbers, else 0.
function formulas.where(condition, g)
   if not is_tensor(condition) then return condition and g or formulas.mul(g, 0) end
   local t = unwrap(g)
   return formulas.mul(g, is_tensor(g) and condition:typeAs(t) or condition:double())
end

function formulas.same(a, b)
   if is_tensor(a) then return torch.eq(unwrap(a), unwrap(b)) end
   return unwrap(a) == unwrap(b)
end

-- The transposed matrix, or batch of matrices.
function formulas.t(x)
   local dims = unwrap(x):dim()
   return x:transpose(dims - 1, dims)
end

-- A tensor of the size and type of x with a number everywhere.
function formulas.fill(x, number) return tape.run('autograd.fill', 'function', unwrap(x), number) end

-- g, the gradient at a reduction of x along a dimension, for each element of x; it may have lost the dimension.
function formulas.broadcast(g, x, d)
   local size = unwrap(x):size()
   size[d] = 1
   return g:contiguous():view(size):expandAs(unwrap(x))
end

-- A sum along a dimension that stays.
function formulas.sum_along(x, d)
   local size = unwrap(x):size()
   size[d] = 1
   return torch.sum(x, d):contiguous():view(size)
end

-- Zeros of the size of x, with g in the part that a method takes of x.
function formulas.place(g, x, name, all)
   return tape.run('autograd.place', 'function', g, unwrap(x), name, { unpack(all, 2) })
end

function formulas.scatter_add(g, x, d, index)
   return tape.run('autograd.scatter_add', 'function', g, unwrap(x), d, index)
end

-- The gradient at x of a result whose elements are those of x at an index along a dimension, by default the last.
function formulas.put_back(g, x, d, index)
   local t = unwrap(x)
   d = d or t:dim()
   local size = t:size()
   local count = index:nElement() * size[d] / t:nElement()
   size[d] = count
   return formulas.scatter_add(g:contiguous():view(size), x, d, index:contiguous():view(size))
end

-- x in the opposite order along a dimension.
function formulas.reversed(x, d)
   local n = unwrap(x):size(d)
   return x:index(d, torch.range(n, 1, -1):long())
end

-- The gradient of f by its first argument, given g at its result: for operations that are made of others. Set by
-- gradients.lua.
formulas.through = nil

-- A number in the type of x's elements is a number; a tensor of the type and size of x.
function formulas.like(g, x)
   local t = unwrap(x)
   if not of_tensor(t) then return is_tensor(g) and torch.sum(g) or g end
   local h = unwrap(g)
   if not of_tensor(h) then return formulas.fill(x, g) end
   if of_tensor(h) ~= of_tensor(t) then g = g:typeAs(t) end
   if h:isSameSizeAs(t) then return g end
   if h:nElement() == t:nElement() then return g:contiguous():viewAs(t) end
   return tape.run('autograd.sum_to', 'function', g, t)
end

-- The rest is loaded when a formula first needs it.
setmetatable(formulas, { __index = function(_, name)
   for _, module in ipairs { 'sums', 'shapes', 'matrices', 'contractions' } do
      local f = require('autograd.formulas.' .. module)[name]
      if f then return f end
   end
end })

return formulas
