-- What the programs of this folder share: rows with their times, and steps of training.

local optim = require 'optim'

local measuring = {}

-- Prints the least microseconds that f takes, of at least three batches of a millisecond or more, for some `budget`
-- seconds: on a busy machine some batches have a core to themselves.
function measuring.time(name, f, budget)
   for _ = 1, 3 do f() end
   local count, best, batches, whole = 1, math.huge, 0, torch.Timer()
   repeat
      local timer = torch.Timer()
      for _ = 1, count do f() end
      local real = timer:time().real
      best, batches = math.min(best, real / count), batches + 1
      if real < 0.001 then count = 2 * count end
   until whole:time().real > budget and batches >= 3
   print(('%s\t%.2f'):format(name, best * 1e6))
   io.flush()
end

local part = arg and arg[1] or ''

-- A row if its name has the text that is asked for, or two with `name` at their beginning: make() gives the function,
-- or two, and is called where it is wanted.
function measuring.row(name, make, budget)
   if not name:find(part, 1, true) then return end
   budget = budget or 0.5
   collectgarbage()
   local forward, backward = make()
   if not backward then return measuring.time(name, forward, budget) end
   measuring.time(name .. ' forward', forward, budget)
   measuring.time(name .. ' backward', backward, budget)
end

-- Both rows of a module for the input that x() gives.
function measuring.layer(name, module, x)
   measuring.row(name, function()
      x = x()
      local gradient = torch.rand(module:forward(x):size())
      return function() module:forward(x) end, function()
         module:zeroGradParameters()
         module:backward(x, gradient)
      end
   end)
end

-- A step of stochastic gradient descent with momentum.
function measuring.training(net, criterion, x, y)
   local w, g = net:getParameters()
   local config = { learningRate = 0.01, momentum = 0.9 }
   local function evaluate()
      g:zero()
      local loss = criterion:forward(net:forward(x), y)
      net:backward(x, criterion:backward(net.output, y))
      return loss, g
   end
   return function() optim.sgd(evaluate, w, config) end
end

return measuring
