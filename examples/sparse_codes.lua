-- Learns a dictionary of sparse codes: each picture shows two of twelve bars, which the dictionary finds again.

require 'unsup'

local cmd = torch.CmdLine()
cmd:text 'Predictive sparse decomposition of bars'
cmd:option('-seed', 1, 'initial random seed')
cmd:option('-bars', 6, 'bars of each direction')
cmd:option('-lambda', 0.1, 'sparsity coefficient')
cmd:option('-beta', 1, 'prediction error coefficient')
cmd:option('-eta', 0.05, 'learning rate')
cmd:option('-maxiter', 5000, 'max number of updates')
local params = cmd:parse(arg or {})

torch.manualSeed(params.seed)
local n = params.bars

local dataset = {}
function dataset:size() return params.maxiter end

-- A picture of two bars, each a row or a column, lighter or darker than the rest.
setmetatable(dataset, { __index = function()
   local picture = torch.zeros(n, n)
   for _ = 1, 2 do picture:select(torch.random(2), torch.random(n)):add(torch.normal()) end
   picture = picture:view(-1)
   return { picture, picture }
end })

local module = unsup.LinearPSD(n * n, 2 * n, params.lambda, params.beta)
local x, dl_dx = module:getParameters()
module:normalize()

local function step(sample)
   local history
   local feval = function()
      dl_dx:zero()
      local f
      f, history = module:updateOutput(sample[1], sample[2])
      module:updateGradInput(sample[1], sample[2])
      module:accGradParameters(sample[1], sample[2])
      return f, dl_dx
   end
   optim.sgd(feval, x, { learningRate = params.eta })
   module:normalize()
   return history[#history].F
end

local err, errs = 0, {}
for t = 1, dataset:size() do
   err = err + step(dataset[t])
   if t % 1000 == 0 then
      errs[#errs + 1], err = err / 1000, 0
   end
end
print('the loss of the decoder falls: ' .. tostring(errs[#errs] < 0.9 * errs[1]))

-- A bar of n pixels is found where a column of the dictionary is like it.
local found = 0
for direction = 1, 2 do
   for i = 1, n do
      local bar = torch.zeros(n, n)
      bar:select(direction, i):fill(1 / math.sqrt(n))
      local similar = module.decoder.D.weight:t() * bar:view(-1)
      if similar:abs():max() > 0.9 then found = found + 1 end
   end
end
print(('bars found: %d of %d'):format(found, 2 * n))
