-- Annotations for lua-language-server, which tell editors what to complete and check: from the rows of the operations,
-- and from the contents of packages' tables.

local class_registry, reference = require 'torch.base.class_registry', require 'torch.dispatch.reference'
local install, types = require 'torch.dispatch.install', require 'torch.base.types'
local KEYWORDS = require('torch.language.tokens').KEYWORDS
local format, insert, match = string.format, table.insert, string.match

local TENSOR = 'torch.Tensor'
-- The letters of signatures.lua as types of the language server.
local TYPES = { r = TENSOR, R = TENSOR, t = TENSOR, v = 'number', n = 'integer', d = 'integer', s = 'string',
   b = 'boolean', T = 'table', L = 'torch.LongTensor', B = 'torch.ByteTensor', G = 'torch.Generator',
   I = 'torch.IntTensor', F = 'torch.FloatTensor', D = 'torch.DoubleTensor' }
local MAX_GROUPS = 4      -- optional groups of a signature that become separate overloads

local function is_name(name) return type(name) == 'string' and match(name, '^[%a_][%w_]*$') and not KEYWORDS[name] end

local function sorted(t)
   local names = {}
   for name in next, t do
      if is_name(name) then insert(names, name) end
   end
   table.sort(names)
   return names
end

-- Lists the choices of arguments from slot `first` on: those of a group are given or omitted together. Trailing groups
-- are expressed by question marks.
local function choices(slots, first)
   local last_needed = 0
   for i, slot in ipairs(slots) do
      if not slot.group then last_needed = i end
   end
   local groups = {}
   for i = first, last_needed do
      local group = slots[i].group
      if group and groups[#groups] ~= group and #groups < MAX_GROUPS then insert(groups, group) end
   end
   local list = {}
   for choice = 0, 2 ^ #groups - 1 do
      local left_out = {}
      for k, group in ipairs(groups) do left_out[group] = math.floor(choice / 2 ^ (k - 1)) % 2 == 1 end
      local parts, used = {}, {}
      for i = first, #slots do
         local slot = slots[i]
         if not (slot.group and left_out[slot.group]) then
            local name = string.gsub(slot.name, '[^%w_]', '_')
            if KEYWORDS[name] then name = name .. '_' end
            used[name] = (used[name] or 0) + 1
            if used[name] > 1 then name = name .. used[name] end
            insert(parts, format('%s%s: %s', name, i > last_needed and '?' or '', TYPES[slot.letter] or 'any'))
         end
      end
      insert(list, table.concat(parts, ', '))
   end
   return list
end

-- The first slot of a method that is an argument: earlier ones are self or cannot be given.
local function first_argument(slots)
   if slots[1].letter == 'R' and not slots[1].group then return 2 end
   local first = 1
   while slots[first].group and slots[first].letter ~= 't' and slots[first + 1] do first = first + 1 end
   return slots[first].letter == 't' and first + 1 or first
end

local function comment(out, text)
   for line in string.gmatch(text or '', '[^\n]+') do insert(out, '---' .. line) end
end

-- Writes a function with its other calls as overloads.
local function write(out, head, doc, calls)
   comment(out, doc)
   local seen = {}
   for _, parameters in ipairs(calls) do
      if not seen[parameters] then
         seen[parameters] = true
         insert(out, format('---@overload fun(%s): any', parameters))
      end
   end
   insert(out, format('---@return any ...\nfunction %s(...) end\n', head))
end

local function operation(out, methods, name)
   local functions, as_methods = {}, {}
   for _, call in ipairs(reference.calls(name)) do
      local slots, as_function, as_method = call[1], call[2], call[3]
      if as_function then for _, text in ipairs(choices(slots, 1)) do insert(functions, text) end end
      if as_method then
         for _, text in ipairs(choices(slots, first_argument(slots))) do
            insert(as_methods, 'self: ' .. TENSOR .. (text ~= '' and ', ' .. text or ''))
         end
      end
   end
   local row = install.row(name)
   local short, doc = row[1], reference.doc(name)
   if row.custom or row.only ~= 'method' then
      write(out, format('%s.%s', row.package.name, short), doc, functions)
   end
   if row.package.name == 'torch' and row.only ~= 'function' then
      write(methods, 'Tensor:' .. short, doc, as_methods)
   end
end

-- Writes the operations of the package `name`, and records their names.
local function operations(out, methods, name, known)
   for _, package in ipairs(reference.packages) do
      for _, chapter in ipairs(package.name == name and package.chapters or {}) do
         for _, label in ipairs(reference.names(package, chapter[1])) do
            known[install.row(label)[1]] = true
            operation(out, methods, label)
         end
      end
   end
end

-- Writes the fields of a package's table, except the names in `known`.
local function members(out, package, t, known)
   for _, name in ipairs(sorted(t)) do
      local value = t[name]
      local full = package .. '.' .. name
      local methods = class_registry.constructor(full) == value and value ~= nil and class_registry.metatable(full)
      if known[name] then
         known[name] = true
      elseif methods then
         local parent = class_registry.lua_getmetatable(methods)
         insert(out, format('---@class %s%s', full, parent and parent.__typename and ': ' .. parent.__typename or ''))
         insert(out, format('---@overload fun(...): %s', full))
         insert(out, full .. ' = {}\n')
         for _, method in ipairs(sorted(methods)) do
            if type(methods[method]) == 'function' then insert(out, format('function %s:%s(...) end', full, method)) end
         end
         insert(out, '')
      elseif type(value) == 'function' then
         insert(out, format('---@return any ...\nfunction %s(...) end\n', full))
      elseif type(value) ~= 'userdata' then
         insert(out, format('---@type %s\n%s = nil\n', type(value) == 'cdata' and 'any' or type(value), full))
      end
   end
end

local function torch_text()
   local torch = require 'torch'
   local out, methods, known = {}, {}, {}
   insert(methods, '---@meta\n\n---@class torch\ntorch = {}\n')
   insert(methods, '---A tensor of any element type.\n---@class torch.Tensor\n---@field [any] any')
   for _, operator in ipairs { 'add', 'sub', 'mul', 'div', 'mod' } do
      insert(methods, format('---@operator %s(any): any', operator))
   end
   insert(methods, '---@operator unm: torch.Tensor\n---@overload fun(...): torch.Tensor\nlocal Tensor = {}\n')
   operations(out, methods, 'torch', known)
   local double = types.by_name.Double
   for _, name in ipairs(sorted(double.tensor_methods)) do
      if not known[name] and type(double.tensor_methods[name]) == 'function' then
         insert(methods, format('---@return any ...\nfunction Tensor:%s(...) end\n', name))
      end
   end
   for _, T in ipairs(types.rows) do
      for _, kind in ipairs { 'Tensor', 'Storage' } do
         local full = format('torch.%s%s', T.name, kind)
         known[T.name .. kind] = true
         insert(methods, format('---@class %s%s\n---@field [any] any\n---@overload fun(...): %s\n%s = {}\n', full,
            kind == 'Tensor' and ': ' .. TENSOR or '', full, full))
      end
   end
   known.Tensor = true
   insert(methods, 'torch.Tensor = Tensor\n')
   members(out, 'torch', torch, known)
   return table.concat(methods, '\n') .. '\n' .. table.concat(out, '\n') .. '\nreturn torch\n'
end

-- The text of the file for a package.
return function(name)
   if name == 'torch' then return torch_text() end
   local t = require(name)
   if type(t) ~= 'table' then return nil end
   local out, known = { format('---@meta\n\n---@class %s\n%s = {}\n', name, name) }, {}
   operations(out, {}, name, known)
   members(out, name, t, known)
   insert(out, 'return ' .. name .. '\n')
   return table.concat(out, '\n')
end
