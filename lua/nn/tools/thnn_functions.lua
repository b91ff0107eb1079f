-- The functions of nn.THNN that are not a method of a module here: those of sparse layers, whose modules gave them
-- inputs in another format, and a few more. They take tensors, in the order of the library in C.

local torch = require 'torch'
local errors, expect = require 'torch.base.errors', require 'nn.checks.expect'

local thnn_functions = {}

-- Columns of a matrix as a LongTensor.
local function indices(t) return t:long():contiguous() end

-- SparseLinear --------------------------------------------------------------------------------------------------------

-- The rows of output, the columns of weight and the values of an input: elements x {row, column, value}, or in the
-- older format batch x elements x {column, value}, in which elements of value 0 fill up.
local function sparse_elements(input)
   if input:dim() == 2 and input:size(2) == 3 then
      return indices(input:select(2, 1)), indices(input:select(2, 2)), input:select(2, 3):contiguous()
   end
   if input:dim() ~= 3 or input:size(3) ~= 2 then
      errors.raise('THNN: input must be elements x 3, or batch x elements x 2 (got %s)', expect.describe(input))
   end
   local rows = torch.range(1, input:size(1)):long():view(-1, 1):expand(input:size(1), input:size(2))
   local values = input:select(3, 2):contiguous():view(-1)
   local kept = values:ne(0)
   if kept:sum() == 0 then return torch.LongTensor(), torch.LongTensor(), values.new() end
   return rows:contiguous():view(-1)[kept], indices(input:select(3, 1)):view(-1)[kept], values[kept]
end

-- Rows of `t`, each times its value.
local function weighted(t, values) return t:cmul(values:view(-1, 1):expandAs(t)) end

local sparse = {}

function sparse.updateOutput(input, output, weight, bias)
   local rows, columns, values = sparse_elements(input)
   output:copy(bias:view(1, -1):expandAs(output))
   if rows:dim() > 0 then output:indexAdd(1, rows, weighted(weight:index(2, columns):t():contiguous(), values)) end
end

function sparse.accGradParameters(input, gradOutput, gradWeight, gradBias, weight, _, weightDecay, scale)
   local rows, columns, values = sparse_elements(input)
   if rows:dim() > 0 then
      gradWeight:indexAdd(2, columns, weighted(gradOutput:index(1, rows), values):mul(scale):t():contiguous())
   end
   gradBias:add(scale, gradOutput:sum(1):view(-1))
   if weightDecay ~= 0 then gradWeight:add(weightDecay, weight) end
end

function sparse.zeroGradParameters(gradWeight, gradBias, lastInput)
   local _, columns = sparse_elements(lastInput)
   gradBias:zero()
   if columns:dim() > 0 then gradWeight:indexFill(2, columns, 0) end
end

function sparse.updateParameters(weight, bias, gradWeight, gradBias, lastInput, learningRate)
   local _, columns = sparse_elements(lastInput)
   bias:add(-learningRate, gradBias)
   local seen = {}
   for i = 1, columns:nElement() do seen[columns[i]] = true end
   for column in next, seen do weight:select(2, column):add(-learningRate, gradWeight:select(2, column)) end
end

for method, f in next, sparse do
   thnn_functions['SparseLinear_' .. method] = f
   thnn_functions['SparseLinear_legacy' .. string.upper(string.sub(method, 1, 1)) .. string.sub(method, 2)] = f
end

-- IndexLinear ---------------------------------------------------------------------------------------------------------
-- The keys of all samples follow each other, `sizes` of them for each. The weight has a row for a key; where the layer
-- normalises, four columns come first: the largest |value| of the key, one over it, a factor of its learning rate, and
-- a number that is added to its values.

local COLUMNS = 4

-- Calls f(sample, i, row of weight) for the keys of all samples.
local function each_key(keys, offset, sizes, weight, f)
   local rows, i = weight:size(1), 0
   for sample = 1, sizes:nElement() do
      for _ = 1, sizes[sample] do
         i = i + 1
         local row = keys[i] + offset + 1
         if row < 1 or row > rows then
            errors.raise('THNN: keys must be from %d to %d (got %d)', -offset, rows - offset - 1, keys[i])
         end
         f(sample, i, weight[row])
      end
   end
end

function thnn_functions.IndexLinear_updateOutput(keys, offset, values, sizes, _, output, weight, bias, normalized,
   train)
   local outputs = bias:size(1)
   local first = weight:size(2) - outputs
   output:resize(sizes:nElement(), outputs):copy(bias:view(1, -1):expand(sizes:nElement(), outputs))
   if first > 0 then normalized:resize(keys:nElement()) end
   train = train and train ~= 0
   each_key(keys, offset, sizes, weight, function(sample, i, row)
      local value = values[i]
      if first > 0 then
         local size = math.abs(value)
         if train then
            if size > row[1] then row[1], row[2] = size, 1 / size end
            row[3] = 1
         end
         value = size > row[1] and (value > 0 and 1 or -1) or value * row[2]
         value = value + row[COLUMNS]
         normalized[i] = value
      end
      output[sample]:add(value, row:narrow(1, first + 1, outputs))
   end)
end

-- gradWeight is as the keys are: a row for each, which where the layer normalises begins with the gradients of the
-- numbers that are added to values.
function thnn_functions.IndexLinear_accGradParameters(keys, offset, values, sizes, _, gradOutput, gradWeight, gradBias,
   weight, bias, _, _, scale)
   local outputs = bias:size(1)
   local normalizes = weight:size(2) > outputs
   gradWeight:resize(keys:nElement(), normalizes and 2 * outputs or outputs)
   gradOutput = gradOutput:view(-1, outputs)
   each_key(keys, offset, sizes, weight, function(sample, i)
      local row, g = gradWeight[i], gradOutput[sample]
      if normalizes then row:narrow(1, 1, outputs):copy(g):mul(scale) end
      row:narrow(1, row:size(1) - outputs + 1, outputs):copy(g):mul(scale * values[i])
   end)
   gradBias:add(scale, gradOutput:sum(1):view(-1))
end

-- One step for the row of a key: g is the gradient of its weights, h that of the offset of its values.
local function step(row, outputs, rate, decay, g, h)
   local weights = row:narrow(1, row:size(1) - outputs + 1, outputs)
   if h then
      rate = rate * row[3]
      row[COLUMNS] = row[COLUMNS] - rate * weights:dot(h)
      decay = decay * row[3]
   end
   if decay ~= 0 then weights:mul(1 - decay) end
   weights:add(-rate, g)
end

function thnn_functions.IndexLinear_accUpdateGradParameters(keys, offset, values, sizes, _, gradOutput, weight, bias,
   weightDecay, scale)
   local outputs = bias:size(1)
   local normalizes = weight:size(2) > outputs
   gradOutput = gradOutput:view(-1, outputs)
   each_key(keys, offset, sizes, weight, function(sample, i, row)
      local g = gradOutput[sample]
      step(row, outputs, scale, weightDecay, g * values[i], normalizes and g)
   end)
   bias:add(-scale, gradOutput:sum(1):view(-1))
end

function thnn_functions.IndexLinear_updateParameters(gradWeight, gradBias, weight, bias, keys, _, offset, weightDecay,
   learningRate)
   local outputs = bias:size(1)
   local normalizes = weight:size(2) > outputs
   bias:add(-learningRate, gradBias)
   each_key(keys, offset, torch.LongTensor { keys:nElement() }, weight, function(_, i, row)
      local g = gradWeight[i]
      step(row, outputs, learningRate, weightDecay * learningRate, g:narrow(1, g:size(1) - outputs + 1, outputs),
         normalizes and g:narrow(1, 1, outputs))
   end)
end

-- Others --------------------------------------------------------------------------------------------------------------

function thnn_functions.Linear_updateAddBuffer(input, addBuffer) addBuffer:resize(input:size(1)):fill(1) end

-- Each element `scale` times along the last dimension.
function thnn_functions.TemporalUpSamplingNearest_updateOutput(input, output, scale)
   local sizes = input:size()
   sizes[#sizes] = sizes[#sizes] * scale
   output:resize(sizes):copy(input:contiguous():view(-1, 1):expand(input:nElement(), scale))
end

function thnn_functions.TemporalUpSamplingNearest_updateGradInput(input, gradOutput, gradInput, scale)
   gradInput:resizeAs(input):copy(gradOutput:contiguous():view(-1, scale):sum(2))
end

return thnn_functions
