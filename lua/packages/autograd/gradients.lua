-- Gradient calls: a function is called with Values for its parameters, then the gradients at them are found.

local error, next, pcall, select, type, unpack = error, next, pcall, select, type, unpack
local errors, formulas = require 'torch.base.errors', require 'autograd.formulas'
local backward = require 'autograd.backward'
local proxies, tape, types = require 'torch.base.proxies', require 'autograd.tape', require 'torch.base.types'
local key_order, records = require 'torch.base.key_order', require 'autograd.records'
local is_value, index_of = tape.is_value, tape.index_of
local of_tensor = types.of_tensor

local gradients = {}

-- A Value for a parameter: a new one at the start of the tape, or that of an outer gradient call.
local function parameter(x, first)
   if is_value(x) then
      local a = { tape.unwrap(x) }
      local use = records.use(records.by_name['autograd.same'], a, 1)
      return tape.at(tape.add(a[1], { use = use, a = a, inputs = { index_of(x) }, parameter_of = first }, first))
   end
   return tape.at(tape.add(x, nil, first))
end

local function is_parameter(x)
   local T = of_tensor(x)
   return T and not T.integer or type(x) == 'number' or is_value(x)
end

-- A copy of nested tables with Values for tensors and numbers.
local function with_values(x, first)
   if is_parameter(x) then return parameter(x, first) end
   if type(x) ~= 'table' then return x end
   local copy = {}
   for key, inner in key_order.pairs(x) do copy[key] = with_values(inner, first) end
   return copy
end

-- The gradients of parameters in tables like theirs. With `zeros` a parameter without influence has a gradient of 0; as
-- in the original's optimized mode entries of tables have none even so.
local function collect(x, found, zeros)
   if is_value(x) then
      local g = found[x.entry]
      if g == nil and zeros then
         local value = tape.unwrap(x)
         return type(value) == 'number' and 0 or value:clone():zero()
      end
      return g
   end
   if type(x) ~= 'table' then return nil end
   local result = {}
   for key, inner in next, x do result[key] = collect(inner, found) end
   return result
end

-- What a Value stands for; nested tables of such are changed in place. Views and buffers of modules are copied, since
-- the next call may change them.
local function without_values(x, seen)
   if is_value(x) then
      local index = index_of(x)
      local entry, value = tape.entries[index], tape.values[index]
      if of_tensor(value) and (tape.views[index] or entry and entry.backward) then return value:clone() end
      return value
   end
   if type(x) ~= 'table' or seen[x] then return x end
   seen[x] = true
   for key, inner in next, x do
      if is_value(inner) or type(inner) == 'table' then x[key] = without_values(inner, seen) end
   end
   return x
end

local function pack(...) return { count = select('#', ...), ... } end

-- Checks the results of f: the first one must be a number that depends on the parameters.
local function start(result, first, options, partial)
   if not is_value(result) or tape.origins[index_of(result)] < first then
      if options.optimize and (type(tape.unwrap(result)) == 'number' or partial) then return nil end
      errors.raise('autograd: the result does not depend on the parameters, or by no operation with a derivative '
         .. '(got %s)', errors.describe(tape.unwrap(result)))
   end
   local value = tape.unwrap(result)
   if partial == nil and type(value) ~= 'number' then
      errors.raise('autograd: only functions with a number as result have a gradient (got %s); pass the gradient at '
         .. 'the result with withForward=false', errors.describe(value))
   end
   return partial == nil and 1 or partial
end

local function run(f, options, arguments, partial, deep)
   local first = tape.count + 1
   local n = options.gradArg or 1
   arguments[n] = with_values(arguments[n], first)
   local parameters = arguments[n]
   local results = pack(f(unpack(arguments, 1, arguments.count)))
   local g = start(results[1], first, options, partial)
   local found = g and backward(index_of(results[1]), g, first, deep) or {}
   local grads = collect(parameters, found, options.optimize)
   if not deep then
      local seen = {}
      for i = 1, results.count do results[i] = without_values(results[i], seen) end
   end
   return grads, results
end

-- The gradients and results of f at arguments, a list with `count`; `partial` is the gradient at the first result. They
-- are Values where `deep`, by default within another gradient call.
function gradients.call(f, options, arguments, partial, deep)
   local serial = tape.enter()
   if deep == nil then deep = tape.depth > 1 end
   local ok, grads, results = pcall(run, f, options, arguments, partial, deep)
   tape.leave(serial)
   if not ok then error(grads, 0) end
   return grads, results
end

-- The gradient by the first argument of f, given g at its result.
function gradients.product(f, g, ...)
   return (gradients.call(f, {}, { count = select('#', ...), ... }, g, proxies.among(g, ...)))
end

formulas.through = gradients.product

return gradients
