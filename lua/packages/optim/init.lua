-- optim: minimises functions. Each method is called as optim.method(opfunc, x, config, state), where opfunc(x) returns
-- the value and the gradient; it changes x and returns it and a list of values. Loaded on first use.

local torch = require 'torch'
local lazy = require 'torch.class.lazy'

local optim = {}
_G.optim = optim

for _, name in ipairs {
   'sgd', 'asgd', 'nag', 'adagrad', 'adadelta', 'adam', 'adamax', 'rmsprop', 'rprop',     -- steps along gradients
   'cg', 'lbfgs', 'lswolfe', 'polyinterp',                                                -- searches along lines
   'FistaLS',                                                                             -- sums with proximal terms
   'cmaes', 'de',                                                                         -- without gradients
   'checkgrad',
} do
   lazy.functions(optim, { name }, function() optim[name] = require('optim.' .. name) end)
end

for _, name in ipairs { 'ConfusionMatrix', 'Logger' } do
   local class = torch.class('optim.' .. name, optim)
   lazy.class(lazy.functions({}, {}, function() require('optim.' .. name)(class, optim) end), class)
end

return optim
