-- The assertions of torch.Tester, which record their outcome by the methods of tester.lua.

local check, test_compare = require 'torch.base.check', require 'torch.testing.test_compare'
local errors, types = require 'torch.base.errors', require 'torch.base.types'

local assertions = { SOURCE = debug.getinfo(1, 'S').short_src }

-- The user's message, the last argument of an assertion, as the first line of a failure.
local function label_of(label, ...)
   if next { ... } ~= nil then errors.raise 'assertion: Unexpected arguments: something is behind the message' end
   if label == nil or label == false or label == '' then return '' end
   if type(label) ~= 'string' then
      errors.raise('assertion: the message must be a string (got %s)', errors.describe(label))
   end
   return label .. '\n'
end

-- Reads arguments in which a tolerance may come before or after the message.
local function tolerance_and_label(default, ...)
   local tolerance, label
   for _, value in ipairs { ... } do
      if type(value) == 'string' then
         if label then errors.raise('assertion: a second message: %s', value) end
         label = value
      elseif type(value) == 'number' then
         if tolerance then errors.raise('assertion: a second tolerance: %g', value) end
         if value < 0 then errors.raise('assertion: the tolerance must be at least 0 (got %g)', value) end
         tolerance = value
      else
         errors.raise('assertion: argument must be a tolerance or message (got %s)', errors.describe(value))
      end
   end
   return tolerance or default, label and label .. '\n' or ''
end

local function is_object(value)
   local kind = type(value)
   return kind == 'table' or kind == 'cdata' or kind == 'userdata'
end

local function add_simple_assertions(methods)
   function methods.assert(t, condition, ...)
      local label = label_of(...)
      if type(condition) ~= 'boolean' then
         t:_warning(string.format(':assert should only be used for boolean conditions (got %s); for a variable that '
            .. 'must not be nil write t:assert(var ~= nil)', type(condition)))
      end
      return t:_assert_sub(condition, label .. 'BOOL violation condition=' .. tostring(condition))
   end

   -- Raises unless two values can be ordered: numbers, strings, or objects with a metamethod.
   local function check_order(name, a, b)
      local kind, metatable = type(a), debug.getmetatable(a) or debug.getmetatable(b)
      if kind == type(b) and (kind == 'number' or kind == 'string') then return end
      if type(metatable) == 'table' and (metatable.__lt or metatable.__le) then return end
      check.fail('Tester:' .. name, 'arguments must be two numbers (got %s and %s)', check.describe(a),
         check.describe(b))
   end

   -- The name of the assertion, when it holds, and how a failure is written.
   for _, case in ipairs {
      { 'assertlt', function(a, b) return a < b end, 'LT failed: %s >= %s' },
      { 'assertgt', function(a, b) return a > b end, 'GT failed: %s <= %s' },
      { 'assertle', function(a, b) return a <= b end, 'LE failed: %s > %s' },
      { 'assertge', function(a, b) return a >= b end, 'GE failed: %s < %s' },
      { 'asserteq', function(a, b) return a == b end, 'EQ failed: %s ~= %s' },
      { 'assertne', function(a, b) return a ~= b end, 'NE failed: %s == %s' },
   } do
      local name, holds, text = case[1], case[2], case[3]
      local ordered = name ~= 'asserteq' and name ~= 'assertne'
      methods[name] = function(t, a, b, ...)
         local label = label_of(...)
         if ordered then check_order(name, a, b) end
         if name == 'assertne' and is_object(a) and (type(a) ~= 'table' or type(b) == 'table') then
            t:_warning(':assertne should only be used to compare basic values: objects are compared by identity; '
               .. 't:ne and t:assertGeneralNe compare what is in them')
         end
         return t:_assert_sub(holds(a, b), label .. string.format(text, tostring(a), tostring(b)))
      end
   end

   function methods.assertalmosteq(t, a, b, ...)
      local tolerance, label = tolerance_and_label(1e-16, ...)
      local difference = check.number('Tester:assertalmosteq', 'argument 1', a)
         - check.number('Tester:assertalmosteq', 'argument 2', b)
      -- The difference of two infinities is nan: they are not near each other.
      return t:_assert_sub(math.abs(difference) <= tolerance, label ..
         string.format('ALMOST_EQ failed: %s ~= %s with tolerance=%s', tostring(a), tostring(b), tostring(tolerance)))
   end
end

local function add_comparisons(methods)
   -- With `negate` a difference is required.
   local function judge(t, by, got, expected, negate, ...)
      local tolerance, label = tolerance_and_label(0, ...)
      if negate and rawequal(got, expected) and is_object(got) then
         t:_warning('one object is compared with itself, and expected to differ')
      end
      local same, unequal, equal = by(got, expected, tolerance)
      if negate then return t:_assert_sub(not same, label .. (equal or '')) end
      return t:_assert_sub(same, label .. (unequal or ''))
   end

   function methods._eqOrNeq(t, got, expected, negate, ...)
      return judge(t, test_compare.any, got, expected, negate, ...)
   end

   function methods._assertTensorEqOrNeq(t, got, expected, negate, ...)
      for n, name in ipairs { 'First', 'Second' } do
         local value = (select(n, got, expected))
         if not types.of_tensor(value) then
            errors.raise('assertTensorEq: %s argument should be a Tensor (got %s)', name, errors.describe(value))
         end
      end
      local function by(a, b, tolerance)
         local same, unequal, equal = test_compare.tensors(a, b, tolerance, t._assertTensorEqIgnoresDims)
         if same and not a:isSameSizeAs(b) then
            t:_warning(string.format('tensors have the same content but different dimensions, [%s] and [%s], and count '
               .. 'as equal; t:eq tells them apart', test_compare.sizes(a), test_compare.sizes(b)))
         end
         return same, unequal, equal
      end
      return judge(t, by, got, expected, negate, ...)
   end

   function methods._assertTableEqOrNeq(t, got, expected, negate, ...)
      for n = 1, 2 do
         local value = (select(n, got, expected))
         if type(value) ~= 'table' then errors.argument_error('assertTableEq', n, 'a table', value) end
      end
      return judge(t, test_compare.tables, got, expected, negate, ...)
   end

   -- t:eq(got, expected [, tolerance] [, label]), and so on.
   for name, entry in pairs {
      eq = { '_eqOrNeq', false }, ne = { '_eqOrNeq', true },
      assertGeneralEq = { '_eqOrNeq', false }, assertGeneralNe = { '_eqOrNeq', true },
      assertTensorEq = { '_assertTensorEqOrNeq', false }, assertTensorNe = { '_assertTensorEqOrNeq', true },
      assertTableEq = { '_assertTableEqOrNeq', false }, assertTableNe = { '_assertTableEqOrNeq', true },
   } do
      local method, negate = entry[1], entry[2]
      methods[name] = function(t, got, expected, ...) return t[method](t, got, expected, negate, ...) end
   end
end

local function add_error_assertions(methods)
   -- Asserts that f raises an error that `accepts`.
   function methods.assertErrorObj(t, f, accepts, ...)
      local label = label_of(...)
      local ok, caught = pcall(f)
      if not ok then check.callable('Tester:assertErrorObj', 'argument 2', accepts) end
      return t:_assert_sub(not ok and accepts(caught), label .. 'ERROR violation: err=' .. tostring(caught))
   end

   function methods.assertError(t, f, ...)
      return t:assertErrorObj(f, function() return true end, ...)
   end

   function methods.assertErrorMsg(t, f, message, ...)
      return t:assertErrorObj(f, function(caught) return caught == message end, ...)
   end

   function methods.assertErrorPattern(t, f, pattern, ...)
      check.kind('Tester:assertErrorPattern', 'argument 2', pattern, 'string')
      return t:assertErrorObj(f, function(caught)
         if type(caught) ~= 'number' then check.kind('Tester:assertErrorPattern', 'the error', caught, 'string') end
         return string.find(caught, pattern) ~= nil
      end, ...)
   end

   function methods.assertNoError(t, f, ...)
      local label = label_of(...)
      local ok, caught = pcall(f)
      return t:_assert_sub(ok, label .. 'ERROR violation: err=' .. tostring(caught))
   end
end

function assertions.fill(methods)
   add_simple_assertions(methods)
   add_comparisons(methods)
   add_error_assertions(methods)
end

return assertions
