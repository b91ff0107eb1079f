-- A spatial transformer learns where a spot is: shifted pictures are moved back, by the error of the pixels alone.

require 'optim'
require 'stn'

local cmd = torch.CmdLine()
cmd:option('-seed', 1, 'initial random seed')
cmd:option('-steps', 200, 'number of steps')
cmd:option('-batch', 16, 'pictures of a step')
local opt = cmd:parse(arg or {})

torch.manualSeed(opt.seed)
local side = 16

-- A smooth spot with its centre at (y, x), each from -1 to 1.
local axis = torch.linspace(-1, 1, side)
local function spot(y, x)
   local rows = torch.add(axis, -y):pow(2):mul(-8):exp()
   local columns = torch.add(axis, -x):pow(2):mul(-8):exp()
   return torch.ger(rows, columns)
end

local function batch()
   local x = torch.Tensor(opt.batch, side, side, 1)
   for i = 1, opt.batch do
      x[i]:copy(spot(torch.uniform(-0.5, 0.5), torch.uniform(-0.5, 0.5)))
   end
   return x
end

-- The network that says how far to move, and the transformer that does.
local locate = nn.Sequential():add(nn.View(-1, side * side)):add(nn.Linear(side * side, 20)):add(nn.Tanh())
   :add(nn.Linear(20, 2))
local transform = nn.Sequential():add(locate):add(nn.AffineTransformMatrixGenerator(false, false, true))
   :add(nn.AffineGridGeneratorBHWD(side, side))
local net = nn.Sequential():add(nn.ConcatTable():add(nn.Identity()):add(transform)):add(nn.BilinearSamplerBHWD())
local criterion = nn.MSECriterion()
local target = spot(0, 0):view(1, side, side, 1):expand(opt.batch, side, side, 1):contiguous()

local w, dw = net:getParameters()
local first, last
for _ = 1, opt.steps do
   local x = batch()
   local _, losses = optim.adam(function()
      dw:zero()
      local loss = criterion:forward(net:forward(x), target)
      net:backward(x, criterion:backward(net.output, target))
      return loss, dw
   end, w, { learningRate = 0.005 })
   first, last = first or losses[1], losses[1]
end
print('the error falls to less than a fifth: ' .. tostring(last < first / 5))

local test = spot(0.4, -0.3)
local moved = locate:forward(test:view(1, side, side, 1))[1]
print(('a spot at 0.4, -0.3 is found: %s'):format(tostring((moved - torch.Tensor { 0.4, -0.3 }):abs():max() < 0.15)))
