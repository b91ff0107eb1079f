-- nn.Container: what modules with a list `modules` have in common.

local torch = require 'torch'
local field_errors = require 'nn.checks.field_errors'
local errors, expect, warn = require 'torch.base.errors', require 'nn.checks.expect', require 'torch.base.warn'
local finish_trace = require('torch.jit.trace').finish

return function(Container, parent)

   function Container:__init(...)
      parent.__init(self, ...)
      self.modules = {}
   end

   function Container:add(module)
      -- As in the original, where a constructor that returns nothing went unnoticed.
      if module == nil and type(self) == 'table' and self.modules then
         warn.once('%s: add: nil is not added', expect.name(self))
         return self
      end
      expect.module(self, 'add', module)
      self.modules[#self.modules + 1] = module
      return self
   end

   function Container:get(index) return self.modules[index] end

   function Container:size() return #self.modules end

   -- The text of these has several lines: their class is their name, and the text of all in them needs not be made.
   local long_texts = { ['nn.Sequential'] = 'Sequential', ['nn.Concat'] = 'Concat', ['nn.DepthConcat'] = 'DepthConcat',
      ['nn.ConcatTable'] = 'ConcatTable', ['nn.ParallelTable'] = 'ParallelTable', ['nn.Parallel'] = 'Parallel' }
   local function name_of(module) return long_texts[torch.typename(module)] or expect.name(module) end

   -- Re-raises an error of a module inside, prefixed with the path to it: 'Sequential[3] > Linear(10 -> 5): ...'.
   local function pass_on(self, module, index, why)
      if type(why) ~= 'string' then error(why, 0) end
      -- The path would be as long as the stack.
      errors.check_nested(why, name_of, self, 500)
      local before, text = string.match(why, '^(.*\n)([^\n]*:%d+: .*)$')
      if not before or not string.match(before, '^In %d+ module of') then before, text = '', why end
      local where, message = string.match(text, '^([^\n]-:%d+: )(.*)$')
      if not where then where, message = '', text end
      local name = name_of(module)
      -- A module without the fields that every module has.
      if module._type == nil and module.output == nil then
         message = message .. '; its __init does not call parent.__init(self)'
      end
      local inner = before ~= '' or string.sub(message, 1, #name + 1) == name .. ':'
      error(string.format('In %d module of %s:\n%s%s%s[%d] > %s%s', index, torch.type(self), before, where,
         name_of(self), index, inner and '' or name .. ': ', message), 0)
   end

   -- A trace that starts inside the method cannot return to xpcall and would be aborted there.
   local function call(method, module, ...)
      local result = method(module, ...)
      finish_trace()
      return result
   end

   -- Calls a method of the module with a number, with exactly these arguments: programs count them. Traces of the
   -- compiler end here: modules have their own.
   function Container:rethrowErrors(module, index, name, ...)
      finish_trace()
      local ok, result = xpcall(call, field_errors, module[name], module, ...)
      if ok then return result end
      pass_on(self, module, index, result)
   end

   function Container:applyToModules(f)
      expect.callable(self, 'f', f)
      for _, module in ipairs(self.modules) do f(module) end
   end

   -- Methods that each module has. Implementations in Module that ignore child modules come last.
   for name, own in pairs { zeroGradParameters = false, updateParameters = false, reset = false, training = true,
      evaluate = true } do
      Container[name] = function(self, argument)
         expect.kind(self, 'modules', self.modules, 'table')
         for _, module in ipairs(self.modules) do module[name](module, argument) end
         if own then parent[name](self) end
      end
   end

   function Container:share(other, ...)
      expect.kind(self, 'modules of the other one', type(other) == 'table' and other.modules, 'table')
      for i, module in ipairs(self.modules) do module:share(other.modules[i], ...) end
      return self
   end

   function Container:parameters()
      local parameters, gradients = {}, {}
      for _, module in ipairs(self.modules) do
         local p, g = module:parameters()
         if p then
            for i = 1, #p do parameters[#parameters + 1], gradients[#gradients + 1] = p[i], g[i] end
         end
      end
      return parameters, gradients
   end

   function Container:clearState()
      parent.clearState(self)
      for _, module in ipairs(self.modules) do module:clearState() end
      return self
   end
end
