-- mnist: the digits of MNIST from the four files of its authors, packed or not, in a folder of this machine.

local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'
local host = require('torch.native.host').of 'mnist'
local paths = require 'paths'

local mnist = {}
rawset(_G, 'mnist', mnist)

local SOURCE = 'https://ossci-datasets.s3.amazonaws.com/mnist/'
local FOLDERS = { '.', 'mnist', 'data', 'data/mnist', 'mnist/raw' }

local function find(name, folder, file)
   local tried = folder and { folder } or FOLDERS
   for _, candidate in ipairs(tried) do
      for _, ending in ipairs { '', '.gz' } do
         local path = paths.concat(candidate, file .. ending)
         if paths.filep(path) then return path end
      end
   end
   check.fail(name, '%s.gz is not in the folder%s %s; %s has it', file, folder and '' or 's', table.concat(tried, ', '),
      SOURCE)
end

local function read(name, path)
   local reader, why = host.read(path)
   if not reader then check.fail(name, '%s: %s', path, why) end
   return exchange.from(reader)
end

-- A table of data, a ByteTensor of count x 28 x 28, label, one of count digits, and size, the count.
local function dataset(name, prefix)
   return function(folder)
      if folder ~= nil then check.kind(name, 'folder', folder, 'string') end
      local data = read(name, find(name, folder, prefix .. '-images-idx3-ubyte'))
      local label = read(name, find(name, folder, prefix .. '-labels-idx1-ubyte'))
      if data:dim() ~= 3 or label:dim() ~= 1 or data:size(1) ~= label:size(1) then
         check.fail(name, 'data must be images and a label for each (got %s and %s)', check.describe(data),
            check.describe(label))
      end
      return { data = data, label = label, size = data:size(1) }
   end
end

mnist.traindataset = dataset('mnist.traindataset', 'train')
mnist.testdataset = dataset('mnist.testdataset', 't10k')

return mnist
