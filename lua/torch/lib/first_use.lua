-- Declares what is loaded when it is first used: the file classes with torch.save and its kin, torch.Tester,
-- torch.CmdLine and what goes with them. Declared here, see lazy.lua.

local ipairs, require, unpack = ipairs, require, unpack
local deferred, userclass = require 'torch.lib.lazy', require 'torch.lib.userclass'

local firstuse = {}

local file_classes = { { 'File' }, { 'MemoryFile', 'File' }, { 'DiskFile', 'File' }, { 'PipeFile', 'DiskFile' } }
local file_functions = {
   'save', 'load', 'saveobj', 'loadobj', 'serialize', 'deserialize', 'serializeToStorage', 'deserializeFromStorage',
}

local function add_files(torch)
   local made = {}
   local group = deferred.functions(torch, file_functions, function()
      for i, class in ipairs(file_classes) do require('torch.io.' .. class[1]:lower()).fill(unpack(made[i])) end
      require('torch.io.save').install(torch)
   end)
   for i, class in ipairs(file_classes) do
      local parent = class[2] and 'torch.' .. class[2]
      made[i] = { userclass.userdata('torch.' .. class[1], parent, torch, parent ~= nil) }
      deferred.class(group, made[i][1])
   end
end

function firstuse.install(torch)
   add_files(torch)

   local tester = torch.class('torch.Tester', torch)
   local tests = deferred.functions(torch, { 'TestSuite', 'test' }, function()
      require('torch.lib.tester').fill(tester)
      require('torch.lib.testsuite').install(torch)
      require('torch.lib.selftest').install(torch)
   end)
   deferred.class(tests, tester)

   local cmdline = torch.class('torch.CmdLine', torch)
   deferred.class(deferred.functions(torch, {}, function() require('torch.lib.cmdline').fill(cmdline) end), cmdline)

   deferred.functions(torch, { 'multinomialAliasSetup', 'multinomialAlias' }, function()
      require('torch.random.categorical').install(torch)
   end)
end

return firstuse
