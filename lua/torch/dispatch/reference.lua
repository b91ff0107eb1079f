-- The reference of the operations: the calls of each, its types, description and example, from the rows of ops/ of each
-- package. Operations are named 'f' for those of torch, 'package.f' for others.

local signatures, install = require 'torch.base.signatures', require 'torch.dispatch.install'
local types = require 'torch.base.types'

local reference = {}

-- Names of arguments where a row has none.
local words = { r = 'res', R = 'res', v = 'value', n = 'n', d = 'dim', s = 'option', b = 'flag', T = 'list',
   k = 'keepdim', L = 'index', B = 'mask', G = 'generator', I = 'res', F = 'y', D = 'y' }
local tensors = { 'x', 'y', 'z' }

-- The slots of case i of a row, with names: those of `args` for the last ones, the others by their letters.
local function named(row, i)
   local slots, count, list, args = signatures.parse(row[i][1]), 0, {}, row.args
   if type(args) == 'table' then args = args[i - 1] end
   for word in string.gmatch(args or '', '%S+') do list[#list + 1] = word end
   for k, slot in ipairs(slots) do
      if slot.letter == 't' then count = count + 1 end
      slot.name = list[k - #slots + #list] or slot.letter == 't' and tensors[count] or words[slot.letter]
   end
   return slots
end

-- Slots as arguments are written: `[res,] x, low [, high=1]`.
local function written(slots, first)
   local parts, required, some = {}, false, false
   for i = first, #slots do required = required or not slots[i].group end
   local i = first
   while i <= #slots do
      local group, last, inside = slots[i].group, i, {}
      while group and slots[last + 1] and slots[last + 1].group == group do last = last + 1 end
      for k = i, last do
         local default = slots[k].default
         inside[#inside + 1] = slots[k].name .. (default and '=' .. default or '')
      end
      local text = table.concat(inside, ', ')
      if not group then
         parts[#parts + 1] = (some and ', ' or '') .. text
         some = true
      elseif some or not required and #parts > 0 then
         parts[#parts + 1] = ' [, ' .. text .. ']'
      else
         parts[#parts + 1] = required and '[' .. text .. ',] ' or '[' .. text .. ']'
      end
      i = last + 1
   end
   return table.concat(parts)
end

-- The method: called on the result if the row says so, otherwise on the first tensor.
local function method(name, slots)
   local first = 1
   if slots[1].letter == 'R' and not slots[1].group then return string.format('res:%s(%s)', name, written(slots, 2)) end
   while slots[first].group and slots[first].letter ~= 't' and slots[first + 1] do first = first + 1 end
   if slots[first].letter ~= 't' then return string.format('res:%s(%s)', name, written(slots, first)) end
   return string.format('%s:%s(%s)', slots[first].name, name, written(slots, first + 1)), slots[1].letter == 'r'
end

-- Cases that only reject a type are omitted.
local function is_refusal(case) return case[2] == 'elementwise.integers_only' end

-- The line of the function of the same kernel, which a method shares when each has its own case.
local function beside(list, made)
   for _, line in ipairs(list) do
      if line[2] == '' and line.made == made then return line end
   end
end

-- The calls of an operation, each { slots with names, is_function, is_method, the factory of the kernel }.
function reference.calls(name)
   local row, list = install.row(name), {}
   for i = 2, #row do
      local case = row[i]
      if not is_refusal(case) then
         list[#list + 1] = { named(row, i), row.only ~= 'method' and case.only ~= 'method',
            row.package.name == 'torch' and row.only ~= 'function' and case.only ~= 'function', case[2] }
      end
   end
   return list
end

-- The calls of an operation, a line each: { as a function, as a method, whether that changes self }; '' for none.
function reference.signatures(name)
   local row, list, seen = install.row(name), {}, {}
   if row.signatures then return row.signatures end
   for _, call in ipairs(reference.calls(name)) do
      local line = { '', '', made = call[4] }
      if call[2] then line[1] = string.format('%s.%s(%s)', row.package.name, row[1], written(call[1], 1)) end
      if call[3] then line[2], line[3] = method(name, call[1]) end
      local key, partner = line[1] .. line[2], line[1] == '' and beside(list, line.made)
      if partner then
         partner[2] = line[2]
      elseif not seen[key] then
         seen[key] = true
         list[#list + 1] = line
      end
   end
   return list
end

-- The element types of an operation in words; nil for a row that is not a function of tensors.
function reference.types(name)
   local row = install.row(name)
   local list = {}
   if #row == 1 and not row.custom then return nil end
   for _, T in ipairs(types.rows) do
      local has = install.has(row, T, 'method') or install.has(row, T, 'function')
      local own = install.is_own(row, T) and T or types.by_name.Float
      for i = 2, #row do
         if is_refusal(row[i]) and (own.name == 'Float' or own.name == 'Double') then has = false end
      end
      if has then list[#list + 1] = T.name end
   end
   return #list == #types.rows and 'all' or table.concat(list, ', ')
end

function reference.doc(name) return install.row(name).doc end

-- The lines of the example, as they are typed; nil when there is none.
function reference.example(name)
   local example = install.row(name).example
   return example and (string.gsub(string.gsub(string.gsub(example, '^%s+', ''), '\n%s+', '\n'), '%s+$', ''))
end

-- The packages that have rows, as install.lua knows them, in the order in which they were loaded.
reference.packages = install.packages

-- The names of a chapter's operations in their order: 'f' of torch, 'package.f' of others.
function reference.names(package, chapter)
   local list = {}
   for i, row in ipairs(install.rows_of(package, chapter)) do list[i] = install.label(row) end
   return list
end

return reference
