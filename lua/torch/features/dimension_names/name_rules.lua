-- The dimension names of results, by the factory of the kernel. A rule gets the arguments before the kernel, raises an
-- error where names disagree, and returns the names of the results, nil for none, or false to leave them unchanged.

local dialect, signatures = require 'torch.base.dialect', require 'torch.base.signatures'
local dimension_names, same_size = require 'torch.base.dimension_names', require('torch.base.geometry').same_size
local types = require 'torch.base.types'
local NONE, get, unite = dimension_names.NONE, dimension_names.get, dimension_names.unite
local of_tensor = types.of_tensor

local name_rules = {}

local function picked(indices, ...)
   local given, list = { ... }, {}
   for i, index in ipairs(indices) do list[i] = given[index] end
   return list
end

-- The names of operands that are combined element by element: broadcast in the dialect modern. Otherwise the first
-- operand has the sizes of the result, and the names of another one count only if it has the same sizes.
function name_rules.combined(function_name, tensors)
   local first, list = tensors[1], get(tensors[1])
   for i = 2, #tensors do
      local t = tensors[i]
      local other = get(t)
      if dialect.name == 'modern' or not other or same_size(first, t) then
         list = unite(function_name, list, other)
      elseif list then
         if #list ~= #other then dimension_names.disagree(function_name, list, other) end
         unite(function_name, list, other)
      end
   end
   return list
end

local factories = {}

local function unified(function_name, indices)
   return function(...) return name_rules.combined(function_name, picked(indices, ...)) end
end

local function first(_, indices)
   return function(...) return get(picked(indices, ...)[1]) end
end

local function unchanged() return function() return false end end

for _, factory in ipairs { 'elementwise.map', 'elementwise.compare', 'elementwise.compare_own', 'reduce_axis.along',
   'reduce_axis.mean_along', 'minmax.along', 'statistics.var_along', 'statistics.norm_along', 'statistics.dist',
   'statistics.renorm', 'cumulative.along', 'cumulative.cross', 'sort.sort', 'sort.mode', 'selection.topk',
   'selection.kthvalue', 'selection.median' } do
   factories[factory] = unified
end
for _, factory in ipairs { 'gather.index', 'gather.index_new', 'gather.index_copy', 'gather.index_add',
   'gather.index_fill', 'scatter.gather', 'scatter.scatter', 'scatter.scatter_value', 'masked.copy', 'masked.fill',
   'create.triangle' } do
   factories[factory] = first
end
for _, factory in ipairs { 'random.distributions.fill', 'random.distributions.bernoulli_float',
   'random.distributions.bernoulli_double' } do
   factories[factory] = unchanged
end

-- The names of a product: those of dimensions that are not summed over.
local products = {
   mv = function(a) return { a(1, 1) } end,
   mm = function(a) return { a(1, 1), a(2, 2) } end,
   ger = function(a) return { a(1, 1), a(2, 1) } end,
   sum = function(a) return { a(1, 2), a(2, 3) } end,
   bmm = function(a) return { a(1, 1) ~= NONE and a(1, 1) or a(2, 1), a(1, 2), a(2, 3) } end,
}

local function product_of(function_name, kind, x, y)
   local p, q = get(x), get(y)
   if not p and not q then return nil end
   local function name(which, d)
      local list = which == 1 and p or which == 2 and q
      return list and list[d] or NONE
   end
   if kind == 'bmm' and name(1, 1) ~= NONE and name(2, 1) ~= NONE and name(1, 1) ~= name(2, 1) then
      dimension_names.disagree(function_name, p, q)
   end
   return dimension_names.check(function_name, products[kind](name))
end

factories['linalg.products.product'] = function(function_name, indices, case)
   return function(...)
      local tensors = picked(indices, ...)
      return product_of(function_name, case[3], tensors[1], tensors[2])
   end
end

-- The tensor that a product is added to is the result, or precedes the factors.
local function added(to_result)
   return function(function_name, indices, case)
      return function(...)
         local tensors = picked(indices, ...)
         local n = #tensors
         local start = to_result and (...) or tensors[1]
         return unite(function_name, get(start), product_of(function_name, case[3], tensors[n - 1], tensors[n]))
      end
   end
end
factories['linalg.products.added'], factories['linalg.products.added_in'] = added(false), added(false)
factories['linalg.products.added_to'], factories['linalg.products.added_to_scaled'] = added(true), added(true)

local function joined(function_name, list)
   local all
   for _, t in ipairs(list) do
      if of_tensor(t) and t._dim > 0 then all = unite(function_name, all, get(t)) end
   end
   return all
end

-- The names with a new dimension at an index, which counts from the end where it is negative.
local function stacked(function_name, list, at)
   local all, full = joined(function_name, list), {}
   if not all then return nil end
   at = at < 0 and at + #all + 2 or at
   for d, name in ipairs(all) do full[d < at and d or d + 1] = name end
   full[at] = NONE
   return full
end

factories['join.cat_two'] = function(function_name, indices)
   return function(...) return joined(function_name, picked(indices, ...)) end
end
factories['join.cat_list'] = function(function_name)
   return function(_, list) return joined(function_name, list) end
end
factories['join.stack_two'] = function(function_name, indices)
   return function(...) return stacked(function_name, picked(indices, ...), (select(4, ...))) end
end
factories['join.stack_list'] = function(function_name)
   return function(_, list, at) return stacked(function_name, list, at) end
end

-- A flattened dimension has no name.
factories['shape_ops.flatten'] = function(function_name)
   return function(t, low, high)
      local list, flat = get(t), {}
      if not list then return false end
      local dimension_of = require('torch.kernels.reduce.reduce_axis').dimension_of
      low, high = dimension_of(function_name, t, low), dimension_of(function_name, t, high)
      if low == high then return list end
      for d, name in ipairs(list) do
         if d - 1 < low or d - 1 > high then flat[#flat + 1] = name elseif d - 1 == low then flat[#flat + 1] = NONE end
      end
      return flat
   end
end

local function none() return function() return nil end end

for _, factory in ipairs {
   'create.arange', 'create.diag', 'create.eye', 'create.linspace', 'create.logspace', 'create.range',
   'convolution.make', 'linalg.decompositions.eig', 'linalg.decompositions.geqrf',
   'linalg.decompositions.orgqr', 'linalg.decompositions.ormqr', 'linalg.decompositions.qr',
   'linalg.decompositions.svd', 'linalg.decompositions.symeig', 'linalg.systems.gels', 'linalg.systems.gesv',
   'linalg.systems.inverse', 'linalg.systems.potrf', 'linalg.systems.potri', 'linalg.systems.potrs',
   'linalg.systems.pstrf', 'linalg.systems.trtrs', 'masked.nonzero', 'masked.select',
   'random.categorical.alias_draw', 'random.categorical.multinomial', 'random.permutation.randperm',
   'statistics.bhistc', 'statistics.histc', 'statistics.match',
} do
   factories[factory] = none
end

-- Factories of kernels that return numbers and booleans, or raise an error.
for _, factory in ipairs {
   'elementwise.integers_only', 'elementwise.numbers', 'linalg.products.dot', 'minmax.all',
   'random.categorical.alias_setup', 'random.distributions.number', 'reduce_axis.all', 'reduce_axis.any',
   'reduce_axis.equal', 'reduce_axis.mean_all', 'reduce_axis.prod_all', 'reduce_axis.sum_all',
   'reduce_axis.trace', 'statistics.norm_all', 'statistics.var_all', 'shape_ops.item', 'shape_ops.shape',
} do
   factories[factory] = unchanged
end

-- Rules that a row may name by its field `names`.
local named = { unified = unified, first = first, kept = unchanged, none = none }

-- The rule of a case, and whether it takes a list of tensors. Every factory needs a rule, or names would vanish
-- silently.
function name_rules.of(row, case)
   local indices, slots, takes_list = {}, signatures.parse(case[1]), false
   for i, slot in ipairs(slots) do
      if slot.letter == 't' then indices[#indices + 1] = i end
      takes_list = takes_list or slot.letter == 'T'
   end
   -- The path of a factory that is a package's own begins with a folder of that package.
   local is_torch = not row.package or row.package.name == 'torch' or not string.find(case[2], '%..*%.')
   local factory = named[row.names] or is_torch and factories[case[2]]
   if not factory then
      error(string.format("%s: no rule for the names of dimensions from '%s': add one to name_rules.lua, or a field "
         .. "`names` to the row", row[1], case[2]), 0)
   end
   return factory(row[1], indices, case), takes_list
end

return name_rules
