-- Functions of formulas for views, indices and lists.

local ipairs, unpack = ipairs, unpack
local torch = require 'torch'
local formulas, tape = require 'autograd.formulas', require 'autograd.tape'
local mul, unwrap, place = formulas.mul, formulas.unwrap, formulas.place

local shapes = {}

-- One of autograd's own operations.
function shapes.autograd(name, ...) return tape.run('autograd.' .. name, 'function', ...) end

function shapes.positive(d, x) return d < 0 and unwrap(x):dim() + d + 1 or d end

local function zeros_like(x, g) return unwrap(g).new(unwrap(x):size()):zero() end

-- Zeros of the size of x, with the slices of g added at an index.
function shapes.index_add(g, x, d, index)
   if not tape.is_value(g) then return zeros_like(x, g):indexAdd(d, index, g) end
   return tape.run('indexAdd', 'function', zeros_like(x, g), d, index, g)
end

function shapes.taken(g, name, list)
   if name == 'autograd.pick' then return g[list[1]] end
   return g[name](g, unpack(list))
end

-- g with zeros in the part that a method takes of it.
function shapes.uncovered(g, name, list)
   local part = shapes.taken(unwrap(g), name, list):clone():zero()
   return shapes.autograd('overwrite', g, part, name, list)
end

function shapes.put_by(g, k, y) return formulas.like(g[k], y) end

-- The elements of g that a scatter wrote there and nothing wrote after.
local function written_last(x, d, index)
   local ids = torch.range(1, index:nElement()):view(index:size())
   local at = torch.DoubleTensor(x:size()):zero()
   shapes.narrowed(at, d, index):scatter(d, index, ids)
   return torch.gather(shapes.narrowed(at, d, index), d, index):eq(ids)
end

-- x as far as an index covers it in the other dimensions.
function shapes.narrowed(x, d, index)
   for k = 1, index:dim() do
      if k ~= d and index:size(k) < unwrap(x):size(k) then x = x:narrow(k, 1, index:size(k)) end
   end
   return x
end

-- x as the first part of zeros of the size of y.
local function padded(x, y)
   for k = 1, unwrap(y):dim() do
      local n = unwrap(x):size(k)
      if n < unwrap(y):size(k) then
         local size = unwrap(x):size()
         size[k] = unwrap(y):size(k)
         x = place(x, unwrap(x).new(size), 'narrow', { y, k, 1, n })
      end
   end
   return x
end

function shapes.gathered(g, d, index, y)
   local part = torch.gather(shapes.narrowed(g, d, index), d, index)
   return padded(formulas.where(written_last(unwrap(g), d, index), part), y)
end

-- g where a scatter wrote, and where it did not.
function shapes.scattered(g, d, index)
   local written = unwrap(g):clone():zero()
   shapes.narrowed(written, d, index):scatter(d, index, 1)
   return mul(g, written)
end

function shapes.unscattered(g, d, index)
   local kept = unwrap(g):clone():fill(1)
   shapes.narrowed(kept, d, index):scatter(d, index, 0)
   return mul(g, kept)
end

-- The gradient at y, whose elements were copied one after the other to where a mask is 1.
function shapes.unmasked(g, mask, y)
   return padded(g:maskedSelect(mask), unwrap(y):contiguous():view(-1))
end

function shapes.diag_by(g, x, n)
   if unwrap(x):dim() == 1 then return torch.diag(g, n) end
   local m = torch.diag(g, n)
   local rows = math.min(unwrap(m):size(1), unwrap(x):size(1))
   local columns = math.min(unwrap(m):size(2), unwrap(x):size(2))
   return padded(m:narrow(1, 1, rows):narrow(2, 1, columns), x)
end

function shapes.unrepeated(g, x)
   local t, h, size = unwrap(x), unwrap(g), {}
   local extra = h:dim() - t:dim()
   for k = 1, h:dim() do
      local n = k > extra and t:size(k - extra) or 1
      size[2 * k - 1], size[2 * k] = h:size(k) / n, n
   end
   g = g:contiguous():view(torch.LongStorage(size))
   for k = h:dim(), 1, -1 do
      g = torch.sum(g, 2 * k - 1)
   end
   return formulas.like(g, x)
end

function shapes.folded_windows(g, x, d, size, step)
   local last, total = unwrap(g):dim(), nil
   for k = 1, size do
      local index = torch.range(0, unwrap(g):size(d) - 1):mul(step):add(k):long()
      local part = shapes.index_add(g:select(last, k):contiguous(), x, d, index)
      total = total and formulas.add(total, part) or part
   end
   return total
end

-- The gradient at a tensor that was split into pieces.
function shapes.pieces_by(g, out, d)
   local list = {}
   for k, piece in ipairs(out) do list[k] = g[k] or unwrap(piece):clone():zero() end
   return torch.cat(list, d)
end

-- The gradient at x, whose dimensions were put into another order by their names.
function shapes.aligned_back(g, out, x)
   local names, order, used = unwrap(out):names(), {}, {}
   for k, name in ipairs(unwrap(x):names()) do
      for i = 1, #names do
         if names[i] == name then order[k], used[i] = i, true end
      end
   end
   for i = 1, #names do
      if not used[i] then order[#order + 1] = i end
   end
   return g:permute(unpack(order)):contiguous():view(unwrap(x):size())
end

function shapes.elements(g)
   local list = {}
   for i = 1, unwrap(g):nElement() do list[i] = g[i] end
   return list
end

return shapes
