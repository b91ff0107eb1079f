-- A language model over characters as it was written with rnn: a lookup table, an LSTM for each step, and a softmax,
-- all in a Sequencer, trained by truncated backpropagation through time. Verses of unequal lengths lie behind each
-- other in the columns of a batch; zeros between them start the state anew and count for nothing.
--
--    t7 examples/recurrent_language_model.lua [--hiddenSize 32] [--seqLen 20] [--maxEpoch 30] [--gru]

require 'rnn'

local cmd = torch.CmdLine()
cmd:text 'Train a recurrent language model'
cmd:option('--learningRate', 0.4, 'rate of gradient descent')
cmd:option('--momentum', 0.9, 'momentum')
cmd:option('--cutoff', 2, 'the most that the norm of all gradients may be')
cmd:option('--batchSize', 4, 'columns of text that are read side by side')
cmd:option('--seqLen', 20, 'steps of time to go back')
cmd:option('--hiddenSize', 32, 'size of the hidden layer')
cmd:option('--maxEpoch', 30, 'passes over the text')
cmd:option('--gru', false, 'gated recurrent units instead of an LSTM')
cmd:option('--seed', 7, 'seed of the random numbers')
local opt = cmd:parse(arg or {})
torch.manualSeed(opt.seed)

local verses = {}
for i, number in ipairs { 'ten', 'nine', 'eight', 'seven', 'six', 'five', 'four', 'three' } do
   verses[i] = number .. ' green bottles hanging on the wall, and if one green bottle should accidentally fall.'
end

local vocabulary, letters = {}, {}
for _, verse in ipairs(verses) do
   for letter in verse:gmatch '.' do
      if not vocabulary[letter] then
         letters[#letters + 1] = letter
         vocabulary[letter] = #letters
      end
   end
end

-- steps x columns: a verse after the other down each column, 0 between them.
local function columns_of(list, count)
   local columns, longest = {}, 0
   for i, verse in ipairs(list) do
      local c = (i - 1) % count + 1
      local column = columns[c] or {}
      columns[c] = column
      for letter in verse:gmatch '.' do column[#column + 1] = vocabulary[letter] end
      column[#column + 1] = 0
      longest = math.max(longest, #column)
   end
   local data = torch.zeros(longest + 1, count)
   for c, column in ipairs(columns) do
      for t, id in ipairs(column) do data[t][c] = id end
   end
   return data
end

local data = columns_of(verses, opt.batchSize)

local step = nn.Sequential()
local rnn = opt.gru and nn.GRU(opt.hiddenSize, opt.hiddenSize) or nn.FastLSTM(opt.hiddenSize, opt.hiddenSize)
step:add(nn.LookupTableMaskZero(#letters, opt.hiddenSize))
step:add(rnn:maskZero(1))
step:add(nn.MaskZero(nn.Linear(opt.hiddenSize, #letters), 1))
step:add(nn.MaskZero(nn.LogSoftMax(), 1))

local lm = nn.Sequencer(step)
lm:remember 'both'
-- Small weights at first.
for _, parameter in ipairs(lm:parameters()) do parameter:uniform(-0.1, 0.1) end
local criterion = nn.SequencerCriterion(nn.MaskZeroCriterion(nn.ClassNLLCriterion(), 1))
print(lm)

local function pass(train)
   local sum, steps = 0, 0
   if train then lm:training() else lm:evaluate() end
   lm:forget()
   for at = 1, data:size(1) - 1, opt.seqLen do
      local length = math.min(opt.seqLen, data:size(1) - at)
      local inputs, targets = data:narrow(1, at, length), data:narrow(1, at + 1, length):clone()
      -- The end of a verse is not learned: where the next letter is 0, so is the input.
      inputs = inputs:clone():cmul(targets:ne(0):typeAs(inputs))
      local outputs = lm:forward(inputs)
      sum, steps = sum + criterion:forward(outputs, targets), steps + length
      if train then
         lm:zeroGradParameters()
         lm:backward(inputs, criterion:backward(outputs, targets))
         lm:gradParamClip(opt.cutoff)
         lm:updateGradParameters(opt.momentum)
         lm:updateParameters(opt.learningRate)
      end
   end
   return math.exp(sum / steps)
end

print(('perplexity before training: %.0f'):format(pass(false)))
for _ = 1, opt.maxEpoch do pass(true) end
print('perplexity behind training is below 1.5:', pass(false) < 1.5)

-- The model goes on with a text: each letter that it finds likeliest is the input of the next step.
local written = {}
local function read(id)
   local scores = lm:forward(torch.Tensor { { id } })
   written[#written + 1] = letters[id]
   local _, best = scores[1][1]:max(1)
   return best[1]
end

lm:evaluate()
lm:forget()
local id
for letter in ('two green'):gmatch '.' do id = read(vocabulary[letter]) end
for _ = 1, 33 do id = read(id) end
print(table.concat(written))
