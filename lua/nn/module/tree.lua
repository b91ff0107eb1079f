-- Traversal of a module and the modules in it, those in the field `modules` of containers.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(Module)

   -- Calls a function with the module and all in it, outer ones first.
   function Module:apply(callback)
      expect.callable(self, 'callback', callback)
      callback(self)
      if self.modules then
         for _, module in ipairs(self.modules) do module:apply(callback) end
      end
   end

   -- Replaces each module by the result of callback(module), outer ones first.
   function Module:replace(callback)
      expect.callable(self, 'callback', callback)
      local out = callback(self)
      if self.modules then
         for i, module in ipairs(self.modules) do self.modules[i] = module:replace(callback) end
      end
      return out
   end

   local function list(module, to)
      to[#to + 1] = module
      for _, inner in ipairs(module.modules or {}) do list(inner, to) end
      return to
   end

   -- The module and all in it, outer ones first.
   function Module:listModules() return list(self, {}) end

   -- All modules of a class, by its name, and the containers they are in.
   function Module:findModules(typename, container)
      container = container or self
      local found, containers = {}, {}
      if torch.typename(self) == typename then found[1], containers[1] = self, container end
      for _, inner in ipairs(self.modules or {}) do
         local more, where = inner:findModules(typename, self)
         for i = 1, #more do found[#found + 1], containers[#containers + 1] = more[i], where[i] end
      end
      return found, containers
   end
end
