-- What calls return, inferred from their source without calling anything. A result stands for objects of a type or
-- class: it is their constructor table, which has their methods.

local find, match, sub = string.find, string.match, string.sub
local class_registry = require 'torch.base.class_registry'
local lexer, names, usage = require 'shell.lexer', require 'shell.names', require 'shell.usage'
local reference, install = require 'torch.dispatch.reference', require 'torch.dispatch.install'
local types, word_set = require 'torch.base.types', require 'torch.base.word_set'

local MAX_CALLS = 20      -- nested calls that are followed

-- Methods of tensors that have no rows, and return a tensor of the same type.
local OF_OWN_TYPE = word_set [[apply clone contiguous copy expand expandAs fill map map2 narrow new permute repeatTensor
   reshape resize resizeAs retain select set squeeze sub t transpose unfold unsqueeze view viewAs zero]]
local OF_TYPE = {}      -- the names of conversions, such as float
for _, T in ipairs(types.rows) do OF_TYPE[string.lower(T.name)] = T end
local OF_STRINGS = word_set 'format gsub lower rep reverse sub upper'

-- The element type of what an object stands for.
local function type_of(object)
   local T = types.of_tensor(object)
   if T then return T end
   for _, made in ipairs(types.rows) do
      if rawequal(object, made.tensor_constructor) then return made end
   end
end

-- The number of arguments between brackets, whose nested commas are left out.
local function count_arguments(code)
   local flat = string.gsub(string.gsub(code, '%b()', '()'), '%b{}', '{}')
   if not find(flat, '%S') then return 0 end
   return select(2, string.gsub(flat, ',', ',')) + 1
end

-- Tells whether a signature accepts this number of arguments.
local function takes(slots, given, kind)
   local required, of_self = 0, kind == 'method' and 1 or 0
   for _, slot in ipairs(slots) do
      if not slot.group then required = required + 1 end
   end
   return given >= required - of_self and given <= #slots - of_self
end

-- The types of tensors that the letters of results in signatures.lua mean; true is the own type.
local RESULTS = { r = true, R = true, L = types.by_name.Long, B = types.by_name.Byte }

-- The result of an operation by its row: a tensor of type T, by default, or of the type that the row names.
local function of_row(row, T, kind, given)
   if row.sizes then return T.tensor_constructor end
   for _, call in ipairs(reference.calls(install.label(row))) do
      local slots = call[1]
      if call[kind == 'method' and 3 or 2] and takes(slots, given, kind) then
         local made = slots[1] and RESULTS[slots[1].letter]
         return made and (made == true and T or made).tensor_constructor
      end
   end
end

local call_results = {}

-- The callee of a call: its value, the object that it is a field of, and its name.
local function callee(source, code, depth)
   local finish = lexer.trimmed(code, #code)
   local start = lexer.word_start(code, finish)
   if start > finish or find(code, '^%d', start) then return nil end
   local key, before = sub(code, start, finish), lexer.trimmed(code, start - 1)
   local separator = sub(code, before, before)
   if separator ~= '.' and separator ~= ':' or sub(code, before - 1, before) == '..' then
      return names.resolve { key }, nil, key
   end
   local owner = call_results.resolve(sub(source, 1, before - 1), sub(code, 1, before - 1), depth)
   if type(owner) == 'nil' then return nil end
   return names.field(owner, key), owner, key
end

local function result(source, code, arguments, depth)
   local value, owner, key = callee(source, code, depth)
   if type(value) == 'nil' then return nil end
   if class_registry.class_made_by(value) then return value end
   if type(owner) == 'nil' then return nil end
   if type(owner) == 'string' then return OF_STRINGS[key] and '' or nil end
   local T, given = type_of(owner), count_arguments(arguments[2])
   local row, kind = usage.operation(value, owner, key)
   if row then
      if not T and kind == 'function' then
         T = type_of(call_results.resolve(match(arguments[1], '^[^,]*'), match(arguments[2], '^[^,]*'), depth))
      end
      return of_row(row, T or types.default, kind, given)
   end
   if not T then return nil end
   if OF_OWN_TYPE[key] then return T.tensor_constructor end
   return OF_TYPE[key] and OF_TYPE[key].tensor_constructor
end

-- What the last assignment to a name in a text stands for, as call_results.resolve does; nil if there is none.
local function assigned(source, code, name, depth)
   local from, to
   for first, last in string.gmatch(code, '%f[%w_.:]' .. name .. '[ \t]*=[ \t]*()[^=\n;][^\n;]*()[\n;]') do
      from, to = first, last - 1
   end
   return from and call_results.resolve(sub(source, 1, to), sub(code, 1, to), depth)
end

-- Returns the object that the end of `code` is, or one that stands for it; nil if it is not known. `source` is the same
-- text with its strings.
function call_results.resolve(source, code, depth)
   depth = (depth or 0) + 1
   if depth > MAX_CALLS then return nil end
   local finish = lexer.trimmed(code, #code)
   source, code = sub(source, 1, finish), sub(code, 1, finish)
   local chain = lexer.chain(source, code)
   if chain then
      local own = chain[1] and assigned(source, code, chain[1], depth)
      return (names.resolve(chain, type(own) ~= 'nil' and { [chain[1]] = own } or nil))
   end
   local start = sub(code, -1) == ')' and match(code, '()%b()$')
   if not start then return nil end
   local inside = { sub(source, start + 1, -2), sub(code, start + 1, -2) }
   local before = lexer.trimmed(code, start - 1)
   local word = sub(code, lexer.word_start(code, before), before)
   if word ~= '' and not names.keywords[word] then
      return result(sub(source, 1, before), sub(code, 1, before), inside, depth)
   end
   return call_results.resolve(inside[1], inside[2], depth)
end

return call_results
