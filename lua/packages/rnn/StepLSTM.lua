-- nn.StepLSTM and nn.StepGRU: one step of a layer: { input, previous output [, previous cell] } gives the output, or {
-- output, cell }.

local torch = require 'torch'
local check = require 'torch.base.check'
local recurrent_sweep, zero_rows = require 'nn.kernels.recurrent_sweep', require 'rnn.zero_rows'

return function(Class, parent, nn, name)

   local cell = require 'rnn.gate_layers'(Class, name == 'StepLSTM' and 'SeqLSTM' or 'SeqGRU')

   function Class:__init(inputsize, hiddensize, outputsize)
      parent.__init(self)
      self:beginGates(name, inputsize, hiddensize, cell.has_state and outputsize or nil, outputsize ~= nil)
      self.v2, self.gates = true, torch.Tensor()
   end

   if not cell.has_state then
      local make = Class.__init
      function Class:__init(inputsize, outputsize) make(self, inputsize, outputsize) end
   end

   -- The parts of an input: batch x inputs, batch x outputs, batch x hidden.
   local function parts_of(self, input)
      check.kind(self, 'input', input, 'table')
      local inputs, hidden, outputs = self:gateSizes()
      for i, size in ipairs { inputs, outputs, cell.has_state and hidden or nil } do
         local what = string.format('input[%d]', i)
         check.same_type(self, what, check.tensor(self, what, input[i]), self.weight)
         if input[i]:dim() ~= 2 or input[i]:size(2) ~= size or input[i]:size(1) ~= input[1]:size(1) then
            check.argument_error(self, what, string.format('a tensor of batch x %d', size), input[i])
         end
      end
      return input[1], input[2], input[3], hidden
   end

   -- The samples that are zero: 1 x batch x 1, or nil.
   local function masks_of(self, x)
      if not self.maskzero or self.zeroMask == false then return nil end
      if self.v2 == false then
         self.zeroMask = zero_rows.mask(self, x, 1)
      elseif self.zeroMask == nil then
         check.fail(self, 'a mask, or false, must be given by setZeroMask before forward')
      end
      check.same_count(self, 'mask', self.zeroMask, x:select(2, 1))
      return self.zeroMask:contiguous():view(1, -1, 1)
   end

   -- Sets the field `gates`: batch x (gates * hidden), in the order of the weights, 0 where a mask is; and `hidden`,
   -- what a projection is of.
   local function keep_gates(self, kept)
      local order = cell.has_state and { 1, 2, 4, 3 } or { 1, 2, 3 }
      local list = {}
      for i, number in ipairs(order) do list[i] = kept[number] end
      self.gates, self.hidden = torch.cat(list, 2), self._run.raw and self._run.raw[1]
      if self._run.masks then
         self.gates:maskedFill(self._run.masks[1]:eq(1):view(-1, 1):expandAs(self.gates), 0)
      end
   end

   function Class:updateOutput(input)
      local x, h, c, hidden = parts_of(self, input)
      self._run = recurrent_sweep.forward(cell, self:gateViews(self.weight, self.bias, self.weightO),
         x:contiguous():view(1, x:size(1), -1), h, c, hidden, false, masks_of(self, x))
      keep_gates(self, self._run.kept[1])
      self.output = cell.has_state and { self._run.last, self._run.state } or self._run.last
      return self.output
   end

   function Class:updateGradInput(input, gradOutput)
      local run = self._run
      if not run then check.fail(self, 'backward called before forward') end
      local x = parts_of(self, input)
      local dh, dc = gradOutput, nil
      if cell.has_state then dh, dc = check.kind(self, 'gradOutput', gradOutput, 'table')[1], gradOutput[2] end
      check.same_type(self, 'gradOutput', check.same_size(self, 'gradOutput', dh, run.last), self.weight)
      if cell.has_state then
         check.same_type(self, 'gradOutput', check.same_size(self, 'gradOutput', dc, run.state), dh)
      end
      local dx = recurrent_sweep.backward(cell, self:gateViews(self.weight, self.bias, self.weightO), run,
         dh:contiguous():view(1, dh:size(1), -1), nil, dc)
      self.gradInput = { dx:view(x:size(1), -1), run.dbefore, cell.has_state and run.dstate or nil }
      return self.gradInput
   end

   Class.setZeroMask = nn.MaskZero.setZeroMask

   function Class:__tostring__() return torch.type(self) .. self:sizesText() end
end
