-- Steps of training the network of examples/digits.lua, shared by the ranks of MPI: prints the least and the median of
-- the milliseconds of a step, over blocks of few steps, since other programs may take a core meanwhile.
--
--    mpiexec -n 2 t7 benchmarks/data_parallel.lua [batch [threads]]
local mpi = require 'mpi'
require 'nn'
require 'optim'
torch.setdefaulttensortype('torch.FloatTensor')
torch.manualSeed(1)
if arg[2] then torch.setnumthreads(tonumber(arg[2])) end

local count = (arg[1] or 50) / mpi.size()
local net = nn.Sequential()
net:add(nn.SpatialConvolution(1, 8, 3, 3)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
net:add(nn.SpatialConvolution(8, 16, 3, 3)):add(nn.ReLU())
net:add(nn.View(16 * 3 * 3)):add(nn.Linear(16 * 3 * 3, 10)):add(nn.LogSoftMax())
local criterion = nn.ClassNLLCriterion()
local parameters, gradients = net:getParameters()
local x, t, state = torch.randn(count, 1, 12, 12), torch.range(0, count - 1):fmod(10):add(1), { learningRate = 0.01 }

local function step()
   optim.adam(function()
      gradients:zero()
      local value = criterion:forward(net:forward(x), t)
      net:backward(x, criterion:backward(net.output, t))
      mpi.allreduce(gradients, 'mean')
      return value, gradients
   end, parameters, state)
end

for _ = 1, 100 do step() end
local times = {}
for block = 1, 400 do
   mpi.barrier()
   local begun = sys.clock()
   for _ = 1, 4 do step() end
   times[block] = (sys.clock() - begun) / 4 * 1000
end
table.sort(times)
if mpi.rank() == 0 then print(('%.4f %.4f'):format(times[1], times[#times / 2])) end
