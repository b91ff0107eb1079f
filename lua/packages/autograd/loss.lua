-- autograd.loss: functions that return a loss, a number; most of them also return the output that was compared.

local torch = require 'torch'
local tape, util = require 'autograd.tape', require 'autograd.util'

local loss = {}

function loss.logMultinomialLoss(out, target) return -torch.sum(torch.cmul(out, target)) end

-- The binary cross entropy of probabilities y and targets.
local function binary(target, y)
   return -torch.sum(torch.cmul(target, torch.log(y)) + torch.cmul(-target + 1, torch.log(-y + 1)))
end

-- `p`, if given, is added to the outputs, so that none is 0.
function loss.logBCELoss(out, target, p)
   if p then out = out + p end
   return binary(target, out)
end

function loss.crossEntropy(out, target)
   local y = util.logSoftMax(out)
   return -torch.sum(torch.cmul(y, target)), y
end

function loss.binaryCrossEntropy(out, target)
   local p = 1e-6
   local y = torch.sigmoid(out) * (1 - 2 * p) + p
   return binary(target, y), y
end

function loss.leastSquares(out, target)
   local difference = out - target
   return torch.sum(torch.cmul(difference, difference)), out
end

-- The sum of max(0, margin - (a - b)) over all outputs a of target 1 and b of target 0.
function loss.margin(out, target, margin)
   local t = tape.unwrap(target)
   local ones, zeros = out[torch.eq(t, 1)], out[torch.eq(t, 0)]
   local n, m = torch.size(ones, 1), torch.size(zeros, 1)
   local difference = torch.expand(torch.view(ones, n, 1), n, m) - torch.expand(torch.view(zeros, 1, m), n, m)
   local missing = -difference + (margin or 1)
   return torch.sum(missing[torch.gt(missing, 0)]), out
end

return loss
