-- matio: MATLAB's files as tensors. Cells and structs are tables, text is a string, complex arrays are { re, im }.

local host = require('torch.native.host').of 'matio'
local check, exchange, types = require 'torch.base.check', require 'torch.utility.exchange', require 'torch.base.types'

local matio = {}

-- Returns a table of all variables, the value of one, or a table of those in a list. Missing ones are nil.
function matio.load(path, names)
   check.kind('matio.load', 'path', path, 'string')
   local list = type(names) == 'string' and { names } or names or {}
   check.kind('matio.load', 'names', list, 'table')
   for i = 1, #list do check.kind('matio.load', 'name ' .. i, list[i], 'string') end
   local reader, why = host.load(path, unpack(list))
   if not reader then check.fail('matio.load', '%s: %s', path, why) end
   local found = exchange.from(reader)
   if type(names) == 'string' then return found[names] end
   return found
end

-- Writes the values of a table by their names, or one tensor by the name x. Vectors become columns.
function matio.save(path, value)
   check.kind('matio.save', 'path', path, 'string')
   if types.of_tensor(value) then value = { x = value } end
   check.kind('matio.save', 'argument 2', value, 'table')
   local why = host.save(path, exchange.to(value, 'matio.save'))
   if why then check.fail('matio.save', '%s: %s', path, why) end
end

return matio
