-- Small pictures of digits, drawn, moved and made noisy, told apart by a convolutional net.
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

for epoch = 1, 10 do
   local order, sum = torch.randperm(4000):long(), 0
   for first = 1, 4000, batch do
      local chosen = order:narrow(1, first, batch)
      local x, t = inputs:index(1, chosen), targets:index(1, chosen)
      local _, loss = optim.adam(function()
         gradients:zero()
         local value = criterion:forward(net:forward(x), t)
         net:backward(x, criterion:backward(net.output, t))
         return value, gradients
      end, parameters, state)
      sum = sum + loss[1]
   end
   print(('epoch %d  loss %.1f'):format(epoch, sum / (4000 / batch)))
end

net:evaluate()
local confusion = optim.ConfusionMatrix(10)
confusion:batchAdd(net:forward(unseen), answers)
confusion:updateValids()
print('above 95% on unseen pictures:', confusion.totalValid > 0.95)
