-- torch.Tester, torch.TestSuite, torch.test and torch.CmdLine: declared here, and loaded when they are first used.

local require = require
local deferred = require 'torch.deferred'

local tools = {}

function tools.install(torch)
   local tester = torch.class('torch.Tester', torch)
   local tests = deferred.functions(torch, { 'TestSuite', 'test' }, function()
      require('torch.tester').fill(tester)
      require('torch.testsuite').install(torch)
      require('torch.selftest').install(torch)
   end)
   deferred.class(tests, tester)

   local cmdline = torch.class('torch.CmdLine', torch)
   deferred.class(deferred.functions(torch, {}, function() require('torch.cmdline').fill(cmdline) end), cmdline)

   deferred.functions(torch, { 'multinomialAliasSetup', 'multinomialAlias' }, function()
      require('torch.sampling').install(torch)
   end)
end

return tools
