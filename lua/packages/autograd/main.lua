-- grad(f, options), the function of the package.

local pairs, select, setmetatable, type, unpack = pairs, select, setmetatable, type, unpack
local errors, gradients, warn = require 'torch.base.errors', require 'autograd.gradients', require 'torch.base.warn'
local torch = require 'torch'

require 'autograd.operations'
require 'autograd.value_fields'
require 'autograd.legacy_functions'(torch)

local main = { profile = { SUMMARY = 'summary', DETAILED = 'detailed', OFF = 'off' } }

local by_default = false

-- Whether functions are differentiated as the original did in its optimized mode: a parameter on which the result does
-- not depend has a gradient of 0, unless it is an entry of a table. No code is cached, so nothing becomes static.
function main.optimize(on) by_default = on and true or false end
function main.optimizing() return by_default end

-- Errors within a gradient call leave nothing to clean up, so there is nothing to protect.
function main.protected() end

local known = {}
for name in string.gmatch([[gradArg optimize protected withForward withGradients partialGrad stableGradients
   reduceFootprint signatureFn showCode dotFile profile profileReportFrequency debugHook debugger]], '%a+') do
   known[name] = true
end

local function read_options(options)
   local read = {}
   for name, value in pairs(options or {}) do
      if not known[name] then warn.once("autograd: there is no option '%s'", tostring(name)) end
      read[name] = value
   end
   for _, name in ipairs { 'showCode', 'dotFile', 'debugHook' } do
      if read[name] then warn.once('autograd: %s has no effect: no code is generated', name) end
   end
   if read.profile and read.profile ~= 'off' then
      warn.once 'autograd: profile has no effect; sys.tic and t7 --traces measure programs'
   end
   if read.optimize == nil then read.optimize = by_default end
   return read
end

-- Copies gradients into those of the first call.
local function settle(kept, new)
   if not torch.isTensor(new) then
      if type(new) ~= 'table' then return new end
      kept = type(kept) == 'table' and kept or {}
      for key, value in pairs(new) do kept[key] = settle(kept[key], value) end
      return kept
   end
   if not torch.isTensor(kept) then return new end
   return kept:resizeAs(new):copy(new)
end

-- A function that returns the gradients of f by its first argument, or that of options.gradArg, and the results of f.
function main.grad(f, options)
   if type(f) ~= 'function' and not (type(f) == 'table' and getmetatable(f) and getmetatable(f).__call) then
      errors.argument_error('autograd', 1, 'a function', f)
   end
   options = read_options(options)
   local forward, with_gradients, kept = options.withForward ~= false, options.withGradients ~= false, nil
   return function(...)
      if not with_gradients then return f(...) end
      local arguments, partial = { count = select('#', ...), ... }, nil
      if not forward then
         partial = arguments[arguments.count]
         arguments[arguments.count], arguments.count = nil, arguments.count - 1
      end
      local grads, results = gradients.call(f, options, arguments, partial)
      if options.stableGradients then
         kept = settle(kept, grads)
         grads = kept
      end
      return grads, unpack(results, 1, results.count)
   end
end

return setmetatable(main, { __call = function(_, ...) return main.grad(...) end })
