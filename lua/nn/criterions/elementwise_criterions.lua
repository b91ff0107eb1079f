-- Criterions from the rows of criterion_rows.lua. Their methods are made from a template, so that each has separate
-- code for the compiler.

local lazy_table, template = require 'torch.jit.lazy_table', require 'torch.jit.template'
local expect, kernel, mixins = require 'nn.checks.expect', require 'nn.kernels.kernel', require 'nn.module.mixins'
local criterion_rows = require 'nn.criterions.criterion_rows'

local source = [[
local function parts(self, input, target)
   local k = of(self, input)
   if not k.is(target) or k.numel(target) ~= k.numel(input) then
      check.fail(self, 'target must be of the type and the number of elements of the input, %s (got %s)',
         check.describe(input), check.describe(target))
   end
   if k.numel(input) == 0 then check.fail(self, 'input must have elements (got none)') end
   return k, k.as_contiguous(input), k.as_contiguous(target), k.numel(input), weights_of(self, k, input)
end

local function updateOutput(self, input, target)
   local k, x, y, n, w = parts(self, input, target)
   local run = programs[k]
   local total = (w == nil and run.loss or run.weighted_loss)(k.ptr(x), k.ptr(y), w ~= nil and k.ptr(w) or nil, n, 1,
      u_of(self))
   k.keep_alive(x, y, w)
   if total ~= total then explain(self, input) end
   self.output = self.sizeAverage and total / n or total
   return self.output
end

local function updateGradInput(self, input, target)
   local k, x, y, n, w = parts(self, input, target)
   local run, r = programs[k], k.resize_as(self.gradInput, input)
   local gradient = w == nil and run.gradient or run.weighted_gradient
   gradient(k.ptr(x), k.ptr(y), w ~= nil and k.ptr(w) or nil, k.ptr(r), n, self.sizeAverage and scale / n or scale,
      u_of(self))
   k.keep_alive(x, y, w, r)
   return r
end

return updateOutput, updateGradInput
]]

local function zero() return 0 end
local function none() end

return function(Class, _, nn, name)

   local row = criterion_rows[name]
   local programs = lazy_table(function(k)
      local run = { loss = k.total(row.plain_loss), gradient = k.map(row.plain_gradient) }
      if row.weighted then run.weighted_loss, run.weighted_gradient = k.total(row.loss), k.map(row.gradient) end
      return run
   end)

   -- The weights, as large as the input.
   local function weights_of(self, k, input)
      local weights = self.weights
      if weights == nil then return nil end
      if not k.is(weights) then
         expect.fail(self, 'weights must be of type %s (got %s)', k.TYPE, expect.describe(weights))
      end
      local n, m = k.numel(input), k.numel(weights)
      if n == m then return k.as_contiguous(weights) end
      if input:dim() < 2 or m * input:size(1) ~= n then
         expect.fail(self, 'weights must be one for each element of a sample, of input %s (got %s)',
            expect.describe(input), expect.describe(weights))
      end
      self.buffer = k.is(self.buffer) and self.buffer or input.new()
      local wide = k.resized(self.buffer, input:size(1), m)
      return wide:copy(weights:contiguous():view(1, m):expandAs(wide))
   end

   -- A loss that is NaN: an error where an element of the input is outside of the range.
   local function explain(self, input)
      local minimum, maximum = unpack(row.range)
      local outside = input:ge(minimum):cmul(input:le(maximum)):eq(0)
      if outside:sum() > 0 then
         expect.fail(self, 'input must be from %d to %d (got %s)', minimum, maximum, input:maskedSelect(outside)[1])
      end
   end

   Class.updateOutput, Class.updateGradInput = template.compile('nn.' .. name, source, nil,
      { check = expect, of = kernel.of, programs = programs, weights_of = row.weighted and weights_of or none,
         u_of = row.u or zero, scale = row.scale or 1,
         explain = row.range and explain or none })

   function Class:__init()
      if self.sizeAverage == nil then self.sizeAverage = true end
      if row.weighted and self.weights ~= nil then expect.dimensions(self, 'weights', self.weights, 1, 1) end
      if row.parts then row.parts(self, nn) end
   end

   if row.parts then
      -- Torch7's objects of the class keep their settings in a nested module.
      function Class:read(file)
         mixins.read_fields(self, file)
         if self.sizeAverage == nil and self.nll then
            self.sizeAverage, self.weights = self.nll.sizeAverage, self.nll.weights
         end
         self.sigmoid = self.sigmoid or self.lsm
      end
   end
end
