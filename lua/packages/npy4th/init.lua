-- npy4th: NumPy's files, .npy and .npz, as tensors.

local host = require('torch.native.host').of 'npy4th'
local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'

local npy4th = {}

local function load(name, path)
   check.kind(name, 'path', path, 'string')
   local reader, why = host.load(path)
   if not reader then check.fail(name, '%s: %s', path, why) end
   return exchange.from(reader)
end

-- Returns the tensor of a .npy file.
function npy4th.loadnpy(path) return load('loadnpy', path) end

-- Returns the tensors of a .npz file, by their names.
function npy4th.loadnpz(path)
   local found = load('loadnpz', path)
   if type(found) ~= 'table' then
      check.fail('loadnpz', '%s must be a file of several arrays (got one array: loadnpy reads it)', path)
   end
   return found
end

-- Writes a tensor to a .npy file.
function npy4th.savenpy(path, tensor)
   check.kind('savenpy', 'path', path, 'string')
   check.tensor('savenpy', 'argument 2', tensor)
   local why = host.save(path, exchange.to(tensor, 'savenpy'))
   if why then check.fail('savenpy', '%s: %s', path, why) end
end

-- Writes the tensors of a table to a .npz file, by their names.
function npy4th.savenpz(path, tensors)
   check.kind('savenpz', 'path', path, 'string')
   check.kind('savenpz', 'argument 2', tensors, 'table')
   for key, tensor in pairs(tensors) do check.tensor('savenpz', 'element ' .. tostring(key), tensor) end
   local why = host.save_all(path, exchange.to(tensors, 'savenpz'))
   if why then check.fail('savenpz', '%s: %s', path, why) end
end

return npy4th
