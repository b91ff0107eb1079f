-- autograd.overload: derivatives for functions of a program. overload.module(name, functions, function(module)
-- module.gradient('f', { function(g, ans, x, ...) ... end, ... }) end) replaces functions.f by one that is recorded,
-- with a function for the gradient by each argument.

local select, type, unpack = select, type, unpack
local proxies = require 'torch.base.proxies'
local errors, operations, tape = require 'torch.base.errors', require 'autograd.operations', require 'autograd.tape'

local overload = {}

local function pass(old)
   return function(...)
      local list = { ... }
      for i = 1, select('#', ...) do list[i] = tape.unwrap(list[i]) end
      return old(unpack(list, 1, select('#', ...)))
   end
end

local function declarations(title, functions)
   local module = {}

   local function replace(name, make)
      local old = functions[name]
      if type(old) ~= 'function' then errors.raise("overload.module: '%s' has no function '%s'", title, name) end
      functions[name] = make(old)
   end

   -- The gradients by the arguments: functions (g, ans, arguments...), which may return nil for 0.
   function module.gradient(name, gradients)
      replace(name, function(old)
         local record = operations.custom(title .. '.' .. name, old, gradients)
         return function(...)
            if not proxies.among(...) then return old(...) end
            return operations.apply(record, { ... }, select('#', ...))
         end
      end)
   end

   local function each(make)
      return function(...)
         for i = 1, select('#', ...) do replace((select(i, ...)), make) end
      end
   end

   -- Functions whose results do not depend on their arguments as far as gradients are concerned.
   module.static, module.initializer, module.dynamic = each(pass), each(pass), each(pass)

   module.unsupported = each(function(old)
      return function(...)
         if proxies.among(...) then errors.raise("a function of '%s' has no derivative", title) end
         return old(...)
      end
   end)

   function module.ignore() end
   function module.defaultUnsupported() end

   -- Classes of the table: the same declarations for their methods.
   function module.class(name, declare) declare(declarations(title .. '.' .. name, functions[name])) end

   function module.operator(name, gradients) module.gradient('__' .. name, gradients) end

   return module
end

function overload.module(name, functions, declare)
   if type(functions) ~= 'table' then errors.argument_error('overload.module', 2, 'a table of functions', functions) end
   if type(declare) ~= 'function' then errors.argument_error('overload.module', 3, 'a function', declare) end
   declare(declarations(name, functions))
end

-- Recording needs no replaced functions.
function overload.install() end
function overload.uninstall() end

return overload
