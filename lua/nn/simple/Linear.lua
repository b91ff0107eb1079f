-- nn.Linear: y = W x + b, for a vector or for each row of a matrix.

local type = type
local torch = require 'torch'
local initialization, mixins = require 'nn.module.initialization', require 'nn.module.mixins'
local expect, geometry, kernel = require 'nn.checks.expect', require 'nn.checks.geometry', require 'nn.kernels.kernel'
local warn = require 'torch.base.warn'
local describe, fail = expect.describe, expect.fail

return function(Linear, parent, nn)

   function Linear:__init(inputSize, outputSize, bias)
      parent.__init(self)
      self.weight, self.gradWeight = torch.Tensor(outputSize, inputSize), torch.Tensor(outputSize, inputSize)
      if bias == nil or bias then self.bias, self.gradBias = torch.Tensor(outputSize), torch.Tensor(outputSize) end
      self:reset()
   end

   mixins.no_bias(Linear)

   -- Uniform in +-1/sqrt(inputs), or of the standard deviation that is given.
   function Linear:reset(stdv)
      initialization.uniform(nn, self, stdv, self.weight:size(2))
      return self
   end

   -- Checks the parameters or their gradients; returns the numbers of outputs and inputs, m and n.
   local function check_parameters(self, k, weight, bias)
      if not k.is(weight) or weight._dim ~= 2 then
         fail(self, 'weight must be of type %s with two dimensions (got %s)', k.TYPE, describe(weight))
      end
      local m, n = weight._size[0], weight._size[1]
      geometry.area(self, 'a row or a column of weight', m > n and m or n)
      if type(bias) ~= 'nil' and not (k.is(bias) and k.numel(bias) == m) then
         fail(self, 'bias must be of type %s with %d elements (got %s)', k.TYPE, m, describe(bias))
      end
      return m, n
   end

   local function check_input(self, x, n)
      if not (x._dim == 1 and x._size[0] == n or x._dim == 2 and x._size[1] == n) then
         fail(self, 'input must be of size %d, or batch x %d: size mismatch (got %s)', n, n, describe(x))
      end
   end

   local function check_gradient(self, k, x, g, m)
      if not (k.is(g) and g._dim == x._dim and g._size[g._dim - 1] == m and
         (x._dim == 1 or g._size[0] == x._size[0])) then
         fail(self, 'gradOutput must be of size %s for an input of size %s (got %s)',
            x._dim == 1 and m or string.format('%dx%d', x._size[0], m), expect.shape(x), describe(g))
      end
   end

   -- Whether backward is skipped, as in the original, because the input has more than two dimensions. Forward rejects
   -- such inputs, but some programs pass backward the input before it was reshaped.
   local function skipped(self, input)
      if input._dim <= 2 then return false end
      warn.once('%s: backward: no gradients for an input of %d dimensions: zero gradInput', expect.name(self),
         input._dim)
      return true
   end

   -- Formulas, of contiguous tensors: w is m x n, x a vector of n or rows of n, y and g a vector of m or rows of m.

   -- y = w x + b
   local function output(k, y, w, x, b, m, n)
      if b then k.copy(k.ptr(y), k.ptr(b), m * k.SIZE) end
      k.gemv(false, m, n, 1, k.ptr(w), n, k.ptr(x), b and 1 or 0, k.ptr(y))
   end

   -- y = x w' + b
   local function output_rows(k, y, w, x, b, m)
      if b then k.set_rows(x._size[0], m, k.ptr(b), k.ptr(y)) end
      k.product(y, b and 1 or 0, 1, false, x, true, w)
   end

   -- r = w' g, or r = g w for rows
   local function input_gradient(k, r, w, g, m, n) k.gemv(true, m, n, 1, k.ptr(w), n, k.ptr(g), 0, k.ptr(r)) end
   local function input_gradient_rows(k, r, w, g) k.product(r, 0, 1, false, g, false, w) end

   -- gw = gw + scale g x', gb = gb + scale g
   local function add_gradients(k, gw, gb, x, g, scale, m, n)
      k.ger(m, n, scale, k.ptr(g), k.ptr(x), k.ptr(gw))
      if gb then k.axpy(m, scale, k.ptr(g), k.ptr(gb)) end
   end

   -- gw = gw + scale g' x, gb = gb + scale times the sum of the rows of g
   local function add_gradients_of_rows(k, gw, gb, x, g, scale, m)
      k.product(gw, 1, scale, true, g, false, x)
      if gb then k.add_rows(x._size[0], m, scale, k.ptr(g), k.ptr(gb)) end
   end

   function Linear:updateOutput(input)
      local k, weight, bias = kernel.of(self, input), self.weight, self.bias
      local m, n = check_parameters(self, k, weight, bias)
      check_input(self, input, n)
      local x, w, b = k.as_contiguous(input), k.as_contiguous(weight), bias and k.as_contiguous(bias)
      local y
      if x._dim == 1 then
         y = k.resized(self.output, m)
         output(k, y, w, x, b, m, n)
      else
         y = k.resized(self.output, x._size[0], m)
         output_rows(k, y, w, x, b, m)
      end
      k.keep_alive(x, w, b, y)
      return y
   end

   function Linear:updateGradInput(input, gradOutput)
      if self.gradInput == nil then return nil end
      local k, weight = kernel.of(self, input), self.weight
      if skipped(self, input) then return k.resize_as(self.gradInput, input):zero() end
      local m, n = check_parameters(self, k, weight)
      check_input(self, input, n)
      check_gradient(self, k, input, gradOutput, m)
      local g, w = k.as_contiguous(gradOutput), k.as_contiguous(weight)
      local r
      if g._dim == 1 then
         r = k.resized(self.gradInput, n)
         input_gradient(k, r, w, g, m, n)
      else
         r = k.resized(self.gradInput, g._size[0], n)
         input_gradient_rows(k, r, w, g)
      end
      k.keep_alive(g, w, r)
      return r
   end

   function Linear:accGradParameters(input, gradOutput, scale)
      local k, gradWeight, gradBias = kernel.of(self, input), self.gradWeight, self.gradBias
      if skipped(self, input) then return end
      local bias = self.bias ~= nil and gradBias or nil
      local m, n = check_parameters(self, k, gradWeight, bias)
      check_input(self, input, n)
      check_gradient(self, k, input, gradOutput, m)
      local x, g = k.as_contiguous(input), k.as_contiguous(gradOutput)
      local gw, gb = k.as_contiguous(gradWeight), bias and k.as_contiguous(bias)
      if x._dim == 1 then
         add_gradients(k, gw, gb, x, g, scale or 1, m, n)
      else
         add_gradients_of_rows(k, gw, gb, x, g, scale or 1, m)
      end
      k.keep_alive(x, g, gw, gb)
      -- Gradients that are not contiguous were copied.
      if not k.contiguous(gradWeight) then gradWeight:copy(gw) end
      if gb and not k.contiguous(bias) then bias:copy(gb) end
   end

   mixins.shared_update(Linear)

   -- A vector of ones, which other Torch7 code reads.
   function Linear:updateAddBuffer(input)
      local count = expect.dimensions(self, 'input', input, 2, 2):size(1)
      self.addBuffer = self.addBuffer or input.new()
      if self.addBuffer:nElement() ~= count then self.addBuffer:resize(count):fill(1) end
   end

   function Linear:__tostring__()
      return string.format('%s(%d -> %d)', torch.type(self), self.weight:size(2), self.weight:size(1)) ..
         (self.bias == nil and ' without bias' or '')
   end

end
