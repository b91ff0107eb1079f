-- torch.Tester: runs tests and reports failures.

local assertions, errors = require 'torch.testing.assertions', require 'torch.base.errors'
local check, key_order = require 'torch.base.check', require 'torch.base.key_order'

local tester = {}

local COLUMNS = 80

-- "1 test", "2 tests"
local function plural(count, noun)
   return string.format('%d %s%s', count, noun, count == 1 and '' or 's')
end

local here, there = debug.getinfo(1, 'S').short_src .. ':', assertions.SOURCE .. ':'

local function is_ours(line)
   return line ~= nil and (string.find(line, here, 1, true) or string.find(line, there, 1, true)) ~= nil
end

-- The stack of a test, from the line of the assertion or error to the test function; '' outside of tests.
local function stack_of_test()
   local lines, shown = {}, {}
   for line in string.gmatch(debug.traceback('', 2), '[^\n]+') do lines[#lines + 1] = line end
   for i, line in ipairs(lines) do
      if string.find(line, "in function 'xpcall'", 1, true) and is_ours(lines[i + 1]) then return table.concat(shown,
         '\n') end
      if not is_ours(line) then shown[#shown + 1] = line end
   end
   return ''
end

local function add_records(methods)
   function methods._success(t)
      local name = t._currentTestName
      t.countasserts = t.countasserts + 1
      t.assertionPass[name] = (t.assertionPass[name] or 0) + 1
      return true
   end

   function methods._addDebugInfo(t, message)
      local name = t._currentTestName
      local stack = stack_of_test()
      return (name ~= '' and name .. '\n' or '') .. message .. '\n' .. stack
   end

   function methods._failure(t, message)
      if t.rethrow then error(message, 3) end
      local name = t._currentTestName
      t.countasserts = t.countasserts + 1
      t.assertionFail[name] = (t.assertionFail[name] or 0) + 1
      t.errors[#t.errors + 1] = t:_addDebugInfo(message)
      return false
   end

   function methods._warning(t, message)
      local name = t._currentTestName
      t._warningCount[name] = (t._warningCount[name] or 0) + 1
      t.warnings[#t.warnings + 1] = t:_addDebugInfo(message)
   end

   function methods._assert_sub(t, condition, message)
      if condition then return t:_success() end
      return t:_failure(message)
   end
end

-- Functions of these names run before and after each test, with its name.
local AROUND = { _setUp = true, _tearDown = true }

-- The names in a table of tests, in the order of its keys.
local function names_of(tests)
   local names = {}
   for name in key_order.pairs(tests) do names[#names + 1] = name end
   return names
end

local function add_tests(methods)
   local function add_one(t, test, name)
      name = name == nil and 'unknown' or name
      if type(test) == 'table' then errors.raise('add: Nested sets of tests are not supported: %s', tostring(name)) end
      if type(name) ~= 'string' then errors.argument_error('add', 2, 'the name of a test', name) end
      if type(test) ~= 'function' then
         errors.raise('add: test %s must be a function (got %s)', name, errors.describe(test))
      end
      if AROUND[name] then
         if t[name] then
            local what = name == '_setUp' and 'set-up' or 'tear-down'
            errors.raise('add: Only one %s function allowed: a second %s', what, name)
         end
         t[name] = test
         return
      end
      if t.tests[name] then errors.raise('add: test with name %s already exists', name) end
      t.tests[name] = test
   end

   -- t:add(function [, name]), t:add(test suite), t:add(table of functions).
   function methods.add(t, what, name)
      if type(what) == 'function' then
         add_one(t, what, name)
      elseif type(what) == 'table' then
         if name ~= nil then errors.argument('add', 2, 'must be left out for a table of tests') end
         local tests = rawget(what, '__isTestSuite') and rawget(what, '__tests')
         if not tests then
            -- Two functions of one name in a plain table hide each other.
            t:_warning('Should use TestSuite rather than plain lua table')
            tests = what
         end
         for _, each in ipairs(names_of(tests)) do add_one(t, tests[each], each) end
      else
         errors.argument_error('add', 1, 'a function, test suite or table', what)
      end
      return t
   end

   -- Leaves out the tests of the names given.
   function methods.disable(t, names)
      if type(names) == 'string' then names = { names } end
      check.kind('Tester:disable', 'argument 1', names, 'table')
      for _, name in ipairs(names) do
         if not t.tests[name] then errors.raise("disable: unrecognized test '%s'", tostring(name)) end
         t.disabledTests[name] = true
      end
      return t
   end

   -- Lists the names of the tests to run: all, or those that match one of the patterns `wanted`.
   function methods._getTests(t, wanted)
      local all = names_of(t.tests)
      if wanted == nil then return all end
      if type(wanted) ~= 'table' then wanted = { wanted } end
      local chosen = {}
      for _, pattern in ipairs(wanted) do
         if type(pattern) ~= 'string' then errors.argument_error('run', 1, 'names or patterns of tests', pattern) end
         local any = false
         for _, name in ipairs(all) do
            if name == pattern or string.find(name, pattern) then
               any, chosen[name] = true, t.tests[name]
            end
         end
         if not any then errors.raise("run: couldn't find test '%s'", pattern) end
      end
      return names_of(chosen)
   end
end

local function state_line(i, count, name, state)
   local head = string.format('%d/%d %s ', i, count, name)
   return head .. string.rep('.', COLUMNS - #head - #' [WAIT]') .. ' [' .. state .. ']'
end

local function add_running(methods)
   -- Runs a function with the name of a test; errors are recorded and not passed on.
   function methods._pcall(t, f, argument)
      local name = t._currentTestName
      local ok, message = xpcall(f, function(caught)
         return t.rethrow and caught or tostring(caught) .. '\n' .. stack_of_test()
      end, argument)
      if ok then return true end
      if t.rethrow then error(message, 0) end
      t.errors[#t.errors + 1] = (name ~= '' and name .. '\n' or '') .. ' Function call failed\n' .. message .. '\n'
      t.testError[name] = 1
      return false
   end

   function methods._run(t, names)
      t.countasserts = 0
      -- Of tests that ran before, the messages remain and the counts do not.
      for name in next, t.tests do t.assertionPass[name], t.assertionFail[name], t.testError[name] = nil, nil, nil end
      io.write('Running ', plural(#names, 'test'), '\n')
      for i, name in ipairs(names) do
         t.assertionPass[name], t.assertionFail[name], t.testError[name], t._warningCount[name] = 0, 0, 0, 0
         -- The line is written twice: a terminal shows the second over the first.
         io.write(state_line(i, #names, name, 'WAIT'))
         io.flush()
         local state = 'SKIP'
         if not t.disabledTests[name] then
            t._currentTestName = name
            if not t._setUp or t:_pcall(t._setUp, name) then t:_pcall(t.tests[name]) end
            if t._tearDown then t:_pcall(t._tearDown, name) end
            t._currentTestName = ''
            state = t.testError[name] > 0 and 'ERROR' or t.assertionFail[name] > 0 and 'FAIL' or 'PASS'
         end
         io.write('\r', state_line(i, #names, name, state))
         if state == 'PASS' and t._warningCount[name] > 0 then
            io.write('\n', string.rep(' ', COLUMNS - #'[+warning]'), '[+warning]')
         end
         io.write('\n')
         if t.earlyAbort and i < #names and (state == 'ERROR' or state == 'FAIL') then
            io.write('Aborting on first error, not all tests have been executed\n')
            break
         end
      end
   end

   -- The number of tests with a count above 0.
   local function total(counts)
      local sum = 0
      for _, count in pairs(counts) do sum = sum + (count > 0 and 1 or 0) end
      return sum
   end

   function methods._report(t, names)
      local disabled, warnings = 0, t._warningCount[''] or 0
      for _, name in ipairs(names) do
         if t.disabledTests[name] then disabled = disabled + 1 end
         if (t._warningCount[name] or 0) > 0 then warnings = warnings + 1 end
      end
      local failures, mistakes = total(t.assertionFail), total(t.testError)
      local parts = { string.format('Completed %s in %s with %s and %s', plural(t.countasserts, 'assert'),
         plural(#names, 'test'), plural(failures, 'failure'), plural(mistakes, 'error')) }
      -- Tests with warnings are counted, and warnings before the tests.
      if warnings > 0 then parts[#parts + 1] = ' and ' .. plural(warnings, 'warning') end
      if disabled > 0 then parts[#parts + 1] = string.format(' and %d disabled', disabled) end
      io.write(table.concat(parts), '\n')
      if t.summaryOnly then return end
      local dashes = string.rep('-', COLUMNS)
      if #t.errors + #t.warnings > 0 then io.write(dashes, '\n') end
      for _, list in ipairs { t.errors, t.warnings } do
         for _, message in ipairs(list) do io.write(message, '\n', dashes, '\n') end
      end
   end

   -- Runs all tests, or those named; an error when one failed.
   function methods.run(t, wanted)
      local names = t:_getTests(wanted)
      t:_run(names)
      t:_report(names)
      if total(t.assertionFail) + total(t.testError) > 0 then error('An error was found while running tests!', 2) end
      return 0
   end
end

function tester.fill(methods)
   function methods.__init(t)
      t.tests, t.disabledTests = {}, {}
      t.errors, t.warnings, t._warningCount = {}, {}, {}
      t.assertionPass, t.assertionFail, t.testError, t.countasserts = {}, {}, {}, 0
      t._currentTestName, t._assertTensorEqIgnoresDims = '', true
   end

   for setter, field in pairs {
      setEarlyAbort = 'earlyAbort', setRethrowErrors = 'rethrow', setSummaryOnly = 'summaryOnly',
   } do
      methods[setter] = function(t, on)
         t[field] = on
         return t
      end
   end

   add_records(methods)
   assertions.fill(methods)
   add_tests(methods)
   add_running(methods)
end

return tester
