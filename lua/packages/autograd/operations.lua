-- Runs operations on Values, and records them on the tape.

local rawequal, select, type, unpack = rawequal, select, type, unpack
local torch = require 'torch'
local errors, install = require 'torch.base.errors', require 'torch.dispatch.install'
local records, tape, types = require 'autograd.records', require 'autograd.tape', require 'torch.base.types'
local is_value, index_of, unwrap = tape.is_value, tape.index_of, tape.unwrap
local of_tensor = types.of_tensor

local operations = {}

-- Splits arguments into what they stand for and their indices; the last result is the greatest origin.
local function take(given, count)
   local values, origins, a, inputs, origin = tape.values, tape.origins, {}, {}, 0
   for i = 1, count do
      local x = given[i]
      if is_value(x) then
         local index = index_of(x)
         inputs[i], x = index, values[index]
         if origins[index] > origin then origin = origins[index] end
      elseif type(x) == 'table' then
         local list, indices
         for k = 1, #x do
            if is_value(x[k]) then
               list, indices = list or { unpack(x) }, indices or {}
               local index = index_of(x[k])
               indices[k], list[k] = index, values[index]
               if origins[index] > origin then origin = origins[index] end
            end
         end
         inputs[i], x = indices, list or x
      end
      a[i] = x
   end
   return a, inputs, origin
end

-- torch's function or method of a record's name.
local function forward_of(record)
   if record.forward then return record.forward end
   local name = record.name
   local f = not record.changes and torch[name]
   if record.changes then
      f = function(x, ...)
         if not of_tensor(x) then errors.argument_error(name, 1, 'a tensor', x) end
         local copy = x:clone()
         copy[name](copy, ...)
         return copy
      end
   elseif not f then
      f = function(x, ...)
         if not of_tensor(x) then errors.argument_error(name, 1, 'a tensor', x) end
         if not x[name] then errors.raise('%s has no method %s', torch.type(x), name) end
         return x[name](x, ...)
      end
   end
   record.forward = f
   return f
end

-- A Value for a result, or the result itself if it is not a number or tensor.
local function recorded(entry, origin, result)
   if type(result) ~= 'number' and not of_tensor(result) then return result end
   return tape.at(tape.add(result, entry, origin))
end

local function record_parts(entry, origin, results, count)
   local parent = tape.add(results, entry, origin)
   local parts = {}
   for k = 1, count do parts[k] = recorded({ parent = parent, part = k }, origin, results[k]) end
   return parts
end

local function finish(record, use, given, a, inputs, origin, first, ...)
   if record.constant or origin == 0 and not record.view then return first, ... end
   if not use then
      errors.raise('%s: no derivative for these arguments; inside of a gradient, results are not given as arguments',
         record.name)
   end
   local entry = { use = use, a = a, inputs = inputs, more = (...) }
   if record.parts == 'list' then return record_parts(entry, origin, first, #first) end
   if record.parts then
      local results = { first, ... }
      return unpack(record_parts(entry, origin, results, math.min(record.parts, #results)))
   end
   local value = recorded(entry, origin, first)
   if record.view and of_tensor(first) and is_value(given[1]) then
      tape.views[value.entry] = { base = given[1], at = index_of(given[1]), record = record, all = given }
   end
   return value, ...
end

-- Whether a value is the second result of the call that returned a Value, as in torch.sum(torch.max(x, 1)): in the
-- original, calls with Values had only one result.
local function is_passed_on(value, second)
   local entry = is_value(value) and tape.entries[index_of(value)]
   return entry and entry.more ~= nil and rawequal(entry.more, second)
end

-- Calls f with a list of arguments; `unpack` would end every trace that reaches it.
local function call(f, a, count)
   if count == 1 then return f(a[1]) end
   if count == 2 then return f(a[1], a[2]) end
   if count == 3 then return f(a[1], a[2], a[3]) end
   if count == 4 then return f(a[1], a[2], a[3], a[4]) end
   return f(unpack(a, 1, count))
end

-- Runs an operation as a function that leaves its arguments as they are.
local apply
function apply(record, given, count)
   if record.none then errors.raise('%s has no derivative: %s', record.name, record.none) end
   local a, inputs, origin = take(given, count)
   local use = not record.constant and records.use(record, a, count) or nil
   if not use and not record.constant and count > 1 and is_passed_on(given[count - 1], given[count]) then
      return apply(record, given, count - 1)
   end
   return finish(record, use, given, a, inputs, origin, call(forward_of(record), a, count))
end

operations.apply = apply

-- A record of a function with functions for its gradients, (g, out, arguments...) by argument.
function operations.custom(name, forward, gradients)
   local use = { positions = {} }
   local record = { name = name, forward = forward, uses = setmetatable({}, { __index = function() return use end }) }
   use.record = record
   function use.gradient(i)
      local gradient = gradients[i]
      return gradient and function(g, out, _, a) return gradient(g, out, unpack(a, 1, #a)) end or gradient
   end
   return record
end

local function fits(record, given, count)
   local a = take(given, count)
   return records.use(record, a, count) ~= nil
end

-- Makes a Value refer to another entry, and with it the base of a view.
local function assign(value, to)
   local index = index_of(value)
   local view = tape.views[index]
   if tape.entries[index] == nil and tape.origins[index] > 0 then
      errors.raise 'autograd: a parameter cannot be changed in place inside of a gradient; clone it first'
   end
   if not is_value(to) then to = tape.at(tape.add(to, nil, 0)) end
   if not view then
      value.entry = to.entry
      return value
   end
   assign(view.base, tape.run('autograd.overwrite', 'function', view.base, to, view.record.name,
      { unpack(view.all, 2) }))
   index_of(value)
   return value
end
operations.assign = assign

-- How a method uses self: 'own' if it is changed and may be the first operand, 'result' if it is only the result, nil
-- if it is not changed.
local function in_place(record)
   if record.changes then return 'own' end
   local row, way = install.row(record.name), nil
   for i = 2, row and #row or 0 do
      if row[i].only ~= 'function' then
         local signature = row[i][1]
         if string.find(signature, '^%[?r') then return 'own' end
         if not string.find(signature, '^R') then return nil end
         way = 'result'
      end
   end
   return way
end

local function run_in_place(record, way, given, count)
   local self, rest = given[1], { unpack(given, 2, count) }
   local arguments, number = given, count
   if not is_value(self) then
      errors.raise('%s: inside of a gradient, this tensor cannot take a value that has one: use torch.%s(...), or a '
         .. 'copy by x.new()', record.name, record.name)
   end
   if not record.constant then
      local four = count == 5 and way == 'result' and type(unwrap(given[2])) == 'number'
      if four and type(unwrap(given[3])) == 'number' then arguments = { given[2], self, unpack(given, 3, count) } end
      if not fits(record, arguments, number) and count > 1 then arguments, number = rest, count - 1 end
   end
   if record.constant and way == 'result' then
      local copy = unwrap(self):clone()
      return assign(self, copy[record.name](copy, unpack((take(rest, count - 1)), 1, count - 1)))
   end
   return assign(self, (apply(record, arguments, number)))
end

-- The operands of a call such as torch.add(result, x, y) with a Value as result; nil for other calls.
local function operands_after_result(record, given, count)
   if record.constant or record.none or count < 2 or not is_value(given[1]) or not in_place(record) then return nil end
   local operands = { unpack(given, 2, count) }
   return not fits(record, given, count) and fits(record, operands, count - 1) and operands or nil
end

-- Runs an operation that has a Value among its arguments.
function operations.run(name, kind, ...)
   local record, count, given = records.by_name[name], select('#', ...), { ... }
   if not record then errors.raise('%s has no derivative', name) end
   local way = kind == 'method' and in_place(record)
   if way then return run_in_place(record, way, given, count) end
   local operands = kind == 'function' and operands_after_result(record, given, count)
   if operands then return assign(given[1], (apply(record, operands, count - 1))) end
   if record.changes and kind == 'function' then
      local result = apply(record, given, count)
      -- torch changes its first argument; the gradient goes with the result alone.
      if is_value(given[1]) then return assign(given[1], result) end
      given[1]:copy(unwrap(result))
      return result
   end
   return apply(record, given, count)
end
tape.run = operations.run

-- Takes a view of a changed base again.
function tape.again(view)
   return (apply(view.record, { view.base, unpack(view.all, 2, #view.all) }, #view.all))
end

return operations
