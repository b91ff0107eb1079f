-- autograd.optim: the methods of optim for nested tables of parameters. step, states = autograd.optim.sgd(df, state,
-- params) returns a function that is called like df but without the parameters, which it updates, and the state of each
-- tensor.

local ipairs, pairs, type, unpack = ipairs, pairs, type, unpack
local util = require 'autograd.util'

local function wrap(method)
   return function(df, state, params)
      local leaves, paths = util.sortedFlattenKeys(params)
      local states = {}
      for i = 1, #leaves do states[i] = util.deepCopy(state) end
      return function(...)
         local results = { df(params, ...) }
         local grads, loss = results[1], results[2]
         for i, path in ipairs(paths) do
            local gradient = grads
            for _, key in ipairs(path) do gradient = gradient and gradient[key] end
            if gradient then
               method(function() return loss, gradient end, util.nestedGet(params, path), states[i])
            end
         end
         return unpack(results, 1, table.maxn(results))
      end, states
   end
end

local optim = {}
for name, method in pairs(require 'optim') do
   if type(method) == 'function' then optim[name] = wrap(method) end
end
return optim
