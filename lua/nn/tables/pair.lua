-- Two vectors, or two batches of them, as modules of pairs take them: their output is a number for each pair.

local torch = require 'torch'
local expect, warn = require 'nn.checks.expect', require 'torch.base.warn'

local pair = {}

local TINY = 1e-12     -- added to squared lengths, which may be 0

local function flat(t) return t:dim() == 1 or t:dim() == 2 end

-- Both as matrices, a row for each sample.
function pair.read(self, input)
   expect.parts(self, input)
   local a, b = input[1], input[2]
   -- A vector may stand beside a batch of one.
   local fits = torch.isTensor(a) and torch.isTensor(b) and a:nElement() == b:nElement()
   if not (fits and flat(a) and flat(b) and a:size(a:dim()) == b:size(b:dim())) then
      expect.argument_error(self, 'input', 'two vectors, or two matrices, of one size', input)
   end
   local n = a:size(a:dim())
   local batch = a:nElement() / n
   return a:contiguous():view(batch, n), b:contiguous():view(batch, n), batch
end

-- The same for forward. As in the original, inputs may have more dimensions: a number for each sample is kept of those
-- that belong to the vectors along the second one, in the order of memory.
function pair.read_any(self, input)
   expect.parts(self, input)
   local a, b = input[1], input[2]
   local deep = torch.isTensor(a) and torch.isTensor(b) and a:dim() > 2 and a:isSameSizeAs(b)
   if not deep then return pair.read(self, input) end
   local batch, n = a:size(1), a:size(2)
   local each = a:nElement() / (batch * n)
   if each > 1 then
      warn.once('%s: of the %d pairs of an input of more than two dimensions, %d are computed, as in the original ' ..
         '(got %s)', expect.name(self), batch * each, batch, expect.describe(a))
   end
   local function rows(t)
      return t:contiguous():view(batch, n, each):transpose(2, 3):contiguous():view(batch * each, n):narrow(1, 1, batch)
   end
   return rows(a), rows(b), batch
end

-- Replaces elements by their signs; those of zeros are drawn in the order of the elements.
function pair.random_signs(t)
   return t:apply(function(x)
      if x == 0 then return 2 * torch.random(2) - 3 end
      return x > 0 and 1 or -1
   end)
end

-- A gradient as a column, an element for each pair.
function pair.column(self, gradOutput, batch)
   if not torch.isTensor(gradOutput) or gradOutput:nElement() ~= batch then
      expect.fail(self, 'gradOutput must have %d elements (got %s)', batch, expect.describe(gradOutput))
   end
   return gradOutput:contiguous():view(batch, 1)
end

-- The dot products, and one over the squared and the plain lengths: the cosine is dot * w.
function pair.cosine(a, b)
   local dot = torch.cmul(a, b):sum(2)
   local aa = torch.cmul(a, a):sum(2):add(TINY):pow(-1)
   local bb = torch.cmul(b, b):sum(2):add(TINY):pow(-1)
   return dot, aa, bb, torch.cmul(aa, bb):sqrt()
end

-- The gradients of cosines at both vectors, times a column of slopes, in gradInput:
-- d cos / da = (b - a dot / |a|^2) / (|a| |b|).
function pair.cosine_gradients(gradInput, input, a, b, dot, aa, bb, slope)
   local function gradient(to, x, y, xx, like)
      to:resizeAs(x):copy(y):add(-1, torch.cmul(x, torch.cmul(dot, xx):expandAs(x)))
      to:cmul(slope:expandAs(x))
      to:resizeAs(like)
   end
   gradient(gradInput[1], a, b, aa, input[1])
   gradient(gradInput[2], b, a, bb, input[2])
   return gradInput
end

-- Makes gradInput two tensors of the type of the input: files that were cleared hold an empty table, or a
-- tensor. nil, by which programs ask for no gradient, stays.
function pair.ensure_gradients(self, input)
   local g = self.gradInput
   if g == nil or type(g) == 'table' and torch.isTensor(g[1]) and torch.isTensor(g[2]) then return end
   local like = type(input) == 'table' and input[1] or input
   if not torch.isTensor(like) then like = torch.Tensor() end
   self.gradInput = { like.new(), like.new() }
end

-- A method clearState that empties the output, both gradients, and further tensors.
function pair.clear(...)
   local fields = { ... }
   return function(self)
      for _, field in ipairs(fields) do
         if self[field] then self[field]:set() end
      end
      self.output:set()
      pair.ensure_gradients(self)
      for _, gradient in ipairs(self.gradInput or {}) do gradient:set() end
      return self
   end
end

return pair
