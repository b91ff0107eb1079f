-- nn.Sequential: each module's output is the next one's input.

local torch = require 'torch'
local branches, expect = require 'nn.containers.branches', require 'nn.checks.expect'

return function(Sequential)

   function Sequential:add(module)
      expect.module(self, 'add', module)
      if #self.modules == 0 then self.gradInput = module.gradInput end
      table.insert(self.modules, module)
      self.output = module.output
      return self
   end

   local function update_ends(self)
      local first, last = self.modules[1], self.modules[#self.modules]
      if first then
         self.gradInput, self.output = first.gradInput, last.output
      else
         self.gradInput, self.output = torch.Tensor():type(self._type), torch.Tensor():type(self._type)
      end
   end

   function Sequential:insert(module, index)
      expect.module(self, 'insert', module)
      index = expect.number(self, 'index', index or #self.modules + 1)
      if index > #self.modules + 1 or index < 1 then
         expect.fail(self, 'insert: index must be from 1 to %d (got %d)', #self.modules + 1, index)
      end
      table.insert(self.modules, index, module)
      update_ends(self)
   end

   function Sequential:remove(index)
      if #self.modules == 0 then expect.fail(self, 'remove: the container has no modules') end
      index = expect.number(self, 'index', index or #self.modules)
      if index > #self.modules or index < 1 then
         expect.fail(self, 'remove: index must be from 1 to %d (got %d)', #self.modules, index)
      end
      table.remove(self.modules, index)
      update_ends(self)
   end

   function Sequential:updateOutput(input)
      local modules, current = self.modules, input
      for i = 1, #modules do current = self:rethrowErrors(modules[i], i, 'updateOutput', current) end
      self.output = current
      return current
   end

   -- Calls the method `name` of all modules, from the last one to the first. Where it gives gradients, they are kept.
   local function each(self, name, input, gradOutput, factor, with_grad_input)
      local modules, current = self.modules, gradOutput
      for i = #modules, 1, -1 do
         local module, from = modules[i], i > 1 and modules[i - 1].output or input
         local gradient = branches.call(self, module, i, name, from, current, factor)
         if with_grad_input then module.gradInput = gradient end
         current = module.gradInput
      end
      if with_grad_input then self.gradInput = current end
      return current
   end
   branches.backward_methods(Sequential, each, true)

   function Sequential:__len__() return #self.modules end

   function Sequential:__tostring__()
      local line = '\n  '
      local text = 'nn.Sequential {' .. line .. '[input'
      for i = 1, #self.modules do text = text .. ' -> (' .. i .. ')' end
      text = text .. ' -> output]'
      for i = 1, #self.modules do
         text = text .. line .. '(' .. i .. '): ' .. string.gsub(tostring(self.modules[i]), '\n', line)
      end
      return text .. '\n}'
   end
end
