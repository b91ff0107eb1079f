-- Ranges of values: image.minmax, toDisplayTensor, and the functions of images by element type.

local arguments = require 'image.arguments'
local check = require 'torch.base.check'
local errors, torch = require 'torch.base.errors', require 'torch'
local ipairs, pairs, raise, type = ipairs, pairs, errors.raise, type

-- Clamps values to 0 and 1; bytes are unchanged.
local function saturate(x)
   arguments.image('saturate', x, 0, 2 ^ 10)
   if x:type() ~= 'torch.ByteTensor' and x:nElement() > 0 then x:clamp(0, 1) end
   return x
end

-- Moves and scales x in place so that `low` becomes 0 and `high` 1; the smallest and largest elements by default, or
-- the same distance on both sides of 0. As in the original a limit that is given stays as it is beside `symm`, the
-- distance is then 0, and no division by it takes place; only given limits saturate.
local function normalise(x, p)
   if x:nElement() == 0 then return x end
   local low, high, reach = p.min, p.max, 0
   if low == nil and p.symm then
      reach = math.max(math.abs(x:min()), math.abs(x:max()))
      low = -reach
   end
   low = low or x:min()
   if low ~= 0 then x:add(-low) end
   local range = high and high - low or p.symm and 2 * reach or x:max()
   if range ~= 0 then x:div(range) end
   return p.saturate and (p.min or p.max) and saturate(x) or x
end

local minmax_order = { 'tensor', 'min', 'max', 'symm', 'inplace', 'saturate', 'tensorOut' }
local display_order = { 'input', 'padding', 'nrow', 'scaleeach', 'min', 'max', 'symm', 'saturate',
   'symmetric' }

-- A copy of x of the default type.
local function default_copy(x) return torch.Tensor(x:size()):copy(x) end

local function limits_of(name, p)
   return {
      min = p.min ~= nil and arguments.number(name, 'min', p.min) or nil,
      max = p.max ~= nil and arguments.number(name, 'max', p.max) or nil, symm = p.symm, saturate = p.saturate,
   }
end

local function minmax(...)
   local p = arguments.named('minmax', minmax_order, ...)
   local x = p.tensor
   if not torch.isTensor(x) then raise('minmax: argument 1 must be a tensor (got %s)', arguments.describe(x)) end
   local limits = limits_of('minmax', p)
   if p.tensorOut then return normalise(p.tensorOut:resize(x:size()):copy(x), limits) end
   return normalise(p.inplace and x or default_copy(x), limits)
end

-- A list of images of the same sizes as one tensor: matrices are images of one plane.
local function packed(list)
   local first = list[1]
   for _, x in ipairs(list) do
      if not torch.isTensor(x) or not x:isSameSizeAs(first) then
         raise('toDisplayTensor: images must be of one size (got %s beside %s)', arguments.describe(x),
            arguments.describe(first))
      end
   end
   check.dimensions('toDisplayTensor', 'image 1', first, 2, 3)
   local sizes = { #list }
   if first:dim() == 2 then sizes[2] = 1 end
   for d = 1, first:dim() do sizes[#sizes + 1] = first:size(d) end
   local all = first.new():resize(torch.LongStorage(sizes))
   for i, x in ipairs(list) do all[i]:copy(x) end
   return all
end

-- Images side by side, `nrow` in a row, each in the middle of a frame of `padding` more rows and columns.
local function grid(x, p, limits)
   local padding, across = arguments.integer('toDisplayTensor', 'padding', p.padding, 0),
      arguments.integer('toDisplayTensor', 'nrow', p.nrow, 6)
   if padding < 0 or across < 1 then
      raise('toDisplayTensor: padding must be at least 0 and nrow at least 1 (got %.0f and %.0f)', padding, across)
   end
   local count, dim = x:size(1), x:dim()
   across = math.min(across, count)
   local height, width = x:size(dim - 1) + padding, x:size(dim) + padding
   local y = default_copy(x)
   if p.scaleeach then
      for i = 1, count do normalise(y[i], limits) end
   end
   local rows = math.ceil(count / across)
   local parts = dim == 4 and y.new(y:size(2), rows * height, across * width)
      or y.new(rows * height, across * width)
   if padding > 0 or rows * across > count then parts:fill(y:max()) end
   local before = math.floor(padding / 2)
   for i = 0, count - 1 do
      local column = i % across
      local line = (i - column) / across
      parts:narrow(dim - 2, line * height + before + 1, height - padding)
         :narrow(dim - 1, column * width + before + 1, width - padding):copy(y[i + 1])
   end
   return p.scaleeach and parts or normalise(parts, limits)
end

local function to_display(...)
   local p = arguments.named('toDisplayTensor', display_order, ...)
   local x = p.input
   if type(x) == 'table' and torch.isTensor(x[1]) then x = packed(x) end
   if not torch.isTensor(x) then
      raise('toDisplayTensor: input must be an image, or a tensor or list of images (got %s)', arguments.describe(x))
   end
   if p.symm == nil then p.symm = p.symmetric end
   local limits = limits_of('toDisplayTensor', p)
   limits.saturate = p.saturate ~= false
   local dim = x:dim()
   if dim == 2 or (dim == 3 and (x:size(1) == 1 or x:size(1) == 3)) then return normalise(default_copy(x), limits) end
   if dim == 3 or (dim == 4 and (x:size(2) == 1 or x:size(2) == 3)) then return grid(x, p, limits) end
   raise('toDisplayTensor: input must be HxW, KxHxW, Kx1xHxW or Kx3xHxW (got %s)', arguments.describe(x))
end

return function(image)
   image.minmax, image.toDisplayTensor = minmax, to_display
   -- Functions of an element type are fields of image, and of its tensors: x.image.saturate(x).
   for typename, kind in pairs(arguments.type_names) do
      image[kind] = { saturate = saturate }
      torch.getmetatable(typename).image = image[kind]
   end
end
