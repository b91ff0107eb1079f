-- Helpers for the state of optimisers.

local check = require 'torch.base.check'
local errors, torch = require 'torch.base.errors', require 'torch'
local template, of_tensor = require 'torch.jit.template', require('torch.base.types').of_tensor

local state_of = {}

-- The numbers that configs hold, by method.
local DESCENT = 'learningRate learningRateDecay weightDecay'
local fields = {
   sgd = DESCENT .. ' momentum dampening', nag = DESCENT .. ' momentum', adagrad = DESCENT,
   asgd = 'eta0 lambda alpha t0', adadelta = 'rho eps weightDecay',
   adam = DESCENT .. ' beta1 beta2 epsilon', adamax = 'learningRate weightDecay beta1 beta2 epsilon',
   rmsprop = 'learningRate weightDecay alpha epsilon initialMean',
   rprop = 'etaplus etaminus stepsizemax stepsizemin niter',
   cg = 'rho sig int ext maxIter ratio maxEval',
   lbfgs = 'learningRate maxIter maxEval tolFun tolX nCorrection',
   cmaes = 'sigma popsize maxEval ftarget verb_disp',
   de = 'popsize scaleFactor crossoverRate maxFEs minRegion maxRegion',
   checkgrad = '',
}

-- Raises unless a field is a number where it is set.
local function check_number(name, what, field, value)
   if value and type(value) ~= 'number' then check.number(name, what .. '.' .. field, value) end
end

-- A function that checks fields of a table, without a loop, which would keep a step from being compiled as a whole.
local function checker(words)
   local lines = {}
   for field in string.gmatch(words, '%S+') do
      lines[#lines + 1] = string.format("check(name, what, '%s', values.%s)", field, field)
   end
   return template.compile('checker', 'return function(name, what, values)\n$lines\nend',
      { lines = table.concat(lines, '\n') }, { check = check_number })
end

local check_state, checkers = checker 'evalCounter t eta_t mu_t', {}
for name, words in pairs(fields) do checkers[name] = checker(words) end

-- Checks the arguments that all methods have in common, and returns config and state, which is config by
-- default.
function state_of.open(name, opfunc, x, config, own)
   local metatable = type(opfunc) == 'table' and getmetatable(opfunc)
   if type(opfunc) ~= 'function' and not (type(metatable) == 'table' and metatable.__call) then
      errors.raise('%s: argument 1 must be a function of x (got %s)', name, errors.describe(opfunc))
   end
   if not torch.isTensor(x) then
      errors.raise('%s: argument 2, x, must be a tensor (got %s)', name, errors.describe(x))
   end
   -- Steps are fractions.
   if of_tensor(x).integer then check.argument_error(name, 'x', 'a tensor of floats or doubles', x) end
   config = config or {}
   if type(config) ~= 'table' then check.argument_error(name, 'config', 'a table', config) end
   own = own or config
   if type(own) ~= 'table' then check.argument_error(name, 'state', 'a table', own) end
   checkers[name](name, 'config', config)
   check_state(name, 'state', own)
   return config, own
end

-- Checks a value of opfunc, where numbers are compared.
function state_of.value(name, value)
   if type(value) ~= 'number' then check.argument_error(name, 'the value of the function', 'a number', value) end
   return value
end

-- The field of a config that holds a number for each element of x, nil if there is none.
function state_of.rates(name, field, config, x)
   local rates = config[field]
   if rates then check.same_count(name, 'config.' .. field, rates, x) end
   return rates
end

-- Calls opfunc and checks its results. Adds `decay` times x to the gradient.
function state_of.evaluate(name, opfunc, x, decay)
   local value, gradient = opfunc(x)
   if not torch.isTensor(gradient) or gradient:nElement() ~= x:nElement() then
      errors.raise('%s: the second result of the function must be a gradient of %d elements (got %s)', name,
         x:nElement(), torch.isTensor(gradient) and string.format('%d elements', gradient:nElement())
         or errors.describe(gradient))
   end
   if gradient:type() ~= x:type() then
      errors.raise('%s: gradient must be of type %s, as x is (got %s)', name, x:type(), gradient:type())
   end
   if decay and decay ~= 0 then gradient:add(decay, x) end
   return value, gradient
end

-- A tensor of zeros like another one.
function state_of.zeros(like) return like.new():resizeAs(like):zero() end

return state_of
