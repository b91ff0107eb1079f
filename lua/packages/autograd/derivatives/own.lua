-- Operations that formulas, x[...] and utilities need in addition to torch's.

local type, unpack = type, unpack
local torch = require 'torch'

local function zeros(x) return x.new(x:size()):zero() end

-- The places in a contiguous x of the elements that gather takes.
local function places(x, d, index)
   local flat, step = torch.DoubleTensor(index:size()):zero(), 1
   for k = x:dim(), 1, -1 do
      local at
      if k == d then
         at = index:typeAs(flat)
      else
         local size = torch.LongStorage(x:dim()):fill(1)
         size[k] = index:size(k)
         at = torch.range(1, index:size(k)):double():view(size):expandAs(index)
      end
      flat:add(step, at):add(-step)
      step = step * x:size(k)
   end
   return flat:add(1):long():view(-1)
end

return {
   -- Zeros of the size of x with g in the part that a method takes of x.
   { 'autograd.place', { 't t s T', x = 'taken(g, s, list)', y = false },
      { 'v t s T', v = 'taken(g, s, list)', x = false },
      forward = function(g, x, name, all)
         local r = zeros(x)
         if name == 'maskedSelect' then return r:maskedCopy(all[1], g) end
         local part = r[name](r, unpack(all))
         -- An element, which torch selects from a vector.
         if type(part) == 'number' then r[all[2]] = g else part:copy(g) end
         return r
      end },
   -- x with y in the part that a method takes of it.
   { 'autograd.overwrite', { 't t s T', x = 'uncovered(g, s, list)', y = 'like(taken(g, s, list), y)' },
      forward = function(x, y, name, all)
         local r = x:clone()
         if name == 'autograd.pick' then r[all[1]] = y else r[name](r, unpack(all)):copy(y) end
         return r
      end },
   -- x[k], a number or a view, or the elements under a mask.
   { 'autograd.pick', { 't ...', x = "autograd('pick_by', g, x, all[2])" }, view = true,
      forward = function(x, k) return x[k] end },
   { 'autograd.pick_by', { 't t ...', x = 'g[all[3]]', y = false }, { 'v t ...', v = 'g[all[3]]', x = false },
      forward = function(g, x, k)
         local r = zeros(x)
         r[k] = g
         return r
      end },
   -- A copy of x with x[k] = y.
   { 'autograd.put', { 't n t', x = "autograd('put', g, n, 0)", y = 'put_by(g, n, y)' },
      { 't n v', x = "autograd('put', g, n, 0)", v = 'put_by(g, n, v)' },
      { 't T t', x = "autograd('put', g, list, 0)", y = 'put_by(g, list, y)' },
      { 't T v', x = "autograd('put', g, list, 0)", v = 'put_by(g, list, v)' },
      { 't S v', x = "autograd('put', g, sizes, 0)", v = 'put_by(g, sizes, v)' },
      { 't B t', x = "autograd('put', g, mask, 0)", y = 'unmasked(g, mask, y)' },
      { 't B v', x = "autograd('put', g, mask, 0)", v = 'sum(g:maskedSelect(mask))' },
      forward = function(x, k, y)
         local r = x:clone()
         r[k] = y
         return r
      end },
   { 'autograd.fill', { 't v', x = false, v = 'sum(g)' }, forward = function(x, v) return x.new(x:size()):fill(v) end },
   -- The sum of a broadcast tensor to the size of y.
   { 'autograd.sum_to', { 't t', x = 'g:expandAs(unwrap(x))', y = false },
      forward = function(g, y)
         while g:dim() > y:dim() do g = g:sum(1):select(1, 1) end
         for k = 1, y:dim() do
            if y:size(k) == 1 and g:size(k) ~= 1 then
               local size = g:size()
               size[k] = 1
               g = g:sum(k):view(size)
            end
         end
         return g
      end },
   -- Zeros of the size of x, with g added at the elements that gather takes along a dimension.
   { 'autograd.scatter_add', { 't t d L', x = 'torch.gather(g, d, index)', y = false },
      forward = function(g, x, d, index)
         local r = zeros(x)
         r:view(-1):indexAdd(1, places(x, d, index), g:contiguous():view(-1))
         return r
      end },
   -- The derivatives of the logarithm of the gamma function, from the first on.
   { 'autograd.polygamma', { 'n t', x = "mul(g, autograd('polygamma', n + 1, x))" },
      { 'n v', v = "mul(g, autograd('polygamma', n + 1, v))" },
      forward = function(n, x)
         local cephes = require 'cephes'
         local y = n == 0 and cephes.digamma(x) or cephes.polygamma(n, x)
         return torch.isTensor(x) and x.new(x:size()):copy(y) or y
      end },
   -- A vector of numbers.
   { 'autograd.vector', { 'T', list = 'elements(g)' }, forward = function(list) return torch.Tensor(list) end },
   { 'autograd.same', { 't', x = 'g' }, { 'v', v = 'g' }, forward = function(x) return x end },
}
