-- Linear regression: what gradient descent finds, beside the closed form.
require 'nn'
require 'optim'
torch.manualSeed(1)

-- y = 3 a - 2 b + 0.5 and some noise.
local x = torch.randn(200, 2)
local y = x * torch.Tensor{3, -2} + 0.5 + torch.randn(200) * 0.1
y = y:view(200, 1)

local net = nn.Linear(2, 1)
local criterion = nn.MSECriterion()
local parameters, gradients = net:getParameters()

local function evaluate()
   gradients:zero()
   local loss = criterion:forward(net:forward(x), y)
   net:backward(x, criterion:backward(net.output, y))
   return loss, gradients
end

local state = { learningRate = 0.1 }
for step = 1, 100 do
   local _, loss = optim.sgd(evaluate, parameters, state)
   if step % 50 == 0 then print(('step %3d  loss %.5f'):format(step, loss[1])) end
end

-- The least squares of [x 1] w = y.
local solution = torch.gels(y, torch.cat(x, torch.ones(200, 1), 2)):narrow(1, 1, 3)
local found = torch.cat(net.weight:view(-1), net.bias)
print(('found        %.4f %.4f %.4f'):format(found[1], found[2], found[3]))
print(('closed form  %.4f %.4f %.4f'):format(solution[1][1], solution[2][1], solution[3][1]))
print('difference below 1e-4:', (found - solution:view(-1)):abs():max() < 1e-4)
