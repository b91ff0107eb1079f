-- The modules of sequences that are read in both directions: directions(self, nn, forward, backward, merge) sets
-- forwardModule, backwardModule and mergeModule from the arguments of a constructor, and gives the backward module
-- between two reversals.

local torch = require 'torch'
local check, instance_of = require 'torch.base.check', require 'nn.instance_of'

return function(self, nn, forward, backward, merge)
   local name = torch.type(self):match '%w+$'
   instance_of('nn.Module', name, 'argument 1', forward)
   if not backward then
      backward = forward:clone()
      backward:reset()
   else
      instance_of('nn.Module', name, 'argument 2', backward)
   end
   if type(merge) == 'number' or merge == nil then
      merge = nn.JoinTable(1, merge or 1)
   elseif not torch.isTypeOf(merge, 'nn.Module') then
      check.refuse(name, 'argument 3', 'a module or the number of dimensions', merge)
   end
   self.forwardModule = torch.isTypeOf(forward, 'nn.AbstractSequencer') and forward or nn.Sequencer(forward)
   self.backwardModule = torch.isTypeOf(backward, 'nn.AbstractSequencer') and backward or nn.Sequencer(backward)
   self.mergeModule = nn.Sequencer(merge)
   return nn.Sequential():add(nn.ReverseTable()):add(self.backwardModule):add(nn.ReverseTable())
end
