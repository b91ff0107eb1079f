-- A 2-8-1 network trained by optim, with a closure for each step, as tutorials do: LuaJIT does not compile that loop.
local nn, optim = require 'nn', require 'optim'
local net = nn.Sequential():add(nn.Linear(2, 8)):add(nn.Tanh()):add(nn.Linear(8, 1))
local criterion = nn.MSECriterion()
local x, y = torch.Tensor{ { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 } }, torch.Tensor{ { 0 }, { 1 }, { 1 }, { 0 } }
local parameters, gradients = net:getParameters()
local config = { learningRate = 0.1, momentum = 0.9 }

return function()
   for _ = 1, 100 do
      local function evaluate()
         gradients:zero()
         local output = net:forward(x)
         local loss = criterion:forward(output, y)
         net:backward(x, criterion:backward(output, y))
         return loss, gradients
      end
      optim.sgd(evaluate, parameters, config)
   end
end, 100
