-- autograd.util: helpers that work on tensors, numbers and the values of a gradient alike.

local pairs, pcall, sort, tostring, type, unpack = pairs, pcall, table.sort, tostring, type, unpack
local torch = require 'torch'
local formulas, tape = require 'autograd.formulas', require 'autograd.tape'
require 'autograd.main'
local unwrap = tape.unwrap

local util = {}

-- Comparisons of numbers, for old programs; the operators do the same.
function util.lt(a, b) return unwrap(a) < unwrap(b) end
function util.le(a, b) return unwrap(a) <= unwrap(b) end
function util.gt(a, b) return unwrap(a) > unwrap(b) end
function util.ge(a, b) return unwrap(a) >= unwrap(b) end
function util.eq(a, b) return unwrap(a) == unwrap(b) end

local types = { float = 'torch.FloatTensor', double = 'torch.DoubleTensor', cuda = 'torch.CudaTensor' }

-- A copy of nested tables with all tensors of a type: its name, or 'float', 'double', 'cuda'.
function util.cast(x, name)
   name = types[name] or name
   if torch.isTensor(x) then return x:type(name) end
   if type(x) ~= 'table' then return x end
   local copy = {}
   for key, inner in pairs(x) do copy[key] = util.cast(inner, name) end
   return copy
end

-- Rows with 1 at the class of a vector of them, of n columns, by default as many as the largest class.
function util.oneHot(labels, n)
   labels = unwrap(labels)
   local count = labels:size(1)
   local rows = labels.new(count, n or labels:max()):zero()
   return rows:scatter(2, labels:long():view(count, 1), 1)
end

-- log(sum(exp(x))), without overflow.
function util.logSumExp(x)
   local maximum = torch.max(x)
   return torch.log(torch.sum(torch.exp(x - maximum))) + maximum
end

function util.logSoftMax(x) return x - util.logSumExp(x) end

function util.sigmoid(x) return torch.sigmoid(x) end

-- The rows of a matrix at indices, of the sizes of the indices and a row.
function util.lookup(matrix, indices)
   indices = unwrap(indices)
   local size = indices:size():totable()
   local rows = torch.index(matrix, 1, indices:contiguous():view(-1):long())
   size[#size + 1] = unwrap(rows):size(2)
   return torch.view(rows, unpack(size))
end

-- Sets elements to zero with a probability, and scales up the others.
function util.dropout(x, probability)
   local keep = 1 - (probability or 0)
   local t = unwrap(x)
   return torch.cmul(x, t.new(t:size()):bernoulli(keep):mul(1 / keep))
end

-- v where a and b are equal, else 0.
function util.setNotEqual(a, b, _, v) return formulas.where(formulas.same(a, b), v) end

-- Tensors of the type of a, of the size of a, or of b.
function util.newTensorLike(a) return a.new(unwrap(a):size()) end

function util.zerosLike(a, b)
   local t = unwrap(a)
   return t.new(unwrap(b or a):size()):zero()
end

function util.fill(a, number) return tape.run('autograd.fill', 'function', unwrap(a), number) end
util.fillSameSizeAs = util.fill

-- Zeros of the size of x, with g in a slice, a range of slices, or added to slices at an index.
function util.selectSliceCopy(g, x, dim, index) return formulas.place(g, x, 'select', { x, dim, index }) end

function util.narrowSliceCopy(g, x, dim, first, count)
   return formulas.place(g, x, 'narrow', { x, dim, first, count })
end

function util.indexAdd(g, x, dim, index) return formulas.index_add(g, x, dim, index) end

-- Tensors one after the other, by default along their last dimension, or a vector of numbers.
function util.cat(x, y, dim)
   if torch.isTensor(x) then return torch.cat(x, y, dim or unwrap(x):dim()) end
   if torch.isTensor(x[1]) then return torch.cat(x, y or unwrap(x[1]):dim()) end
   return tape.run('autograd.vector', 'function', x)
end

-- The parts of g that came from the tensors of a list that was joined.
function util.catTableGradient(g, list, dim)
   local parts, first = {}, 1
   for i = 1, #list do
      local d = dim or unwrap(list[1]):dim()
      local n = unwrap(list[i]):size(d)
      parts[i], first = torch.narrow(g, d, first, n), first + n
   end
   return parts
end

function util.catNumberGradient(g, list)
   local parts = {}
   for i = 1, #list do parts[i] = torch.select(g, 1, i) end
   return parts
end

function util.typeAsIfNeeded(a, b)
   if torch.type(a) == torch.type(b) then return a end
   return torch.typeAs(a, b)
end

function util.defaultBool(value, default)
   if value == nil then return default end
   return value
end

-- The keys of a table in order; of several kinds by their texts.
local function sorted_keys(t)
   local keys = {}
   for key in pairs(t) do keys[#keys + 1] = key end
   if not pcall(sort, keys) then sort(keys, function(a, b) return tostring(a) < tostring(b) end) end
   return keys
end

-- The leaves of nested tables, in the order of the keys.
function util.sortedFlatten(t, flat, no_recursion)
   return (util.sortedFlattenKeys(t, flat, nil, nil, no_recursion))
end

-- The same, with the list of keys that lead to each.
function util.sortedFlattenKeys(t, flat, paths, path, no_recursion)
   flat, paths, path = flat or {}, paths or {}, path or {}
   if type(t) ~= 'table' then
      flat[#flat + 1], paths[#paths + 1] = t, util.shallowCopy(path)
      return flat, paths
   end
   for _, key in ipairs(sorted_keys(t)) do
      path[#path + 1] = key
      if type(t[key]) == 'table' and not no_recursion then
         util.sortedFlattenKeys(t[key], flat, paths, path)
      else
         flat[#flat + 1], paths[#paths + 1] = t[key], util.shallowCopy(path)
      end
      path[#path] = nil
   end
   return flat, paths
end

function util.nestedGet(t, path, first)
   for i = first or 1, #(path or {}) do t = t[path[i]] end
   return t
end

function util.nestedSet(t, path, value, first)
   for i = first or 1, #path - 1 do t = t[path[i]] end
   t[path[#path]] = value
end

function util.shallowCopy(t)
   if type(t) ~= 'table' then return t end
   local copy = {}
   for key, value in pairs(t) do copy[key] = value end
   return copy
end

-- A copy of nested tables, with the same tensors.
function util.deepCopy(t)
   if type(t) ~= 'table' then return t end
   local copy = {}
   for key, value in pairs(t) do copy[key] = util.deepCopy(value) end
   return copy
end

return util
