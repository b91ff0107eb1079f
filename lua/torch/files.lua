-- torch.File and what inherits from it, torch.save and its kin: declared here, and loaded together.

local ipairs, require, unpack = ipairs, require, unpack
local deferred, userclass = require 'torch.deferred', require 'torch.userclass'

local files = {}

local kinds = { { 'File' }, { 'MemoryFile', 'File' }, { 'DiskFile', 'File' }, { 'PipeFile', 'DiskFile' } }
local functions = {
   'save', 'load', 'saveobj', 'loadobj', 'serialize', 'deserialize', 'serializeToStorage', 'deserializeFromStorage',
}

function files.install(torch)
   local classes = {}
   local group = deferred.functions(torch, functions, function()
      for i, kind in ipairs(kinds) do require('torch.' .. kind[1]:lower()).fill(unpack(classes[i])) end
      require('torch.serialize').install(torch)
   end)
   for i, kind in ipairs(kinds) do
      local parent = kind[2] and 'torch.' .. kind[2]
      classes[i] = { userclass.userdata('torch.' .. kind[1], parent, torch, parent ~= nil) }
      deferred.class(group, classes[i][1])
   end
end

return files
