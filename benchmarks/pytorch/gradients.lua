-- Gradients of functions by autograd, compared with gradients.py, and a step of the same network in nn: prints
-- name, tab, microseconds, the least of many.
--
--    t7 gradients.lua [part of a name]

local grad = require 'autograd'
torch.setdefaulttensortype('torch.FloatTensor')
torch.manualSeed(1)

local row = require('measuring').row

local function classes(count, n) return torch.LongTensor(count):random(n):float() end

local function descend(params, grads)
   for key, p in pairs(params) do p:add(-0.01, grads[key]) end
end

row('MLP 784-300-10, batch 32, gradient step', function()
   local x, y = torch.rand(32, 784), classes(32, 10)
   local loss, log_softmax = grad.nn.ClassNLLCriterion(), grad.nn.LogSoftMax()
   local params = { w1 = torch.randn(784, 300):mul(0.03), b1 = torch.zeros(1, 300), w2 = torch.randn(300, 10):mul(0.05),
      b2 = torch.zeros(1, 10) }
   local df = grad(function(p)
      local h = torch.tanh(x * p.w1 + torch.expand(p.b1, 32, 300))
      return loss(log_softmax(h * p.w2 + torch.expand(p.b2, 32, 10)), y)
   end)
   return function() descend(params, (df(params))) end
end, 1)

row('MLP 784-300-10, batch 32, modules of nn', function()
   local x, y = torch.rand(32, 784), classes(32, 10)
   local net = nn.Sequential():add(nn.Linear(784, 300)):add(nn.Tanh()):add(nn.Linear(300, 10)):add(nn.LogSoftMax())
   local criterion = nn.ClassNLLCriterion()
   return function()
      criterion:forward(net:forward(x), y)
      net:zeroGradParameters()
      net:backward(x, criterion:backward(net.output, y))
      net:updateParameters(0.01)
   end
end, 1)

row('GRU 64, 20 steps, batch 16, gradient', function()
   local f, params = grad.model.RecurrentGRUNetwork { inputFeatures = 64, hiddenFeatures = 64 }
   for _, name in ipairs { 'W', 'b', 'V', 'c' } do params[1][name]:uniform(-0.1, 0.1) end
   local x = torch.rand(16, 20, 64)
   local df = grad(function(p) return torch.sum((f(p, x))) end)
   return function() df(params) end
end, 1)

row('sum(tanh(w x)), w 4x4, gradient', function()
   local w, x = torch.randn(4, 4), torch.randn(4)
   local df = grad(function(p) return torch.sum(torch.tanh(p * x)) end)
   return function() df(w) end
end)

row('product of a gradient and a vector, differentiated, 50', function()
   local a, v = torch.randn(50, 50), torch.randn(50)
   local df = grad(function(x) return torch.sum(torch.exp(torch.tanh(a * x))) end)
   local hv = grad(function(x) return torch.dot(df(x), v) end)
   local x = torch.randn(50)
   return function() hv(x) end
end)
