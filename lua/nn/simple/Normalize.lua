-- nn.Normalize: divides vectors, or the rows of a matrix, by their Lp norm.

local torch, lazy_table = require 'torch', require 'torch.jit.lazy_table'
local ffi, kernel = require 'ffi', require 'nn.kernels.kernel'
local doubles, expect = ffi.typeof 'double[?]', require 'nn.checks.expect'
local get_double = require('torch.loops.element').getter(require('torch.base.types').by_name.Double)

return function(Normalize)

   -- Programs over rows for Euclidean norms: x is the input, and y the norm, or the gradient of the output.
   local programs = lazy_table(function(k)
      return {
         get = k.getter(), squares = k.row_sums 'z = x * x', products = k.row_sums 'z = x * y',
         output = k.row_map 'z = x / v',
         -- u is the norm, and v how far the gradient points along the input.
         gradient = k.row_map 'z = (y - x * v) / u',
      }
   end)

   -- The kernels for Euclidean norms of a batch in this machine's memory; nil for others.
   local function kernels(self, x)
      local k = self.p == 2 and kernel.of_type(x) or nil
      return k and not k.T.base and k or nil
   end

   function Normalize:__init()
      local p = self.p
      if type(p) ~= 'number' or not (p > 0) then expect.argument_error(self, 'p', '> 0', p) end
      self._output = torch.Tensor()
   end

   local function as_batch(self, input)
      expect.own(self, input)
      if input:dim() ~= 1 and input:dim() ~= 2 then
         expect.argument_error(self, 'input', 'a vector or a matrix', input)
      end
      local n = input:size(input:dim())
      return input:contiguous():view(input:nElement() / n, n)
   end

   -- The products of two matrices, in memory that is read before the next call.
   local function products(self, x, y)
      self._products = self._products or x.new()
      return self._products:resizeAs(x):cmul(x, y)
   end

   -- The norms of rows, which never are 0.
   local function norms(self, x)
      local p = self.p
      if p == math.huge then
         return (torch.abs(x):max(2)):add(self.eps)
      elseif p == 2 then
         return products(self, x, x):sum(2):add(self.eps):sqrt()
      elseif p == 1 then
         return torch.abs(x):sum(2):add(self.eps)
      end
      return torch.abs(x):pow(p):sum(2):add(self.eps):pow(1 / p)
   end

   local function output_of_rows(self, k, x)
      local rows, columns, run = x._size[0], x._size[1], programs[k]
      local totals, norm, y = doubles(rows), k.new(rows, 1), k.resize_as(self._output, x)
      run.squares(rows, columns, k.ptr(x), columns, totals)
      local n = k.ptr(norm)
      for i = 0, rows - 1 do n[i] = get_double(totals, i) end
      norm:add(self.eps):sqrt()
      run.output(rows, columns, k.ptr(x), columns, n, 1, k.ptr(y), columns)
      k.keep_alive(x, y, norm)
      self.norm, self._output = norm, y
   end

   local function gradient_of_rows(self, k, x, g)
      local rows, columns, run = x._size[0], x._size[1], programs[k]
      local norm, r = k.as_contiguous(self.norm), k.resize_as(self.gradInput, x)
      local totals, along, n, get = doubles(rows), k.buffer(rows), k.ptr(norm), run.get
      run.products(rows, columns, k.ptr(x), columns, k.ptr(g), columns, totals)
      for i = 0, rows - 1 do along[i] = get_double(totals, i) / get(n, i) ^ 2 end
      run.gradient(rows, columns, k.ptr(x), columns, k.ptr(g), columns, along, 1, n, 1, k.ptr(r), columns)
      k.keep_alive(x, g, norm, r)
      return r
   end

   function Normalize:updateOutput(input)
      local x = as_batch(self, input)
      self._output = self._output or input.new()
      local k = kernels(self, x)
      if k then
         output_of_rows(self, k, x)
      else
         self.norm = norms(self, x)
         self._output:resizeAs(x):cdiv(x, self.norm:expandAs(x))
      end
      self.output:view(self._output, input:size())
      return self.output
   end

   function Normalize:updateGradInput(input, gradOutput)
      local x = as_batch(self, input)
      expect.same_count(self, input, expect.own(self, gradOutput, 'gradOutput'))
      if not self.norm or self.norm:size(1) ~= x:size(1) then
         expect.fail(self, 'backward called before forward on this input')
      end
      local g, norm, p, k = gradOutput:contiguous():view(x:size()), self.norm, self.p, kernels(self, x)
      if k then
         self.gradInput = gradient_of_rows(self, k, x, g)
         self.gradInput:resize(input:size())
         return self.gradInput
      end
      -- The sum of gradOutput times the output, and the derivative of the norm.
      local along = products(self, x, g):sum(2)
      local slope
      if p == math.huge then
         slope = x.new():resizeAs(x):zero()
         local _, at = torch.abs(x):max(2)
         slope:scatter(2, at, x:gather(2, at):cdiv(norm))
         along:cdiv(norm)
      elseif p == 2 then
         slope = x
         along:cdiv(torch.cmul(norm, norm))
      else
         slope = torch.abs(x)
         if p < 2 then slope:add(self.eps) end
         slope:pow(p - 2):cmul(x)
         along:cdiv(torch.pow(norm, p))
      end
      self.gradInput:resizeAs(x):addcmul(g, -1, slope, along:expandAs(x)):cdiv(norm:expandAs(x))
      self.gradInput:resize(input:size())
      return self.gradInput
   end

   function Normalize:__tostring__()
      return string.format(self.p % 1 == 0 and '%s(%d)' or '%s(%f)', torch.type(self), self.p)
   end
end
