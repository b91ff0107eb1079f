-- The operations: from the rows of a package's ops/ to functions such as torch.f, and to the methods x:f of torch's
-- own. Each is made for a type when it is first used.
--
-- A row is { name, case, ..., doc = a sentence, types = which }, a case { signature, 'module.factory', parameters }:
-- see base/signatures.lua. 'module.factory' is a function of a module of torch/kernels/, in the folder
-- that kernels/families.lua names; with more parts, as in 'kernels.warp.rotate', the module is the package's own. It is
-- called as factory(name, T, parameters, signature, call) and returns the kernel, which takes the arguments of the
-- signature in their order; call is 'method' or 'function'. `types` is the name of a group below, or names of types.
-- `only` is 'method' or 'function'. `custom` names a factory that reads the arguments itself. `names` is the rule for
-- dimension names where the factories have none in name_rules.lua: 'unified', 'first', 'kept' or 'none'. `added` marks
-- an operation that the last Torch7 lacked, `text` one whose integer types take text as the last argument. For the
-- help and the manual, `args` names the last arguments of all cases, or is a list with names for each; `signatures`
-- lists the calls where the cases do not say them, each { as a function, as a method, whether that changes its
-- tensor }; `example` has lines as they are typed.

local ipairs, next, rawget, require = ipairs, next, rawget, require
local select, setmetatable, type = select, setmetatable, type
local overloads, errors = require 'torch.dispatch.overloads', require 'torch.base.errors'
local families, layers = require 'torch.kernels.families', require 'torch.dispatch.layers'
local lazy_table, loader = require 'torch.jit.lazy_table', require 'torch.jit.loader'
local proxies = require 'torch.base.proxies'
local types, uninterruptible = require 'torch.base.types', require 'torch.base.uninterruptible'

local install = {}
local counted, public = overloads.counted, overloads.public
local Half, Float = types.by_name.Half, types.by_name.Float

-- Packages in the order in which they were installed, and by name: { name, namespace, chapters, chapter_of, rows }.
install.packages, install.by_name = {}, {}

-- The rows of a chapter, by name and in order. They are loaded again after they were collected: the collector marks
-- everything alive on each run, and an operation needs its row only once per type.
function install.rows_of(package, chapter)
   local found = package.read[chapter]
   if found then return found end
   found = {}
   for i, row in ipairs(loader.load(package.name .. '.ops.' .. chapter)) do
      row.chapter, row.package = chapter, package
      found[i], found[row[1]] = row, row
   end
   package.read[chapter] = found
   return found
end
local rows_of = install.rows_of

-- The row of 'f' of torch or of 'package.f', nil when there is none.
function install.row(name)
   local folder, key = string.match(name, '^([^.]+)%.(.*)$')
   local package = install.by_name[folder or 'torch']
   return package and package.rows[key or name]
end

-- The name of an operation in errors and in the manual.
function install.label(row)
   return row.package.name == 'torch' and row[1] or row.package.name .. '.' .. row[1]
end
local label = install.label

local groups = {
   arithmetic = function(T) return T.arithmetic end,
   real = function(T) return T.name == 'Float' or T.name == 'Double' end,
   integer = function(T) return T.integer end,
   byte = function(T) return T.name == 'Byte' end,
   all = function() return true end,
}

local function factory_of(package, path)
   local module, factory = string.match(path, '^(.*)%.([%w_]+)$')
   local own = string.find(module, '.', 1, true)
   return require(own and package.name .. '.' .. module or 'torch.kernels.' .. (families[module] or module))[factory]
end

-- The kernel of case i of a row, with its layers. It is cached only without layers, since its scratch memory is
-- permanent.
local function kernel(row, i, T, call)
   local kernels, case, key = row.package.kernels, row[i], row[1] .. ' ' .. i .. ' ' .. call .. ' ' .. T.title
   if not kernels[key] then
      kernels[key] = factory_of(row.package, case[2])(label(row), T, case[3] or row, case[1], call)
   end
   return layers.apply('kernel', kernels[key], T, row, case, call)
end

-- `types` of a row or case: the name of a group, or names of types.
local function is_for(which, T)
   local group = groups[which]
   if group then return group(T) end
   return string.find(' ' .. which .. ' ', ' ' .. T.name .. ' ', 1, true) ~= nil
end

function install.is_own(row, T) return is_for(row.types or 'arithmetic', T) end

-- Tells whether a type has an operation as a 'method' or as a 'function', without creating it.
function install.has(row, T, call)
   if not layers.apply('has', true, T, row, call) then return false end
   if T.base then T = T.base end
   if T == Half and not install.is_own(row, T) then T = Float end
   return install.is_own(row, T) and (not row.only or row.only == call)
end

-- An entry that computes with other tensors in place of its arguments; proxies are handled before that.
local function past_proxies(row, call, f)
   return counted(function(...)
      if proxies.among(...) then return proxies.call(label(row), call, ...) end
      return f(...)
   end)
end

local entry
function entry(row, T, call)
   if T.base then
      -- Types of other devices use the type whose memory they have.
      local enter = entry(row, T.base, call)
      local devices = require 'torch.dispatch.devices'
      return enter and past_proxies(row, call, devices.wrap(row, T, public(enter), call)) or nil
   end
   if not install.is_own(row, T) then
      -- HalfTensors use FloatTensors where they have no kernel.
      local enter = T == Half and entry(row, Float, call)
      local half_fallback = require 'torch.dispatch.half_fallback'
      return enter and past_proxies(row, call, half_fallback.wrap(public(enter))) or nil
   end
   if row.only and row.only ~= call then return nil end
   if row.custom then
      return counted(factory_of(row.package, row.custom)(T, call, label(row)))
   end
   local cases = { text = row.text }
   for i = 2, #row do
      local case = row[i]
      if (not case.types or is_for(case.types, T)) and (not case.only or case.only == call) then
         cases[#cases + 1] = { case[1], kernel(row, i, T, call), several = case.several }
      end
   end
   local functions, name = row.package.functions, row[1]
   return overloads.entry(label(row), T, call, cases, function(S) return functions[S][name] end)
end

-- The entry of an operation for a type with its layers; nil if the type has none.
local function layered_entry(row, T, call)
   if not layers.apply('has', true, T, row, call) then return nil end
   local enter = uninterruptible.load(entry, row, T, call)
   if not enter then return nil end
   local plain = public(enter)
   local f = layers.apply('entry', plain, T, row, call)
   return f == plain and enter or counted(f)
end

-- Functions made from rows, with their names, and tables of them by type: both are remade when the layers change.
local made_of_row, caches = setmetatable({}, { __mode = 'k' }), setmetatable({}, { __mode = 'k' })

-- Tells whether a function was made from the row of a name, and not by a program.
function install.is_made(f, name) return made_of_row[f] == name end

-- The method `name` of a type, nil when it has none.
function install.method(T, name)
   local row = install.by_name.torch.rows[name]
   local enter = row and layered_entry(row, T, 'method')
   if not enter then return nil end
   local method = public(enter)
   made_of_row[method] = name
   return method
end

function install.functions(T) return install.by_name.torch.functions[T] end

local function by_type(make)
   local cache = lazy_table(function(T)
      return lazy_table(function(name)
         local f = make(T, name)
         made_of_row[f] = name
         return f
      end)
   end)
   caches[cache] = true
   return cache
end

layers.watch(function()
   for cache in next, caches do
      for _, row in next, cache do
         for name, f in next, row do
            if made_of_row[f] == name then row[name] = nil end
         end
      end
   end
end)

local of_tensor, by_typename = types.of_tensor, types.by_typename

local function type_among(values, count)
   for i = 1, count do
      local T = of_tensor(values[i])
      if T then return T end
   end
end

-- The type of a call without a tensor in its first two arguments: that of a later tensor, of a trailing type name, or
-- the default type.
local function type_of_call(count, ...)
   local given = { ... }
   local list = type(given[1]) == 'table' and given[1] or type(given[2]) == 'table' and given[2]
   local T = list and type_among(list, #list) or type_among(given, count)
   if T then return T end
   local last = given[count]
   return type(last) == 'string' and by_typename[last] or types.default
end

-- Tells whether all arguments are numbers, up to four: such a call uses the default type.
local function are_numbers(a, b, c, d)
   return (type(a) == 'nil' or type(a) == 'number')
      and (type(b) == 'nil' or type(a) == 'number' and type(b) == 'number')
      and (type(c) == 'nil' or type(b) == 'number' and type(c) == 'number')
      and (type(d) == 'nil' or type(c) == 'number' and type(d) == 'number')
end

-- Entries get the number of arguments, since an explicit nil differs from an omitted argument. This code is shared:
-- none of its functions runs while an entry is made, since a trace that starts there would impede later calls.
local function dispatcher(entries, name, title)
   return function(...)
      local count, first, second, third, fourth, fifth = select('#', ...), ...
      local T = of_tensor(first) or of_tensor(second)
      if not T and type(first) == 'number' and type(fifth) == 'nil' and are_numbers(first, second, third, fourth) then
         T = types.default
      end
      if not T and proxies.among(...) then return proxies.call(title, 'function', ...) end
      local enter = entries[T or type_of_call(count, ...)][name]
      return enter(count, ...)
   end
end

-- Methods that are functions of torch too, with the tensor as first argument.
local also_functions = {
   'chunk', 'expand', 'expandAs', 'fill', 'numel', 'permute', 'repeatTensor', 'reshape', 'split', 'squeeze', 'totable',
   'unsqueeze', 'view', 'viewAs', 'zero',
}

local function method_dispatcher(name)
   return function(first, second, ...)
      local T = of_tensor(first)
      -- A table to be filled may come first.
      if not T and type(first) == 'table' then T = of_tensor(second) end
      if T then
         local method = T.tensor_methods[name]
         if not method then errors.raise('%s does not implement the torch.%s() function', T.tensor_name, name) end
         return method(first, second, ...)
      end
      T = types.of_storage(first)
      if T and T.storage_methods[name] then return T.storage_methods[name](first, second, ...) end
      if proxies.among(first, second, ...) then return proxies.call(name, 'function', first, second, ...) end
      errors.argument_error(name, 1, 'a tensor', first)
   end
end

-- Makes the functions of a package: entries[T][name] is the entry of an operation for a type.
local function prepare(package)
   local rows = package.rows
   local entries = by_type(function(T, name)
      local row = rows[name]
      local enter = row and layered_entry(row, T, 'function')
      if not enter then
         errors.raise('%s does not implement the %s.%s() function', T.tensor_name, package.name, name)
      end
      return enter
   end)
   package.functions = by_type(function(T, name) return public(entries[T][name]) end)
   return entries
end

-- Adds the operations of a package to the table `namespace`. `folder` is its name and that of its folder;
-- `chapters` are lists { file below <folder>/ops, title, description } in the order of the manual. A chapter may have a
-- field `define`, function(namespace, row), for rows that are not functions of tensors, such as classes.
function install.package(namespace, folder, chapters)
   local package = { name = folder, namespace = namespace, chapters = chapters, chapter_of = {},
      kernels = {}, read = setmetatable({}, { __mode = 'v' }) }
   package.rows = setmetatable({}, { __index = function(_, name)
      local chapter = package.chapter_of[name]
      return chapter and rows_of(package, chapter)[name]
   end })
   local entries = prepare(package)
   install.packages[#install.packages + 1], install.by_name[folder] = package, package
   for _, chapter in ipairs(chapters) do
      for _, row in ipairs(rows_of(package, chapter[1])) do
         local name = row[1]
         if package.chapter_of[name] then errors.raise('%s.%s has two rows', folder, name) end
         package.chapter_of[name] = chapter[1]
         if chapter.define then
            chapter.define(namespace, row)
         elseif row.only ~= 'method' then
            namespace[name] = dispatcher(entries, name, label(row))
         end
      end
   end
   return package
end

-- An operation outside of any package, from a row as above; its name is used in errors alone.
function install.operation(row)
   local name = row[1]
   row.package = { name = 'torch', rows = { [name] = row }, kernels = {} }
   return dispatcher(prepare(row.package), name, name)
end

function install.install(torch)
   install.package(torch, 'torch', loader.load 'torch.ops.chapters')
   for _, name in ipairs(also_functions) do
      if rawget(torch, name) then errors.raise('torch.%s is already defined', name) end
      torch[name] = method_dispatcher(name)
   end
end

return install
