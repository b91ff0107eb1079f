-- cjson.util: helpers of the tests of lua-cjson: files, texts of values, comparisons, and tests that are counted.

local _G = _G
local cjson = require 'cjson'
local compile = require 'torch.language.compile'

local util = {}

-- How deep tables are shown.
local DEPTH = 50

-- The length of a list; -1 for other tables, 0 for empty ones.
local function length_of(t)
   local max_index, count = 0, 0
   for key in pairs(t) do
      if type(key) ~= 'number' or key < 1 or key % 1 ~= 0 then return -1 end
      max_index, count = math.max(max_index, key), count + 1
   end
   return max_index > count * 2 and -1 or max_index
end

-- A value as Lua has it, a line for each element after `indent`; false puts all into one.
function util.serialise_value(value, indent, depth)
   if value == cjson.null then return 'json.null' end
   if type(value) == 'string' then return string.format('%q', value) end
   if type(value) ~= 'table' then
      local plain = value == nil or type(value) == 'number' or type(value) == 'boolean'
      return plain and tostring(value) or string.format('"<%s>"', type(value))
   end
   if indent == nil then indent = '' end
   depth = (depth or 0) + 1
   if depth > DEPTH then return 'Cannot serialise any further: too many nested tables' end
   local inner = indent and indent .. '  '
   local function text(element) return util.serialise_value(element, inner, depth) end
   local parts, count = {}, length_of(value)
   for i = 1, count do parts[i] = text(value[i]) end
   if count < 0 then
      for key, element in pairs(value) do table.insert(parts, string.format('[%s] = %s', text(key), text(element))) end
   end
   local before, after = indent and '\n' .. inner or ' ', indent and '\n' .. indent or ' '
   return '{' .. before .. table.concat(parts, ',' .. before) .. after .. '}'
end

-- The bytes of a file, by default of the input of the program.
function util.file_load(name)
   local file, message = io.stdin, nil
   if name then file, message = io.open(name, 'rb') end
   if not file then error('Unable to read ' .. tostring(name) .. ': ' .. message, 2) end
   local data = file:read '*a'
   if name then file:close() end
   return data
end

-- Writes a file, by default the output of the program.
function util.file_save(name, data)
   local file, message = io.stdout, nil
   if name then file, message = io.open(name, 'wb') end
   if not file then error('Unable to write ' .. tostring(name) .. ': ' .. message, 2) end
   file:write(data)
   if name then file:close() end
end

-- Whether values are equal: tables by content, numbers up to rounding.
function util.compare_values(a, b)
   if type(a) ~= type(b) then return false end
   if type(a) == 'number' then return a == b or a ~= a and b ~= b or math.abs(a - b) < 1e-15 * math.abs(a + b) / 2 end
   if type(a) ~= 'table' then return a == b end
   for key, value in pairs(a) do
      if not util.compare_values(value, b[key]) then return false end
   end
   for key in pairs(b) do
      if a[key] == nil then return false end
   end
   return true
end

local total, passed = 0, 0

-- The number of tests that passed, and of all.
function util.run_test_summary() return passed, total end

local function results_of(ok, ...) return ok, { ... } end

-- Calls f with the values of a list, and compares its results, or the error, with a list. Prints the test; returns
-- whether it passed, and the results.
function util.run_test(name, f, input, should_work, output)
   local function show(label, values) _G.print(string.format('[%s] %s', label, util.serialise_value(values, false))) end
   local function with_outcome(label, ok) return label .. (ok and ':success' or ':error') end
   local ok, results = results_of(pcall(f, unpack(input)))
   local correct = ok == should_work and util.compare_values(results, output)
   total, passed = total + 1, passed + (correct and 1 or 0)
   _G.print(string.format('==> Test [%d] %s: %s', total, name, correct and 'PASS' or 'FAIL'))
   show('Input', input)
   if not correct then show(with_outcome('Expected', should_work), output) end
   show(with_outcome('Received', ok), results)
   _G.print()
   return correct, results
end

-- Runs tests, each a list of the arguments above; those without `should_work` are only called.
function util.run_test_group(tests)
   for _, test in ipairs(tests) do
      local name, f, input, should_work = unpack(test, 1, 4)
      if should_work == nil then
         if type(name) == 'string' and name ~= '' then _G.print('==> ' .. name) end
         f(unpack(input or {}))
         _G.print()
      else
         util.run_test(unpack(test, 1, 5))
      end
   end
end

-- Runs the text of a program in an environment, by default a new table, and returns that.
function util.run_script(text, environment)
   local f = compile.load(text, '=script')
   if not f then error('Invalid syntax.', 2) end
   environment = environment or {}
   setfenv(f, environment)()
   return environment
end

return util
