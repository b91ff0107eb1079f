-- gnuplot.plot, splot, scatter3 and imagesc: curves with all their argument formats, side by side or in tables.

local check, torch = require 'torch.base.check', require 'torch'
local session = require 'gnuplot.session'
local fail, isTensor = check.fail, torch.isTensor

local describe = check.describe

-- Lists of the arguments of each curve: the arguments themselves, or each table among them.
local function curves_of(name, ...)
   local first = ...
   if type(first) ~= 'table' or torch.typename(first) then return { { ... } } end
   if select('#', ...) == 1 and type(first[1]) == 'table' and not torch.typename(first[1]) then
      return curves_of(name, unpack(first))
   end
   local list = {}
   for i = 1, select('#', ...) do
      local curve = (select(i, ...))
      if type(curve) ~= 'table' or torch.typename(curve) then
         fail(name, 'curve must be a table {[name,] [x,] y [, format]} (got %s)', describe(curve))
      end
      list[i] = curve
   end
   return list
end

-- The parts of a curve: its name, its tensors, its format.
local function parts_of(name, curve)
   local title, form, tensors = '', '', {}
   for i, part in ipairs(curve) do
      if isTensor(part) and form == '' then
         tensors[#tensors + 1] = part
      elseif type(part) == 'string' and i == 1 and #curve > 1 then
         title = part
      elseif type(part) == 'string' and #tensors > 0 and form == '' then
         form = part
      else
         fail(name, 'curve must be [name,] tensors [, format] (got %s as part %d)', describe(part), i)
      end
   end
   if #tensors == 0 then fail(name, 'curve must have a tensor (got %s)', describe(curve[1])) end
   for _, tensor in ipairs(tensors) do
      if tensor:nElement() == 0 then fail(name, 'tensor must have elements (got %s)', describe(tensor)) end
   end
   return title, form, tensors
end

local function column(x) return x:double():contiguous():view(-1, 1) end

-- The columns of a curve, the first of them x.
local function matrix_of(x, y)
   if not y then
      local columns = x:dim() == 2 and x:size(2) or 1
      if columns > 1 then return x end
      return torch.cat(torch.range(1, x:nElement(), 'torch.DoubleTensor'):view(-1, 1), column(x), 2)
   end
   if x:dim() == 2 and y:dim() == 2 and x:size(2) == 2 and y:size(2) == 2 and x:size(1) == y:size(1) then
      -- A field of vectors: positions and differences.
      local a, b = x:double(), y:double()
      local wide = torch.DoubleTensor(x:size(1), 4)
      wide:select(2, 1):copy(a:select(2, 1))
      wide:select(2, 2):copy(b:select(2, 1))
      wide:select(2, 3):copy(a:select(2, 2))
      wide:select(2, 4):copy(b:select(2, 2))
      return wide
   end
   if y:dim() == 2 and y:size(2) > 1 and y:size(1) == x:nElement() then return torch.cat(column(x), y:double(), 2) end
   if x:nElement() ~= y:nElement() then
      fail('plot', 'x and y must have the same number of elements (got %s and %s)', describe(x), describe(y))
   end
   return torch.cat(column(x), column(y), 2)
end

-- The columns of a curve of any number of tensors: further ones are errors, sizes of circles, ...
local function columns_of(tensors)
   if #tensors <= 2 then return matrix_of(tensors[1], tensors[2]) end
   local columns = {}
   for k, tensor in ipairs(tensors) do
      if tensor:nElement() ~= tensors[1]:nElement() then
         fail('plot', 'columns must have the same number of elements (got %s and %s)', describe(tensors[1]),
            describe(tensor))
      end
      columns[k] = column(tensor)
   end
   return torch.cat(columns, 2)
end

-- x, y and z of a surface, concatenated along the first dimension.
local function surface_of(name, tensors)
   local z = tensors[#tensors]
   if (#tensors ~= 1 and #tensors ~= 3) or z:dim() ~= 2 then
      fail(name, 'arguments must be a matrix z, or matrices x, y, z (got %s)', describe(tensors[1]))
   end
   local rows, columns = z:size(1), z:size(2)
   local x, y = tensors[1], tensors[2]
   if #tensors == 1 then
      x = torch.range(1, columns, 'torch.DoubleTensor'):view(1, columns):expand(rows, columns)
      y = torch.range(1, rows, 'torch.DoubleTensor'):view(rows, 1):expand(rows, columns)
   elseif x:nElement() == columns and y:nElement() == rows and rows * columns ~= columns then
      x = x:double():contiguous():view(1, columns):expand(rows, columns)
      y = y:double():contiguous():view(rows, 1):expand(rows, columns)
   elseif x:nElement() ~= z:nElement() or y:nElement() ~= z:nElement() then
      fail(name, 'x, y and z must be of one size (got %s, %s and %s)', describe(x), describe(y), describe(z))
   end
   return torch.cat({ x:double():contiguous():view(rows, columns), y:double():contiguous():view(rows, columns),
      z:double() }, 1)
end

-- Plots each of the curves by the matrix that make(name, tensors, form) gives.
local function each_curve(name, make, ...)
   local list = {}
   for i, curve in ipairs(curves_of(name, ...)) do
      local title, form, tensors = parts_of(name, curve)
      list[i] = { title, form, make(name, tensors, form) }
   end
   for _, curve in ipairs(list) do session.curve(name, unpack(curve, 1, 3)) end
   session.call(name, 'plot', name)
end

local function plot(...)
   if select('#', ...) == 0 then fail('plot', 'curve must have a tensor (got nothing)') end
   each_curve('plot', function(_, tensors, form)
      local matrix = columns_of(tensors)
      if matrix:dim() ~= 2 then fail('plot', 'tensors must be vectors or matrices (got %s)', describe(tensors[1])) end
      local wanted = session.call('plot', 'columns_of', form) + 1
      if matrix:size(2) < wanted then
         fail('plot', "matrix must have %d columns for the format '%s' (got %d)", wanted, form, matrix:size(2))
      end
      return matrix
   end, ...)
end

local function splot(...) each_curve('splot', surface_of, ...) end

-- x, y and z of points as columns.
local function points_of(name, tensors)
   if #tensors == 1 and tensors[1]:dim() == 2 and tensors[1]:size(2) == 3 then
      tensors = { tensors[1]:select(2, 1), tensors[1]:select(2, 2), tensors[1]:select(2, 3) }
   end
   local x, y, z = tensors[1], tensors[2], tensors[3]
   if #tensors ~= 3 or x:nElement() ~= y:nElement() or x:nElement() ~= z:nElement() then
      fail(name, 'x, y and z must have as many elements (got %d tensors, the first %s)', #tensors, describe(x))
   end
   return torch.cat({ column(x), column(y), column(z) }, 2)
end

local function scatter3(...) each_curve('scatter3', points_of, ...) end

local function imagesc(z, palette)
   if not isTensor(z) or z:dim() ~= 2 then fail('imagesc', 'argument 1 must be a matrix (got %s)', describe(z)) end
   if palette ~= nil then check.kind('imagesc', 'palette', palette, 'string') end
   session.curve('imagesc', '', '', z)
   session.call('imagesc', 'imagesc', palette or 'gray')
end

return function(gnuplot)
   gnuplot.plot, gnuplot.splot, gnuplot.scatter3, gnuplot.imagesc = plot, splot, scatter3, imagesc
end
