-- The operations: from the rows of ops/ to torch.f and x:f. Each is made for a type when it is first used.

local ipairs, rawget, rawset, require = ipairs, rawget, rawset, require
local select, setmetatable, type = select, setmetatable, type
local args, errors = require 'torch.dispatch.signature', require 'torch.core.errors'
local geometry = require 'torch.core.geometry'
local loader = require 'torch.core.loader'
local types, undisturbed = require 'torch.core.types', require 'torch.core.critical'

local install = {}
local counted, public = args.counted, args.public
local Half, Float = types.by_name.Half, types.by_name.Float

local chapters = {
   'construct', 'arithmetic', 'math', 'bits', 'compare', 'reduce', 'pick', 'matrix', 'linalg', 'conv', 'random',
}

local chapter_of = {}        -- name -> chapter
install.chapter_of = chapter_of

-- Chapters that were read, until the collector takes them. It marks what is there each time it runs, and an operation
-- needs its row once for each type, when it is made.
local read = setmetatable({}, { __mode = 'v' })

-- The rows of a chapter, by name and in their order.
local function rows_of(chapter)
   local found = read[chapter]
   if found then return found end
   found = {}
   for i, row in ipairs(loader.load('torch.ops.' .. chapter)) do
      row.chapter = chapter
      found[i], found[row[1]] = row, row
   end
   read[chapter] = found
   return found
end
install.rows_of = rows_of

local rows = setmetatable({}, { __index = function(_, name)
   local chapter = chapter_of[name]
   return chapter and rows_of(chapter)[name]
end })
install.rows = rows          -- name -> row

-- Which types a row is for.
local groups = {
   arithmetic = function(T) return T.arithmetic end,
   real = function(T) return T.name == 'Float' or T.name == 'Double' end,
   integer = function(T) return T.integer end,
   byte = function(T) return T.name == 'Byte' end,
   all = function() return true end,
}

-- Finds the maker that a row names, 'module.maker' in kernels/ or 'folder.module.maker'.
local function maker_of(path)
   local module, maker = path:match('^(.*)%.([%w_]+)$')
   return require('torch.' .. (module:find('.', 1, true) and module or 'kernels.' .. module))[maker]
end

-- Makes the kernel of one case of a row: case = { form, 'module.maker', parameters }.
local function kernel(row, case, T) return maker_of(case[2])(row[1], T, case[3] or row, case[1]) end

-- `types` of a row or case: the name of a group, or names of types.
local function is_for(which, T)
   local group = groups[which]
   if group then return group(T) end
   return (' ' .. which .. ' '):find(' ' .. T.name .. ' ', 1, true) ~= nil
end

-- Whether a row has kernels for a type.
function install.is_own(row, T) return is_for(row.types or 'arithmetic', T) end

-- Whether a type has an operation as a 'method' or as a 'function'; nothing is made.
function install.has(T, name, call)
   local row = rows[name]
   if T == Half and row and not install.is_own(row, T) then T = Float end
   return row ~= nil and install.is_own(row, T) and (not row.only or row.only == call)
end

-- Programs call the entries by way of `results`, which in the dialect torch5 lays them out by columns.
local function results(enter)
   if enter and geometry.columns then return counted(require('torch.dispatch.torch5').results(public(enter))) end
   return enter
end

local entry
function entry(row, T, call)
   if not install.is_own(row, T) then
      -- What HalfTensors have no kernel for goes through FloatTensors.
      local enter = T == Half and entry(row, Float, call)
      return enter and counted(require('torch.dispatch.half_fallback').wrap(public(enter))) or nil
   end
   if row.only and row.only ~= call then return nil end
   if row.custom then
      return counted(maker_of(row.custom)(T, call, row[1]))
   end
   local cases = {}
   for i = 2, #row do
      local case = row[i]
      if (not case.types or is_for(case.types, T)) and (not case.only or case.only == call) then
         cases[#cases + 1] = { case[1], kernel(row, case, T) }
      end
   end
   return args.entry(row[1], T, call, cases)
end

-- The method `name` of a type, nil when it has none.
function install.method(T, name)
   local row = rows[name]
   local enter = row and results(undisturbed.call(entry, row, T, 'method'))
   return enter and public(enter)
end

-- table[T][name], made by make(T, name) when it is first asked for.
local function by_type(make)
   return setmetatable({}, { __index = function(all, T)
      local row = setmetatable({}, { __index = function(made, name)
         local f = make(T, name)
         rawset(made, name, f)
         return f
      end })
      rawset(all, T, row)
      return row
   end })
end

-- entries[T][name] is the entry of torch.<name> for that type.
local entries = by_type(function(T, name)
   local row = rows[name]
   local enter = row and results(undisturbed.call(entry, row, T, 'function'))
   if not enter then errors.raise('%s does not implement the torch.%s() function', T.tensor_name, name) end
   return enter
end)

local functions = by_type(function(T, name) return public(entries[T][name]) end)

-- The functions of torch for a type, by name.
function install.functions(T) return functions[T] end

local of_tensor, by_typename = types.of_tensor, types.by_typename

-- The type a call without a tensor in its first two arguments is for: that of the tensors in a table, or named
-- by a last string, or the default.
local function type_of_call(count, first, ...)
   local T = type(first) == 'table' and of_tensor(first[1])
   if T then return T end
   local last = count > 1 and select(count - 1, ...) or first
   return type(last) == 'string' and by_typename[last] or types.default
end

-- Whether there are only numbers, up to four, as most programs give them: such a call is for the default type.
local function are_numbers(a, b, c, d)
   return (type(a) == 'nil' or type(a) == 'number')
      and (type(b) == 'nil' or type(a) == 'number' and type(b) == 'number')
      and (type(c) == 'nil' or type(b) == 'number' and type(c) == 'number')
      and (type(d) == 'nil' or type(c) == 'number' and type(d) == 'number')
end

-- Entries are told how many arguments there are: what a program did not set is not what it left out.
local function dispatcher(name)
   local function usual(first, second, third, fourth, fifth)
      local T = of_tensor(first) or of_tensor(second)
      if not T and type(first) == 'number' and type(fifth) == 'nil' and are_numbers(first, second, third, fourth) then
         T = types.default
      end
      return T and entries[T][name]
   end
   return function(...)
      local count = select('#', ...)
      local enter = usual(...) or entries[type_of_call(count, ...)][name]
      return enter(count, ...)
   end
end

-- Methods that are functions of torch too, with the tensor first.
local also_functions = {
   'chunk', 'expand', 'expandAs', 'fill', 'numel', 'permute', 'repeatTensor', 'reshape', 'split', 'squeeze', 'totable',
   'unsqueeze', 'view', 'viewAs', 'zero',
}

local function method_dispatcher(name)
   return function(first, second, ...)
      local T = of_tensor(first)
      -- A table to be filled may stand first.
      if not T and type(first) == 'table' then T = of_tensor(second) end
      if T then
         local method = T.tensor_methods[name]
         if not method then errors.raise('%s does not implement the torch.%s() function', T.tensor_name, name) end
         return method(first, second, ...)
      end
      T = types.of_storage(first)
      if T and T.storage_methods[name] then return T.storage_methods[name](first, second, ...) end
      errors.argument(name, 1, 'tensor expected, got %s', errors.describe(first))
   end
end

function install.install(torch)
   for _, chapter in ipairs(chapters) do
      for _, row in ipairs(rows_of(chapter)) do
         local name = row[1]
         if chapter_of[name] then errors.raise('operation %s has two rows', name) end
         chapter_of[name] = chapter
         if row.only ~= 'method' then torch[name] = dispatcher(name) end
      end
   end
   for _, name in ipairs(also_functions) do
      if rawget(torch, name) then errors.raise('torch.%s is there twice', name) end
      torch[name] = method_dispatcher(name)
   end
end

return install
