-- Which package defines a class that a file names: programs of the time had to require it before they loaded the file.

local class_registry = require 'torch.base.class_registry'

-- By what stands before the dot, in the order in which they are tried.
local packages = {
   nn = { 'nn', 'nngraph', 'cunn', 'nnx', 'dpnn', 'rnn' },
   nngraph = { 'nngraph' }, graph = { 'graph' }, cudnn = { 'cudnn' },
   optim = { 'optim' }, tds = { 'tds' }, image = { 'image' }, hdf5 = { 'hdf5' },
}

local class_packages = {}

-- Returns what makes an object of a class, after its package was required if that has to be; nil for one that no
-- package defines.
function class_packages.factory(name)
   local factory = class_registry.factory(name)
   if factory then return factory end
   for _, package in ipairs(packages[string.match(name, '^(%w+)%.')] or {}) do
      pcall(require, package)
      factory = class_registry.factory(name)
      if factory then return factory end
   end
end

return class_packages
