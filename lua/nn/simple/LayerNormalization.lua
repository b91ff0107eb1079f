-- nn.LayerNormalization: rows with mean 0 and variance 1, then a learned scale and bias for each element.

local torch, lazy_table = require 'torch', require 'torch.jit.lazy_table'
local ffi, kernel = require 'ffi', require 'nn.kernels.kernel'
local doubles, max, min, sqrt = ffi.typeof 'double[?]', math.max, math.min, math.sqrt
local get_double = require('torch.loops.element').getter(require('torch.base.types').by_name.Double)

return function(LayerNormalization, parent, nn)

   function LayerNormalization:__init(nOutput, bias, eps, affine)
      parent.__init(self)
      eps = eps or 1e-10
      affine = affine == nil and true or affine
      -- x - mean. For a batch, the means are repeated element by element, as in the original.
      local mean = nn.Sequential():add(nn.Mean(1, 1)):add(nn.Replicate(nOutput, 1, 1))
      self:add(nn.ConcatTable():add(nn.Identity()):add(mean)):add(nn.CSubTable())
      -- divided by the standard deviation
      self:add(nn.Normalize(2, eps)):add(nn.MulConstant(nOutput ^ 0.5))
      if affine then
         local scale = nn.CMul(nOutput)
         scale.weight:fill(1)
         local add = nn.Add(nOutput)
         add.bias:fill(bias or 0)
         self:add(scale):add(add)
      end
   end

   -- The modules as they were made are computed at once, by programs over rows. x is the input and y the means.
   local programs = lazy_table(function(k)
      return {
         get = k.getter(), sums = k.row_sums 'z = positive(x)', totals = k.column_sums 'z = positive(x)',
         squares = k.row_sums 'a = x - y; z = a * a',
         -- w and r are the scale and the bias, and u the factor of a row.
         normalized = k.row_map 'z = (x - y) * u',
         affine = k.row_map 'z = (x - y) * u * w + r',
         -- w is the gradient of the output, whose part along the rows, times v, goes.
         scaled = k.row_map 'z = x * w', products = k.row_sums 'z = (x - y) * w',
         product_totals = k.column_sums 'z = (x - y) * u * w',
         back = k.row_map 'z = (w - (x - y) * v) * u',
         shifted = k.row_map 'z = x + v',
      }
   end)

   local NAMES = { 'nn.ConcatTable', 'nn.CSubTable', 'nn.Normalize', 'nn.MulConstant', 'nn.CMul', 'nn.Add' }

   -- Whether the modules are those of the constructor.
   local function is_plain(self)
      local modules = self.modules
      if #modules ~= 4 and #modules ~= 6 then return false end
      for i = 1, #modules do
         if torch.typename(modules[i]) ~= NAMES[i] then return false end
      end
      local parts = modules[1].modules
      local mean = #parts == 2 and torch.typename(parts[1]) == 'nn.Identity' and parts[2].modules
      return mean and #mean == 2 and torch.typename(mean[1]) == 'nn.Mean' and mean[1].dimension == 1
         and mean[1].nInputDims == 1 and torch.typename(mean[2]) == 'nn.Replicate' and mean[2].dim == 1
         and mean[2].ndim == 1 and modules[3].p == 2 and not modules[4].inplace and mean[2].nfeatures
   end

   -- The kernels, rows and columns for an input; nil for one that is left to the modules.
   local function extent(self, x)
      local k, n = kernel.of_type(x), is_plain(self)
      if not k or k.T.base or self._type ~= k.TYPE or not n or x._dim < 1 or x._dim > 2 then return nil end
      local rows, columns, parameters = x._dim == 2 and x._size[0] or 1, x._size[x._dim - 1], self.modules
      if columns ~= n then return nil end
      if #parameters == 6 then
         for _, w in ipairs { parameters[5].weight, parameters[5].gradWeight, parameters[6].bias,
            parameters[6].gradBias } do
            if not k.is(w) or k.numel(w) ~= n then return nil end
         end
      end
      return k, rows, columns
   end

   -- The means of rows, given their sums, as the modules repeat them: from `step` elements on for each next row.
   local function repeated(k, means, totals, rows, columns)
      local step = columns % rows
      local count, filled = max((rows - 1) * step + columns, rows), rows
      means = k.resized(means, count)
      local to = k.ptr(means)
      for i = 0, rows - 1 do to[i] = get_double(totals, i) / columns end
      while filled < count do
         k.copy(to + filled, to, min(filled, count - filled) * k.SIZE)
         filled = 2 * filled
      end
      return means, step
   end

   function LayerNormalization:updateOutput(input)
      local k, rows, columns = extent(self, input)
      if not k then
         self._factors = nil
         return parent.updateOutput(self, input)
      end
      local modules, run = self.modules, programs[k]
      local last, x, totals = modules[#modules], k.as_contiguous(input), doubles(rows)
      local from = k.ptr(x)
      run.sums(rows, columns, from, columns, totals)
      local means, step = repeated(k, self._means, totals, rows, columns)
      local mean, factors = k.ptr(means), k.resized(self._factors, rows)
      run.squares(rows, columns, from, columns, mean, step, totals)
      local factor, eps = k.ptr(factors), modules[3].eps
      for i = 0, rows - 1 do factor[i] = modules[4].constant_scalar / sqrt(get_double(totals, i) + eps) end
      local y = k.resize_as(last.output, input)
      if #modules == 6 then
         local w, b = k.as_contiguous(modules[5].weight), k.as_contiguous(last.bias)
         run.affine(rows, columns, from, columns, mean, step, k.ptr(w), 0, k.ptr(b), 0, factor, 1, k.ptr(y), columns)
         k.keep_alive(w, b)
      else
         run.normalized(rows, columns, from, columns, mean, step, factor, 1, k.ptr(y), columns)
      end
      k.keep_alive(x, means, factors, y)
      last.output, self.output, self._means, self._factors = y, y, means, factors
      return y
   end

   -- As extent for a gradient, with the step of the means; nil before forward on an input of this size, too.
   local function extent_back(self, input, gradOutput)
      local k, rows, columns = extent(self, input)
      if not k or not k.is(gradOutput) or k.numel(gradOutput) ~= k.numel(input) then return nil end
      local means, factors, step = self._means, self._factors, columns % rows
      if not k.is(factors) or k.numel(factors) ~= rows or not k.is(means)
         or k.numel(means) < (rows - 1) * step + columns then return nil end
      return k, rows, columns, step
   end

   local function input_gradient(self, k, rows, columns, step, input, gradOutput)
      local modules, run = self.modules, programs[k]
      local x, g, r = k.as_contiguous(input), k.as_contiguous(gradOutput), k.resize_as(self.gradInput, input)
      local w, means, factors = modules[5] and k.as_contiguous(modules[5].weight), k.as_contiguous(self._means),
         k.as_contiguous(self._factors)
      local from, mean, factor, back, to = k.ptr(x), k.ptr(means), k.ptr(factors), k.ptr(g), k.ptr(r)
      if w then
         run.scaled(rows, columns, back, columns, k.ptr(w), 0, to, columns)
         back = to
      end
      local totals, along = doubles(rows), k.buffer(rows)
      run.products(rows, columns, from, columns, mean, step, back, columns, totals)
      local scale = modules[4].constant_scalar
      for i = 0, rows - 1 do along[i] = get_double(totals, i) * (run.get(factor, i) / scale) ^ 2 end
      run.back(rows, columns, from, columns, mean, step, back, columns, along, 1, factor, 1, to, columns)
      -- The gradients of the means follow each other as they do.
      run.totals(columns, rows, to, rows, totals)
      for i = 0, rows - 1 do along[i] = -get_double(totals, i) / columns end
      run.shifted(rows, columns, to, columns, along, 1, to, columns)
      k.keep_alive(x, g, r, w, means, factors)
      return r
   end

   -- Adds totals of columns to the gradient of a parameter.
   local function add_totals(k, gradient, totals, scale)
      local sums = k.new(gradient:nElement())
      local to = k.ptr(sums)
      for j = 0, sums:nElement() - 1 do to[j] = get_double(totals, j) end
      gradient:add(scale, sums:viewAs(gradient))
   end

   local function add_gradients(self, k, rows, columns, step, input, gradOutput, scale)
      local modules, run, totals = self.modules, programs[k], doubles(columns)
      if #modules == 4 then return end
      local x, g, means, factors = k.as_contiguous(input), k.as_contiguous(gradOutput), k.as_contiguous(self._means),
         k.as_contiguous(self._factors)
      run.product_totals(rows, columns, k.ptr(x), columns, k.ptr(means), step, k.ptr(g), columns, k.ptr(factors), 1,
         totals)
      add_totals(k, modules[5].gradWeight, totals, scale)
      run.totals(rows, columns, k.ptr(g), columns, totals)
      add_totals(k, modules[6].gradBias, totals, scale)
      k.keep_alive(x, g, means, factors)
   end

   -- A method of the modules, which need their outputs and gradients first where they were computed at once.
   local function by_modules(self, name, input, gradOutput, factor)
      if self._factors then
         parent.updateOutput(self, input)
         self._factors = nil
         if name ~= 'updateGradInput' then parent.updateGradInput(self, input, gradOutput) end
      end
      return parent[name](self, input, gradOutput, factor)
   end

   function LayerNormalization:updateGradInput(input, gradOutput)
      local k, rows, columns, step = extent_back(self, input, gradOutput)
      if not k then return by_modules(self, 'updateGradInput', input, gradOutput) end
      self.gradInput = input_gradient(self, k, rows, columns, step, input, gradOutput)
      return self.gradInput
   end

   function LayerNormalization:accGradParameters(input, gradOutput, scale)
      local k, rows, columns, step = extent_back(self, input, gradOutput)
      if not k then return by_modules(self, 'accGradParameters', input, gradOutput, scale) end
      add_gradients(self, k, rows, columns, step, input, gradOutput, scale or 1)
   end

   function LayerNormalization:backward(input, gradOutput, scale)
      local k, rows, columns, step = extent_back(self, input, gradOutput)
      if not k then return by_modules(self, 'backward', input, gradOutput, scale) end
      self.gradInput = input_gradient(self, k, rows, columns, step, input, gradOutput)
      add_gradients(self, k, rows, columns, step, input, gradOutput, scale or 1)
      return self.gradInput
   end

   function LayerNormalization:accUpdateGradParameters(input, gradOutput, lr)
      return by_modules(self, 'accUpdateGradParameters', input, gradOutput, lr)
   end
end
