-- nn.MultiLabelMarginCriterion: a hinge loss of several classes, of which several are right. A target lists the right
-- classes; what follows a 0 does not count.

local torch = require 'torch'
local expect, kernel, lazy_table = require 'nn.expect', require 'nn.kernel', require 'torch.jit.lazy_table'

return function(MultiLabelMarginCriterion)

   function MultiLabelMarginCriterion:__init()
      self.isTarget = torch.Tensor()
   end

   local getters = lazy_table(function(k) return k.getter() end)

   local function parts(self, input, target)
      local k = kernel.of(self, input)
      if input:dim() ~= 1 and input:dim() ~= 2 then expect.refuse(self, 'input', 'a vector or a matrix', input) end
      if not torch.isTensor(target) or not target:isSize(input:size()) then
         expect.fail(self, 'target must be of size %s (got %s)', expect.shape(input), expect.describe(target))
      end
      local classes = input:size(input:dim())
      local t = kernel.indices(target)
      local wrong = kernel.first_outside(t, 0, classes)
      if wrong then expect.fail(self, 'target must be from 0 to %d (got %.0f)', classes, wrong) end
      return k, k.plain(input), t, input:nElement() / classes, classes
   end

   -- Marks the right classes of one sample, and returns their number.
   local function mark(right, t, classes)
      for j = 0, classes - 1 do right[j] = false end
      local listed = 0
      while listed < classes and t[listed] > 0 do
         right[tonumber(t[listed]) - 1] = true
         listed = listed + 1
      end
      return listed
   end

   function MultiLabelMarginCriterion:updateOutput(input, target)
      local k, x, t, count, classes = parts(self, input, target)
      local from, targets, right, sum, get = k.ptr(x), kernel.long_pointer(t), {}, 0, getters[k]
      self.isTarget:resizeAs(input):zero()
      local marks = self.isTarget:view(count, classes)
      for i = 0, count - 1 do
         local row, labels = from + i * classes, targets + i * classes
         local listed = mark(right, labels, classes)
         for j = 0, classes - 1 do
            if right[j] then marks[i + 1][j + 1] = 1 end
         end
         for l = 0, listed - 1 do
            local value = get(row, tonumber(labels[l]) - 1)
            for j = 0, classes - 1 do
               if not right[j] then sum = sum + math.max(1 - value + get(row, j), 0) end
            end
         end
      end
      k.alive(x, t)
      sum = sum / classes
      self.output = self.sizeAverage and sum / count or sum
      return self.output
   end

   function MultiLabelMarginCriterion:updateGradInput(input, target)
      local k, x, t, count, classes = parts(self, input, target)
      local gradient = k.like(self.gradInput, input)
      gradient:zero()
      local from, targets, to, right, get = k.ptr(x), kernel.long_pointer(t), k.ptr(gradient), {}, getters[k]
      local step = (self.sizeAverage and 1 / count or 1) / classes
      for i = 0, count - 1 do
         local row, labels, r = from + i * classes, targets + i * classes, to + i * classes
         local listed = mark(right, labels, classes)
         for l = 0, listed - 1 do
            local c = tonumber(labels[l]) - 1
            for j = 0, classes - 1 do
               if not right[j] and 1 - get(row, c) + get(row, j) > 0 then
                  r[c], r[j] = r[c] - step, r[j] + step
               end
            end
         end
      end
      k.alive(x, t, gradient)
      return gradient
   end
end
