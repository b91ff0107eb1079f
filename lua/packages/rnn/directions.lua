-- What modules of sequences that are read in both directions have in common.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'

local directions = {}

-- The modules of both directions from the arguments of a constructor: by default the second is a copy of the first with
-- separate parameters.
function directions.pair(name, forward, backward)
   expect.instance_of('nn.Module', name, 'argument 1', forward)
   if backward then return forward, expect.instance_of('nn.Module', name, 'argument 2', backward) end
   backward = forward:clone()
   backward:reset()
   return forward, backward
end

-- The merge of the outputs at a step: a module, or the dimensions of a sample, by default 1, to put them side by side.
function directions.merge_of_steps(name, nn, merge)
   if type(merge) == 'number' or merge == nil then return nn.JoinTable(1, merge or 1) end
   if torch.isTypeOf(merge, 'nn.Module') then return merge end
   check.argument_error(name, 'argument 3', 'a module or the number of dimensions', merge)
end

local LATER = { 'nn.SeqLSTM', 'nn.SeqGRU', 'nn.RecLSTM', 'nn.RecGRU', 'nn.LinearRNN', 'nn.LookupRNN' }

-- Whether a module has classes that Element-Research's modules of both directions could not hold.
function directions.is_later(module)
   for _, inner in ipairs(module:listModules()) do
      for _, class in ipairs(LATER) do
         if torch.isTypeOf(inner, class) then return true end
      end
   end
   return false
end

-- Whether a module takes whole sequences.
function directions.takes_sequences(module)
   return torch.isTypeOf(module, 'nn.AbstractSequencer') or string.find(torch.typename(module), '^nn%.Seq') ~= nil
end

return directions
