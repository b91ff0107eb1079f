-- The operators of tensors: + - * / % and unary minus. Specialised per type.

return function(T) return function(methods, metatable)

local ipairs, tonumber, type = ipairs, tonumber, type
local ffi = require 'ffi'
local broadcast, errors = require 'torch.tensor.broadcast', require 'torch.base.errors'
local geometry, types = require 'torch.base.geometry', require 'torch.base.types'
local istype = ffi.istype
local tensor_ct = T.tensor_ct
local raise, describe = errors.raise, errors.describe

local function wrong(sign, a, b)
   raise("'%s': operands must be a %s and a number, or two %s (got %s and %s)", sign, T.tensor_name, T.tensor_name,
      describe(a), describe(b))
end

local function hint(a, b)
   if not istype(tensor_ct, b) then return '' end
   local fits = istype(tensor_ct, a) and broadcast.fit(nil, a, b) or type(a) == 'number'
   return fits and "; the dialect 'modern' goes element by element" or ''
end

-- The number that is the left operand.
local function left(sign, a, b)
   if type(a) ~= 'number' then wrong(sign, a, b) end
   return a
end

-- The number that is the right one, or the text of one.
local function right(sign, a, b)
   if type(b) == 'number' then return b end
   local turned = type(b) == 'string' and tonumber(b)
   if not turned then wrong(sign, a, b) end
   return turned
end

function metatable.__add(a, b)
   if not istype(tensor_ct, a) then return T.functions.add(b, left('+', a, b)) end
   return T.functions.add(a, istype(tensor_ct, b) and b or right('+', a, b))
end

function metatable.__sub(a, b)
   if istype(tensor_ct, a) then return T.functions.csub(a, istype(tensor_ct, b) and b or right('-', a, b)) end
   if not istype(tensor_ct, b) then wrong('-', a, b) end
   return methods.add(methods.mul(T.clone(b), -1), left('-', a, b))
end

function metatable.__unm(a) return T.functions.mul(a, -1) end

function metatable.__mul(a, b)
   if not istype(tensor_ct, a) then return T.functions.mul(b, left('*', a, b)) end
   if not istype(tensor_ct, b) then return T.functions.mul(a, right('*', a, b)) end
   if a._dim == 1 and b._dim == 1 then return T.functions.dot(a, b) end
   if a._dim == 2 and b._dim == 1 then return T.functions.mv(a, b) end
   if a._dim == 2 and b._dim == 2 then return T.functions.mm(a, b) end
   raise("'*': vectors and matrices can be multiplied, not tensors [%s] and [%s]%s", geometry.shape(a),
      geometry.shape(b), hint(a, b))
end

local function check_by_number(sign, a, b)
   if istype(tensor_ct, a) and not types.of_tensor(b) then return end
   raise("'%s': operands must be a %s and a number (got %s and %s)%s", sign, T.tensor_name, describe(a), describe(b),
      hint(a, b))
end

function metatable.__div(a, b)
   check_by_number('/', a, b)
   return T.functions.div(a, right('/', a, b))
end

function metatable.__mod(a, b)
   check_by_number('%', a, b)
   return T.functions.remainder(a, right('%', a, b))
end

for _, event in ipairs { 'add', 'sub', 'mul', 'div', 'mod', 'unm' } do
   methods['__' .. event .. '__'] = metatable['__' .. event]
end

end end
