-- hdf5: tensors in HDF5 files. `hdf5.open(path)` gives a file, whose groups and datasets are found by their paths;
-- a dataset is read, in whole or in part, when it is asked for.

local host = require('torch.native.host').of 'hdf5'
local check, errors = require 'torch.base.check', require 'torch.base.errors'

local ok, why = pcall(function() return host.open end)
if not ok or not pcall(host.is_open, nil) then
   errors.raise('hdf5: h5py is missing: pip install h5py installs it%s', ok and '' or ' (' .. why .. ')')
end

local hdf5 = {}
rawset(_G, 'hdf5', hdf5)

-- The open handle of a file, group or dataset.
function hdf5._handle_of(object)
   local handle = rawget(object, '_handle')
   if handle == nil or not host.is_open(handle) then check.fail('hdf5', 'file must be open (got a closed one)') end
   return handle
end

for _, part in ipairs { 'options', 'dataset', 'group', 'test_utils' } do require('hdf5.' .. part)(hdf5, host) end

-- Opens a file: 'r' to read, 'r+' to read and write, 'w' empties it, 'w-' makes a new one, 'a', the default, makes one
-- if there is none. { links = true } follows soft and external links, and reads data that is in other files.
function hdf5.open(path, mode, options)
   check.kind('hdf5.open', 'path', path, 'string')
   mode = mode or 'a'
   check.one_of('hdf5.open', 'mode', mode, { 'r', 'r+', 'w', 'w-', 'a' })
   if options ~= nil then check.kind('hdf5.open', 'options', options, 'table') end
   local handle, reason = host.open(path, mode, options ~= nil and options.links == true)
   if not handle then check.fail('hdf5.open', '%s: %s', path, reason) end
   return hdf5.HDF5File(path, handle)
end

return hdf5
