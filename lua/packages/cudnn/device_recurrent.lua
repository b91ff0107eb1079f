-- Recurrent networks on a device of PyTorch: whole sequences in one call, which is cuDNN's on its GPUs. The flat vector
-- of weights is laid out as cuDNN's is, so that PyTorch uses views of it.

local device_calls, geometry = require 'cunn.device_calls', require 'torch.base.geometry'
local of_tensor = require('torch.base.types').of_tensor
local call, changed, give, need = device_calls.call, device_calls.changed, device_calls.give, device_calls.need
local view, view_or_nil = device_calls.view, device_calls.view_or_nil
local numel, same_size = geometry.numel, geometry.same_size

-- The data that backward needs of a module's last forward; it is not saved to files.
local runs = setmetatable({}, { __mode = 'k' })

-- The state in which a sequence begins, nil for zeros.
local function first_state(self, T, which, batch)
   local given = self[which .. 'Input'] or self.rememberStates and self[which .. 'Output']
   if not given or numel(given) ~= self.numLayers * self.directions * batch * self.hiddenSize then return nil end
   return view(T, given)
end

local methods = {}

function methods.updateOutput(self, T, x)
   runs[self] = nil
   need((x._dim == 3 or x._dim == 2 and not self.batchFirst) and x._size[x._dim - 1] == self.inputSize)
   local batch = x._dim == 2 and 1 or x._size[self.batchFirst and 0 or 1]
   local run, y, hidden, cell = call('recurrent', self.mode, view(T, x), view(T, self.weight),
      first_state(self, T, 'hidden', batch), first_state(self, T, 'cell', batch), self.hiddenSize, self.numLayers,
      self.directions, self.batchFirst, self.dropout, self.train ~= false)
   need(run)
   self._runs, self._masks, runs[self] = nil, nil, run
   self.output = give(T, of_tensor(self.output) == T and self.output or T.new_tensor(), y)
   self.hiddenOutput = give(T, T.new_tensor(), hidden)
   self.cellOutput = cell and give(T, T.new_tensor(), cell) or nil
   return self.output
end

function methods.updateGradInput(self, T, _, g)
   need(runs[self] and of_tensor(g) == T and same_size(g, self.output))
   return give(T, of_tensor(self.gradInput) == T and self.gradInput or T.new_tensor(), call('recurrent_input',
      runs[self], view(T, g), view_or_nil(T, self.gradHiddenOutput), view_or_nil(T, self.gradCellOutput)))
end

function methods.accGradParameters(self, T, _, _, scale)
   need(runs[self])
   changed(T, call('recurrent_parameters', runs[self], view(T, self.gradWeight), scale or 1), self.gradWeight)
end

return function(cudnn)
   local RNN = cudnn.RNN
   for _, name in ipairs { 'updateOutput', 'updateGradInput', 'accGradParameters' } do
      RNN[name] = device_calls.tried(RNN[name], methods[name])
   end
end
