-- A net with one hidden layer learns the exclusive or, one example after the other.
require 'nn'
torch.manualSeed(2)

local inputs = torch.Tensor{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}}
local targets = torch.Tensor{{-1}, {1}, {1}, {-1}}

local net = nn.Sequential():add(nn.Linear(2, 8)):add(nn.Tanh()):add(nn.Linear(8, 1))
local criterion = nn.MSECriterion()
print(net)

for iteration = 1, 100 do
   local sum = 0
   for i = 1, 4 do
      sum = sum + criterion:forward(net:forward(inputs[i]), targets[i])
      net:zeroGradParameters()
      net:backward(inputs[i], criterion:backward(net.output, targets[i]))
      net:updateParameters(0.05)
   end
   if iteration % 20 == 0 then print(('iteration %3d  error %.4f'):format(iteration, sum / 4)) end
end

for i = 1, 4 do
   local a, b = inputs[i][1], inputs[i][2]
   print(('%2d xor %2d = %2d'):format(a, b, net:forward(inputs[i])[1] > 0 and 1 or -1))
end
