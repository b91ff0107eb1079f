-- The package that defines a class found in a file: Torch7's programs had to require it before loading the file.

local class_registry = require 'torch.base.class_registry'

local class_packages = {}

-- By the prefix before the dot, in the order in which they are tried.
local packages = {
   nn = { 'nn', 'nngraph', 'cunn', 'nnx', 'dpnn', 'rnn' },
   nngraph = { 'nngraph' }, graph = { 'graph' }, cudnn = { 'cudnn' },
   nnx = { 'nnx' }, optim = { 'optim' }, tds = { 'tds' }, image = { 'image' }, hdf5 = { 'hdf5' },
   autograd = { 'autograd' },
}

-- By the name of a package, function(class name): declares a class whose name a program chose.
class_packages.declare = {}

-- The factory of a class, whose package is required if needed; nil if no package has the class.
function class_packages.factory(name)
   local factory = class_registry.factory(name)
   if factory then return factory end
   for _, package in ipairs(packages[string.match(name, '^(%w+)%.')] or {}) do
      pcall(require, package)
      local declare = class_packages.declare[package]
      if declare then declare(name) end
      factory = class_registry.factory(name)
      if factory then return factory end
   end
end

return class_packages
