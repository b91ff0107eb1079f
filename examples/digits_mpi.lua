-- The network of digits.lua, trained by several processes at once:
--
--    mpiexec -n 2 t7 digits_mpi.lua [epochs [file for the parameters]]
--
-- Each computes the gradients of its share of a batch, and all make the same step. The result is that of one process
-- with the whole batch, up to rounding.
local mpi = require 'mpi'
require 'nn'
require 'optim'
torch.manualSeed(3)
torch.setdefaulttensortype('torch.FloatTensor')

local shapes = {
   '.###.#...##...##...##...##...#.###.', '..#...##....#....#....#....#...###.',
   '.###.#...#....#...#...#...#...#####', '####.....#....#.###.....#....#####.',
   '...#...##..#.#.#..#.#####...#....#.', '######....####.....#....##...#.###.',
   '.###.#....####.#...##...##...#.###.', '#####....#...#...#...#....#....#...',
   '.###.#...##...#.###.#...##...#.###.', '.###.#...##...#.####....#....#.###.',
}

local function examples(count)
   local pictures, labels = torch.randn(count, 1, 12, 12):mul(0.2), torch.Tensor(count)
   for i = 1, count do
      local digit = torch.random(10)
      local dy, dx = torch.random(4), torch.random(5)
      local at = 0
      for c in shapes[digit]:gmatch '.' do
         if c == '#' then
            local row, column = math.floor(at / 5) + dy, at % 5 + dx
            pictures[i][1][row][column] = pictures[i][1][row][column] + 1
         end
         at = at + 1
      end
      labels[i] = digit
   end
   return pictures, labels
end

local inputs, targets = examples(4000)
local unseen, answers = examples(500)

local net = nn.Sequential()
net:add(nn.SpatialConvolution(1, 8, 3, 3)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
net:add(nn.SpatialConvolution(8, 16, 3, 3)):add(nn.ReLU())
net:add(nn.View(16 * 3 * 3)):add(nn.Linear(16 * 3 * 3, 10)):add(nn.LogSoftMax())
local criterion = nn.ClassNLLCriterion()
local parameters, gradients = net:getParameters()
local state, batch = { learningRate = 0.01 }, 50

-- This process computes `count` samples of each batch, after those of the ranks before it.
local rank, size = mpi.rank(), mpi.size()
local before = math.floor(batch * rank / size)
local count = math.floor(batch * (rank + 1) / size) - before

for epoch = 1, arg[1] or 10 do
   local order, sum = torch.randperm(4000):long(), 0
   for first = 1, 4000, batch do
      local chosen = order:narrow(1, first + before, count)
      local x, t = inputs:index(1, chosen), targets:index(1, chosen)
      local _, loss = optim.adam(function()
         gradients:zero()
         local value = criterion:forward(net:forward(x), t)
         net:backward(x, criterion:backward(net.output, t))
         -- Of the means over shares to the mean over the batch.
         mpi.allreduce(gradients:mul(count / batch))
         return value * count / batch, gradients
      end, parameters, state)
      sum = sum + loss[1]
   end
   sum = mpi.allreduce(sum)
   if rank == 0 then print(('epoch %d  loss %.1f'):format(epoch, sum / (4000 / batch))) end
end

if rank ~= 0 then return end
if arg[2] then torch.save(arg[2], parameters) end
net:evaluate()
local confusion = optim.ConfusionMatrix(10)
confusion:batchAdd(net:forward(unseen), answers)
confusion:updateValids()
print('above 95% on unseen pictures:', confusion.totalValid > 0.95)
