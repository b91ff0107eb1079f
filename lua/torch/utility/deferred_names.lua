-- Declares torch's lazy functions and classes (class/lazy.lua): files, torch.Tester, torch.CmdLine, alias tables.

local lazy, userclass = require 'torch.class.lazy', require 'torch.class.userclass'

local deferred_names = {}

local file_classes = { { 'File' }, { 'MemoryFile', 'File' }, { 'DiskFile', 'File' }, { 'PipeFile', 'DiskFile' } }
local file_functions = {
   'save', 'load', 'saveobj', 'loadobj', 'serialize', 'deserialize', 'serializeToStorage', 'deserializeFromStorage',
}

local function add_files(torch)
   local made = {}
   local group = lazy.functions(torch, file_functions, function()
      local define = require('torch.io.file').define
      for i, class in ipairs(file_classes) do define[class[1]](unpack(made[i])) end
      require('torch.io.file_elements').install()
      require('torch.io.serialize').install(torch)
   end)
   for i, class in ipairs(file_classes) do
      local parent = class[2] and 'torch.' .. class[2]
      made[i] = { userclass.userdata('torch.' .. class[1], parent, torch, parent ~= nil) }
      lazy.class(group, made[i][1])
   end
end

function deferred_names.install(torch)
   add_files(torch)

   local tester = torch.class('torch.Tester', torch)
   local tests = lazy.functions(torch, { 'TestSuite', 'test' }, function()
      require('torch.testing.tester').fill(tester)
      require('torch.testing.testsuite').install(torch)
      require('torch.testing.selftest').install(torch)
   end)
   lazy.class(tests, tester)

   local cmdline = torch.class('torch.CmdLine', torch)
   lazy.class(lazy.functions(torch, {}, function() require('torch.utility.cmdline').fill(cmdline) end), cmdline)

   lazy.functions(torch, { 'multinomialAliasSetup', 'multinomialAlias' }, function()
      require('torch.random.categorical').install(torch)
   end)
end

return deferred_names
