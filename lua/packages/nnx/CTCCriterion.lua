-- nn.CTCCriterion: connectionist temporal classification (Graves et al., 2006), for activations of steps x batch x
-- classes, or batch x steps x classes with batchFirst. They go through a softmax; the first class is the blank, label l
-- is class l + 1. The target is a table of tables of labels, or a matrix padded with zeros; sizes are the steps of each
-- sequence. As in the original, forward returns the mean over the batch, the field `output` is the sum, and the
-- gradients are those of the sum; sizes say how many sequences there are, whose steps may also come as rows, those of
-- the first step first.

local torch = require 'torch'
local check, geometry = require 'torch.base.check', require 'torch.base.geometry'

-- log(exp(a) + exp(b))
local function add(a, b)
   if a < b then a, b = b, a end
   if b == -math.huge then return a end
   return a + math.log(1 + math.exp(b - a))
end

-- The loss of one sequence, and its gradient at the activations: logs[t][k] are logarithms of probabilities, states
-- the labels with blanks around them, as classes.
local function align(logs, steps, states, gradient, classes)
   local count, alpha, beta, skips = #states, {}, {}, {}
   -- A label may follow the one before the blank, unless both are the same.
   for s = 1, count do skips[s] = s > 2 and states[s] ~= 1 and states[s] ~= states[s - 2] end
   for t = 1, steps do
      local row, before, now = {}, alpha[t - 1], logs[t]
      for s = 1, count do
         local sum = t == 1 and s <= 2 and 0 or -math.huge
         if before then
            sum = before[s]
            if s > 1 then sum = add(sum, before[s - 1]) end
            if skips[s] then sum = add(sum, before[s - 2]) end
         end
         row[s] = sum + now[states[s]]
      end
      alpha[t] = row
   end
   local total = add(alpha[steps][count], count > 1 and alpha[steps][count - 1] or -math.huge)
   -- No alignment has so few steps.
   if total == -math.huge then return math.huge end
   -- beta excludes the probability of step t, `ahead` includes that of the next one.
   for t = steps, 1, -1 do
      local row, ahead, next_beta, next_logs = {}, {}, beta[t + 1], logs[t + 1]
      if next_beta then
         for s = 1, count do ahead[s] = next_beta[s] + next_logs[states[s]] end
      end
      for s = 1, count do
         local sum = t == steps and s >= count - 1 and 0 or -math.huge
         if next_beta then
            sum = ahead[s]
            if s < count then sum = add(sum, ahead[s + 1]) end
            if skips[s + 2] then sum = add(sum, ahead[s + 2]) end
         end
         row[s] = sum
      end
      beta[t] = row
   end
   for t = 1, steps do
      local row = gradient[t]
      for k = 1, classes do row[k] = math.exp(logs[t][k]) end
      for s = 1, count do
         local k = states[s]
         row[k] = row[k] - math.exp(alpha[t][s] + beta[t][s] - total)
      end
   end
   return -total
end

return function(CTC, _, nn)

   function CTC:makeContiguous(input) return input:contiguous() end

   -- The labels of a sequence as classes with blanks around them.
   local function states_of(self, target, b, classes)
      local labels = target[b]
      if torch.isTensor(labels) then labels = labels:totable() end
      check.kind(self, 'target of each sequence', labels, 'table')
      local states = { 1 }
      for _, label in ipairs(labels) do
         -- Zeros pad matrices.
         if not (label == 0 and torch.isTensor(target)) then
            states[#states + 1] = check.integer(self, 'label', label, 1, classes - 1) + 1
            states[#states + 1] = 1
         end
      end
      return states
   end

   -- steps x batch x classes, contiguous.
   local function by_steps(self, x)
      return (self.batchFirst and x:dim() == 3 and x:transpose(1, 2) or x):contiguous()
   end

   function CTC:updateOutput(input, target, sizes)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 2, 3)
      if not torch.isTensor(target) then check.kind(self, 'target', target, 'table') end
      local steps = torch.isTensor(sizes) and sizes:totable() or sizes
      if not steps and input:dim() == 2 then check.argument_error(self, 'sizes', 'numbers of steps', sizes) end
      local batch = steps and #steps or input:size(self.batchFirst and 1 or 2)
      local count = torch.isTensor(target) and (target:dim() > 0 and target:size(1) or 0) or #target
      if count ~= batch then
         check.argument_error(self, 'target', string.format('labels of %d sequences', batch), target)
      end
      local classes = input:size(input:dim())
      local length = input:nElement() / classes / batch
      if length % 1 ~= 0 then
         check.argument_error(self, 'input', string.format('steps of %d sequences', batch), input)
      end
      local logs = nn.LogSoftMax():double():forward(by_steps(self, input):double():view(-1, classes))
      logs = logs:view(length, batch, classes)
      local gradient = torch.DoubleTensor(length, batch, classes):zero()
      self.output = 0
      for b = 1, batch do
         local n = check.integer(self, 'number of steps', steps and steps[b] or length, 1, length)
         local rows = {}
         for t = 1, n do rows[t] = {} end
         local loss = align(logs:select(2, b):totable(), n, states_of(self, target, b, classes), rows, classes)
         self.output = self.output + loss
         if loss < math.huge then gradient:select(2, b):narrow(1, 1, n):copy(torch.DoubleTensor(rows)) end
      end
      self._gradient = gradient:viewAs(by_steps(self, input))
      if self.batchFirst and input:dim() == 3 then self._gradient = self._gradient:transpose(1, 2) end
      return self.output / batch
   end

   function CTC:forward(input, target, sizes) return self:updateOutput(input, target, sizes) end

   function CTC:updateGradInput(input)
      check.tensor(self, 'input', input)
      -- The input is often of Floats, the gradient is not.
      if not self._gradient or not geometry.same_size(self._gradient, input) then
         check.fail(self, 'backward called before forward on this input (got %s)', check.describe(input))
      end
      if self.gradInput:type() ~= input:type() then self.gradInput = input.new() end
      self.gradInput:resize(input:size()):copy(self._gradient)
      return self.gradInput
   end
end
