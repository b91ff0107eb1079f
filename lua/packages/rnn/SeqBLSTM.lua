-- nn.SeqBLSTM and nn.SeqBGRU: a layer over whole sequences in both directions. A projection and a merge, by default the
-- sum, may follow the sizes.

local torch = require 'torch'

return function(Class, parent, nn, name)

   local Layer = name == 'SeqBLSTM' and 'SeqLSTM' or 'SeqGRU'

   function Class:__init(inputsize, hiddensize, outputsize, merge)
      if Layer == 'SeqGRU' or torch.isTypeOf(outputsize, 'nn.Module') then outputsize, merge = nil, outputsize end
      parent.__init(self, nn[Layer](inputsize, hiddensize, outputsize), nil, merge)
   end

   if Layer == 'SeqGRU' then
      local make = Class.__init
      function Class:__init(inputsize, outputsize, merge) make(self, inputsize, outputsize, merge) end
   end

   -- The layers of a later generation are printed with their sizes.
   function Class:__tostring__()
      local text = parent.__tostring__(self)
      local layer = self:getForward()
      local sizes = { layer.inputsize, layer.hiddensize ~= layer.outputsize and layer.hiddensize or nil,
         layer.outputsize }
      local list = {}
      for i = 1, 3 do list[#list + 1] = sizes[i] end
      return (string.gsub(text, 'nn%.' .. Layer .. '\n', string.format('nn.%s(%s)\n', Layer, table.concat(list,
         ' -> '))))
   end
end
