-- nn.ReverseUnreverse: a module of sequences that sees the steps in the reverse order; outputs are put back in order.

local torch = require 'torch'
local check, directions = require 'torch.base.check', require 'rnn.directions'

return function(Reversed, parent, nn)

   function Reversed:__init(sequencer)
      if type(sequencer) ~= 'table' or not sequencer.updateOutput or not directions.takes_sequences(sequencer) then
         check.argument_error('ReverseUnreverse', 'argument 1', 'a module of sequences', sequencer)
      end
      parent.__init(self, nn.Sequential():add(nn.ReverseSequence()):add(sequencer):add(nn.ReverseSequence()))
   end

   function Reversed:getModule() return self:get(1):get(2) end

   -- The mask is of steps in their order.
   function Reversed:setZeroMask(mask)
      if mask then
         check.dimensions(self, 'mask', mask, 2, 99)
         mask = mask:index(1, torch.range(mask:size(1), 1, -1):long())
      end
      self.modules[1]:setZeroMask(mask)
   end

   function Reversed:reinforce() check.fail(self, 'reinforce is not defined for reversed sequences') end
end
