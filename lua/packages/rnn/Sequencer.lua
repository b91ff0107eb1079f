-- nn.Sequencer: a module for each step of a sequence, a table or a tensor along its first dimension. Modules that are
-- not recurrent are put into an nn.Recursor.

local torch = require 'torch'
local check, expect, modes = require 'torch.base.check', require 'nn.checks.expect', require 'rnn.modes'

return function(Sequencer, parent, nn)

   function Sequencer:__init(module)
      parent.__init(self)
      self.module = self.asRecurrent(nn, expect.instance_of('nn.Module', 'Sequencer', 'argument 1', module))
      self.modules = { self.module }
      self.output, self.tableoutput, self.tablegradInput, self._output, self._remember = {}, {}, {}, {}, 'neither'
   end

   local function steps_of(self, what, sequence, wanted)
      local steps
      if torch.isTensor(sequence) then
         if sequence:dim() < 2 and wanted == nil then
            check.argument_error(self, what, 'a table, or a tensor of steps x batch x ...', sequence)
         end
         steps = sequence:dim() > 0 and sequence:size(1) or 0
      elseif torch.type(sequence) == 'table' then
         steps = #sequence
      else
         check.argument_error(self, what, 'a tensor or a table of steps', sequence)
      end
      if wanted and steps ~= wanted then
         check.argument_error(self, what, string.format('a sequence of %d steps, as the input is', wanted), sequence)
      end
      return steps
   end

   -- Steps as a tensor, in memory of the sequence.
   local function stack(self, to, list, steps)
      local first = list[1]
      if not torch.isTensor(first) then
         check.argument_error(self, 'input', 'a table, since each step gives a table', first)
      end
      if not torch.isTensor(to) or to:type() ~= first:type() then to = first.new() end
      local sizes = torch.LongStorage(first:dim() + 1)
      sizes[1] = steps
      for d = 1, first:dim() do sizes[d + 1] = first:size(d) end
      to:resize(sizes)
      for step = 1, steps do to[step]:copy(list[step]) end
      return to
   end

   -- The table of outputs: in evaluation the same one each time, with copies, since all steps share one module whose
   -- output the next step overwrites. Copies that a shorter sequence does not need are kept for a longer one.
   local function table_of(self, steps)
      if self.train ~= false then return {}, nil end
      local outputs, spare = self.tableoutput or {}, self._output or {}
      self._output = spare
      for step = steps + 1, #outputs do
         table.insert(spare, outputs[step])
         outputs[step] = nil
      end
      return outputs, spare
   end

   function Sequencer:updateOutput(input)
      local steps, as_tensor = steps_of(self, 'input', input), torch.isTensor(input)
      local module = self.modules[1]
      if steps > 0 then module:maxBPTTstep(steps) end
      if not self:hasMemory() then module:forget() end
      local outputs, spare = table_of(self, steps)
      for step = 1, steps do
         local y = self:rethrowErrors(module, 1, 'updateOutput', input[step])
         outputs[step] = spare and nn.rnn.recursiveCopy(outputs[step] or table.remove(spare, 1), y) or y
      end
      self.tableoutput = outputs
      if as_tensor and steps > 0 then
         self.output = stack(self, self.output, outputs, steps)
      else
         self.output = outputs
      end
      return self.output
   end

   function Sequencer:updateGradInput(input, gradOutput)
      local steps = steps_of(self, 'input', input)
      steps_of(self, 'gradOutput', gradOutput, steps)
      local gradients = {}
      for step = steps, 1, -1 do
         gradients[step] = self:rethrowErrors(self.modules[1], 1, 'updateGradInput', input[step], gradOutput[step])
      end
      self.tablegradInput = gradients
      if torch.isTensor(input) and torch.isTensor(gradients[1]) then
         self.gradInput = stack(self, self.gradInput, gradients, steps)
      else
         self.gradInput = gradients
      end
      return self.gradInput
   end

   function Sequencer:accGradParameters(input, gradOutput, scale)
      local steps = steps_of(self, 'input', input)
      steps_of(self, 'gradOutput', gradOutput, steps)
      for step = steps, 1, -1 do
         self:rethrowErrors(self.modules[1], 1, 'accGradParameters', input[step], gradOutput[step], scale or 1)
      end
   end

   function Sequencer:accUpdateGradParameters()
      check.fail(self, 'accUpdateGradParameters is not defined for sequences: use backward and updateParameters')
   end

   modes(Sequencer, parent, function(self, method)
      -- These are tensors of the steps' modules.
      self.tableoutput, self._output = {}, {}
      return method(self)
   end)

   function Sequencer:clearState()
      self.tableoutput, self.tablegradInput, self._output = {}, {}, {}
      parent.clearState(self)
      self.output, self.gradInput = {}, {}
      return self
   end

   Sequencer.__tostring__ = nn.Decorator.__tostring__
end
