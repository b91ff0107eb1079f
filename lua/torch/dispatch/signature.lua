-- Argument forms: from a line such as "[r] t [v=1] t" to the code that recognises the arguments of a call,
-- fills in defaults and calls the kernel, and to the text that says what was expected.
--
-- Letters:  r  result of the tensor's own type; as a method it is self
--           R  result that is new unless it is given first
--           t  tensor of the own type; as a method the first one is self where it is left out
--           L  LongTensor   B  ByteTensor   v  number   n  whole number   d  dimension   s  string
--           b  boolean   T  table     G  torch.Generator   I, F, D  Int-, Float-, DoubleTensor
-- [ ] marks what may be left out together; v=1 gives a default, otherwise the kernel gets nil.
-- `call` says how the entry is used: 'method' (x:f(...)) or 'function' (torch.f(...)).

local concat, floor, format, gsub, min = table.concat, math.floor, string.format, string.gsub, math.min
local ipairs, loadstring, select, tonumber, type, unpack = ipairs, loadstring, select, tonumber, type, unpack
local ffi = require 'ffi'
local errors, random = require 'torch.core.errors', require 'torch.random.mersenne_twister'
local types = require 'torch.core.types'
local istype = ffi.istype

local args = {}

local MOST = 8

-- Kinds of values, one hexadecimal digit each; a call's kinds and, before them, their number are one number to compare.
-- By their number a last argument that is nil, mostly a variable that is not set, is told from one that is left out.
local NUMBER, OWN, LONG, BYTE, STRING, BOOLEAN, TABLE, GENERATOR, OTHER = 1, 2, 3, 4, 6, 7, 8, 9, 15
local INT, FLOAT, DOUBLE = 10, 11, 12

-- The kinds that are tensors and the like, by the names that their C types have in the source of an entry; the others
-- by what Lua's type says.
local ctypes = {
   [OWN] = 'own', [LONG] = 'long', [BYTE] = 'byte', [GENERATOR] = 'generator', [INT] = 'int', [FLOAT] = 'float',
   [DOUBLE] = 'double',
}
local lua_types = { [NUMBER] = 'number', [STRING] = 'string', [BOOLEAN] = 'boolean', [TABLE] = 'table' }

local function kinds_of(letter, T)
   if letter == 'r' or letter == 'R' or letter == 't' then return OWN end
   if letter == 'L' then return T.name == 'Long' and OWN or LONG end
   if letter == 'B' then return T.name == 'Byte' and OWN or BYTE end
   if letter == 'v' or letter == 'n' or letter == 'd' then return NUMBER end
   return ({ s = STRING, b = BOOLEAN, T = TABLE, G = GENERATOR, I = INT, F = FLOAT, D = DOUBLE })[letter] or OTHER
end

local words = { v = 'number', n = 'number', d = 'number', s = 'string', b = 'boolean', T = 'table',
   L = 'LongTensor', B = 'ByteTensor', G = 'Generator', I = 'IntTensor', F = 'FloatTensor', D = 'DoubleTensor' }

-- A form as a list of slots { letter, default, group }; slots of one group are given or left out together.
function args.parse(form)
   local slots, group, inside = {}, 0, false
   for token in gsub(form, '([%[%]])', ' %1 '):gmatch('%S+') do
      if token == '[' then
         group, inside = group + 1, true
      elseif token == ']' then
         inside = false
      else
         local letter, default = token:match('^(%a)=?(.*)$')
         if default == '' then default = nil end
         slots[#slots + 1] = { letter = letter, default = default, group = inside and group or nil }
      end
   end
   return slots, group
end

-- All ways to call a form: lists of { kinds, slot expressions }, the fullest last.
local function signatures(form, T, call)
   local slots, groups = args.parse(form)
   local list = {}
   for choice = 0, 2 ^ groups - 1 do
      local present = {}
      for i, slot in ipairs(slots) do
         present[i] = not slot.group or floor(choice / 2 ^ (slot.group - 1)) % 2 == 1
      end
      local result = slots[1].letter
      local is_result = result == 'r' or result == 'R'
      -- Variants: as written; as a method with self for the result, and with self for the first tensor too.
      local variants = { {} }
      if call == 'method' and result == 'r' then
         present[1] = true
         variants = { { }, { self_tensor = true } }
      end
      if not (call == 'method' and result == 'r' and choice % 2 == 1 and slots[1].group == 1) then
         for _, variant in ipairs(variants) do
            local kinds, values, position, skipped = {}, {}, 0, false
            for i, slot in ipairs(slots) do
               if variant.self_tensor and slot.letter == 't' and not skipped then
                  skipped = true
                  values[i] = 'a1'
               elseif present[i] then
                  position = position + 1
                  kinds[position] = kinds_of(slot.letter, T)
                  values[i] = 'a' .. position
               elseif i == 1 and is_result then
                  values[i] = 'nil'
               else
                  values[i] = slot.default or 'nil'
               end
            end
            if not variant.self_tensor or skipped then
               list[#list + 1] = { kinds = kinds, values = values }
            end
         end
      end
   end
   return list
end

-- "[DoubleTensor] DoubleTensor number" for a form.
function args.usage(form, T)
   local slots = args.parse(form)
   local parts = {}
   for i, slot in ipairs(slots) do
      local word = words[slot.letter] or T.name .. 'Tensor'
      if slot.default and slot.group then word = word .. '=' .. slot.default end
      local opens = slot.group and (i == 1 or slots[i - 1].group ~= slot.group)
      local closes = slot.group and (i == #slots or slots[i + 1].group ~= slot.group)
      parts[i] = (opens and '[' or '') .. word .. (closes and ']' or '')
   end
   return concat(parts, ' ')
end

local function short_name(value)
   return (errors.describe(value):gsub('^torch%.', ''))
end

-- What was given, as "DoubleTensor number"; tensors with their sizes.
function args.given(count, ...)
   local parts = {}
   for i = 1, count do
      local value = select(i, ...)
      parts[i] = short_name(value)
      if types.of_tensor(value) then
         parts[i] = parts[i] .. '[' .. require('torch.core.geometry').shape(value) .. ']'
      end
   end
   return count == 0 and 'no arguments' or concat(parts, ' ')
end

-- The kinds are told apart where they are needed, not by a function: one that is called for each argument gets hot
-- before the loop of the program that calls the operation, and traces would begin there.
local entry_source = [[
local istype, type, own, long, byte, generator, int, float, double, fail, $kernels = ...
local enter
enter = function(count, a1, a2, a3, a4, a5, a6, a7, a8)
   local key = count * $most
$key
$tests
   return fail(enter, count, a1, a2, a3, a4, a5, a6, a7, a8)
end
return enter]]

-- Source that adds the digit of the argument at a position to `key`, where it is one of a set of kinds or any other.
local function digit_source(position, kinds)
   local value, lines = 'a' .. position, {}
   local function add(condition, kind)
      lines[#lines + 1] = format('%s %s then key = key + %.0f', #lines == 0 and 'if' or 'elseif', condition,
         kind * 16 ^ (position - 1))
   end
   for kind = NUMBER, DOUBLE do
      local is_needed = kinds[kind]
      if is_needed and ctypes[kind] then
         add(format('istype(%s, %s)', ctypes[kind], value), kind)
      elseif is_needed then
         add(format("type(%s) == '%s'", value, lua_types[kind]), kind)
      end
   end
   add(format("type(%s) ~= 'nil'", value), OTHER)
   return concat(lines, '\n') .. '\nend\n'
end

-- Source that reads the arguments.
local function key_source(kinds_at)
   local parts = {}
   for position = 1, MOST do parts[position] = digit_source(position, kinds_at[position] or {}) end
   return format('%s%sif count > 2 then\n%sif count > 3 then\n%send\nend', parts[1], parts[2], parts[3],
      concat(parts, '', 4))
end

-- A trailing name of a type selects the type, and numeric strings count as numbers: the call is tried again.
local function failure(name, T, call, forms, function_of)
   return function(enter, count, ...)
      local given, turned = { ... }, false
      count = min(count, MOST)
      local S = call == 'function' and types.by_typename[given[count]]
      if S then return function_of(S)(unpack(given, 1, count - 1)) end
      for i = 1, count do
         local number = type(given[i]) == 'string' and tonumber(given[i])
         if number then given[i], turned = number, true end
      end
      if turned then return enter(count, unpack(given, 1, count)) end
      local usage = {}
      for i, form in ipairs(forms) do usage[i] = args.usage(form, T) end
      errors.raise('%s: invalid arguments: %s; expected%s %s', name, args.given(count, ...),
         call == 'method' and ' (self first)' or '', concat(usage, ' | '))
   end
end

-- What a program calls: it tells an entry the number of arguments. The entry itself takes a fixed number of them, since
-- no trace can begin at a function that takes any.
function args.public(enter)
   return function(...) return enter(select('#', ...), ...) end
end

-- An entry for a function that counts its arguments itself.
function args.counted(f)
   return function(_, ...) return f(...) end
end

-- The entry of an operation for a type, enter(count, ...): cases is a list of { form, kernel function }, function_of(S)
-- the operation as a function for a type.
function args.entry(name, T, call, cases, function_of)
   local names, kernels, tests, forms, seen, kinds_at = {}, {}, {}, {}, {}, {}
   for i, case in ipairs(cases) do
      names[i], kernels[i], forms[i] = 'f' .. i, case[2], case[1]
      for _, signature in ipairs(signatures(case[1], T, call)) do
         local key = #signature.kinds * 16 ^ MOST
         for position, kind in ipairs(signature.kinds) do
            key = key + kind * 16 ^ (position - 1)
            kinds_at[position] = kinds_at[position] or {}
            kinds_at[position][kind] = true
         end
         if not seen[key] then
            seen[key] = true
            local values = concat(signature.values, ', ')
            tests[#tests + 1] = format('   if key == %.0f then return f%d(%s) end', key, i, values)
         end
      end
   end
   local source = entry_source:gsub('%$(%a+)',
      { most = 16 ^ MOST, key = key_source(kinds_at), kernels = concat(names, ', '), tests = concat(tests, '\n') })
   local of = types.by_name
   return loadstring(source, '=t7 ' .. name)(istype, type, T.tensor_ct, of.Long.tensor_ct, of.Byte.tensor_ct,
      random.generator_ct, of.Int.tensor_ct, of.Float.tensor_ct, of.Double.tensor_ct,
      failure(name, T, call, forms, function_of), unpack(kernels))
end

return args
