-- A character model in the style of 2015: an LSTM built with nngraph, one copy of it for each step of time, all with
-- the same parameters, trained by rmsprop on a text, and then asked to write.
--
--    t7 examples/char_rnn.lua [-rnn_size 32] [-seq_length 25] [-max_iters 120] [-checkpoint_dir DIR]

require 'nngraph'
require 'optim'
require 'lfs'

local cmd = torch.CmdLine()
cmd:text 'Train a character-level language model'
cmd:option('-rnn_size', 32, 'size of the hidden state')
cmd:option('-seq_length', 25, 'steps of time to go back')
cmd:option('-batch_size', 8, 'sequences in a batch')
cmd:option('-learning_rate', 0.01, 'rate of rmsprop')
cmd:option('-max_iters', 120, 'batches to train on')
cmd:option('-grad_clip', 5, 'gradients are kept below this')
cmd:option('-checkpoint_dir', 'cv', 'where checkpoints go')
cmd:option('-seed', 123, 'seed of the random numbers')
local opt = cmd:parse(arg or {})
torch.manualSeed(opt.seed)

-- The text: a song that repeats itself, which a small model can learn by heart.
local text = ([[
ten green bottles hanging on the wall, and if one green bottle should accidentally fall,
there will be nine green bottles hanging on the wall.
]]):rep(12)

local vocab, size = {}, 0
for character in text:gmatch '.' do
   if not vocab[character] then
      size = size + 1
      vocab[character], vocab[size] = size, character
   end
end
local data = torch.Tensor(#text)
for i = 1, #text do data[i] = vocab[text:sub(i, i)] end

-- One step of the LSTM: { x, c, h } to { c, h, log probabilities }.
local function lstm(input_size, rnn_size)
   local x, prev_c, prev_h = nn.Identity()(), nn.Identity()(), nn.Identity()()
   local embedded = nn.LookupTable(input_size, rnn_size)(x)
   local i2h = nn.Linear(rnn_size, 4 * rnn_size)(embedded):annotate { name = 'i2h' }
   local h2h = nn.Linear(rnn_size, 4 * rnn_size)(prev_h):annotate { name = 'h2h' }
   local sums = nn.Reshape(4, rnn_size)(nn.CAddTable()({ i2h, h2h }))
   local n1, n2, n3, n4 = nn.SplitTable(2)(sums):split(4)
   local in_gate, forget_gate, out_gate = nn.Sigmoid()(n1), nn.Sigmoid()(n2), nn.Sigmoid()(n3)
   local next_c = nn.CAddTable()({
      nn.CMulTable()({ forget_gate, prev_c }), nn.CMulTable()({ in_gate, nn.Tanh()(n4) }),
   })
   local next_h = nn.CMulTable()({ out_gate, nn.Tanh()(next_c) })
   local prediction = nn.LogSoftMax()(nn.Linear(rnn_size, input_size)(next_h))
   return nn.gModule({ x, prev_c, prev_h }, { next_c, next_h, prediction })
end

local protos = { rnn = lstm(size, opt.rnn_size), criterion = nn.ClassNLLCriterion() }
local params, grad_params = protos.rnn:getParameters()
params:uniform(-0.08, 0.08)
-- The forget gate begins open.
for _, node in ipairs(protos.rnn.forwardnodes) do
   if node.data.annotations.name == 'i2h' then
      node.data.module.bias[{ { opt.rnn_size + 1, 2 * opt.rnn_size } }]:fill(1)
   end
end
print('parameters: ' .. params:nElement() .. ', characters: ' .. size)

-- Copies by way of a file in memory; what they share are the tensors of the parameters.
local function clones_over_time(net, count)
   local clones = {}
   local own, own_gradients = net:parameters()
   local mem = torch.MemoryFile('w'):binary()
   mem:writeObject(net)
   for t = 1, count do
      local reader = torch.MemoryFile(mem:storage(), 'r'):binary()
      local clone = reader:readObject()
      reader:close()
      local theirs, their_gradients = clone:parameters()
      for i = 1, #(own or {}) do
         theirs[i]:set(own[i])
         their_gradients[i]:set(own_gradients[i])
      end
      clones[t] = clone
      collectgarbage()
   end
   mem:close()
   return clones
end

local rnn = clones_over_time(protos.rnn, opt.seq_length)
local criterion = {}
for t = 1, opt.seq_length do criterion[t] = protos.criterion:clone() end

-- A batch of sequences that begin at random positions, and the characters that follow.
local function batch()
   local x, y = torch.Tensor(opt.batch_size, opt.seq_length), torch.Tensor(opt.batch_size, opt.seq_length)
   for b = 1, opt.batch_size do
      local at = torch.random(1, data:size(1) - opt.seq_length)
      x[b]:copy(data:narrow(1, at, opt.seq_length))
      y[b]:copy(data:narrow(1, at + 1, opt.seq_length))
   end
   return x, y
end

local zeros = torch.zeros(opt.batch_size, opt.rnn_size)

local function feval(flat)
   if flat ~= params then params:copy(flat) end
   grad_params:zero()
   local x, y = batch()
   local c, h, predictions, loss = { [0] = zeros }, { [0] = zeros }, {}, 0
   for t = 1, opt.seq_length do
      rnn[t]:training()
      c[t], h[t], predictions[t] = unpack(rnn[t]:forward { x[{ {}, t }], c[t - 1], h[t - 1] })
      loss = loss + criterion[t]:forward(predictions[t], y[{ {}, t }])
   end
   local dc, dh = zeros:clone(), zeros:clone()
   for t = opt.seq_length, 1, -1 do
      local dprediction = criterion[t]:backward(predictions[t], y[{ {}, t }])
      local gradients = rnn[t]:backward({ x[{ {}, t }], c[t - 1], h[t - 1] }, { dc, dh, dprediction })
      dc, dh = gradients[2], gradients[3]
   end
   grad_params:div(opt.seq_length):clamp(-opt.grad_clip, opt.grad_clip)
   return loss / opt.seq_length, grad_params
end

local state, first, last = { learningRate = opt.learning_rate, alpha = 0.95 }, nil, nil
for _ = 1, opt.max_iters do
   local _, loss = optim.rmsprop(feval, params, state)
   first, last = first or loss[1], loss[1]
end
print(('loss at the start above 3: %s, at the end below 0.5: %s'):format(first > 3, last < 0.5))

-- A checkpoint, written and read.
if not lfs.attributes(opt.checkpoint_dir) then lfs.mkdir(opt.checkpoint_dir) end
local file = paths.concat(opt.checkpoint_dir, 'lm_lstm.t7')
torch.save(file, { protos = protos, opt = opt, vocab = vocab })
local checkpoint = torch.load(file)

-- Writes on from the beginning of a word, always the most likely character.
local net = checkpoint.protos.rnn
net:evaluate()
local c, h, prediction = torch.zeros(1, opt.rnn_size), torch.zeros(1, opt.rnn_size), nil
local written = 'ten green'
local function read(character)
   local out = net:forward { torch.Tensor { checkpoint.vocab[character] }, c, h }
   c, h, prediction = out[1]:clone(), out[2]:clone(), out[3]
end
for character in written:gmatch '.' do read(character) end
for _ = 1, 30 do
   local _, most = prediction:max(2)
   local character = checkpoint.vocab[most[1][1]]
   written = written .. character
   read(character)
end
print(written)
