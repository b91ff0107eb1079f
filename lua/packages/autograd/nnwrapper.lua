-- Modules and criterions of nn as functions: f, params = functionalize(module), then f(params, x), or f(x) where there
-- are no parameters, and f(x, target) of a criterion.
--
-- A module keeps what its backward pass needs, so that within a gradient call each use of a function has an instance of
-- its own, which shares parameters and running averages with the first.

local ipairs, next, pcall, select, setmetatable, type, unpack = ipairs, next, pcall, select, setmetatable,
   type, unpack
local torch = require 'torch'
local errors, tape, types = require 'torch.base.errors', require 'autograd.tape', require 'torch.base.types'
require 'autograd.main'
local is_value, index_of, of_tensor = tape.is_value, tape.index_of, types.of_tensor

local nnwrapper = {}

-- What nested tables of Values stand for; `indices` collects those of their entries by path.
local function take(x, indices, key)
   if is_value(x) then
      local index = index_of(x)
      if tape.origins[index] > 0 then indices[key] = index end
      return tape.values[index]
   end
   if type(x) ~= 'table' then return x end
   local copy, inner = {}, {}
   for k, element in next, x do copy[k] = take(element, inner, k) end
   if next(inner) ~= nil then indices[key] = inner end
   return copy
end

local function origin_of(indices, origin)
   for _, index in next, indices do
      if type(index) == 'table' then
         origin = origin_of(index, origin)
      elseif tape.origins[index] > origin then
         origin = tape.origins[index]
      end
   end
   return origin
end

-- Passes each entry its part of a gradient, which has the structure of the indices; `is_own` tells that its memory is
-- not shared.
local function push_all(indices, gradient, push, deep, origin, is_own)
   if type(indices) == 'table' then
      for key, inner in next, indices do push_all(inner, gradient[key], push, deep, origin, is_own) end
      return
   end
   if deep then
      gradient = tape.at(tape.add(gradient:clone(), { backward = function()
         errors.raise 'autograd: modules of nn have no second derivative; write the function with those of torch'
      end }, origin))
   end
   push(indices, gradient, not is_own)
end

-- Values for nested tables of tensors that a module gives; `parts` collects the tensors.
local function flatten(x, parts)
   if type(x) ~= 'table' then
      parts[#parts + 1] = x
      return #parts
   end
   local tree = {}
   for key, inner in ipairs(x) do tree[key] = flatten(inner, parts) end
   return tree
end

local function rebuild(tree, parts)
   if type(tree) ~= 'table' then return parts[tree] end
   local x = {}
   for key, inner in ipairs(tree) do x[key] = rebuild(inner, parts) end
   return x
end

local function record(output, backward, origin)
   if type(output) ~= 'table' then return tape.at(tape.add(output, { backward = backward }, origin)) end
   local parts = {}
   local tree = flatten(output, parts)
   local parent = tape.add(parts, { backward = function(g, push, deep)
      local all = {}
      for k, part in ipairs(parts) do all[k] = g[k] and tape.unwrap(g[k]) or part:clone():zero() end
      return backward(rebuild(tree, all), push, deep)
   end }, origin)
   local values = {}
   for k, part in ipairs(parts) do values[k] = tape.at(tape.add(part, { parent = parent, part = k }, origin)) end
   return rebuild(tree, values)
end

local function input_type(x)
   while type(x) == 'table' do x = x[1] end
   local T = of_tensor(x)
   return T and not T.integer and torch.type(x) or nil
end

-- Changes the type of a module to that of its input.
local function follow_type(module, x)
   local name = input_type(x)
   if name and module._type ~= name then module:type(name) end
end

local function set_parameters(module, params)
   for i, p in ipairs((module:parameters())) do
      local given = params[i]
      if not of_tensor(given) then errors.argument_error('autograd.nn', 1, 'a list of parameters', given) end
      if p._memory ~= given._memory or p._offset ~= given._offset then p:set(given) end
   end
end

local shared = { 'weight', 'bias', 'running_mean', 'running_var', 'running_std' }

-- The function of the instance for the next use within a gradient call.
local function instances_of(module)
   local instances, uses, serial = { module }, 0, nil
   return function()
      if tape.depth == 0 then return module end
      if serial ~= tape.serial then uses, serial = 0, tape.serial end
      uses = uses + 1
      local instance = instances[uses]
      if not instance then
         instance = module:clone(unpack(shared))
         instances[uses] = instance
      end
      if uses > 1 and module.train ~= nil and module.train ~= instance.train then
         if module.train then instance:training() else instance:evaluate() end
      end
      return instance
   end
end

local function wrapper(fields, call)
   fields.entry = call
   return setmetatable(fields, { __call = function(_, ...) return call(...) end })
end

local function wrap_criterion(criterion)
   local instance_for = instances_of(criterion)
   local function forward(x, target)
      follow_type(criterion, x)
      return criterion:forward(x, target)
   end
   local function backward(g, x, target)
      local gradient = criterion:backward(x, target)
      return g == 1 and gradient or gradient * g
   end
   local function scaled(x, g)
      if type(x) ~= 'table' then return x * g end
      local copy = {}
      for key, inner in next, x do copy[key] = scaled(inner, g) end
      return copy
   end
   return wrapper({ module = criterion, forward = forward, backward = backward }, function(...)
      local indices = {}
      local x, target = take((...), indices, 1), take((select(2, ...)), indices, 2)
      if indices[2] then errors.raise('%s: criterions have no derivative by the target', torch.type(criterion)) end
      local instance = instance_for()
      follow_type(instance, x)
      local output = instance:forward(x, target)
      if not indices[1] then return output end
      local origin = origin_of(indices, 0)
      return record(output, function(g, push, deep)
         local gradient = instance:backward(x, target)
         g = tape.unwrap(g)
         push_all(indices[1], g == 1 and gradient or scaled(gradient, g), push, deep, origin)
      end, origin)
   end)
end

-- Modules whose gradients at the parameters need no gradient at the input before them.
local alone = { ['nn.Linear'] = true, ['nn.SpatialConvolution'] = true, ['nn.SpatialConvolutionMM'] = true,
   ['nn.TemporalConvolution'] = true }

local function wrap_module(module, has_parameters)
   local instance_for = instances_of(module)
   local function forward(params, x)
      if not has_parameters then x = params end
      follow_type(module, x)
      if has_parameters then set_parameters(module, params) end
      return module:forward(x)
   end

   -- The gradients at the parameters, in memory of their own, and at the input where it is wanted.
   local function run_backward(instance, g, params, x, is_wanted)
      local gradients
      if has_parameters then
         set_parameters(instance, params)
         gradients = {}
         for i, gradient in ipairs((select(2, instance:parameters()))) do
            gradient:set(gradient.new(gradient:size()):zero())
            gradients[i] = gradient.new():set(gradient)
         end
      end
      if not is_wanted and alone[torch.type(instance)] then
         instance:accGradParameters(x, g, 1)
         return nil, gradients
      end
      return instance:backward(x, g), gradients
   end

   local function backward(g, params, x)
      if not has_parameters then return (run_backward(module, g, nil, params, true)) end
      local gradient, gradients = run_backward(module, g, params, x, true)
      return { gradients, gradient }
   end

   return wrapper({ module = module, forward = forward, backward = backward }, function(...)
      local indices = {}
      local first, second = take((...), indices, 1), take((select(2, ...)), indices, 2)
      local params, x = has_parameters and first, second
      if not has_parameters then x, indices[2], indices[1] = first, indices[1], nil end
      local instance = instance_for()
      follow_type(instance, x)
      if has_parameters then
         if type(params) ~= 'table' then
            errors.argument_error(torch.type(module), 1, 'the list of parameters that functionalize returned', params)
         end
         set_parameters(instance, params)
      end
      local output = instance:forward(x)
      if next(indices) == nil then return output end
      local origin = origin_of(indices, 0)
      return record(output, function(g, push, deep)
         local plain_g = tape.unwrap(g)
         local gradient, gradients = run_backward(instance, plain_g, params, x, indices[2] ~= nil)
         if indices[1] then push_all(indices[1], gradients, push, deep, origin, true) end
         if indices[2] then push_all(indices[2], gradient, push, deep, origin) end
      end, origin)
   end)
end

-- All classes of a package as functions that make a module and return its function and its parameters.
function nnwrapper.functionalizePackage(name)
   local ok, package = pcall(require, name)
   if not ok then errors.raise("functionalize: no package '%s': %s", name, package) end
   return setmetatable({}, { __index = function(functions, class)
      local make = package[class]
      local is_class = type(make) == 'table' and make.__typename ~= nil
      if not is_class then return nil end
      local function f(...) return nnwrapper.functionalize(make(...)) end
      functions[class] = f
      return f
   end })
end

-- A module or criterion as a function, and its parameters if it has any; a package by name.
function nnwrapper.functionalize(module)
   if type(module) == 'string' then return nnwrapper.functionalizePackage(module) end
   if torch.isTypeOf(module, 'nn.Criterion') then return wrap_criterion(module) end
   if not torch.isTypeOf(module, 'nn.Module') then
      errors.argument_error('functionalize', 1, 'a module, a criterion or the name of a package', module)
   end
   local ok, params = pcall(module.parameters, module)
   if ok and params and #params > 0 then return wrap_module(module, true), params end
   return wrap_module(module, false)
end

return nnwrapper
