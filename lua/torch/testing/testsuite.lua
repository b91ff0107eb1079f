-- torch.TestSuite: a table of tests that rejects redefinitions.

local testsuite = {}

local metatable = {}

function metatable.__index(suite, name) return rawget(suite, '__tests')[name] end

function metatable.__newindex(suite, name, test)
   local tests = rawget(suite, '__tests')
   if tests[name] ~= nil then error('Test ' .. tostring(name) .. ' is already defined.', 2) end
   if type(test) == 'table' then error('Nested tables of tests are not supported', 2) end
   if type(test) ~= 'function' then
      error('Test ' .. tostring(name) .. ' must be a function (got ' .. type(test) .. ')', 2)
   end
   tests[name] = test
end

function testsuite.install(torch)
   function torch.TestSuite()
      return setmetatable({ __tests = {}, __isTestSuite = true }, metatable)
   end
end

return testsuite
