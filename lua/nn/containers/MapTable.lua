-- nn.MapTable: one module for all parts of a table, by clones that share its parameters.

local torch = require 'torch'
local branches, expect = require 'nn.containers.branches', require 'nn.checks.expect'

return function(MapTable, parent)

   -- Clones share parameters unless `shared` is false; what else it is does not matter in the original.
   function MapTable:__init(module, shared)
      parent.__init(self)
      if type(module) == 'table' and not torch.typename(module) and shared == nil then
         module, shared = nil, module
      end
      self.sharedparams = { 'weight', 'bias', 'gradWeight', 'gradBias' }
      if shared == nil then shared = true end
      self.shared = shared
      self.output, self.gradInput = {}, {}
      self:add(module)
   end

   function MapTable:_extend(count)
      expect.integer(self, 'count', count, 0)
      self.modules[1] = self.module
      for i = 2, count do
         if not self.modules[i] then
            self.modules[i] = self.module:clone(unpack(self.shared and self.sharedparams or {}))
         end
      end
   end

   function MapTable:resize(count)
      self:_extend(count)
      for i = count + 1, #self.modules do self.modules[i] = nil end
   end

   function MapTable:add(module)
      if self.module then expect.fail(self, 'add must be called once (got another module: %s)', expect.name(module)) end
      if module ~= nil then expect.module(self, 'add', module) end
      self.module = module
      self.modules[1] = module
      return self
   end

   local function check_input(self, input)
      expect.table(self, input)
      if not self.module then expect.fail(self, 'forward needs a module; add one') end
   end

   function MapTable:updateOutput(input)
      check_input(self, input)
      self.output = {}
      self:_extend(#input)
      for i = 1, #input do
         self.output[i] = self:rethrowErrors(self.modules[i], i, 'updateOutput', input[i])
      end
      return self.output
   end

   local function each(self, name, input, gradOutput, factor, with_grad_input)
      check_input(self, input)
      expect.table(self, gradOutput, 'gradOutput')
      if with_grad_input then self.gradInput = {} end
      self:_extend(#input)
      for i = 1, #input do
         local gradient = branches.call(self, self.modules[i], i, name, input[i], gradOutput[i], factor)
         if with_grad_input then self.gradInput[i] = gradient end
      end
      return self.gradInput
   end
   branches.backward_methods(MapTable, each)

   for _, name in ipairs { 'zeroGradParameters', 'updateParameters' } do
      MapTable[name] = function(self, argument)
         if not self.module then return end
         if not self.shared then return parent[name](self, argument) end
         self.module[name](self.module, argument)
      end
   end

   function MapTable:clearState()
      for i = 2, #self.modules do self.modules[i] = nil end
      return parent.clearState(self)
   end

   function MapTable:__tostring__()
      if not self.module then return torch.type(self) .. ' { }' end
      return torch.type(self) .. ' {\n  ' .. string.gsub(tostring(self.module), '\n', '\n        ') .. '\n}'
   end

   function MapTable:upgrade()
      self.sharedparams = self.sharedparams or { 'weight', 'bias', 'gradWeight', 'gradBias' }
      if self.shared == nil then self.shared = true end
   end
end
