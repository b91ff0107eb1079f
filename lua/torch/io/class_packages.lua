-- Finds the package that defines a class named in a file. Programs for Torch7 had to require it before loading.

local class_registry = require 'torch.base.class_registry'

local class_packages = {}

-- Packages by the prefix of class names, in the order in which they are tried.
local packages = {
   nn = { 'nn', 'nngraph', 'cunn', 'nnx', 'dpnn', 'rnn' },
   nngraph = { 'nngraph' }, graph = { 'graph' }, cudnn = { 'cudnn' },
   nnx = { 'nnx' }, optim = { 'optim' }, tds = { 'tds' }, image = { 'image' }, hdf5 = { 'hdf5' },
   autograd = { 'autograd' },
}

-- Functions by package: declare[package](class name) declares a class whose name a program chose.
class_packages.declare = {}

-- The factory of a class; requires its package if needed. Nil if no package has the class.
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
