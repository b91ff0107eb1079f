-- A variational autoencoder of bars: classes of the program's own in a graph of modules, two criterions at once, and
-- pictures from codes that were never seen.

require 'nngraph'
require 'optim'
torch.manualSeed(3)

local SIDE, HIDDEN, CODES, BATCH = 6, 32, 2, 30

-- A sample of a normal distribution: mean + eps * exp(log variance / 2).
local Sampler, parent = torch.class('nn.Sampler', 'nn.Module')

function Sampler:__init()
   parent.__init(self)
   self.gradInput = {}
end

function Sampler:updateOutput(input)
   local mean, log_variance = unpack(input)
   self.eps = self.eps or mean.new()
   self.eps:randn(mean:size())
   self.output:resizeAs(log_variance):copy(log_variance):mul(0.5):exp():cmul(self.eps):add(mean)
   return self.output
end

function Sampler:updateGradInput(input, gradOutput)
   self.gradInput[1] = gradOutput
   self.gradInput[2] = self.gradInput[2] or input[2].new()
   self.gradInput[2]:resizeAs(input[2]):copy(input[2]):mul(0.5):exp():mul(0.5):cmul(self.eps):cmul(gradOutput)
   return self.gradInput
end

-- The divergence of codes from the standard normal distribution; it is given no target.
local KLDCriterion = torch.class('nn.KLDCriterion', 'nn.Criterion')

function KLDCriterion:updateOutput(codes)
   local mean, log_variance = unpack(codes)
   local inside = torch.exp(log_variance):mul(-1):add(-1, torch.pow(mean, 2)):add(log_variance):add(1)
   self.output = -0.5 * inside:sum()
   return self.output
end

function KLDCriterion:updateGradInput(codes)
   self.gradInput = { codes[1]:clone(), torch.exp(codes[2]):add(-1):mul(0.5) }
   return self.gradInput
end

-- Pictures that show one bar, a row or a column.
local function pictures(n)
   local x = torch.zeros(n, SIDE, SIDE)
   for i = 1, n do x[i]:select(torch.random(2), torch.random(SIDE)):fill(1) end
   return x:view(n, -1)
end

local function encoder()
   local hidden = nn.Sequential():add(nn.Linear(SIDE ^ 2, HIDDEN)):add(nn.ReLU(true))
   return hidden:add(nn.ConcatTable():add(nn.Linear(HIDDEN, CODES)):add(nn.Linear(HIDDEN, CODES)))
end

local decoder = nn.Sequential()
   :add(nn.Linear(CODES, HIDDEN)):add(nn.ReLU(true)):add(nn.Linear(HIDDEN, SIDE ^ 2)):add(nn.Sigmoid(true))
local input = nn.Identity()()
local mean, log_variance = encoder()(input):split(2)
local reconstruction = decoder(nn.Sampler() { mean, log_variance })
local model = nn.gModule({ input }, { reconstruction, mean, log_variance })

local bce, kld = nn.BCECriterion(), nn.KLDCriterion()
bce.sizeAverage = false
local parameters, gradients = model:getParameters()
local data, config = pictures(300), { learningRate = 0.01 }
local first, bound

for epoch = 1, 40 do
   bound = 0
   for _, indices in ipairs(torch.randperm(data:size(1)):long():split(BATCH)) do
      local batch = data:index(1, indices)
      local function feval(x)
         if x ~= parameters then parameters:copy(x) end
         gradients:zero()
         local output = model:forward(batch)
         local codes = { output[2], output[3] }
         local loss = bce:forward(output[1], batch) + kld:forward(codes)
         model:backward(batch, { bce:backward(output[1], batch), unpack(kld:backward(codes)) })
         return loss / BATCH, gradients:div(BATCH)
      end
      local _, losses = optim.adam(feval, parameters, config)
      bound = bound + losses[1] * BATCH / data:size(1)
   end
   first = first or bound
   if epoch % 20 == 0 then
      print(('epoch %d: %s'):format(epoch, bound < first / 1.5 and 'the bound is better' or 'the bound is no better'))
   end
end

-- Files hold classes of the program by name.
torch.save('vae.t7', { model = model:clearState(), decoder = decoder })
local stored = torch.load 'vae.t7'
model:evaluate()
print('nodes in the file:', #stored.model.forwardnodes, torch.type(stored.model:findModules('nn.Sampler')[1]))

-- The most alike of all bars, for a picture from each code of a grid.
local bars = torch.zeros(2 * SIDE, SIDE, SIDE)
for i = 1, SIDE do
   bars[i][i] = 1
   bars[{ SIDE + i, {}, i }] = 1
end
local seen = torch.zeros(2 * SIDE)
for a = -2, 2, 0.25 do
   for b = -2, 2, 0.25 do
      local picture = stored.decoder:forward(torch.Tensor { a, b })
      local _, best = torch.max(bars:view(2 * SIDE, -1) * picture, 1)
      seen[best[1]] = 1
   end
end
print(('bars that codes of a grid show: %s'):format(seen:sum() > 6 and 'more than half' or 'half or less'))
