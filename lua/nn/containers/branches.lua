-- Code shared by containers whose modules run side by side: printing, and sums of gradients.

local torch = require 'torch'
local expect, warn = require 'nn.checks.expect', require 'torch.base.warn'

local branches = {}

-- Whether a tensor can be joined to another one along a dimension. As in the original only the number of elements
-- counts; the other dimensions may differ in number. If they differ only in size, a warning is printed.
function branches.joins(module, first, t, dimension)
   if dimension > t:dim() or t:nElement() * first:size(dimension) ~= first:nElement() * t:size(dimension) then
      return false
   end
   for d = 1, t:dim() == first:dim() and t:dim() or 0 do
      if d ~= dimension and t:size(d) ~= first:size(d) then
         warn.once('%s: tensors of other sizes are joined element by element (got %s and %s)', expect.name(module),
            expect.describe(first), expect.describe(t))
         break
      end
   end
   return true
end

-- Runs module i and adds its output to a list of tensors to be joined. Returns its size along the dimension.
function branches.append(self, outputs, i, input, dimension)
   local output = self:rethrowErrors(self.modules[i], i, 'updateOutput', input)
   expect.tensor(self, output, 'the output of each module')
   if dimension < 1 or dimension > output:dim() then
      expect.fail(self, 'outputs must have a dimension %d (got %s)', dimension, expect.describe(output))
   end
   local first = outputs[1] or output
   if not branches.joins(self, first, output, dimension) then
      expect.fail(self, 'outputs must be of one size but for dimension %d (got %s and, of module %d, %s)', dimension,
         expect.describe(first), i, expect.describe(output))
   end
   outputs[i] = output
   return output:size(dimension)
end

-- The part of a gradient for a tensor that was joined, with its dimensions.
function branches.shaped(part, like)
   if part:dim() == like:dim() then return part end
   return part:contiguous():viewAs(like)
end

function branches.tostring(self)
   local line, last = '\n  ', '  |    '
   local text = torch.type(self) .. ' {' .. line .. 'input'
   local count = #self.modules
   for i = 1, count do
      local ending = i == count
      text = text .. line .. (ending and '   `-> (' or '  |`-> (') .. i .. '): ' ..
         string.gsub(tostring(self.modules[i]), '\n', line .. (ending and '       ' or last))
   end
   return text .. line .. '   ... -> output\n}'
end

-- Adds a gradient to `sum`; the first one replaces it. Tables are summed entry by entry.
local function accumulate(sum, gradient, first)
   if type(gradient) == 'table' then
      if type(sum) ~= 'table' then sum = {} end
      for key, inner in pairs(gradient) do
         sum[key] = accumulate(sum[key], inner, first or sum[key] == nil)
      end
      if first then
         for key in pairs(sum) do
            if gradient[key] == nil then sum[key] = nil end
         end
      end
      return sum
   end
   if first or not torch.isTensor(sum) then
      if not torch.isTensor(sum) or torch.typename(sum) ~= torch.typename(gradient) then sum = gradient.new() end
      return sum:resizeAs(gradient):copy(gradient)
   end
   return sum:add(gradient)
end
branches.accumulate = accumulate

-- Calls a backward method of module i; without a factor it gets two arguments.
function branches.call(self, module, i, name, input, gradOutput, factor)
   if factor == nil then return self:rethrowErrors(module, i, name, input, gradOutput) end
   return self:rethrowErrors(module, i, name, input, gradOutput, factor)
end

-- Adds the backward methods to a class. each(self, name, input, gradOutput, factor, with_grad_input) calls the method
-- `name` of all modules with their parts of input and gradOutput; `with_grad_input` says whether that method returns
-- the gradient of the input, which `each` then returns as well. With `at_once`, backward calls the modules' own
-- backward; otherwise it calls updateGradInput and accGradParameters.
function branches.backward_methods(Class, each, at_once)
   function Class:updateGradInput(input, gradOutput)
      return each(self, 'updateGradInput', input, gradOutput, nil, true)
   end
   function Class:accGradParameters(input, gradOutput, scale)
      each(self, 'accGradParameters', input, gradOutput, scale or 1)
   end
   function Class:accUpdateGradParameters(input, gradOutput, lr)
      each(self, 'accUpdateGradParameters', input, gradOutput, lr)
   end
   if not at_once then return end
   function Class:backward(input, gradOutput, scale)
      return each(self, 'backward', input, gradOutput, scale or 1, true)
   end
end

-- The tensors of a list, joined in `output`, whose size along the dimension is theirs in all.
function branches.join(output, list, dimension, length)
   local sizes, offset = list[1]:size(), 1
   sizes[dimension] = length
   output:resize(sizes)
   for i = 1, #list do
      local size = list[i]:size(dimension)
      output:narrow(dimension, offset, size):copy(list[i])
      offset = offset + size
   end
   return sizes
end

return branches
