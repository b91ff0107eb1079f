-- autograd: gradients of functions of tensors, numbers and nested tables of them, written in plain Lua with loops and
-- branches: df = grad(f); grads, result = df(params, ...). Parts are loaded when they are first used.

local getmetatable, require = getmetatable, require
local main = require 'autograd.main'

main.VERSION, main.LICENSE = '0.1', 'BSD 3-Clause'

-- Programs expect both among the globals.
require 'nn'
require 'optim'

-- Files may hold objects of classes that AutoModule and AutoCriterion made.
require('torch.io.class_packages').declare.autograd = function(name)
   local kind, class = string.match(name, '^autograd%.nn%.(%a+)%.(.+)$')
   if kind == 'module' then require 'autograd.auto.AutoModule'(class) end
   if kind == 'criterion' then require 'autograd.auto.AutoCriterion'(class) end
end

local parts = {
   util = function() return require 'autograd.util' end,
   loss = function() return require 'autograd.loss' end,
   optim = function() return require 'autograd.optim' end,
   model = function() return require 'autograd.model' end,
   module = function() return require 'autograd.module' end,
   auto = function() return require 'autograd.auto' end,
   overload = function() return require 'autograd.overload' end,
   nnwrapper = function() return require 'autograd.nnwrapper' end,
   functionalize = function() return require('autograd.nnwrapper').functionalize end,
   nn = function()
      local nn = require('autograd.nnwrapper').functionalize 'nn'
      nn.AutoModule = require 'autograd.auto.AutoModule'
      nn.AutoCriterion = require 'autograd.auto.AutoCriterion'
      return nn
   end,
}

getmetatable(main).__index = function(_, name)
   local load = parts[name]
   if not load then return nil end
   main[name] = load()
   return main[name]
end

return main
