-- A recurrent net that is unrolled by clones reads text letter by letter and learns which one comes next.
require 'nn'
require 'optim'
torch.manualSeed(4)

local text = ('a quick brown fox jumps over lazy dogs. '):rep(6)
local letters, number = {}, {}
for c in text:gmatch '.' do
   if not number[c] then
      letters[#letters + 1] = c
      number[c] = #letters
   end
end
local count, size, length = #letters, 24, 16

-- {letter, state before} to {logarithms of probabilities, state}.
local function step()
   local add = nn.Sequential():add(nn.ParallelTable():add(nn.LookupTable(count, size)):add(nn.Linear(size, size)))
      :add(nn.CAddTable()):add(nn.Tanh())
   local out = nn.Sequential():add(nn.Linear(size, count)):add(nn.LogSoftMax())
   return nn.Sequential():add(add):add(nn.ConcatTable():add(out):add(nn.Identity()))
end

local cell = step()
local parameters, gradients = cell:getParameters()
parameters:uniform(-0.2, 0.2)
local steps, criterions = {}, {}
for i = 1, length do
   steps[i] = cell:clone('weight', 'bias', 'gradWeight', 'gradBias')
   criterions[i] = nn.ClassNLLCriterion()
end

local position, first = 1, torch.zeros(1, size)
local function letter(at) return torch.LongTensor{number[text:sub(at, at)]} end

local function evaluate()
   gradients:zero()
   if position + length > #text then position, first = 1, torch.zeros(1, size) end
   local states, loss = { [0] = first }, 0
   for i = 1, length do
      local output = steps[i]:forward{letter(position + i - 1), states[i - 1]}
      states[i] = output[2]
      loss = loss + criterions[i]:forward(output[1], letter(position + i))
   end
   local back = torch.zeros(1, size)
   for i = length, 1, -1 do
      local slope = criterions[i]:backward(steps[i].output[1], letter(position + i))
      back = steps[i]:backward({ letter(position + i - 1), states[i - 1] }, { slope, back })[2]
   end
   first = states[length]:clone()
   position = position + length
   gradients:clamp(-5, 5)
   return loss / length, gradients
end

local state, mean = { learningRate = 0.01 }, nil
for i = 1, 600 do
   local _, loss = optim.rmsprop(evaluate, parameters, state)
   mean = mean and 0.98 * mean + 0.02 * loss[1] or loss[1]
   if i % 200 == 0 then print(('step %d  loss below 0.5: %s'):format(i, mean < 0.5)) end
end

-- The most likely letters after 'a quick '.
local h, line = torch.zeros(1, size), 'a quick '
local output
for c in line:gmatch '.' do
   output = cell:forward{torch.LongTensor{number[c]}, h}
   h = output[2]:clone()
end
for _ = 1, 20 do
   local _, best = output[1]:max(2)
   line = line .. letters[best[1][1]]
   output = cell:forward{torch.LongTensor{best[1][1]}, h}
   h = output[2]:clone()
end
print(line)
