-- Arguments of image's functions: which of several calls is meant, checks of images, and results.

local format, rawequal, select, type = string.format, rawequal, select, type
local check, errors, torch = require 'torch.base.check', require 'torch.base.errors', require 'torch'
local geometry = require 'torch.base.geometry'
local isTensor, raise = torch.isTensor, errors.raise

local arguments = {}

-- The element types of images, by type name.
local names = {
   ['torch.DoubleTensor'] = 'double', ['torch.FloatTensor'] = 'float', ['torch.ByteTensor'] = 'byte',
}
arguments.type_names = names

-- The number by which kernels identify an image's element type.
local numbers = { ['torch.DoubleTensor'] = 1, ['torch.FloatTensor'] = 2, ['torch.ByteTensor'] = 4 }
function arguments.type_number(x) return numbers[x:type()] end

-- Sizes of a tensor as text, for errors.
function arguments.shape(x) return '[' .. geometry.shape(x) .. ']' end

local describe = check.describe
arguments.describe = describe

-- Raises unless x is a tensor of one of these types with `min_dim` to `max_dim` dimensions, by default 2 to 3.
function arguments.image(name, x, min_dim, max_dim)
   min_dim, max_dim = min_dim or 2, max_dim or 3
   if not isTensor(x) then raise('%s: argument must be an image (got %s)', name, describe(x)) end
   if not names[x:type()] then raise('%s: image must be of type Double, Float or Byte (got %s)', name, describe(x)) end
   if x:dim() < min_dim or x:dim() > max_dim then
      local wanted = min_dim == max_dim and format('%d', min_dim) or format('%d or %d', min_dim, max_dim)
      raise('%s: image must have %s dimensions (got %s)', name, wanted, describe(x))
   end
   return x
end

-- Raises unless x is a tensor of any type with `min_dim` to `max_dim` dimensions.
function arguments.tensor(name, x, min_dim, max_dim)
   if not isTensor(x) then raise('%s: argument must be an image (got %s)', name, describe(x)) end
   return check.dimensions(name, 'image', x, min_dim, max_dim)
end

-- Raises unless r is a tensor of x's type, to which the result can be written.
function arguments.result(name, r, x)
   if not isTensor(r) or r:type() ~= x:type() then
      raise('%s: result must be of the type of the image, %s (got %s)', name, x:type(), describe(r))
   end
   return r
end

-- The number `value`, or `default` where it is nil.
function arguments.number(name, what, value, default)
   if type(value) == 'nil' and default then return default end
   return check.number(name, what, value)
end

-- The number `value`, truncated towards zero, or `default` where it is nil.
function arguments.integer(name, what, value, default)
   if type(value) == 'nil' and default then return default end
   return check.integer(name, what, value, -2 ^ 53, 2 ^ 53)
end

-- One of the words in `allowed`, a list; `default` where it is nil.
function arguments.one_of(name, what, value, default, allowed)
   if type(value) == 'nil' then return default end
   return check.one_of(name, what, value, allowed)
end

-- The sizes of an image as planes, height and width.
function arguments.sizes(x)
   local dim = x:dim()
   return dim == 3 and x:size(1) or 1, x:size(dim - 1), x:size(dim)
end

-- A new image of another height and width, with the planes and the type of x.
function arguments.new_like(x, height, width)
   return x:dim() == 3 and x.new(x:size(1), height, width) or x.new(height, width)
end

-- Raises unless an image has this number of planes.
function arguments.check_planes(name, x, count)
   if x:dim() == 3 and x:size(1) == count then return x end
   raise('%s: image must have %s (got %s)', name, count == 1 and 'one plane' or count .. ' planes', describe(x))
end

-- An image of one plane as a matrix.
function arguments.matrix(name, x)
   return x:dim() == 3 and arguments.check_planes(name, x, 1)[1] or x
end

-- Splits off a result that precedes the image; a call without one begins with `count` tensors. Returns the result or
-- nil, then the other arguments.
function arguments.split(count, ...)
   local all = select('#', ...) > count
   for i = 1, count + 1 do
      if all and not isTensor((select(i, ...))) then all = false end
   end
   if all then return ... end
   return nil, ...
end

-- Whether two tensors may share memory.
local function shares(a, b)
   local s, t = a:storage(), b:storage()
   return s and t and torch.pointer(s) == torch.pointer(t)
end

-- x, or a copy of it where it may share memory with the result r.
function arguments.unaliased(x, r)
   return shares(x, r) and x:clone() or x
end

-- Raises unless r is a tensor of x's type with the same number of dimensions and planes.
function arguments.result_like(name, r, x)
   arguments.result(name, r, x)
   if r:dim() ~= x:dim() or (x:dim() == 3 and r:size(1) ~= x:size(1)) then
      raise('%s: result must have the dimensions and planes of the image (got %s for %s)', name, arguments.shape(r),
         arguments.shape(x))
   end
   return r
end

-- A given result of x's type, which takes the sizes of x, or a new one.
function arguments.result_of_size(name, r, x)
   return (r and arguments.result(name, r, x) or x.new()):resize(x:size())
end

-- A contiguous tensor of the sizes of r, to which kernels may write while they read x.
function arguments.target(r, x)
   if r:isContiguous() and not shares(r, x) then return r end
   -- A LongTensor made of a LongStorage would have that for its elements.
   return r.new():resize(r:size())
end

-- Copies `target` into the result r, unless they are the same.
function arguments.finish(r, target)
   if not rawequal(r, target) then r:copy(target) end
   return r
end

-- Returns a table by name of arguments that are given by position, or by name in a single table.
function arguments.named(name, order, ...)
   local first = ...
   if select('#', ...) == 1 and type(first) == 'table' and not torch.typename(first) and #first == 0 then
      return first
   end
   if select('#', ...) > #order then raise('%s: arguments must be at most %d', name, #order) end
   local found = {}
   for i = 1, select('#', ...) do found[order[i]] = (select(i, ...)) end
   return found
end

return arguments
