-- The dialect modern: operations on several tensors broadcast as NumPy's do, see tensor/broadcast.lua. It is a layer of
-- kernels, methods and operators (layers.lua): kernels get views of the same sizes, and do not know of it.

local concat = table.concat
local broadcast, signatures = require 'torch.tensor.broadcast', require 'torch.base.signatures'
local geometry, template = require 'torch.base.geometry', require 'torch.jit.template'
local label, modern_operators = require('torch.dispatch.install').label, require 'torch.features.modern_operators'
local types = require 'torch.base.types'
local istype, same_size = require('ffi').istype, geometry.same_size
local numel, in_sizes_of = geometry.numel, broadcast.source
local Byte, Double, Float = types.by_name.Byte, types.by_name.Double, types.by_name.Float

local modern = { order = 1, operator = modern_operators.operator }

-- Kernels whose operands are broadcast together; other kernels of several tensors have separate rules.
local SYMMETRIC = {
   ['elementwise.map'] = true, ['elementwise.compare'] = true, ['elementwise.compare_own'] = true,
   ['statistics.dist'] = true, ['cumulative.cross'] = true, ['masked.select'] = true,
}

-- If a result is also an operand of another size, new memory is used; as self of a method it must have the sizes of the
-- result. A broadcast operand that aliases the result is copied first.
local source = [[
local clone_x, clone_y, clone_w, put, shares = T.clone, S.clone, T.clone, T.result, T.shares

local function overlaps_view(r, t, view) return not rawequal(t, view) and shares(r, t) end

local function broadcasting($parameters)
   local $views = together(T, S, name, $tensors)
$result
   return (f($viewed))
end

return function($parameters)
   if $same then return (f($parameters)) end
   return (broadcasting($parameters))
end]]

local result_source = [[
   if r and ($is_operand) and not same_size(r, x_view) then
      if $in_place and rawequal(r, x) then reject_result(name, x, $tensors) end
      local given = r
      r = nil
      return (put(given, f($viewed)))
   end
   if r and ($overlaps_view) then
      $views = together(T, S, name, $copies)
   end]]

local tensor_names = { 'x', 'y', 'w' }

local function symmetric(f, T, row, case, call)
   local parameters, tensors, views, viewed, operands, overlaps_view, copies = {}, {}, {}, {}, {}, {}, {}
   local S, in_place, has_result = T, 'false', false
   for i, slot in ipairs(signatures.parse(case[1])) do
      local is_mask = slot.letter == 'B' and i > 1
      if slot.letter == 't' or is_mask then
         local t = tensor_names[#tensors + 1]
         tensors[#tensors + 1], parameters[i], viewed[i], views[#tensors + 1] = t, t, t .. '_view', t .. '_view'
         operands[#operands + 1] = string.format('rawequal(r, %s)', t)
         overlaps_view[#overlaps_view + 1] = string.format('overlaps_view(r, %s, %s_view)', t, t)
         copies[#copies + 1] = string.format('overlaps_view(r, %s, %s_view) and clone_%s(%s) or %s', t, t, t, t, t)
         if is_mask then S = Byte end
      elseif i == 1 then
         parameters[i], viewed[i] = 'r', 'r'
         has_result = slot.letter ~= 'B' or T == Byte
         if slot.letter == 'r' and call == 'method' then in_place = 'true' end
      else
         parameters[i], viewed[i] = 'v' .. i, 'v' .. i
      end
   end
   if #tensors < 2 then return f end
   local same = { 'same_size(x, y)', tensors[3] and 'same_size(x, w)' }
   local texts = {
      parameters = concat(parameters, ', '), tensors = concat(tensors, ', '), views = concat(views, ', '),
      viewed = concat(viewed, ', '), same = concat(same, ' and '), is_operand = concat(operands, ' or '),
      overlaps_view = concat(overlaps_view, ' or '), copies = concat(copies, ', '), in_place = in_place,
   }
   texts.result = has_result and template.fill(label(row), result_source, texts) or ''
   return template.compile(label(row), source, texts, { f = f, T = T, S = S, name = label(row), rawequal = rawequal,
      same_size = same_size, together = broadcast.together, reject_result = broadcast.reject_result })
end

-- Kernels that broadcast the second tensor to the first: its argument index, and its description.
local ONE_SIDED = {
   ['masked.fill'] = { 2, 'a mask' }, ['masked.copy'] = { 2, 'a mask' },
   ['random.distributions.bernoulli_float'] = { 3, 'probabilities' },
   ['random.distributions.bernoulli_double'] = { 3, 'probabilities' },
}

local function one_sided(f, T, row, case, which)
   local index, what, name = which[1], which[2], label(row)
   local letter = signatures.parse(case[1])[index].letter
   local S = letter == 'B' and Byte or letter == 'D' and Double or letter == 'F' and Float or T
   if index == 2 then
      return function(t, given, value) return (f(t, in_sizes_of(T, S, name, t, given, what), value)) end
   end
   return function(t, generator, given) return (f(t, generator, in_sizes_of(T, S, name, t, given, what))) end
end

-- The tensor that is added to a product is broadcast to the sizes of the product.
local ADDED = { ['linalg.products.added'] = true, ['linalg.products.added_in'] = true }

local function product(f, T, row, case)
   local name, kind = label(row), require('torch.linalg.products').kinds[case[3]]
   return function(r, beta, t, alpha, a, b)
      if not rawequal(r, t) and a._dim == kind[1] and b._dim == kind[2] then
         local p, q, s = kind.sizes(a, b)
         local like = { _dim = s and 3 or q and 2 or 1, _layout = 0, _size = { [0] = p, q, s } }
         if not same_size(like, t) then t = in_sizes_of(T, T, name, like, t) end
         if r and r._dim ~= like._dim then T.resize_as(r, t) end
      end
      return (f(r, beta, t, alpha, a, b))
   end
end

function modern.kernel(f, T, row, case, call)
   if SYMMETRIC[case[2]] then return symmetric(f, T, row, case, call) end
   if ADDED[case[2]] then return product(f, T, row, case) end
   local which = ONE_SIDED[case[2]]
   return which and one_sided(f, T, row, case, which) or f
end

-- `given` broadcast to the sizes of t if both are tensors; otherwise f raises the error.
local function operand(T, name, t, given)
   if not istype(T.tensor_ct, t) then return given end
   local S = istype(T.tensor_ct, given) and T or types.of_tensor(given)
   return S and in_sizes_of(T, S, name, t, given) or given
end

local methods = {}

-- With equal numbers of elements, copies go element by element: old libraries resize tensors that way.
function methods.copy(f, T)
   return function(t, given)
      if istype(T.tensor_ct, t) and types.of_tensor(given) and numel(t) == numel(given) then
         return (f(t, given))
      end
      return (f(t, operand(T, 'copy', t, given)))
   end
end

function methods.map(f, T)
   return function(t, given, of) return (f(t, operand(T, 'map', t, given), of)) end
end

function methods.map2(f, T)
   return function(t, first, second, of)
      return (f(t, operand(T, 'map2', t, first), operand(T, 'map2', t, second), of))
   end
end

function modern.method(f, T, name)
   return methods[name] and methods[name](f, T) or f
end

return modern
