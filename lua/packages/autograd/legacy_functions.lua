-- What the package adds to torch: methods of tensors as functions, as old programs call them, and predicates that apply
-- to the tensor of a Value.

local ipairs, rawget = ipairs, rawget
local errors = require 'torch.base.errors'
local layers, proxies = require 'torch.dispatch.layers', require 'torch.base.proxies'
local tape = require 'autograd.tape'
local unwrap = tape.unwrap

return function(torch)
   for name in string.gmatch([[select index narrow clone contiguous size nDimension nElement isSameSizeAs transpose t
      long typeAs copy permute double float dim]], '%S+') do
      if not rawget(torch, name) then
         torch[name] = function(x, ...)
            if not proxies.is(x) and proxies.among(...) then return tape.run(name, 'function', x, ...) end
            if proxies.is(x) and name == 'copy' then return tape.run(name, 'function', x, ...) end
            if not torch.isTensor(x) then errors.argument_error(name, 1, 'a tensor', x) end
            return x[name](x, ...)
         end
      end
   end

   for _, name in ipairs { 'isTensor', 'type', 'typename', 'isTypeOf' } do
      local f = torch[name]
      torch[name] = function(x, ...) return f(proxies.is(x) and unwrap(x) or x, ...) end
   end

   -- If an argument other than the tensor is a Value, and no signature matches.
   local function with_proxies(f, name, call)
      return function(...)
         if proxies.among(...) then return tape.run(name, call, ...) end
         return f(...)
      end
   end

   local custom = { where = true, einsum = true }
   local methods = { viewAs = true, expandAs = true, typeAs = true, copy = true, fill = true }
   local operators = { __add = 'add', __sub = 'sub', __mul = 'mul', __div = 'div', __mod = 'mod' }

   layers.add {
      order = 1000,
      entry = function(f, _, row, call) return custom[row[1]] and with_proxies(f, row[1], call) or f end,
      method = function(f, _, name) return f and methods[name] and with_proxies(f, name, 'method') or f end,
      operator = function(f, _, event)
         local name = operators[event]
         if not name then return f end
         return function(a, b)
            if proxies.is(b) then return tape.run('operator.' .. name, 'function', a, b) end
            return f(a, b)
         end
      end,
   }
end
